"""Keeps the daemons of a workspace running and its manifest current, check by check.

What is looked at and done comes in as functions; here it is only decided what to do next.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol, TypeAlias

from ggrep.base.clock import Clock
from ggrep.base.ids import RepoId
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest

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


@dataclass(frozen=True, slots=True)
class Change:
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


@dataclass(slots=True)
class _Patience:
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
