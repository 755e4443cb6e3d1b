"""Watches a workspace: keeps its daemons running and its stored manifest current."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.workspace import Workspace, is_there
from ggrep.federation.workspace_state import (
    MemberState,
    WorkspaceState,
    read_workspace_state,
    records_of,
    store_manifest,
)
from ggrep.model.workspace_reports import ChangeKind
from ggrep.protocol.client.daemon_address import arrange
from ggrep.protocol.client.starting import start_all

FIRST_PAUSE_MS: Final = 2_000.0
LONGEST_PAUSE_MS: Final = 60_000.0
"""A failed start of a daemon is repeated after pauses that double up to this length."""


class Change(Struct, frozen=True):
    """A change since the previous check."""

    kind: ChangeKind
    message: str
    repo_id: RepoId | None = None


class Surroundings(Struct):
    """The files and daemons that a watch observes and changes.

    Attributes:
        workspace: the workspace; replaced between two checks if its file was edited.
    """

    workspace: Workspace
    home: Home
    environ: Mapping[str, str]
    clock: Clock
    flags: Mapping[str, object] = field(default_factory=dict)

    def survey(self) -> WorkspaceState:
        """Return the present state without querying daemons."""
        return read_workspace_state(self.workspace, self.home, self.environ, flags=self.flags)

    def running(self, members: Sequence[MemberState]) -> frozenset[RepoId]:
        """Return the repositories with a running daemon."""
        return frozenset(records_of(members, self.home))

    def start(self, members: Sequence[MemberState]) -> Mapping[RepoId, str]:
        """Start a host for repositories; return why it does not serve some of them."""
        failures = {each.repo_id: str(each.error) for each in members if each.error is not None}
        sound = [each for each in members if each.error is None]
        roots = (each.repo.root_canonical for each in sound)
        try:
            start_all(
                [
                    arrange(root, self.home, environ=self.environ, flags=self.flags)
                    for root in roots
                ],
                self.environ,
            )
        except GgrepError as error:
            served = self.running(sound)
            failures |= {each.repo_id: str(error) for each in sound if each.repo_id not in served}
        return failures

    def keep(self, state: WorkspaceState) -> bool:
        """Write the manifest if it has changed; return whether it was written."""
        return store_manifest(state, self.clock.now())


class _Backoff(Struct):
    pause_ms: float
    until_ms: float
    why: str


class Watch:
    """Checks a workspace repeatedly and reports changes since the previous check."""

    def __init__(self, surroundings: Surroundings) -> None:
        self._around = surroundings
        self._served: frozenset[RepoId] = frozenset()
        self._snapshots: dict[RepoId, str | None] | None = None
        self._waiting: dict[RepoId, _Backoff] = {}

    def look(self) -> list[Change]:
        """Start missing daemons and write a changed manifest; return the changes by repository."""
        state = self._around.survey()
        wanted = [each for each in state.members if each.repo.enabled]
        changes = self._keep_up(wanted) + self._moved(state.members)
        changes.sort(key=lambda change: (change.repo_id or "", change.kind))
        if self._around.keep(state):
            changes.append(Change("manifest_written", f"manifest {state.hash}"))
        return changes

    @property
    def served(self) -> frozenset[RepoId]:
        """Return the repositories that had a running daemon at the last check."""
        return self._served

    def _keep_up(self, wanted: Sequence[MemberState]) -> list[Change]:
        served = self._around.running(wanted)
        for repo in served:
            self._waiting.pop(repo, None)
        changes = [
            Change("daemon_ended", "its daemon has ended", each.repo_id)
            for each in wanted
            if each.repo_id in self._served and each.repo_id not in served
        ]
        now_ms = self._around.clock.monotonic_ms()
        missing = [
            each
            for each in wanted
            if each.repo_id not in served
            and ((waiting := self._waiting.get(each.repo_id)) is None or now_ms >= waiting.until_ms)
        ]
        if missing:
            failures = self._around.start(missing)
            for each in missing:
                changes += self._started(each.repo_id, failures.get(each.repo_id), now_ms)
            served = self._around.running(wanted)
        self._served = served
        return changes

    def _started(self, repo: RepoId, failure: str | None, now_ms: float) -> list[Change]:
        before = self._waiting.get(repo)
        pause_ms = min(2 * before.pause_ms, LONGEST_PAUSE_MS) if before else FIRST_PAUSE_MS
        # The pause also applies to a daemon that ended before the next check.
        self._waiting[repo] = _Backoff(pause_ms, now_ms + pause_ms, failure or "")
        if failure is None:
            return [Change("daemon_started", "its daemon was started", repo)]
        if before is not None and before.why == failure:
            return []  # this error was reported already
        return [Change("daemon_failed", failure, repo)]

    def _moved(self, members: Sequence[MemberState]) -> list[Change]:
        now = {each.repo_id: each.index.snapshot_id for each in members}
        before, self._snapshots = self._snapshots, now
        return [
            Change("index_changed", f"snapshot {snapshot}" if snapshot else "no snapshot", repo)
            for repo, snapshot in now.items()
            if before is not None and snapshot != before.get(repo)
        ]


class ReloadingFile:
    """Reloads the workspace file after each edit.

    Attributes:
        workspace: the last version of the file that could be loaded.
    """

    def __init__(self, path: Path, load: Callable[[Path], Workspace]) -> None:
        """Read the file.

        Raises:
            WorkspaceError: the file is invalid.
        """
        self._path = path
        self._load = load
        self._seen = self._look()
        self.workspace = load(path)

    def look(self) -> Change | None:
        """Reload the file if it was edited or a root appeared or disappeared; return the change.

        If an edited file is invalid, the previous workspace stays.
        """
        seen, before = self._look(), self.workspace
        is_edited = seen != self._seen
        if not is_edited and all(
            is_there(repo.root_abs) == (not repo.missing) for repo in before.repos
        ):
            return None
        self._seen = seen
        try:
            self.workspace = self._load(self._path)
        except GgrepError as error:
            return Change("workspace_wrong", f"the workspace file is invalid: {error}")
        if is_edited:
            return Change("workspace_changed", "the workspace file was edited")
        if self.workspace == before:
            return None
        return Change("workspace_changed", "directories of repositories were removed or restored")

    def _look(self) -> tuple[int, ...]:
        try:
            status = self._path.stat()
        except OSError:
            return ()
        return (status.st_ino, status.st_size, status.st_mtime_ns)
