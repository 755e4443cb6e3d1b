"""The keys that authenticate session tokens: one per home, from which each store's derives.

The home's lies in a file that only those may read who may read the home: its user, or the group
that shares it, any of whose daemons may be asked to go on with a session. Whoever loses the file
loses the sessions that run, and nothing else.
"""

import hmac
import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.errors import NoIndex
from ggrep.base.ids import StoreId
from ggrep.base.locks import Patience, alone
from ggrep.base.modes import modes_in
from ggrep.config.home import Home
from ggrep.index.store.read_failures import typed_failures

KEY_BYTES: Final = 32
_CONTEXT: Final = b"ggrep sessions of a store\0"


def session_key(home: Home, store_id: StoreId, patience: Patience) -> bytes:
    """Return the key of a store's sessions; creates the home's key if missing.

    Args:
        home: that the store lies in.
        store_id: whose sessions.
        patience: while another process makes it.

    Raises:
        NoIndex: there is no such store, so nothing is made for it either.
        Busy: another process was at it until the deadline.
        StoreError: the key can be neither read nor made.
    """
    if not home.store_dir(store_id).is_dir():
        raise NoIndex("this repository has no index yet; run: ggrep index")
    with typed_failures(home.base):
        return hmac.digest(_home_key(home, patience), _CONTEXT + store_id.encode(), "sha256")


def _home_key(home: Home, patience: Patience) -> bytes:
    key = _read(home.session_key)
    if key is not None:
        return key
    # One of two who make it at once would seal tokens with a key that nobody has any more.
    with alone(home.session_key_lock, patience):
        key = _read(home.session_key)
        if key is None:
            key = secrets.token_bytes(KEY_BYTES)
            durable.sweep_leftovers(home.session_key)
            durable.replace_file(home.session_key, key)
    return key


def _read(file: Path) -> bytes | None:
    """Return the key in a file; None if it must be created anew.

    That is also where others could have read it: they could seal tokens of their own.
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
