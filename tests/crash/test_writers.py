"""Many processes write one store at once: their snapshots form one line and nothing is lost."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.model.request import SearchRequest
from tests.crash.log import Event, Grant, Log, Release, Swap
from tests.crash.writer import open_writer
from tests.fakes.repos import answer_bytes

ASK = SearchRequest("retry", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)


def run_writers(root: Path, home: Path, file: Path, writers: int, rounds: int) -> list[Event]:
    """Let all writers work; return what they wrote down."""
    child = Path(__file__).with_name("writer.py")
    done = subprocess.run(
        [sys.executable, child, root, home, file, str(rounds), str(writers)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(child.parents[2])},
        capture_output=True,
        check=False,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return list(Log(file).events())


def check_one_line(swaps: list[Swap]) -> None:
    """Each snapshot follows the one before it, in order of epochs."""
    parents = [None, *(swap.snapshot for swap in swaps[:-1])]
    epochs = [swap.epoch for swap in swaps]
    assert [swap.parent for swap in swaps] == parents
    assert epochs == sorted(set(epochs)), "each publish here has a lease of its own"
    assert len({swap.snapshot for swap in swaps}) == len(swaps)


def check_one_holder(events: list[Event]) -> None:
    """Between a grant and its release nobody else is granted anything or publishes."""
    holder: Grant | None = None
    last = 0
    for event in events:
        match event:
            case Grant(epoch):
                assert holder is None, f"{event} while {holder}"
                assert epoch > last
                holder, last = event, epoch
            case Swap(_, _, epoch):
                assert holder is not None
                assert holder.epoch == epoch
            case Release(epoch, pid):
                assert holder == Grant(epoch, pid)
                holder = None
    assert holder is None


def prove(root: Path, home: Path, folder: Path, writers: int, rounds: int) -> None:
    """Let the writers work and check all that must hold."""
    events = run_writers(root, home, folder / "log", writers, rounds)
    swaps = [event for event in events if isinstance(event, Swap)]
    check_one_line(swaps)
    check_one_holder(events)
    engine, fresh = open_writer(root, home), open_writer(root, folder / "fresh")
    fresh.sync()
    on_disk = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in root.iterdir()}
    assert engine.view().manifest.snapshot_id == swaps[-1].snapshot
    assert engine.view().live_files() == on_disk, "an edit was lost"
    assert answer_bytes(engine, ASK) == answer_bytes(fresh, ASK)
    assert not engine.sync().published
    assert len(swaps) >= writers * rounds


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("writers", "rounds"), [(3, 3), pytest.param(8, 250, marks=pytest.mark.deep)]
)
def test_writers_publish_one_line_of_snapshots(
    root: Path, home: Path, tmp_path: Path, writers: int, rounds: int
) -> None:
    """Agents in one checkout index whenever they like; compactions and collections come between."""
    prove(root, home, tmp_path, writers, rounds)
