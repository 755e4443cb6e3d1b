"""Publishing under `strace`, and every state a cut between two of its system calls may leave."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from tests.crash.power import Outage, Tree, files, read_tree
from tests.crash.power_trace import (
    ACKNOWLEDGED,
    BEGINS,
    SHARED_MEMORY,
    STRACE,
    TRACED,
    TracedDisk,
    calls,
)
from tests.crash.power_trial import EDITS, Publish, fresh_answer
from tests.fakes.repos import write_tree

CAN_TRACE = shutil.which("strace") is not None


def traced(root: Path, place: Path) -> Path:
    """Publish in a process of its own, below `place / "disk"`; return its log of system calls."""
    disk, log = place / "disk", place / "calls.log"
    disk.mkdir()
    child = Path(__file__).with_name("power_child.py")
    done = subprocess.run(
        [*STRACE, *TRACED, "-o", log, sys.executable, child, root, disk / "home"],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(child.parents[2])},
        capture_output=True,
        check=False,
        cwd=place,
    )
    if b"PTRACE" in done.stderr:
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    return log


def replayed(log: Path, root: Path, place: Path, *, draws: int) -> Iterator[Publish]:
    """Do in a model what the log says, and yield what each publish may leave on its disk."""
    disk, random, old = TracedDisk(place / "disk"), Random(7), None
    edits = iter(EDITS)
    publish: Publish | None = None
    number = 0
    with log.open() as lines:
        for call in calls(lines):
            marked = call.text(1) if call.name == "openat" else ""
            if marked == BEGINS:
                if publish:
                    yield publish
                    old, number = publish.new, number + 1
                write_tree(root, next(edits))
                new, whole = fresh_answer(root, place / "fresh")
                publish = Publish(number, root, old, new, whole, Outage(random, draws, cuts=1000))
            elif marked == ACKNOWLEDGED and publish:
                publish.outage.acknowledged = True
                publish.outage.strike(disk.model)
            if disk.take(call) and publish:
                publish.outage.strike(disk.model)
    assert publish is not None
    assert _plain(disk.model.tree()) == _plain(read_tree(place / "disk")), "the log tells all"
    yield publish


def _plain(tree: Tree) -> dict[str, bytes]:
    return {name: data for name, data in files(tree) if not name.endswith(SHARED_MEMORY)}
