"""Builds the indexes of a workspace in a few concurrent worker processes.

Each worker builds many repositories in sequence, because starting a worker takes longer than
building a small index. If a malformed file or a lack of memory ends a worker, only the current
repository fails; a new worker builds the next repository.
"""

from collections.abc import Callable, Sequence
from typing import Final, Literal, Protocol, TypeAlias

import anyio
from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_path
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, SyncRunner

MAX_BUILDS: Final = 32
"""Maximum number of concurrent builds."""

DEFAULT_BUILDS: Final = 4
"""Default number of concurrent builds, on a machine with at least as many cores."""

BUILDS_A_WORKER: Final = 1_000
"""Builds after which a worker is replaced: each build grows its memory by some 12 KB."""

BuildStatus: TypeAlias = Literal["passed", "failed", "skipped"]


class BuildWorker(SyncRunner, Protocol):
    """Runs syncs in sequence in a child process, and replaces the process when it ends."""

    async def aclose(self) -> None:
        """Kill the process and its children at once."""
        ...


class BuildResult(Struct, frozen=True):
    """The outcome of building one repository.

    Attributes:
        exit_code: exit code of `ggrep index`, or 1 if only the push failed; None if the build never
            ran or a signal ended it.
        outcome: the outcome of the sync; also set if only the push failed.
    """

    repo: WorkspaceRepo
    status: BuildStatus
    exit_code: int | None = None
    signal: int | None = None
    duration_ms: int = 0
    error: str | None = None
    outcome: SyncOutcome | None = None


class BuildPlan(Struct, frozen=True):
    """Jobs and limits of a build.

    Attributes:
        job: returns the sync job of a repository; raises a GgrepError if no sync is allowed.
        strict: start no build after the first failure; running builds finish.
    """

    job: Callable[[WorkspaceRepo], SyncJob]
    worker: Callable[[], BuildWorker]
    concurrency: int
    strict: bool = False


async def build(
    repos: Sequence[WorkspaceRepo],
    plan: BuildPlan,
    clock: Clock,
    *,
    ended: Callable[[BuildResult], None] = lambda _: None,
) -> tuple[BuildResult, ...]:
    """Build repositories in the order of their ids; return the results in that order.

    Cancellation ends the workers; published snapshots remain.
    """
    ordered = sorted(repos, key=lambda repo: repo.repo_id)
    queue, results = iter(ordered), dict[RepoId, BuildResult]()

    async def work() -> None:
        """Build repositories in sequence until all are built or building must stop."""
        worker = plan.worker()
        try:
            for repo in queue:
                if plan.strict and any(each.status == "failed" for each in results.values()):
                    return
                result = await _build_one(worker, repo, plan, clock)
                results[repo.repo_id] = result
                ended(result)
        finally:
            with anyio.CancelScope(shield=True):
                await worker.aclose()

    async with anyio.create_task_group() as group:
        for _ in range(min(plan.concurrency, len(ordered))):
            group.start_soon(work)
    skipped = "another repository failed"
    return tuple(
        results.get(repo.repo_id) or BuildResult(repo, "skipped", error=skipped) for repo in ordered
    )


def ending_signal(results: Sequence[BuildResult]) -> int | None:
    """Return the first signal that ended a worker; None if no worker was ended by a signal."""
    return next((result.signal for result in results if result.signal is not None), None)


async def _build_one(
    worker: BuildWorker, repo: WorkspaceRepo, plan: BuildPlan, clock: Clock
) -> BuildResult:
    if repo.failure is not None:
        return BuildResult(repo, "failed", error=sanitise_line(str(repo.failure)))
    since_ms = clock.monotonic_ms()
    try:
        outcome = await worker.run(plan.job(repo), lambda _: None)
    except GgrepError as error:
        spent_ms = int(clock.monotonic_ms() - since_ms)
        signal = error.signal if isinstance(error, SyncFailed) else None
        if signal is not None:
            return BuildResult(repo, "failed", None, signal, spent_ms, f"ended by signal {signal}")
        why = sanitise_line(with_path(str(error), repo.root_canonical))
        return BuildResult(repo, "failed", error.exit_status, None, spent_ms, why)
    spent_ms = int(clock.monotonic_ms() - since_ms)
    if outcome.pushed == "failed":
        why = sanitise_line(with_path(outcome.notices[-1].message, repo.root_canonical))
        return BuildResult(repo, "failed", 1, None, spent_ms, why, outcome)
    return BuildResult(repo, "passed", 0, duration_ms=spent_ms, outcome=outcome)
