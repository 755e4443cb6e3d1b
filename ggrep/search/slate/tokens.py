"""Reads and writes tokens of sessions, which contain a snapshot and the returned files.

A token is sealed, because any client can send a token. The seal is an HMAC-SHA256 with a key of the
store, over the store's id and all bytes of the token before the seal. The module also checks a
session's next step. It performs no I/O.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from typing import Final, NoReturn

from msgspec import Struct

from ggrep.base.errors import InvalidRequest, SessionFull
from ggrep.base.ids import SnapshotId, StoreId, parse_snapshot_id
from ggrep.model.sanitise import is_text
from ggrep.model.slate import MAX_TARGETS, Pack, SessionRequest

MAX_TOKEN_BYTES: Final = 4_096
"""Maximum length of a token; a longer token is rejected without reading it."""

VERSION: Final = 1
"""Version of the layout of a token, which is base64url without padding.

1. One byte of version, the snapshot's id, the session's id, 8 bytes for each seen file in
   ascending order, the seal of 32 bytes.
"""

_ULID_BYTES: Final = 26
_HEAD: Final = 1 + 2 * _ULID_BYTES
_SEAL: Final = 32
PATH_HASH_BYTES: Final = 8

EMPTY_TOKEN_BYTES: Final = _HEAD + _SEAL
"""Number of bytes of a token without files."""

MAX_SEEN: Final = (MAX_TOKEN_BYTES * 3 // 4 - EMPTY_TOKEN_BYTES) // PATH_HASH_BYTES
"""Maximum number of files in a token: (3,072 - 53 - 32) / 8 = 373, in 4,092 characters."""

_CONTEXT: Final = b"ggrep session token\0"


class SessionToken(Struct, frozen=True):
    """The content of a token.

    Attributes:
        store_id: the store of the snapshot; the seal covers it, but the token does not contain it.
        session_id: 26 characters, like a ULID.
        seen: hashes of the returned paths; see `path_hash`.
    """

    store_id: StoreId
    snapshot_id: SnapshotId
    session_id: str
    seen: frozenset[bytes] = frozenset()

    def has_seen(self, path: str) -> bool:
        """Return whether an earlier answer of the session contains a file."""
        return path_hash(path) in self.seen


def path_hash(path: str) -> bytes:
    """Return the 8 bytes that identify a path; they are the same in all stores."""
    return hashlib.sha256(path.encode()).digest()[:PATH_HASH_BYTES]


def seen_set_digest(seen: Iterable[bytes]) -> str:
    """Return the hex SHA-256 of the ascending hashes of all returned files."""
    return hashlib.sha256(b"".join(sorted(seen))).hexdigest()


def write_token(token: SessionToken, key: bytes) -> str:
    """Return a token as text, which depends only on the token and the key.

    Requires: both ids consist of 26 characters of a ULID.

    Raises:
        SessionFull: the session has returned more files than fit into a token.
    """
    if len(token.seen) > MAX_SEEN:
        raise SessionFull(
            f"session full: a session returns at most {MAX_SEEN} files, but with this answer it"
            f" would return {len(token.seen)}; start a new session"
        )
    ids = f"{token.snapshot_id}{token.session_id}".encode("ascii")
    body = bytes([VERSION]) + ids + b"".join(sorted(token.seen))
    return token_of_data(body + _sealed(body, key, token.store_id))


def read_token(text: str, key: bytes, store_id: StoreId) -> SessionToken:
    """Return the content of a token, which any client can have sent.

    Raises:
        InvalidRequest: the text is too long, or is not an unchanged token of this store.
    """
    if len(text) > MAX_TOKEN_BYTES:
        raise InvalidRequest(f"session_token: must not be longer than {MAX_TOKEN_BYTES} characters")
    data = data_of_token(text)
    body, seal = data[:-_SEAL], data[-_SEAL:]
    if len(body) < _HEAD or not hmac.compare_digest(seal, _sealed(body, key, store_id)):
        _refuse()
    if body[0] != VERSION or (len(body) - _HEAD) % PATH_HASH_BYTES:
        _refuse()
    starts = range(_HEAD, len(body), PATH_HASH_BYTES)
    seen = [body[start : start + PATH_HASH_BYTES] for start in starts]
    if any(each >= other for each, other in pairwise(seen)):
        _refuse()
    ends = 1 + _ULID_BYTES
    return SessionToken(store_id, _ulid(body[1:ends]), _ulid(body[ends:_HEAD]), frozenset(seen))


def _sealed(body: bytes, key: bytes, store_id: StoreId) -> bytes:
    return hmac.digest(key, _CONTEXT + store_id.encode() + b"\0" + body, "sha256")


def snapshot_in(text: str) -> str:
    """Return the snapshot id in a token without checking the seal."""
    return data_of_token(text)[1 : 1 + _ULID_BYTES].decode("ascii", "replace")


def token_of_data(data: bytes) -> str:
    """Return the bytes of a token as text."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def data_of_token(text: str) -> bytes:
    """Return the bytes of a token's text; the text must be the canonical encoding.

    Raises:
        InvalidRequest: the text is not a token.
    """
    try:
        raw = text.encode("ascii")
        data = base64.b64decode(raw + b"=" * (-len(raw) % 4), altchars=b"-_", validate=True)
    except (UnicodeEncodeError, binascii.Error):
        _refuse()
    # The last character can contain unused bits, which the seal does not cover.
    if token_of_data(data) != text:
        _refuse()
    return data


def _ulid(data: bytes) -> SnapshotId:
    try:
        return parse_snapshot_id(data.decode("ascii"))
    except (UnicodeDecodeError, InvalidRequest):
        _refuse()


def _refuse() -> NoReturn:
    """Raise the same error for every fault, so that a forger learns nothing."""
    raise InvalidRequest(
        "session_token: not a token of this store, or it was changed; start a new session"
    ) from None


def check_session(session: SessionRequest, *, of_several: bool = False) -> None:
    """Raise unless the next step of a session is valid.

    With `of_several`, the session is part of a workspace session, where `expand` needs no token.

    Raises:
        InvalidRequest: the message names the invalid field.
    """
    op, targets = session.op, session.targets
    rules = (
        (
            op == "start" and session.token,
            "op start must have no token; refine and expand need a token",
        ),
        (
            op != "start" and not session.token and not of_several,
            f"op {op} needs the token of the previous answer",
        ),
        (op == "expand" and session.delta_only, "delta_only is for op refine, not for op expand"),
        (targets and op != "expand", "targets are for op expand"),
        (op == "expand" and not targets, "op expand needs targets: paths, or path:line"),
        (len(targets) > MAX_TARGETS, f"{len(targets)} targets exceed {MAX_TARGETS}"),
        *((not is_text(each), f"target {each!a} is not valid Unicode") for each in targets),
    )
    if broken := next((message for is_broken, message in rules if is_broken), ""):
        raise InvalidRequest(f"session: {broken}")


def told_of(packs: Sequence[Pack], copies: Collection[str]) -> frozenset[str]:
    """Return the paths of all shown files of one repository, and of `copies` that these list.

    Later slates of the session do not show these files. A file that contains copies and also other
    text is not returned unless it is shown, so a later slate can show the other text.
    """
    places = [place for pack in packs for item in pack.evidence for place in item.also]
    named = frozenset(place.rpartition(":")[0] for place in places)
    return named.intersection(copies).union(pack.path for pack in packs)
