"""Derived files are made again from the index itself, byte for byte, by whoever meets damage."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded
from ggrep.base.locks import Patience, alone
from ggrep.config import store_files
from ggrep.index.maintenance.checks import Health, check_health
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.repair import repair
from ggrep.model.maintenance import OK, WARN
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.repo_index import Hosted
from tests.fakes.built_store import built_once
from tests.fakes.repos import answer_bytes, indexed, open_engine, write_tree

ASK = SearchRequest("retry queue", 50, 0, deterministic=True, include_anchors=True, keep_weak=True)
ODD = {
    "empty.py": "",
    "blank.txt": " \n\n\t\n",
    "tail.md": "# Queue\n\nretry \n\n\n",
    "crlf.py": "a=1\r\n",
}


def build(root: Path, home: Path) -> None:
    """Make a store of three segments with hidden rows, and files that end in blanks."""
    engine = indexed(
        root, home, {"a.py": "def retry_a():\n    pass\n", "b.py": "def retry_b():\n    pass\n"}
    )
    write_tree(root, ODD)
    engine.sync()
    write_tree(root, {"b.py": "def queue_b():\n    pass\n"})
    engine.sync()


engine = built_once(build)


def derived(engine: Engine) -> list[Path]:
    """Return the images and masks that the active snapshot needs."""
    manifest, store = engine.view().manifest, engine.identity.store
    images = [store / ref.image.path for ref in manifest.segments]
    return [*images, store / manifest.visibility.path]


def again(engine: Engine) -> Engine:
    return open_engine(engine.identity.root, engine.home.base)


def health(engine: Engine) -> Health:
    identity = engine.identity
    return check_health(identity.store, identity.store_id, engine.settings, deep=False)


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _become_directory(path: Path) -> None:
    path.unlink()
    (path / "within").mkdir(parents=True)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "removed": Path.unlink,
    "emptied": lambda path: path.write_bytes(b""),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-70]),
    "flipped": _flip,
    "a directory": _become_directory,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("opened", [True, False], ids=["while it is open", "before it is opened"])
def test_the_next_search_makes_them_again_to_the_same_bytes(
    engine: Engine, damage: Callable[[Path], None], *, opened: bool
) -> None:
    """Nothing is published, and nothing cut anew."""
    before, files = answer_bytes(engine, ASK), derived(engine)
    bytes_before = [path.read_bytes() for path in files]
    snapshot = engine.view().manifest.snapshot_id
    for path in files:
        damage(path)
    asked = engine if opened else again(engine)

    assert answer_bytes(asked, ASK) == before
    assert [path.read_bytes() for path in files] == bytes_before
    assert asked.view().manifest.snapshot_id == snapshot
    assert asked.view().notices == ()


def test_the_whole_directory_of_images_is_made_again(engine: Engine) -> None:
    before, images = answer_bytes(engine, ASK), store_files.images_dir(engine.identity.store)
    shutil.rmtree(images)
    images.write_text("no directory")

    assert answer_bytes(again(engine), ASK) == before
    assert not any(path.name.startswith(".") for path in images.iterdir())


@pytest.mark.parametrize("by", ["sync", "repair", "compact", "health"])
def test_whoever_meets_the_damage_heals_it(engine: Engine, by: str) -> None:
    """A sync publishes nothing for it, and health tells of it."""
    before, files = answer_bytes(engine, ASK), derived(engine)
    snapshot = engine.view().manifest.snapshot_id
    for path in files:
        path.unlink()
    met = again(engine)
    if by == "sync":
        report = met.sync()
        assert (report.published, report.files.indexed, report.warnings) == (False, 0, ())
    elif by == "health":
        met.heal(Deadline.never(met.clock))
    else:
        with met.target() as target:
            if by == "compact":
                compact(target)
            else:
                done = repair(target)
                assert (len(done.healed), done.files.rebuilt) == (len(files), 0)
                assert done.lost_segments == ()
                assert done.performed

    assert all(path.is_file() for path in files)
    looked = again(engine)
    report = health(looked)
    [healed] = [check for check in report.checks if check.code == "healed"]
    assert report.ok
    assert (healed.severity, str(len(files)) in healed.message) == (WARN, True)
    assert looked.view().manifest.snapshot_id == snapshot
    assert answer_bytes(looked, ASK) == before


def test_nothing_healed_is_nothing_told(engine: Engine) -> None:
    """Health is quiet over a sound store."""
    assert {check.code: check.severity for check in health(engine).checks}["healed"] == OK


def test_several_that_meet_it_at_once_all_answer(engine: Engine) -> None:
    """One heals, the others wait for it."""
    before = answer_bytes(engine, ASK)
    for path in derived(engine):
        path.unlink()
    engines = [again(engine) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda each: answer_bytes(each, ASK), engines)) == [before] * 4


def test_a_request_without_the_time_says_that_it_is_being_healed(engine: Engine) -> None:
    """Another process is at it for longer than the request may take."""
    reports: list[None] = []
    store = engine.identity.store
    derived(engine)[0].unlink()
    late = Engine(
        engine.identity.root,
        engine.home,
        settings=engine.settings,
        clock=engine.clock,
        hosted=Hosted(on_damage=lambda: reports.append(None)),
    )
    never = Patience(Deadline.never(engine.clock), lambda _: None)
    with (
        alone(store_files.healing_lock(store), never),
        pytest.raises(DeadlineExceeded, match="is damaged; rebuilding it"),
    ):
        late.search(ASK, Deadline.after(engine.clock, 50))
    assert reports


def test_a_failed_rebuild_is_tried_once(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then its files are cut anew; until then each answer says what is wrong."""
    before = answer_bytes(engine, ASK)
    tries: list[int] = []

    def other(*_: object) -> list[int]:
        tries.append(1)
        return [1, 1, 1, 1, 1]

    image = derived(engine)[0]
    image.unlink()
    asked = again(engine)
    with monkeypatch.context() as patch:
        patch.setattr("ggrep.index.sync.healing.read_sizes", other)
        for _ in range(3):
            with pytest.raises(Exception, match="cannot be rebuilt"):
                answer_bytes(asked, ASK)
        assert len(tries) == 1
        assert again(engine).sync().files.indexed == 1
    assert answer_bytes(again(engine), ASK) == before


def test_an_old_segment_heals_from_memory(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such tables hold no sizes; the memory of unchanged files does."""
    before = answer_bytes(engine, ASK)
    image = derived(engine)[1]
    image.unlink()
    monkeypatch.setattr("ggrep.index.sync.healing.read_sizes", lambda *_: None)

    assert answer_bytes(again(engine), ASK) == before
    assert image.is_file()
