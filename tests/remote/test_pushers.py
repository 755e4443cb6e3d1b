"""Many push at once, and any of them may die: nothing is lost, nothing half is believed."""

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.config.remotes import Remote
from ggrep.index.remote import layout
from ggrep.index.remote.objects import Objects
from ggrep.search.engine.engine import Engine
from tests.crash.faults import Death
from tests.fakes.remotes import (
    clone,
    commit,
    directory_remote,
    engine_at,
    objects_of,
    pulled,
    pushed,
)
from tests.remote.conftest import on_every_remote

pytestmark = pytest.mark.slow

PUSHERS = 4
POINTS = (
    *("push.after_blobs", "push.after_tree", "push.after_states"),
    *("push.before_ref", "push.after_ref"),
)


def checkouts(origin: Engine, folder: Path) -> list[Engine]:
    """Return engines over clones, each with a commit of its own."""
    results = []
    for number in range(PUSHERS):
        root = clone(origin.identity.root, folder / f"clone{number}")
        commit(root, {f"own{number}.py": f"own_{number} = 1\n"})
        engine = engine_at(root, folder / f"home{number}")
        engine.sync()
        results.append(engine)
    return results


def entries(objects: Objects) -> list[layout.Entry]:
    results = [objects.read(stat.key, layout.MOST_REF_BYTES) for stat in objects.list("refs")]
    return [entry for ref in results if ref for entry in layout.read_ref(ref[0])]


def read_whole(objects: Objects, folder: Path) -> None:
    """Read all that a ref or a state leads to, digests and all."""
    folder.mkdir()
    trees = {entry.tree for entry in entries(objects)}
    for stat in objects.list("by-state"):
        result = objects.read(stat.key, layout.MOST_STATE_BYTES)
        assert result is not None
        trees.add(layout.read_state(result[0]))
    for named in trees:
        result = objects.read(layout.tree_key(named), named.size_bytes)
        assert result is not None
        for blob in layout.read_tree(result[0], named).blobs():
            objects.fetch(blob.key, folder / blob.sha256, blob.size_bytes, blob.sha256)


@on_every_remote
def test_no_push_of_several_is_lost(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    engines = checkouts(origin, tmp_path)
    with ThreadPoolExecutor(PUSHERS) as pool:
        reports = list(pool.map(lambda engine: pushed(engine, remote), engines))

    objects = objects_of(remote)
    assert {entry.tree.sha256 for entry in entries(objects)} == {report.tree for report in reports}
    read_whole(objects, tmp_path / "read")
    for number, engine in enumerate(engines):
        other = engine_at(engine.identity.root, tmp_path / f"again{number}")
        assert pulled(other, remote).exact


def test_equal_builders_leave_one_tree(tmp_path: Path, origin: Engine, remote: Remote) -> None:
    engines = []
    for number in range(PUSHERS):
        root = clone(origin.identity.root, tmp_path / f"clone{number}")
        engines.append(engine_at(root, tmp_path / f"home{number}"))
        engines[-1].sync()
    with ThreadPoolExecutor(PUSHERS) as pool:
        list(pool.map(lambda engine: pushed(engine, remote), engines))

    objects = objects_of(remote)
    states = [objects.read(stat.key, 4096) for stat in objects.list("by-state")]
    assert len({state[0] for state in states if state}) == 1
    read_whole(objects, tmp_path / "read")


@pytest.mark.parametrize("lost", [False, True])
def test_the_first_tree_counts(tmp_path: Path, origin: Engine, remote: Remote, lost: bool) -> None:
    first, objects = pushed(origin, remote), objects_of(remote)
    for folder in ("by-state/git", "refs"):
        for stat in list(objects.list(folder.partition("/")[0])):
            if stat.key.startswith(folder):
                objects.delete(stat.key)
    for stat in list(objects.list("blobs")) if lost else ():
        objects.delete(stat.key)
    second = engine_at(clone(origin.identity.root, tmp_path / "second"), tmp_path / "home2")
    second.sync()
    report = pushed(second, remote)

    states = [objects.read(stat.key, 4096) for stat in objects.list("by-state")]
    assert len(states) == 2
    assert {layout.read_state(state[0]).sha256 for state in states if state} == {report.tree}
    assert entries(objects)[0].tree.sha256 == report.tree
    assert (report.tree == first.tree) is not lost
    read_whole(objects, tmp_path / "read")


def dying_at(point: str) -> Callable[[str], None]:
    def hook(reached: str) -> None:
        if reached == point:
            raise Death

    return hook


@pytest.mark.parametrize("point", POINTS)
def test_a_dead_push_is_harmless(
    tmp_path: Path, origin: Engine, remote: Remote, point: str
) -> None:
    """Another may pull what is named by then; the next push ends what was begun."""
    with durable.watched(dying_at(point)), pytest.raises(Death):
        pushed(origin, remote)
    objects = objects_of(remote)
    read_whole(objects, tmp_path / "read")
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    named = point in {"push.after_states", "push.before_ref", "push.after_ref"}
    assert (pulled(other, remote).outcome == "pulled") == named

    report = pushed(origin, remote)
    assert report.written == 0, "blobs that came before are not sent again"
    assert [entry.tree.sha256 for entry in entries(objects)] == [report.tree]
    last = engine_at(clone(tmp_path / "a", tmp_path / "c"), tmp_path / "home-c")
    assert pulled(last, remote).exact


_KILLED = """
import os, signal, sys, time
from pathlib import Path
from ggrep.base import durable
from ggrep.config.remotes import Remote
from ggrep.search.engine.push_pull import push_to
from tests.fakes.remotes import engine_at
at = int(sys.argv[4])
seen = 0
def hook(point):
    global seen
    seen += point == "remote.before_request"
    if seen == at:
        os.kill(os.getpid(), signal.SIGKILL)
with durable.watched(hook):
    push_to(engine_at(Path(sys.argv[1]), Path(sys.argv[2])), Remote("origin", sys.argv[3]))
"""


@pytest.mark.parametrize(
    "request_number",
    [3, 12, *(pytest.param(number, marks=pytest.mark.deep) for number in (1, 6, 9, 14))],
)
def test_a_killed_push_loses_nothing(tmp_path: Path, origin: Engine, request_number: int) -> None:
    """By the kernel, in a process of its own."""
    remote = directory_remote(tmp_path)
    root, home = origin.identity.root, origin.home.base
    command = [sys.executable, "-c", _KILLED, str(root), str(home), remote.url]
    done = subprocess.run([*command, str(request_number)], check=False, capture_output=True)
    assert done.returncode == -9, done.stderr.decode()

    objects = objects_of(remote)
    read_whole(objects, tmp_path / "read")
    pushed(origin, remote)
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    assert pulled(other, remote).exact
