"""Keeps the daemons of a workspace running and its manifest current, check by check.

`Watch` decides what to do next; what it sees and does are `Surroundings`, the real ones of which
are this machine's files and processes. `ReloadingFile` follows the workspace's file.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, Protocol, TypeAlias

from msgspec import Struct, field

from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.live import records_of
from ggrep.federation.manifest_file import keep
from ggrep.federation.survey import survey
from ggrep.federation.workspace import Workspace, is_there
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.starting import start_all

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
    """A change since the previous check.

    Attributes:
        repo_id: None when it concerns the workspace.
        message: one line for people.
    """

    kind: ChangeKind
    message: str
    repo_id: RepoId | None = None


class Surroundings(Protocol):
    """What a watch can observe and do."""

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


class _Patience(Struct):
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
        self._waiting: dict[RepoId, _Patience] = {}

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
        self._waiting[repo] = _Patience(pause_ms, now_ms + pause_ms, failure or "")
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
        return survey(self.workspace, self.home, self.environ, flags=self.flags)

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
        return keep(manifest, self.home, self.clock.now())

    def _arrange(self, state: RepoState) -> DaemonAddress:
        root = state.repo.root_canonical
        return arrange(root, self.home, environ=self.environ, flags=self.flags)


class ReloadingFile:
    """Remembers the stamp of the file when it was last read.

    Attributes:
        workspace: of the last edit that could be loaded.
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

        Of a wrong edit, the workspace of before stays.
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
