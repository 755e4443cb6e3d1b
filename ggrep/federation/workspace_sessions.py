"""Sessions over a workspace. A token contains one session for each repository with a slate.

The token of a repository (`ggrep.search.slate.tokens`) retains its snapshot, is authenticated by
its store and contains no file names. The workspace token adds the shown files, because a workspace
slate only shows part of each repository's slate. The server stores nothing between requests, and an
altered token only affects its sender.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NoReturn

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, SessionFull
from ggrep.base.ids import RepoId
from ggrep.federation.workspace import Workspace
from ggrep.model.slate import SESSION_SECS, SessionOp, SessionState
from ggrep.search.slate.tokens import (
    EMPTY_TOKEN_BYTES,
    PATH_HASH_BYTES,
    data_of_token,
    path_hash,
    token_of_data,
)

MAX_TOKEN_BYTES: Final = 8_192
"""Maximum length of a token in ASCII characters: enough for 20 repositories and 520 files."""

VERSION: Final = 2
"""Layout of a token, as base64url without padding; the token of a single repository has version 1.

2. A version byte, the workspace's hash, an entry for each repository in ascending order of its
hash, and a checksum. An entry contains the repository's hash, its token, the number of seen files
in two bytes, and the 8-byte hashes of these files in ascending order.
"""

_HASH_BYTES: Final = 8
_COUNT_BYTES: Final = 2
_LEAST: Final = 1 + 2 * _HASH_BYTES


class RepoSession(Struct, frozen=True):
    """The part of a session about one repository.

    Attributes:
        seen: distinct hashes of the shown paths, in ascending order.
    """

    token: str
    seen: tuple[bytes, ...] = ()

    def has_seen(self, path: str) -> bool:
        """Return whether the session has shown a file."""
        return path_hash(path) in self.seen


class WorkspaceSession(Struct, frozen=True):
    """A session over the repositories of a workspace."""

    repos: Mapping[RepoId, RepoSession] = field(default_factory=dict)

    @property
    def tokens(self) -> Mapping[RepoId, str]:
        """Return the repositories' tokens, which retain snapshots."""
        return {repo: part.token for repo, part in self.repos.items()}

    @property
    def files(self) -> int:
        """Return how many files the session has shown."""
        return sum(len(part.seen) for part in self.repos.values())

    def has_seen(self, repo: RepoId, path: str) -> bool:
        """Return whether the session has shown a file."""
        return repo in self.repos and self.repos[repo].has_seen(path)

    def going_on(
        self,
        tokens: Mapping[RepoId, str],
        shown: Mapping[RepoId, Iterable[str]],
        ended: Collection[RepoId] = (),
    ) -> "WorkspaceSession":
        """Return the session after a slate showed the files `shown`.

        Repositories in `ended` have lost their snapshots; their sessions start again.
        """
        repos = {repo: part for repo, part in self.repos.items() if repo not in ended}
        for repo, token in tokens.items():
            earlier = repos.get(repo) or RepoSession(token)
            seen = sorted({*earlier.seen, *map(path_hash, shown.get(repo, ()))})
            repos[repo] = replace(earlier, seen=tuple(seen))
        return WorkspaceSession(repos)


def write_session(session: WorkspaceSession, workspace: Workspace, op: SessionOp) -> SessionState:
    """Return the state of a session with its token; equal sessions have equal tokens."""
    ordered = sorted((_hash(repo), part) for repo, part in session.repos.items())
    parts = [
        known
        + data_of_token(part.token)
        + len(part.seen).to_bytes(_COUNT_BYTES)
        + b"".join(part.seen)
        for known, part in ordered
    ]
    body = bytes([VERSION]) + _hash(workspace.repo_set_id) + b"".join(parts)
    token = token_of_data(body + _checksum(body))
    if len(token) > MAX_TOKEN_BYTES:
        raise SessionFull(
            f"session full: with this answer, the token would have to list {session.files} files of"
            f" {len(ordered)} repositories, which is too many; start a new session"
        )
    seen = b"".join(known + b"".join(part.seen) for known, part in ordered)
    return SessionState(
        token=token,
        op=op,
        seen_set_digest=hashlib.sha256(seen).hexdigest(),
        seen_files=session.files,
        expires_in_secs=SESSION_SECS,
    )


def read_session(text: str, workspace: Workspace) -> WorkspaceSession:
    """Return the session of a token."""
    if len(text) > MAX_TOKEN_BYTES:
        raise InvalidRequest(f"session_token: must not be longer than {MAX_TOKEN_BYTES} characters")
    data = data_of_token(text)
    body, checksum = data[:-_HASH_BYTES], data[-_HASH_BYTES:]
    named = bytes([VERSION]) + _hash(workspace.repo_set_id)
    if len(data) < _LEAST or checksum != _checksum(body) or not body.startswith(named):
        _refuse()
    known = {_hash(repo.repo_id): repo.repo_id for repo in workspace.repos}
    sessions: dict[bytes, RepoSession] = {}
    rest = body[len(named) :]
    while rest:
        repo, token, rest = _taken(rest, _HASH_BYTES, EMPTY_TOKEN_BYTES)
        count, rest = rest[:_COUNT_BYTES], rest[_COUNT_BYTES:]
        size = int.from_bytes(count) * PATH_HASH_BYTES
        if repo not in known or len(count) < _COUNT_BYTES or len(rest) < size:
            _refuse()
        seen = tuple(rest[at : at + PATH_HASH_BYTES] for at in range(0, size, PATH_HASH_BYTES))
        sessions[repo], rest = RepoSession(token_of_data(token), seen), rest[size:]
        _require_ascending(seen)
    _require_ascending(tuple(sessions))
    return WorkspaceSession({known[repo]: session for repo, session in sessions.items()})


def _taken(data: bytes, first: int, second: int) -> tuple[bytes, bytes, bytes]:
    """Return the first `first` bytes, the next `second` bytes, and the rest."""
    if len(data) < first + second:
        _refuse()
    return data[:first], data[first : first + second], data[first + second :]


def _require_ascending(values: Sequence[bytes]) -> None:
    if any(part >= other for part, other in pairwise(values)):
        _refuse()


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[:_HASH_BYTES]


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()[:_HASH_BYTES]


def _refuse() -> NoReturn:
    raise InvalidRequest(
        "session_token: not a token of this workspace, or it was changed; start a new session"
    )
