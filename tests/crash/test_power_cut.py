"""Promise P1 against the power: what a cut leaves of a publish is the old index or the new one."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from ggrep.base import durable
from tests.crash.faults import Death, recorded
from tests.crash.power import Outage, Tree, files
from tests.crash.power_replay import CAN_TRACE, replayed, traced
from tests.crash.power_trial import (
    EDITS,
    Publish,
    answered,
    by_name_and_size,
    complaints,
    engine_over,
    fresh_answer,
    publishes,
)
from tests.crash.power_watch import WatchedDisk
from tests.fakes.repos import write_tree

SHARES = [(30, 18, 12), pytest.param((150, 90, 60), marks=pytest.mark.deep)]
"""States of each publish: with no old snapshot to go back to, most can go wrong in the first."""


@pytest.fixture(autouse=True)
def trusting_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the memory of what was verified go by name and size alone.

    A copy of a state has other inodes and times, so that all would be hashed again; it is worse
    when what is remembered is believed.
    """
    monkeypatch.setattr("ggrep.index.store.verify._signature", by_name_and_size)


@pytest.mark.slow
@pytest.mark.parametrize("shares", SHARES, ids=sum)
def test_a_cut_leaves_old_or_new(root: Path, tmp_path: Path, shares: tuple[int, ...]) -> None:
    """120 or 300 cuts into a first publish, one that hides and adds, and one that merges."""
    results, tried, merged = [], 0, 0
    for publish in publishes(root, tmp_path, draws=20):
        states = publish.outage.some(shares[publish.number])
        tried, merged = tried + len(states), publish.merged
        results += complaints(publish, states, tmp_path / "copy")

    assert results == []
    assert (tried, merged) == (sum(shares), 2)


@pytest.mark.slow
def test_barriers_keep_tables(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulation sees what LanceDB leaves unsynced; with the barrier it finds nothing."""
    monkeypatch.setattr(durable, "sync_tree", lambda path: None)
    (publish,) = publishes(root, tmp_path, draws=10, edits=1)
    lost = [state for state in publish.outage.states.values() if _has_empty_table_file(state[0])]

    assert any(acknowledged for _, acknowledged in lost)
    assert complaints(publish, lost[-5:], tmp_path / "copy")


def _has_empty_table_file(tree: Tree) -> bool:
    return any(not content for name, content in files(tree) if ".lance/" in name)


@pytest.mark.slow
def test_synced_folders_count(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that was synced below a name that was not is nowhere."""
    monkeypatch.setattr(durable, "sync_directory", lambda path: None)
    (publish,) = publishes(root, tmp_path, draws=2, edits=1)
    lost = [state for state in publish.outage.states.values() if state[1]]

    assert complaints(publish, lost[:5], tmp_path / "copy")


@pytest.mark.slow
def test_no_name_lasts_without_what_it_names(root: Path, tmp_path: Path) -> None:
    """The names in a directory may survive one by one, and the latest before the others.

    1. A manifest in a store without a pointer is a snapshot to whoever finds it: without its
    journal it would be a damaged index where there was none, and no sync could go on from it.
    2. The same goes for a pointer to a snapshot whose directory is not there.
    """
    write_tree(root, EDITS[0])
    new, whole = fresh_answer(root, tmp_path / "fresh")
    outages = {name: Outage(Random(7), draws=100) for name in ("manifest.json", "ACTIVE_SNAPSHOT")}
    (tmp_path / "disk").mkdir()
    with WatchedDisk(tmp_path / "disk") as disk:

        def strike_once_it_is_there() -> None:
            lying = {name.rpartition("/")[2] for name, _ in files(disk.model.tree())}
            for name, outage in outages.items():
                if name in lying and not outage.states:
                    outage.strike(disk.model)

        with disk.watched(strike_once_it_is_there):
            engine_over(root, tmp_path / "disk" / "home").sync()

    for outage in outages.values():
        publish, states = Publish(0, root, None, new, whole, outage), [*outage.states.values()]
        assert len(states) > 1
        assert complaints(publish, states, tmp_path / "copy", each=1) == []


@pytest.mark.slow
def test_an_idle_sync_lasts(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer was killed before it synced the pointer's name; the next one says all is well."""
    home, outage = tmp_path / "disk" / "home", Outage(Random(7), draws=0)
    write_tree(root, EDITS[0])
    engine_over(root, home).sync()
    old = answered(root, home)
    write_tree(root, EDITS[1])
    new, whole = fresh_answer(root, tmp_path / "fresh")
    with WatchedDisk(tmp_path / "disk") as disk:
        with disk.watched(lambda: None):
            with monkeypatch.context() as patch:
                patch.setattr(os, "replace", _dies_after(os.replace, "ACTIVE_SNAPSHOT"))
                with pytest.raises(Death):
                    engine_over(root, home).sync()
            assert not engine_over(root, home).sync().published
        outage.acknowledged, outage.draws = True, 20
        outage.strike(disk.model)
    publish = Publish(1, root, old, new, whole, outage)

    assert complaints(publish, list(outage.states.values()), tmp_path / "copy") == []


def _dies_after(replace: Callable[..., None], name: str) -> Callable[..., None]:
    def dying(source: Path, target: Path) -> None:
        replace(source, target)
        if Path(target).name == name:
            raise Death(name)

    return dying


@pytest.mark.deep
@pytest.mark.timeout(3600)
def test_a_cut_after_a_kill_leaves_old_or_new(root: Path, tmp_path: Path) -> None:
    for edit in EDITS[:2]:
        write_tree(root, edit)
        engine_over(root, tmp_path / "kept").sync()
    old = answered(root, tmp_path / "kept")
    write_tree(root, EDITS[2])
    new, whole = fresh_answer(root, tmp_path / "fresh")
    results, steps, alive = [], 0, False
    while not alive:
        outage = Outage(Random(steps), draws=3)
        shutil.copytree(tmp_path / "kept", tmp_path / "disk" / "home")
        alive = _killed_and_mended(root, tmp_path / "disk", steps, outage)
        publish = Publish(2, root, old, new, whole, outage)
        results += complaints(publish, outage.some(40), tmp_path / "copy")
        shutil.rmtree(tmp_path / "disk")
        steps += 1

    assert results == []
    assert steps > 20


def _killed_and_mended(root: Path, place: Path, step: int, outage: Outage) -> bool:
    """Publish and die before that step, publish again; return whether nobody died."""
    died = False
    with WatchedDisk(place) as disk, disk.watched(lambda: outage.strike(disk.model)):
        try:
            with recorded(die_at=step):
                engine_over(root, place / "home").sync()
        except Death:
            died = True
        engine_over(root, place / "home").sync()
        outage.acknowledged = True
    return not died


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.skipif(not CAN_TRACE, reason="strace is not installed")
def test_a_cut_between_any_system_calls_leaves_old_or_new(root: Path, tmp_path: Path) -> None:
    """5000 cuts into the same three publishes, every write and rename seen as the kernel saw it."""
    log = traced(root, tmp_path)
    shutil.rmtree(root)
    root.mkdir()
    results, tried = [], 0
    for publish in replayed(log, root, tmp_path, draws=400):
        states = publish.outage.some(1667)
        tried += len(states)
        results += complaints(publish, states, tmp_path / "copy")

    assert results == []
    assert tried >= 5000
