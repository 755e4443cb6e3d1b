"""Promise P1 under SIGKILL: nothing acknowledged is lost, whatever dies and whenever."""

import math
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable, stable_json
from ggrep.base.errors import CorruptStore, NoIndex
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.index.maintenance.repair import repair
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.needed_files import named, unnamed
from tests.crash.faults import Death, recorded
from tests.crash.packs_left import Lot
from tests.crash.scenarios import ASK, SCENARIOS, engine_over
from tests.fakes.repos import answer, answer_bytes

pytestmark = pytest.mark.slow

REOPEN_S = 2.0
POINTS = {
    "first": ("publish.after_preparation", "publish.after_table", "publish.after_verification"),
    "fold": (
        *("lease.before_record", "lease.after_record", "lease.before_release"),
        *("publish.before_segment", "publish.after_table", "publish.after_image"),
        *("publish.after_tombstones", "publish.after_segment_map", "publish.after_visibility"),
        *("publish.after_move", "publish.before_manifest", "publish.after_manifest"),
        *("publish.after_verification", "publish.before_swap", "publish.after_swap"),
        *("publish.after_record", "publish.after_preparation"),
        *("cache.before_write", "cache.after_write"),
    ),
    "takeover": ("lease.during_takeover",),
    "heartbeat": ("lease.after_heartbeat",),
    "compact": (
        "compaction.after_build",
        "compaction.before_publish",
        "compaction.after_publish",
    ),
    "collect": ("gc.after_list", "gc.after_manifests", "gc.after_move", "gc.after_delete"),
    "repair": ("publish.before_swap", "publish.after_move"),
    "rebuild": ("rebuild.before_adoption", "rebuild.after_adoption", "rebuild.after_swap"),
    "evict": ("cache.before_evict", "cache.after_evict"),
    "clone": ("clone.after_copy", "clone.before_move"),
    "remove": ("removal.after_move",),
    "first pull": ("remote.before_request", "pull.after_fetch", "publish.after_move"),
    "pull": ("pull.after_fetch", "pull.after_placement", "publish.before_swap"),
    "push": (
        *("push.after_blobs", "push.after_tree", "push.after_states"),
        *("push.before_ref", "push.after_ref"),
    ),
    "collect remote": ("remote.before_deletes",),
    "pack": (
        *("packs.before_write", "packs.after_write", "packs.after_move"),
        *("packs.before_removal", "packs.after_removal"),
    ),
}


class Stage(Struct):
    """A scenario's store before its write, and what may be answered after it."""

    scenario: str
    root: Path
    home: Path
    before: object
    after: bytes
    shown: object

    def allowed(self, *, acknowledged: bool) -> list[object]:
        if acknowledged:
            return [None] if self.scenario == "remove" else [self.shown]
        plan = SCENARIOS[self.scenario]
        gone = [None] if self.scenario == "remove" or not plan.answers_before else []
        return [self.before, self.shown, *gone]


def seen(root: Path, home: Path) -> object:
    """Return the results a new process would give; None where there is no index."""
    try:
        return answer(engine_over(root, home), ASK)["results"]
    except (NoIndex, CorruptStore):
        return None


def prepared(scenario: str, folder: Path) -> Stage:
    plan = SCENARIOS[scenario]
    root, home = folder / "repo", folder / "home"
    root.mkdir(parents=True)
    plan.prepare(root, home)
    before = seen(root, home)
    plan.change(root)
    fresh = engine_over(root, folder / "fresh")
    fresh.sync()
    return Stage(
        scenario, root, home, before, answer_bytes(fresh, ASK), seen(root, folder / "fresh")
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Stage]:
    """Scenarios that are prepared already; their stores are copied, never written."""
    return _Prepared(tmp_path_factory.mktemp("kept"))


class _Prepared(dict[str, Stage]):
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __missing__(self, scenario: str) -> Stage:
        self[scenario] = prepared(scenario, self._folder / scenario)
        return self[scenario]


def copied(stage: Stage, home: Path) -> Stage:
    """Return the same over a copy of its home."""
    if stage.home.exists():
        shutil.copytree(stage.home, home)
    return replace(stage, home=home)


def check(stage: Stage, *, acknowledged: bool) -> float:
    """Check what the dead left and that the next sync converges.

    Returns:
        Seconds of processor time that reopening took.
    """
    started = time.process_time()
    result = seen(stage.root, stage.home)
    took = time.process_time() - started
    assert result in stage.allowed(acknowledged=acknowledged)
    if stage.scenario == "pack":
        check_packs(stage)
    engine = engine_over(stage.root, stage.home)
    if stage.scenario == "repair":
        with engine.target() as target:
            repair(target)
    engine.sweep()
    engine.sync()
    engine.keep_up()
    assert lying_about(engine.identity.store) == []
    reopened = engine_over(stage.root, stage.home)
    assert answer_bytes(reopened, ASK) == stage.after
    assert reopened.view().notices == ()
    assert not any(store_files.staging_dir(engine.identity.store).glob("*"))
    return took


def check_packs(stage: Stage) -> None:
    """Check that packs which a dead process left are whole or none, and give way to the next."""
    roots = (stage.root, stage.root.with_name("other"))
    lot = Lot([engine_over(root, stage.home) for root in roots], stage.home)
    assert lot.answers_rightly()
    assert lot.packs_again()
    assert lot.answers_rightly()


def lying_about(store: Path) -> list[Path]:
    """Return what lies in or beside a store and belongs to none of its snapshots."""
    manifests = [
        path.parent.name for path in store_files.snapshots_dir(store).glob("*/manifest.json")
    ]
    kept = [named(store, read_manifest(store, SnapshotId(name))) for name in manifests]
    result = unnamed(store, frozenset().union(*kept))
    temporary = [path for path in store.rglob("*.tmp") if path.name.startswith(".")]
    beside = [path for path in store.parent.iterdir() if store_files.store_of_remains(path)]
    return [*result.snapshots, *result.segments, *result.leftovers, *temporary, *beside]


Killed = Callable[..., bool]
"""Kills a process that writes; returns whether it had acknowledged its write before it ended."""


@pytest.fixture(scope="module")
def killed() -> Iterator[Killed]:
    """Give what kills: stage, `point` or `step`, its name or number, and which occurrence."""
    script = Path(__file__).with_name("victim.py")
    with subprocess.Popen(
        [sys.executable, str(script)],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(script.parents[2])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as victims:
        assert victims.stdin is not None
        assert victims.stdout is not None
        orders, ends = victims.stdin, victims.stdout

        def kill(stage: Stage, kind: str, what: str, occurrence: int = 1) -> bool:
            order = [stage.scenario, str(stage.root), str(stage.home), kind, what, str(occurrence)]
            orders.write(stable_json.dumps(order) + b"\n")
            orders.flush()
            end = int(ends.readline())
            assert end in {0, -signal.SIGKILL}, order
            return end == 0

        yield kill


def kills() -> Iterator[object]:
    """Yield scenarios and points; a point that another scenario has tried is left to long runs."""
    tried: set[str] = set()
    for name in sorted(POINTS, key=lambda name: name != "fold"):
        for point in POINTS[name]:
            yield pytest.param(name, point, marks=pytest.mark.deep if point in tried else ())
            tried.add(point)


@pytest.mark.parametrize(("scenario", "point"), [*kills()])
def test_a_kill_at_a_fault_point_loses_nothing(
    tmp_path: Path, kept: dict[str, Stage], killed: Killed, scenario: str, point: str
) -> None:
    """The old or the new snapshot answers at once, and the next sync ends where any would."""
    stage = copied(kept[scenario], tmp_path / "home")

    assert not killed(stage, "point", point), "the write never came there"
    assert check(stage, acknowledged=False) < REOPEN_S


DYING = ("first", "fold", "compact", "collect", "repair", "rebuild", "remove", "first pull", "pull")


def test_every_fault_point_is_killed_at() -> None:
    """A point without a kill proves nothing; a kill without a point is a misspelling."""
    tried = {point for points in POINTS.values() for point in points}

    assert tried == set(durable.POINTS)
    assert len(tried) >= 25


@pytest.mark.parametrize("stride", [13, pytest.param(1, marks=pytest.mark.deep)])
@pytest.mark.parametrize("scenario", DYING)
def test_deaths_lose_nothing(
    tmp_path: Path, kept: dict[str, Stage], scenario: str, stride: int
) -> None:
    """At some moments at which something becomes durable and the last; deeply at all.

    Each scenario begins at another moment, so that together they die at most steps of a publish.
    """
    deaths = list(_deaths(kept[scenario], tmp_path, stride))

    assert len(deaths) >= math.ceil(4 / stride)
    if SCENARIOS[scenario].shows and scenario != "remove":
        assert {True, False} == set(deaths)
        assert deaths == sorted(deaths), "once new, always new"


def _deaths(prepared: Stage, folder: Path, stride: int) -> Iterator[bool]:
    """Die at every so many-th step and the last; yield whether the new state was seen."""
    stage = copied(prepared, folder / "whole")
    with recorded() as recorder:
        SCENARIOS[stage.scenario].act(stage.root, stage.home)
    last = len(recorder.events) - 1
    begin = DYING.index(stage.scenario) % stride
    for step in (*range(begin, last, stride), last):
        stage = copied(prepared, folder / str(step))
        acknowledged = True
        try:
            with recorded(die_at=step):
                SCENARIOS[stage.scenario].act(stage.root, stage.home)
        except Death:
            acknowledged = False
        result = seen(stage.root, stage.home)
        check(stage, acknowledged=acknowledged)
        if acknowledged:
            return
        shutil.rmtree(stage.home)
        yield result == stage.shown


@pytest.mark.deep
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(8))
def test_a_thousand_kills_lose_nothing(
    tmp_path: Path, kept: dict[str, Stage], killed: Killed, seed: int
) -> None:
    """At points, at durable steps and at moments of the kernel's choosing."""
    chance = random.Random(seed)
    places = [(name, point) for name in POINTS for point in POINTS[name]]
    slowest = 0.0
    for number in range(125):
        if chance.random() < 0.5:
            scenario, what = chance.choice(places)
            kind, occurrence = "point", chance.randint(1, 2)
        else:
            scenario = chance.choice(["first", "fold", "compact", "collect", "rebuild", "pull"])
            kind, what, occurrence = "step", str(chance.randrange(60)), 1
        stage = copied(kept[scenario], tmp_path / str(number))
        acknowledged = killed(stage, kind, what, occurrence)
        slowest = max(slowest, check(stage, acknowledged=acknowledged))
        shutil.rmtree(stage.home)

    assert slowest < REOPEN_S
