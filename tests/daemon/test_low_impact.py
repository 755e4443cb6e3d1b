"""Low impact is worth its name, measured on real processes."""

import time
from pathlib import Path

import anyio
import psutil
import pytest

from ggrep.daemon.sync_process import SyncProcess
from ggrep.model.sync import SyncJob, SyncOutcome
from tests.fakes.repos import write_tree

FILES = 250


def source(number: int) -> str:
    """Return a file of some forty functions, none like those of another."""
    return "".join(
        f"def f{number}_{n}(first, second):\n"
        f"    total = [first * {number} + item for item in second if item != {n}]\n"
        f"    return sum(total) or {n}\n\n"
        for n in range(40)
    )


async def cost(root: Path, home: Path, *, low_impact: bool) -> tuple[float, SyncOutcome, int]:
    """Return processor time per wall time of one first sync, what it did and its niceness."""
    process, niceness = SyncProcess(), set()

    def watch(_: object) -> None:
        pid = process.pid
        if pid is not None:
            niceness.add(int(psutil.Process(pid).nice()))

    job = SyncJob(root, home, flags={"encoder": "hashed"}, low_impact=low_impact)
    begun = time.monotonic()
    try:
        outcome = await process.run(job, watch)
    finally:
        wall = time.monotonic() - begun
        await process.aclose()
    return outcome.cpu_ms / 1000 / wall, outcome, max(niceness)


@pytest.mark.deep
def test_low_impact_takes_half_the_processor_at_most(root: Path, tmp_path: Path) -> None:
    """Whoever switches it on has other work for the machine."""
    write_tree(root, {f"d{n % 10}/f{n}.py": source(n) for n in range(FILES)})
    normal, did, _ = anyio.run(lambda: cost(root, tmp_path / "normal", low_impact=False))
    low, same, niceness = anyio.run(lambda: cost(root, tmp_path / "low", low_impact=True))
    print(f"processor per wall time: normal {normal:.2f}, low impact {low:.2f}")  # noqa: T201 - figures

    assert did.indexed == same.indexed == FILES
    assert low <= 0.5 * normal
    assert low <= 0.5
    assert niceness >= 10
