"""Builds the indexes of a workspace in child processes, a few at a time.

A child is a command of its own: what kills it, a hostile file or a lack of memory, takes nothing
else along. Its standard output goes nowhere and its standard error is read to the end, so that no
full pipe ever holds it up.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from signal import SIGINT
from subprocess import DEVNULL, PIPE
from typing import Final, Literal, TypeAlias

import anyio
from anyio.abc import Process

from ggrep.base.clock import Clock
from ggrep.federation.upkeep_limits import DEFAULT_BUILDS, MAX_BUILDS
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.sanitise import sanitise_line

STDERR_BYTES: Final = 64 * 1024
"""Of what a child says, the end of this length is kept."""

_PATIENCE_S: Final = 10.0
"""How long a child may take to end once it was told to."""

BuildStatus: TypeAlias = Literal["passed", "failed", "skipped"]


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The outcome of building one repository.

    Attributes:
        exit_code: None when it never ran, or a signal ended it.
        signal: that ended it.
        error: the last it said, one line.
    """

    repo: WorkspaceRepo
    status: BuildStatus
    exit_code: int | None = None
    signal: int | None = None
    duration_ms: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class BuildPlan:
    """How to build.

    Attributes:
        command: returns the command line for a repository.
        strict: start nothing more after the first failure; what runs is waited for.
    """

    command: Callable[[WorkspaceRepo], Sequence[str]]
    environ: Mapping[str, str]
    concurrency: int = DEFAULT_BUILDS
    strict: bool = False


async def build(
    repos: Sequence[WorkspaceRepo],
    plan: BuildPlan,
    clock: Clock,
    *,
    ended: Callable[[BuildResult], None] = lambda _: None,
) -> tuple[BuildResult, ...]:
    """Build repositories in the order of their ids; return what became of each, in that order.

    Cancelled, it interrupts its children and waits for them.
    """
    ordered = sorted(repos, key=lambda repo: repo.repo_id)
    builder = _Builder(plan, clock, iter(ordered), ended)
    async with anyio.create_task_group() as group:
        for _ in range(min(plan.concurrency, MAX_BUILDS, len(ordered))):
            group.start_soon(builder.work)
    done = {result.repo.repo_id: result for result in builder.results}
    return tuple(
        done.get(repo.repo_id) or BuildResult(repo, "skipped", error="another repository failed")
        for repo in ordered
    )


def ending_signal(results: Sequence[BuildResult]) -> int | None:
    """Return the signal that ended the first child that was ended by one."""
    return next((result.signal for result in results if result.signal is not None), None)


@dataclass(slots=True)
class _Builder:
    plan: BuildPlan
    clock: Clock
    queue: Iterator[WorkspaceRepo]
    ended: Callable[[BuildResult], None]
    results: list[BuildResult] = field(default_factory=list)
    _failed: bool = False

    async def work(self) -> None:
        """Build one repository after another until none is left or building must stop."""
        for repo in self.queue:
            if self._failed and self.plan.strict:
                return
            result = await self._run(repo)
            self._failed = self._failed or result.status == "failed"
            self.results.append(result)
            self.ended(result)

    async def _run(self, repo: WorkspaceRepo) -> BuildResult:
        if repo.failure is not None:
            return BuildResult(repo, "failed", error=sanitise_line(str(repo.failure)))
        since_ms = self.clock.monotonic_ms()
        try:
            # Cancelled in the middle of it, we would not know whom to end.
            with anyio.CancelScope(shield=True):
                process = await anyio.open_process(
                    list(self.plan.command(repo)),
                    stdin=DEVNULL,
                    stdout=DEVNULL,
                    stderr=PIPE,
                    env=dict(self.plan.environ),
                )
        except OSError as error:
            told = f"the build could not be started: {error.strerror}"
            return BuildResult(repo, "failed", error=told)
        try:
            said = await _tail(process)
            status = await process.wait()
        finally:
            with anyio.CancelScope(shield=True):
                await _end(process)
        spent_ms = int(self.clock.monotonic_ms() - since_ms)
        if status == 0:
            return BuildResult(repo, "passed", 0, duration_ms=spent_ms)
        signal = -status if status < 0 else None
        why = f"ended by signal {signal}" if signal else _last_words(said, status)
        code = None if signal else status
        return BuildResult(repo, "failed", code, signal, spent_ms, why)


async def _tail(process: Process) -> bytes:
    """Return the last output of a child, read to its end."""
    said = b""
    if process.stderr is not None:
        async for chunk in process.stderr:
            said = (said + chunk)[-STDERR_BYTES:]
    return said


async def _end(process: Process) -> None:
    """Interrupt a child that still runs, and kill it if it does not exit."""
    if process.returncode is None:
        process.send_signal(SIGINT)
        with anyio.move_on_after(_PATIENCE_S):
            await process.wait()
    if process.returncode is None:
        process.kill()
    await process.aclose()


def _last_words(said: bytes, status: int) -> str:
    lines = [line for line in said.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("error: ")]
    last = next(iter([*errors[-1:], *lines[-1:]]), f"error: status {status}")
    return sanitise_line(last.removeprefix("error: "))
