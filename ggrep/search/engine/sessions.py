"""Exploration sessions: successive slates over one snapshot.

What a session is lies in its token, which its client carries, and in a pin, which keeps the
snapshot; no process remembers it. So any daemon of the home goes on with any session, and one that
is killed between pin and answer leaves a pin that ends by itself.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from ggrep.base.errors import SessionExpired
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.config.layout import names
from ggrep.index.store.pins import PIN_TTL_SECS, Pin, extend, read_pin, write_pin
from ggrep.model.slate import SessionOp, SessionState
from ggrep.search.slate.session_tokens import (
    SessionToken,
    path_hash,
    read_token,
    seen_set_digest,
    write_token,
)


@dataclass(frozen=True, slots=True)
class OpenSession:
    """A session during one request.

    Attributes:
        seen: hashes of the paths it returned before this request.
        key: seals its tokens.
    """

    store_id: StoreId
    session_id: str
    snapshot_id: SnapshotId
    seen: frozenset[bytes]
    key: bytes = field(repr=False)

    def has_seen(self, path: str) -> bool:
        """Return whether an earlier request returned that file."""
        return path_hash(path) in self.seen


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions over one store.

    Attributes:
        key: seals their tokens.
    """

    store: Path
    store_id: StoreId
    key: bytes = field(repr=False)
    now: datetime

    def snapshot_of(self, text: str) -> SnapshotId:
        """Return the snapshot of a token's session, to be pinned before it is resumed.

        Raises:
            InvalidRequest: it is not a token of this store.
            SessionExpired: the session ended, or its snapshot went with a rebuild.
            StoreError: its pin cannot be read now.
        """
        token = read_token(text, self.key, self.store_id)
        _require_pin(self.store, token, self.now)
        return token.snapshot_id

    def begin(self, snapshot_id: SnapshotId, session_id: str) -> OpenSession:
        """Start a session over a snapshot, which is retained for it.

        Requires: the caller has the snapshot pinned for the length of the request.

        Raises:
            Busy: as many sessions as there may be run already.
            OSError: its pin cannot be written.
        """
        write_pin(self.store, snapshot_id, session_id, self.now)
        return OpenSession(self.store_id, session_id, snapshot_id, frozenset(), self.key)

    def resume(self, text: str) -> OpenSession:
        """Continue a token's session and extend the retention of its snapshot.

        Requires: the caller has `snapshot_of` it pinned for the length of the request.

        Raises:
            OSError: its pin cannot be written.
            GgrepError: as `snapshot_of`.
        """
        token = read_token(text, self.key, self.store_id)
        extend(self.store, _require_pin(self.store, token, self.now), self.now)
        seen = frozenset(token.seen)
        return OpenSession(self.store_id, token.session_id, token.snapshot_id, seen, self.key)


def advance(session: OpenSession, paths: Iterable[str], op: SessionOp) -> SessionState:
    """Return the next state after returning `paths`; it is stored in the token alone.

    The same session, paths and step give the same token. A client that asks again with the token
    before gets the same answer again.

    Raises:
        SessionFull: it would have returned more files than a token can name.
    """
    seen = tuple(sorted(session.seen.union(map(path_hash, paths))))
    token = SessionToken(session.store_id, session.snapshot_id, session.session_id, seen)
    return SessionState(
        token=write_token(token, session.key),
        op=op,
        seen_set_digest=seen_set_digest(seen),
        seen_files=len(seen),
        expires_in_secs=PIN_TTL_SECS,
    )


def _require_pin(store: Path, token: SessionToken, now: datetime) -> Pin:
    pin = read_pin(store, token.snapshot_id, token.session_id)
    there = names.manifest_file(store, token.snapshot_id).exists()
    if pin is None or not pin.holds(now) or not there:
        raise SessionExpired("session_token: this session has expired; start a new session")
    return pin
