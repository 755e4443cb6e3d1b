"""Manages sessions: successive slates over one snapshot, identified by `tokens`.

The state of a session consists of its token, which the client stores, and of a pin, a file that
prevents removal of the snapshot. No process stores the state, so any daemon of the home can
continue any session. If a daemon is killed after it wrote the pin, the pin expires.

The key of a store, which seals the store's tokens, is derived from a key of the home. The key file
is readable for the user, or for the group that shares the home. If the key file is lost, only the
open sessions are lost.
"""

import hmac
import os
import secrets
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.clock import Clock, Deadline
from ggrep.base.durable import modes_in
from ggrep.base.errors import NoIndex, SessionExpired
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.pins import Pin, extend, read_pin, write_pin
from ggrep.index.store.read_failures import typed_failures
from ggrep.model.slate import SESSION_SECS, SessionOp, SessionState
from ggrep.search.slate.tokens import (
    SessionToken,
    path_hash,
    read_token,
    seen_set_digest,
    write_token,
)


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions over one store.

    Attributes:
        key: the key that seals their tokens.
    """

    store: Path
    store_id: StoreId
    key: bytes = field(repr=False)
    now: datetime

    def snapshot_of(self, text: str) -> SnapshotId:
        """Return the snapshot of a token's session; pin it before `resume`.

        Raises:
            InvalidRequest: the text is not a token of this store.
            SessionExpired: the session ended, or a rebuild removed its snapshot.
            StoreError: the session's pin cannot be read now.
        """
        token = read_token(text, self.key, self.store_id)
        _require_pin(self.store, token, self.now)
        return token.snapshot_id

    def begin(self, snapshot_id: SnapshotId, session_id: str) -> SessionToken:
        """Start a session over a snapshot, and retain the snapshot for the session.

        Requires: the caller pins the snapshot during the request.

        Raises:
            Busy: the maximum number of sessions exists already.
            OSError: the session's pin cannot be written.
        """
        write_pin(self.store, snapshot_id, session_id, self.now)
        return SessionToken(self.store_id, snapshot_id, session_id)

    def resume(self, text: str) -> SessionToken:
        """Continue a token's session and extend the retention of its snapshot.

        Requires: the caller pins the snapshot that `snapshot_of` returns during the request.

        Raises:
            OSError: the session's pin cannot be written.
            GgrepError: as `snapshot_of`.
        """
        token = read_token(text, self.key, self.store_id)
        extend(self.store, _require_pin(self.store, token, self.now), self.now)
        return token

    def advance(self, session: SessionToken, paths: Iterable[str], op: SessionOp) -> SessionState:
        """Return a session's state after an answer with `paths`; only its token stores the state.

        The same session and paths result in the same token. A client that repeats a request with an
        earlier token receives the same answer.

        Raises:
            SessionFull: the session would have returned more files than a token can contain.
        """
        seen = session.seen.union(map(path_hash, paths))
        return SessionState(
            token=write_token(replace(session, seen=seen), self.key),
            op=op,
            seen_set_digest=seen_set_digest(seen),
            seen_files=len(seen),
            expires_in_secs=SESSION_SECS,
        )


def _require_pin(store: Path, token: SessionToken, now: datetime) -> Pin:
    pin = read_pin(store, token.snapshot_id, token.session_id)
    there = store_files.manifest_file(store, token.snapshot_id).exists()
    if pin is None or not pin.holds(now) or not there:
        raise SessionExpired("session_token: this session has expired; start a new session")
    return pin


KEY_BYTES: Final = 32
_KEY_RETRY_MS: Final = 5.0
"""Interval of checks while another process creates the key, which takes less time."""
_KEY_CONTEXT: Final = b"ggrep sessions of a store\0"


def sessions_of(home: Home, store_id: StoreId, deadline: Deadline, clock: Clock) -> Sessions:
    """Return the sessions over a store; raises the errors of `session_key`."""
    patience = Patience(
        deadline, time.sleep, "another process creates the key of sessions", _KEY_RETRY_MS
    )
    key = session_key(home, store_id, patience)
    return Sessions(home.store_dir(store_id), store_id, key, clock.now())


def session_key(home: Home, store_id: StoreId, patience: Patience) -> bytes:
    """Return the key of a store's sessions; creates the home's key if it is missing.

    Args:
        home: the home that contains the store.
        store_id: the store of the sessions.
        patience: how long to wait while another process creates the key.

    Raises:
        NoIndex: the store does not exist; no key is created.
        Busy: another process was creating the key until the deadline.
        StoreError: the key can be neither read nor created.
    """
    if not home.store_dir(store_id).is_dir():
        raise NoIndex("this repository has no index yet; run: ggrep index")
    with typed_failures(home.base):
        return hmac.digest(_home_key(home, patience), _KEY_CONTEXT + store_id.encode(), "sha256")


def _home_key(home: Home, patience: Patience) -> bytes:
    key = _read_key(home.session_key)
    if key is not None:
        return key
    # The lock is necessary: of two processes that create a key at once, one would use a lost key.
    with alone(home.session_key_lock, patience):
        key = _read_key(home.session_key)
        if key is None:
            key = secrets.token_bytes(KEY_BYTES)
            durable.sweep_leftovers(home.session_key)
            durable.replace_file(home.session_key, key)
    return key


def _read_key(file: Path) -> bytes | None:
    """Return the key in a file; None if it must be created again.

    A key that other users could read is also replaced, because they could seal tokens with it.
    """
    with suppress(FileNotFoundError):
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            status = os.fstat(descriptor)
            key = os.read(descriptor, KEY_BYTES + 1) if stat.S_ISREG(status.st_mode) else b""
        finally:
            os.close(descriptor)
        open_to = stat.S_IMODE(status.st_mode) & ~modes_in(file.parent).file
        return key if len(key) == KEY_BYTES and not open_to else None
    return None
