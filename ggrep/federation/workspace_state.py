"""The state of a workspace: the settings, store and daemon of each repository.

The manifest, `status`, `catalog`, `doctor` and `watch` show parts of this state.
`read_workspace_state` opens no store and starts no daemon.
"""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable, stable_json
from ggrep.base.clock import Clock, Deadline, rfc3339
from ggrep.base.errors import GgrepError, Incompatible
from ggrep.base.formats import SCHEMA_KEY
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import DecodeError, Json, decode, plain
from ggrep.config.home import Home
from ggrep.federation.cohort import cohort_key
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.published_state import MAX_BYTES, NO_ROOT, NOTHING, read_index_state
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.index.lexical.layout import LEXICAL_LAYOUT
from ggrep.model.corpus import CORPORA, Corpus
from ggrep.model.daemons import percent_done
from ggrep.model.response import RepoDescription
from ggrep.model.sanitise import sanitise_line
from ggrep.model.workspace_state import (
    ActiveSnapshot,
    Availability,
    CorpusState,
    CorpusStates,
    DaemonWord,
    Diagnostics,
    IndexState,
    Manifest,
    ManifestRepo,
    ManifestWorkspace,
    RepoDaemon,
)
from ggrep.protocol.client.daemon_address import arrange
from ggrep.protocol.client.daemon_control import hello_to
from ggrep.protocol.client.daemon_files import running
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.messages import Describe, Status

MANIFEST_SCHEMA: Final = 1
FOLDER: Final = "federation"
FILE: Final = "workspace_manifest.json"

NO_DAEMON: Final = RepoDaemon()

_REPLY_MS: Final = 2_000
_CONCURRENT_STATUS: Final = 8

_MODES: Final = tuple(corpus.value for corpus in CORPORA)
_WARNINGS: Final[Mapping[Availability, tuple[str, Sequence[str | None]]]] = {
    "invalid-pointer": ("WARN_WORKSPACE_INVALID_BUILD_POINTER", (None,)),
    "missing-required-artifacts": ("WARN_WORKSPACE_INDEX_STATE_PARSE_FAILED", (None,)),
    "compat-key-missing": ("WARN_WORKSPACE_COMPAT_KEY_MISSING", _MODES),
}
"""Code and corpora of each warning; None means all corpora."""


class MemberState(Struct, frozen=True):
    """The state of a repository.

    Attributes:
        store_id: store under the present settings; None if the settings cannot be read (`error`).
        reported: description from the daemon; None without a reply.
        progress_percent: progress of a running sync.
        other_stores: number of the repository's stores under other settings.
    """

    repo: WorkspaceRepo
    index: IndexState = NOTHING
    store_id: str | None = None
    config_fingerprint: str | None = None
    encoder_key: str = ""
    error: GgrepError | None = None
    daemon: RepoDaemon = NO_DAEMON
    reported: RepoDescription | None = None
    progress_percent: int | None = None
    other_stores: int = 0

    @property
    def repo_id(self) -> RepoId:
        """Return the repository's id."""
        return self.repo.repo_id

    @property
    def availability(self) -> Availability:
        """Return whether the repository can be searched, or why not."""
        return self.index.availability

    def description(self) -> RepoDescription | None:
        """Return the description for a coordinator, without counts; None without a snapshot."""
        index = self.index
        if index.availability != "present":
            return None
        return RepoDescription(
            store_id=self.store_id or "",
            config_fingerprint=self.config_fingerprint or "",
            ignore_fingerprint=index.ignore_fingerprint or "",
            snapshot_id=index.snapshot_id,
            degraded=bool(index.degraded),
            embed_key=self.encoder_key,
            lexical_key=LEXICAL_LAYOUT,
            schema_key=SCHEMA_KEY,
            counts=(),
        )

    def row(self, *, asked: bool) -> ManifestRepo:
        """Return the repository's row in documents; `asked` adds the state of its daemon."""
        repo, index, reported = self.repo, self.index, self.reported if asked else None
        # Counts are omitted if the daemon has not loaded the snapshot on disk.
        is_current = reported is not None and reported.snapshot_id == index.snapshot_id
        counts = dict(reported.counts) if reported is not None and is_current else {}
        known = self.description()

        def corpus_state(corpus: Corpus) -> CorpusState:
            return CorpusState(
                present=known is not None,
                row_count=counts.get(corpus),
                cohort_key=cohort_key(known, corpus) if known else None,
                embed_space_key=known.embed_key if known else None,
                lex_key=known.lexical_key if known else None,
                schema_key=known.schema_key if known else None,
                availability_reason=index.availability,
            )

        row = ManifestRepo(
            **{name: getattr(index, name) for name in ActiveSnapshot.__struct_fields__},
            repo_id=repo.repo_id,
            repo_root_canonical=str(repo.root_canonical),
            alias=repo.alias,
            tags=repo.tags,
            enabled=repo.enabled,
            priority=repo.priority,
            store_id=self.store_id,
            config_fingerprint=self.config_fingerprint,
            per_mode=CorpusStates(*map(corpus_state, CORPORA)),
        )
        return replace(row, daemon=self.daemon) if asked else row


class WorkspaceState(Struct, frozen=True):
    """The state of a workspace's repositories, sorted by id, including disabled ones."""

    workspace: Workspace
    home: Home
    members: tuple[MemberState, ...]

    @property
    def hash(self) -> str:
        """Return a digest that changes exactly when an index changes."""
        return manifest_hash(self.workspace.repo_set_id, [entry_of(each) for each in self.members])

    @property
    def diagnostics(self) -> Diagnostics:
        """Return diagnostics for unusable indexes, and for missing or invalid repositories."""
        warnings = [
            Diagnostic(code, each.index.pointer.problem or "", each.repo_id, mode)
            for each in self.members
            for code, modes in (_WARNINGS.get(each.availability, ("", ())),)
            for mode in modes
        ]
        errors = [
            Diagnostic(each.error.code, sanitise_line(str(each.error)), each.repo_id)
            for each in self.members
            if each.error is not None
        ]
        return Diagnostics(sorted_diagnostics(warnings), sorted_diagnostics(errors))

    @property
    def cache_root(self) -> Path:
        """Return the directory of the workspace's artifacts."""
        return cache_root_of(self.workspace, self.home)

    @property
    def manifest_file(self) -> Path:
        """Return the path of the stored manifest, which only depends on the set of repositories."""
        return self.cache_root / FOLDER / self.workspace.repo_set_id / FILE

    def rows(self, *, asked: bool) -> tuple[ManifestRepo, ...]:
        """Return the rows of all repositories in documents."""
        return tuple(each.row(asked=asked) for each in self.members)

    def manifest(self, now: datetime) -> Manifest:
        """Return the document to store on disk; its hash excludes the time."""
        workspace = self.workspace
        return Manifest(
            schema_version=MANIFEST_SCHEMA,
            generated_at=rfc3339(now),
            repo_set_id=workspace.repo_set_id,
            manifest_hash=self.hash,
            federation_cache_root=str(self.cache_root),
            workspace=ManifestWorkspace(
                str(workspace.workspace_path),
                sanitise_line(workspace.name),
                workspace.workspace_config_hash,
            ),
            repos=self.rows(asked=False),
            diagnostics=self.diagnostics,
        )


def read_workspace_state(
    workspace: Workspace,
    home: Home,
    environ: Mapping[str, str],
    *,
    flags: Mapping[str, object] = MappingProxyType({}),
    clock: Clock | None = None,
) -> WorkspaceState:
    """Return the state of a workspace; with a clock, also query its daemons.

    A missing root or invalid settings are part of a repository's state and raise no error.
    """
    ordered = sorted(workspace.repos, key=lambda repo: (repo.repo_id, str(repo.root_canonical)))
    try:
        stores = [entry.name for entry in os.scandir(home.data) if entry.is_dir()]
    except FileNotFoundError:
        stores = []
    members = [_member(repo, home, environ, flags, stores) for repo in ordered]
    if clock is not None:
        records = records_of(members, home)
        with ThreadPoolExecutor(_CONCURRENT_STATUS) as pool:
            members = list(pool.map(lambda each: _with_daemon(each, records, clock), members))
    return WorkspaceState(workspace, home, tuple(members))


def _member(
    repo: WorkspaceRepo,
    home: Home,
    environ: Mapping[str, str],
    flags: Mapping[str, object],
    stores: Sequence[str],
) -> MemberState:
    if repo.failure is not None:
        return MemberState(repo, NO_ROOT, error=repo.failure)
    try:
        identity = arrange(repo.root_canonical, home, environ=environ, flags=flags).identity
    except GgrepError as error:
        return MemberState(repo, error=error)
    prefix = f"{repo.repo_id}-"
    return MemberState(
        repo,
        read_index_state(identity.store, identity.store_id),
        identity.store_id,
        identity.config_fingerprint,
        identity.encoder.key,
        other_stores=sum(name.startswith(prefix) and name != identity.store_id for name in stores),
    )


def manifest_hash(repo_set_id: str, entries: Iterable[Mapping[str, Json]]) -> str:
    """Return a digest of the index state of repositories, independent of their order."""
    ordered = sorted(entries, key=lambda entry: str(entry["repoId"]))
    payload: Json = {
        "v": 1,
        "schemaVersion": MANIFEST_SCHEMA,
        "repoSetId": repo_set_id,
        "repos": ordered,
    }
    return "wm1-" + hashlib.sha256(stable_json.dumps(payload)).hexdigest()


def described_entry(
    repo_id: RepoId,
    known: RepoDescription | None,
    snapshot_id: str | None,
    availability: Availability = "missing-index-dir",
) -> dict[str, Json]:
    """Return a repository's part of the manifest hash.

    `snapshot_id` is the snapshot that answered, which can be newer than the described snapshot.
    Without a description only `availability` and `snapshot_id` count: settings that are edited
    before the first index have no effect on the hash.
    """
    return {
        "repoId": repo_id,
        "storeId": known.store_id if known else None,
        "configFingerprint": known.config_fingerprint if known else None,
        "ignoreFingerprint": known.ignore_fingerprint if known else None,
        "snapshotId": snapshot_id,
        "availabilityReason": "present" if known else availability,
        "cohortKeys": {each.value: cohort_key(known, each) for each in CORPORA} if known else {},
    }


def entry_of(member: MemberState) -> dict[str, Json]:
    """Return a repository's part of the manifest hash, from its state on disk."""
    known, snapshot_id = member.description(), member.index.snapshot_id
    return described_entry(member.repo_id, known, snapshot_id, member.availability)


class StoredManifest(Struct, frozen=True, rename="camel"):
    """The fields of a stored manifest that are read."""

    manifest_hash: str
    repo_set_id: str
    generated_at: str
    workspace: ManifestWorkspace


def cache_root_of(workspace: Workspace, home: Home) -> Path:
    """Return the directory of the workspace's artifacts: `cacheRoot`, else one in the home."""
    return workspace.cache_root or home.cache


def read_stored(path: Path) -> StoredManifest | None:
    """Return the stored manifest; None if there is no readable manifest."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:  # noqa: PTH123 - a descriptor, not a path
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            data = file.read(MAX_BYTES + 1)
        return decode(StoredManifest, stable_json.loads(data)) if len(data) <= MAX_BYTES else None
    except (OSError, ValueError, DecodeError):
        return None


def store_manifest(state: WorkspaceState, now: datetime) -> bool:
    """Write the manifest if it differs from the stored manifest; return whether it was written.

    The manifest is also written if the workspace file has moved, because the collection of orphans
    reads its path.
    """
    path = state.manifest_file
    kept = read_stored(path)
    if kept is not None and kept.manifest_hash == state.hash:
        claimed = kept.workspace.workspace_path
        if claimed == str(state.workspace.workspace_path) or os.path.lexists(claimed):
            return False
    durable.make_directory(path.parent)
    durable.replace_file(path, stable_json.dumps_pretty(plain(state.manifest(now))))
    return True


def records_of(members: Sequence[MemberState], home: Home) -> dict[RepoId, DaemonRecord]:
    """Return the records of daemons that serve the members with their present settings."""
    records = {(each.store_id, each.config_fingerprint): each for each in running(home)}
    return {
        each.repo_id: record
        for each in members
        if (record := records.get((each.store_id or "", each.config_fingerprint or "")))
    }


class _ReportedSync(Struct, frozen=True):
    state: str = "idle"
    done_files: int = 0
    total_files: int = 0


class _ReportedDaemon(Struct, frozen=True):
    stale: bool = False
    stale_reason: str | None = None


class _ReportedStatus(Struct, frozen=True):
    """The fields that are read from the status of a daemon, which can be of another build."""

    sync: _ReportedSync = _ReportedSync()
    daemon: _ReportedDaemon = _ReportedDaemon()


def _with_daemon(
    member: MemberState, records: Mapping[RepoId, DaemonRecord], clock: Clock
) -> MemberState:
    """Query a repository's daemon; return the member with the daemon's state."""
    record = records.get(member.repo_id)
    if record is None:
        return member
    daemon = RepoDaemon(running=True, pid=record.pid)
    try:
        with Link.connect(Path(record.socket), hello_to(record), clock) as link:
            protocol = link.welcome.protocol_version
            reply = link.ask(Status(), Deadline.after(clock, _REPLY_MS))
            status = decode(_ReportedStatus, reply.body.get("status"))
            reported = _describe(link, clock)
    except (Incompatible, Unreachable, GgrepError, DecodeError) as error:
        word: DaemonWord = "other_version" if isinstance(error, Incompatible) else "silent"
        problem = sanitise_line(str(error)) or None
        return replace(member, daemon=replace(daemon, state=word, problem=problem))
    is_indexing = status.sync.state == "indexing" and not status.daemon.stale
    word = "stale" if status.daemon.stale else "indexing" if is_indexing else "ready"
    return replace(
        member,
        daemon=replace(
            daemon,
            state=word,
            protocol=protocol,
            freshness=reported.freshness if reported else None,
            problem=sanitise_line(status.daemon.stale_reason or "") or None,
        ),
        reported=reported,
        progress_percent=(
            percent_done(status.sync.done_files, status.sync.total_files) if is_indexing else None
        ),
    )


def _describe(link: Link, clock: Clock) -> RepoDescription | None:
    """Return the daemon's description for coordinators; None if the daemon is busy."""
    try:
        reply = link.ask(Describe(timeout_ms=_REPLY_MS), Deadline.after(clock, _REPLY_MS))
        return decode(RepoDescription, reply.body.get("description"))
    except Unreachable:
        raise
    except (GgrepError, DecodeError):
        return None
