"""Reads the status of a workspace's daemons, keeps them running and its manifest current."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct, field

from ggrep.base.clock import Clock, Deadline
from ggrep.base.errors import GgrepError, Incompatible
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.home import Home
from ggrep.federation.manifest_builder import build_manifest, store_manifest
from ggrep.federation.workspace import Workspace, is_there
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest
from ggrep.model.daemons import percent_done
from ggrep.model.response import RepoDescription
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.daemon_control import hello_to
from ggrep.protocol.client.daemon_files import running
from ggrep.protocol.client.link import Link, Unreachable
from ggrep.protocol.client.starting import start_all
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.messages import Describe, Status
from ggrep.protocol.wire.replies import Reply

DaemonWord: TypeAlias = Literal["none", "ready", "indexing", "stale", "silent", "other_version"]
"""State of the daemon of a repository."""

_REPLY_MS: Final = 2_000
_CONCURRENT_STATUS: Final = 8


class DaemonState(Struct, frozen=True):
    """The daemon of one repository, or none."""

    state: DaemonWord = "none"
    pid: int | None = None
    protocol: int | None = None
    description: RepoDescription | None = None
    problem: str | None = None
    progress_percent: int | None = None

    @property
    def running(self) -> bool:
        """Return whether a process holds the repository, answering or not."""
        return self.state != "none"


class ReportedSync(Struct, frozen=True):
    """The progress of a running sync."""

    state: str = "idle"
    done_files: int = 0
    total_files: int = 0


class ReportedDaemon(Struct, frozen=True):
    """The condition of a daemon."""

    stale: bool = False
    stale_reason: str | None = None


class ReportedStatus(Struct, frozen=True):
    """The part of a status document that is read, from any build."""

    sync: ReportedSync = ReportedSync()
    daemon: ReportedDaemon = ReportedDaemon()


def records_of(states: Sequence[RepoState], home: Home) -> dict[RepoId, DaemonRecord]:
    """Return the records of the daemons that serve some repositories under present settings."""
    by_place = {(one.store_id, one.config_fingerprint): one for one in running(home)}
    records = {}
    for state in states:
        record = by_place.get((state.store_id or "", state.config_fingerprint or ""))
        if record is not None:
            records[state.repo_id] = record
    return records


def ask_daemons(states: Sequence[RepoState], home: Home, clock: Clock) -> dict[RepoId, DaemonState]:
    """Return the status of each repository's daemon; all are queried concurrently."""
    records = records_of(states, home)
    with ThreadPoolExecutor(_CONCURRENT_STATUS) as pool:
        answers = pool.map(lambda record: _ask(record, clock), records.values())
        states_of = dict(zip(records, answers, strict=True))
    return {state.repo_id: states_of.get(state.repo_id, DaemonState()) for state in states}


def _ask(record: DaemonRecord, clock: Clock) -> DaemonState:
    try:
        with Link.connect(Path(record.socket), hello_to(record), clock) as link:
            protocol = link.welcome.protocol_version
            status = _told(link.ask(Status(), Deadline.after(clock, _REPLY_MS)))
            state: DaemonWord = "ready"
            progress = None
            if status.daemon.stale:
                state = "stale"
            elif status.sync.state == "indexing":
                state = "indexing"
                progress = percent_done(status.sync.done_files, status.sync.total_files)
            description = _describe(link, clock)
    except Incompatible as error:
        return DaemonState("other_version", record.pid, problem=str(error))
    except (Unreachable, GgrepError, DecodeError) as error:
        return DaemonState("silent", record.pid, problem=str(error))
    problem = status.daemon.stale_reason
    return DaemonState(state, record.pid, protocol, description, problem, progress)


def _told(reply: Reply) -> ReportedStatus:
    return decode(ReportedStatus, reply.body.get("status"))


def _describe(link: Link, clock: Clock) -> RepoDescription | None:
    """Return the daemon's description for coordinators, or none if it is busy."""
    try:
        reply = link.ask(Describe(timeout_ms=_REPLY_MS), Deadline.after(clock, _REPLY_MS))
        return decode(RepoDescription, reply.body.get("description"))
    except Unreachable:
        raise
    except (GgrepError, DecodeError):
        return None


ChangeKind: TypeAlias = Literal[
    "daemon_started",
    "daemon_ended",
    "daemon_failed",
    "index_changed",
    "manifest_written",
    "workspace_changed",
    "workspace_wrong",
]

FIRST_PAUSE_MS: Final = 2_000.0
LONGEST_PAUSE_MS: Final = 60_000.0
"""A daemon that does not start is tried again after pauses that double up to this."""


class Change(Struct, frozen=True):
    """A change since the previous check."""

    kind: ChangeKind
    message: str
    repo_id: RepoId | None = None


class Surroundings(Protocol):
    """Observations and actions of a watch."""

    def survey(self) -> WorkspaceManifest:
        """Return the manifest as it is now."""
        ...

    def running(self, states: Sequence[RepoState]) -> frozenset[RepoId]:
        """Return the repositories that a daemon serves."""
        ...

    def start(self, states: Sequence[RepoState]) -> Mapping[RepoId, str]:
        """Start the daemons of some repositories; return the reasons of failures."""
        ...

    def keep(self, manifest: WorkspaceManifest) -> bool:
        """Write the manifest if it differs; return whether it was written."""
        ...


class _Backoff(Struct):
    pause_ms: float
    until_ms: float
    why: str


class Watch:
    """Keeps the state of the previous check."""

    def __init__(self, surroundings: Surroundings, clock: Clock) -> None:
        self._around = surroundings
        self._clock = clock
        self._served: frozenset[RepoId] = frozenset()
        self._snapshots: dict[RepoId, str | None] | None = None
        self._waiting: dict[RepoId, _Backoff] = {}

    def look(self) -> list[Change]:
        """Start missing daemons and write a changed manifest; return the changes by repository."""
        manifest = self._around.survey()
        wanted = [state for state in manifest.repos if state.repo.enabled]
        changes = self._keep_up(wanted) + self._moved(manifest.repos)
        changes.sort(key=lambda change: (change.repo_id or "", change.kind))
        if self._around.keep(manifest):
            changes.append(Change("manifest_written", f"manifest {manifest.hash}"))
        return changes

    @property
    def served(self) -> frozenset[RepoId]:
        """Return the repositories that a daemon served at the last check."""
        return self._served

    def _keep_up(self, wanted: Sequence[RepoState]) -> list[Change]:
        served = self._around.running(wanted)
        for repo in served:
            self._waiting.pop(repo, None)
        changes = [
            Change("daemon_ended", "its daemon has ended", state.repo_id)
            for state in wanted
            if state.repo_id in self._served and state.repo_id not in served
        ]
        now_ms = self._clock.monotonic_ms()
        missing = [
            state
            for state in wanted
            if state.repo_id not in served and self._is_due(state.repo_id, now_ms)
        ]
        if missing:
            failures = self._around.start(missing)
            for state in missing:
                changes += self._started(state.repo_id, failures.get(state.repo_id), now_ms)
            served = self._around.running(wanted)
        self._served = served
        return changes

    def _started(self, repo: RepoId, failure: str | None, now_ms: float) -> list[Change]:
        before = self._waiting.get(repo)
        pause_ms = min(2 * before.pause_ms, LONGEST_PAUSE_MS) if before else FIRST_PAUSE_MS
        # One that was started waits its turn as well, if it is gone by the next look.
        self._waiting[repo] = _Backoff(pause_ms, now_ms + pause_ms, failure or "")
        if failure is None:
            return [Change("daemon_started", "its daemon was started", repo)]
        if before is not None and before.why == failure:
            return []  # said once
        return [Change("daemon_failed", failure, repo)]

    def _is_due(self, repo: RepoId, now_ms: float) -> bool:
        waiting = self._waiting.get(repo)
        return waiting is None or now_ms >= waiting.until_ms

    def _moved(self, states: Sequence[RepoState]) -> list[Change]:
        before = self._snapshots
        now = {state.repo_id: state.index.snapshot_id for state in states}
        self._snapshots = dict(now)
        if before is None:
            return []
        return [
            Change("index_changed", f"snapshot {now[repo]}" if now[repo] else "no snapshot", repo)
            for repo in now
            if now[repo] != before.get(repo)
        ]


class RealSurroundings(Struct):
    """The real files and processes of this machine.

    Attributes:
        workspace: may be replaced between two looks, when its file was edited.
    """

    workspace: Workspace
    home: Home
    environ: Mapping[str, str]
    clock: Clock
    flags: Mapping[str, object] = field(default_factory=dict)

    def survey(self) -> WorkspaceManifest:
        """Return the manifest as it is now."""
        return build_manifest(self.workspace, self.home, self.environ, flags=self.flags)

    def running(self, states: Sequence[RepoState]) -> frozenset[RepoId]:
        """Return the repositories that a daemon serves."""
        return frozenset(records_of(states, self.home))

    def start(self, states: Sequence[RepoState]) -> Mapping[RepoId, str]:
        """Start one host for some repositories; return the reasons for those not served then."""
        failures = {state.repo_id: str(state.error) for state in states if state.error is not None}
        sound = [state for state in states if state.error is None]
        try:
            start_all([self._arrange(state) for state in sound], self.environ)
        except GgrepError as error:
            served = self.running(sound)
            failures |= {one.repo_id: str(error) for one in sound if one.repo_id not in served}
        return failures

    def keep(self, manifest: WorkspaceManifest) -> bool:
        """Write the manifest if it differs; return whether it was written."""
        return store_manifest(manifest, self.home, self.clock.now())

    def _arrange(self, state: RepoState) -> DaemonAddress:
        root = state.repo.root_canonical
        return arrange(root, self.home, environ=self.environ, flags=self.flags)


class ReloadingFile:
    """Remembers the stamp of the file when it was last read.

    Attributes:
        workspace: the last edit that could be loaded.
    """

    def __init__(self, path: Path, load: Callable[[Path], Workspace]) -> None:
        """Read the file.

        Raises:
            WorkspaceError: it is wrong.
        """
        self._path = path
        self._load = load
        self._seen = self._look()
        self.workspace = load(path)

    def look(self) -> Change | None:
        """Return the effect of an edit, or of a repository that went missing or came back.

        After a wrong edit the previous workspace stays.
        """
        seen, before = self._look(), self.workspace
        is_edited = seen != self._seen
        if not is_edited and all(
            is_there(one.root_abs) == (not one.missing) for one in before.repos
        ):
            return None
        self._seen = seen
        try:
            self.workspace = self._load(self._path)
        except GgrepError as error:
            return Change("workspace_wrong", f"the workspace file is wrong: {error}")
        if is_edited:
            return Change("workspace_changed", "the workspace file was edited")
        if self.workspace == before:
            return None
        return Change("workspace_changed", "repositories went missing or came back")

    def _look(self) -> tuple[int, ...]:
        try:
            found = self._path.stat()
        except OSError:
            return ()
        return (found.st_ino, found.st_size, found.st_mtime_ns)
