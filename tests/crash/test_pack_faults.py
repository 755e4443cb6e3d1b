"""Packs are derived: whatever befalls them or their making, answers are right and nothing stays."""

import errno
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.config.home import Home
from ggrep.index.packs import pack_image
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.index.packs.pack_directory import pack_files
from ggrep.index.packs.pack_image import open_pack
from tests.crash.corruption import DAMAGES
from tests.crash.faults import Death, recorded
from tests.crash.io_errors import KINDS, failing
from tests.crash.packs_left import Lot
from tests.crash.power import Outage, files, materialise
from tests.crash.power_watch import WatchedDisk
from tests.crash.scenarios import SCENARIOS, engine_over
from tests.fakes.packs import pack, unpacked_segments

WORKER = [sys.executable, "-m", "ggrep.daemon.pack_worker"]

Homes = Callable[[], Lot]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where two repositories and their home lie; one is packed. Nobody writes to it."""
    base = tmp_path_factory.mktemp("packs").resolve()
    (base / "repo").mkdir()
    SCENARIOS["pack"].prepare(base / "repo", base / "home")
    return base


@pytest.fixture
def homes(kept: Path, tmp_path: Path) -> Homes:
    """Return a function that returns a copy of the home."""
    number = iter(range(10_000))

    def copied() -> Lot:
        return lot_of(kept, shutil.copytree(kept / "home", tmp_path / f"home{next(number)}"))

    return copied


def lot_of(kept: Path, home: Path) -> Lot:
    return Lot([engine_over(kept / name, home) for name in ("repo", "other")], home)


def temporary(lot: Lot) -> list[Path]:
    return list(lot.home.packs.glob(".*.tmp"))


@pytest.mark.slow
def test_death_at_any_durable_step_leaves_whole_packs_or_none(homes: Homes) -> None:
    deaths = 0
    for step in range(100):
        lot = homes()
        try:
            with recorded(die_at=step):
                pack(lot.home)
        except Death:
            deaths += 1
            assert lot.answers_rightly()
            assert lot.packs_again()
        else:
            break

    assert deaths >= 3


@pytest.mark.slow
@pytest.mark.parametrize("draws", [5, pytest.param(300, marks=pytest.mark.deep)])
def test_a_power_cut_leaves_whole_packs_or_none(homes: Homes, kept: Path, draws: int) -> None:
    """A file keeps the content of its last sync, a directory its names: all else may be lost."""
    lot = homes()
    outage = Outage(random.Random(7), draws)
    with WatchedDisk(lot.home.base) as disk, disk.watched(lambda: outage.strike(disk.model)):
        (written,) = pack(lot.home)
    whole = written.read_bytes()
    results = {name for tree, _ in outage.states.values() for name, _ in files(tree)}
    assert any(name.endswith(".pack.tmp") for name in results)
    for number, (tree, _) in enumerate(outage.states.values()):
        home = lot.home.base.with_name(f"cut{number}")
        materialise(tree, home)
        left = pack_files(Home(home))
        assert left, "neither the old packs nor the new ones"
        for path in left:
            assert path.name != written.name or path.read_bytes() == whole
            open_pack(path)
        if number % 10 == 0:
            cut = lot_of(kept, home)
            assert cut.answers_rightly()
            assert cut.packs_again()


@pytest.mark.slow
@pytest.mark.parametrize("stride", [31, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("number", sorted(KINDS.keys() - {errno.EDQUOT}), ids=errno.errorcode.get)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
def test_a_failure_costs_the_pack(homes: Homes, number: int, lasting: bool, stride: int) -> None:
    """A disk that is full, read-only or broken: the old packs stay, and no temporary file."""
    for at in range(number % stride, 300, stride):
        lot = homes()
        with failing(lot.home.packs, number=number, at=at, lasting=lasting) as disk:
            with suppress(OSError, GgrepError):
                pack(lot.home)
            assert lot.answers_rightly()
        removed = not any(line.startswith("remove") for line in disk.failed)
        assert lot.answers_rightly()
        assert not (removed and temporary(lot))
        assert OpenedPacks(lot.home).packs()
        assert lot.packs_again()
        if not disk.failed:
            return
    raise AssertionError("there is no end of operations")


@pytest.mark.slow
@pytest.mark.parametrize("times", [100, pytest.param(20_000, marks=pytest.mark.deep)])
def test_no_damage_makes_a_wrong_answer(homes: Homes, times: int) -> None:
    """It is noticed when the pack is opened, or lies where nothing is read."""
    lot = homes()
    (path,) = pack(lot.home)
    whole, intact, chance = path.read_bytes(), open_pack(path), random.Random(times)
    kinds = sorted(DAMAGES.keys() - {"remove", "swap"})
    noticed = 0
    for number in range(times):
        kind = "flip" if number % 2 else chance.choice(kinds)
        DAMAGES[kind](path, path, chance)
        try:
            result = open_pack(path)
        except GgrepError:
            noticed += 1
        else:
            assert result.segments == intact.segments
            assert result.image.types == intact.image.types
            assert result.image.languages == intact.image.languages
            assert result.image.arrays.keys() == intact.image.arrays.keys()
            for name, values in intact.image.arrays.items():
                assert (result.image.arrays[name] == values).all()
        if number % 20 == 0:
            assert lot.answers_rightly()
        path.write_bytes(whole)

    assert noticed > times / 2
    assert lot.packs_again()


@pytest.mark.slow
@pytest.mark.parametrize("times", [8, pytest.param(600, marks=pytest.mark.deep)])
def test_a_damaged_store_is_left_out_and_no_other(homes: Homes, times: int) -> None:
    """One of a thousand may not keep the others from being packed, nor bring its damage along."""
    lot, chance = homes(), random.Random(times)
    (path,) = pack(lot.home)
    true = ids_of(path)
    for _ in range(times):
        home = homes().home
        segments = unpacked_segments(home)
        hurt = chance.choice(segments)
        below = [home.data / hurt.store_id / f"{hurt.segment}.lance", home.data / hurt.store_id]
        parts = [each for each in chance.choice(below).rglob("*") if each.is_file()]
        place = chance.choice([each for each in parts if each.stat().st_size])
        DAMAGES[chance.choice(sorted(DAMAGES.keys() - {"swap"}))](place, place, chance)
        results = [ids_of(path) for path in pack(home, segments)]

        kept = {key: ids for each in results for key, ids in each.items()}
        assert kept.items() <= true.items()
        others = {key for key in true if key[0] != hurt.store_id}
        assert others <= kept.keys()


def ids_of(path: Path) -> dict[tuple[str, str], bytes]:
    """Return the chunk ids of each segment in a pack."""
    result = open_pack(path)
    ids = result.image.arrays[pack_image.CHUNK_IDS]
    return {
        (each.store_id, each.segment): ids[each.first_row : each.first_row + each.rows].tobytes()
        for each in result.segments
    }


def test_one_that_is_cut_short_while_it_is_open_is_let_go(homes: Homes) -> None:
    lot = homes()
    (path,) = pack(lot.home)
    opened = OpenedPacks(lot.home)
    (before,) = opened.packs()
    with path.open("r+b") as file:
        file.truncate(5000)

    assert opened.packs() == ()
    assert lot.answers_rightly()
    assert before.segments, "nothing of what is mapped is looked at"
    assert lot.packs_again()
    assert len(opened.packs()) == 1


@pytest.mark.parametrize("name", ["LEXICAL_LAYOUT", "CHUNK_IDS", "FILE_RANKS"])
def test_a_foreign_pack_is_none(homes: Homes, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    lot = homes()
    with monkeypatch.context() as patch:
        patch.setattr(pack_image, name, "another")
        pack(lot.home)

    assert OpenedPacks(lot.home).packs() == ()
    assert lot.answers_rightly()
    assert lot.packs_again()


@pytest.mark.slow
def test_two_processes_that_pack_at_once_leave_one_pack(homes: Homes) -> None:
    """Two hosts of one home want the same at the same time; of two homes neither sees the other."""
    lot, other = homes(), homes()
    for path in pack_files(lot.home):
        path.unlink()
    workers = [working(each) for each in (lot, lot, lot, other)]

    assert 0 in [worker.wait(60) for worker in workers[:3]]
    assert workers[3].wait(60) == 0
    for each in (lot, other):
        assert len(OpenedPacks(each.home).packs()) == 1
        assert temporary(each) == []
        assert each.answers_rightly()


def working(lot: Lot) -> "subprocess.Popen[bytes]":
    """Start a worker that packs all segments."""
    reports = [
        [each.store_id, each.segment, each.image_sha256] for each in unpacked_segments(lot.home)
    ]
    started = subprocess.Popen(
        WORKER, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[2]
    )
    assert started.stdin is not None
    started.stdin.write(stable_json.dumps([str(lot.home.base), reports]))
    started.stdin.close()
    return started
