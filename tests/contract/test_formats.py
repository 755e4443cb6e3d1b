"""What earlier builds wrote is read, what later ones add is ignored, and what they change refused.

A refusal names artifact and version, and leaves the store as it is, to the last byte: the build
that wrote it will come back.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from ggrep.base.clock import SystemClock
from ggrep.base.errors import Incompatible
from ggrep.base.formats import INDEX_STATE, LEASE, MANIFEST
from ggrep.base.lease import read_record
from ggrep.config import store_files
from ggrep.config.settings import Settings
from ggrep.index.maintenance.checks import audit, check_health
from ggrep.index.maintenance.clone import clone_store
from ggrep.index.store.judging import open_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.segment import image_ref
from ggrep.index.store.store_versions import version_in
from ggrep.index.store.verify import Verifier
from ggrep.index.sync.index_state import read_index_state
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.built_store import built_once
from tests.fakes.leases import held_lease
from tests.fakes.old_stores import (
    active_manifest,
    active_of,
    change_json,
    change_manifest,
    everything_in,
    schema_1_store,
)
from tests.fakes.repos import indexed, open_engine, paths, write_tree

EXTRA = {"surprise": {"of": ["a", "later", "build"]}}
Change = Callable[[Path], None]


def image_99(store: Path) -> None:
    """Give the masks another format, in a manifest that knows their digest."""
    manifest = read_manifest(store, active_of(store))
    path = store / manifest.visibility.path
    path.write_bytes(re.sub(rb"ggrep-image-\d", b"ggrep-image-9", path.read_bytes()))
    ref = image_ref(store, path)
    fields = {name: getattr(ref, name) for name in type(ref).__slots__}
    change_manifest(store, {"visibility": fields})


LATER = {"schema_version": 99} | EXTRA
REFUSED: dict[str, tuple[Change, str]] = {
    "manifest": (
        lambda store: change_manifest(store, LATER),
        r"manifest\.json: schema_version is 99",
    ),
    "rows": (
        lambda store: change_manifest(store, {"chunk_row_schema_version": 99} | EXTRA),
        r"manifest\.json: chunk_row_schema_version is 99",
    ),
    "index_state": (
        lambda store: change_json(store_files.index_state_file(store), LATER),
        r"index_state\.json: schema_version is 99",
    ),
    "lease": (
        lambda store: change_json(store_files.lease_files(store).record, LATER),
        r"writer lease: schema_version is 99",
    ),
    "image": (image_99, r"image visibility\.image has an unknown format: 'ggrep-image-9'"),
}


def build(root: Path, home: Path) -> None:
    indexed(root, home, {"a.py": "retry = 1\n", "b.py": "queue = 2\n"}, encoder="none")


indexed_once = built_once(build, encoder="none")


@pytest.fixture
def engine(indexed_once: Engine) -> Engine:
    """Return an engine over a store that fits it."""
    indexed_once.search(SearchRequest("retry"))  # what a first search remembers is there
    return indexed_once


def test_a_store_of_the_first_schema_is_read(home: Path) -> None:
    """Nobody indexes anew for a field that was added."""
    store = schema_1_store(home)
    view = open_active(store)
    Verifier(store, full=True).manifest(view.manifest)
    state = read_index_state(store_files.index_state_file(store))
    record = read_record(store_files.lease_files(store).record)

    assert version_in(active_manifest(store), MANIFEST) == MANIFEST.oldest
    assert sorted(view.live_files()) == ["a.py", "b.md", "c.py"]
    assert version_in(store_files.index_state_file(store), INDEX_STATE) == INDEX_STATE.writes - 1
    assert state is not None
    assert (state.last_result, state.active_snapshot_id) == ("ok", active_of(store))
    assert version_in(store_files.lease_files(store).record, LEASE) == LEASE.writes - 1
    assert record is not None
    assert (record.lease_epoch, record.released) == (2, True)


def test_a_lease_of_the_first_schema_is_followed_by_the_next_epoch(home: Path) -> None:
    """An epoch that began anew would let an old writer publish."""
    store = schema_1_store(home)
    with held_lease(store, SystemClock()) as lease:
        assert lease.epoch == 3

    assert version_in(store_files.lease_files(store).record, LEASE) == LEASE.writes


@pytest.mark.slow
def test_fields_of_a_later_build_are_ignored(engine: Engine) -> None:
    """They are added without a new version, so that older builds go on."""
    store = engine.identity.store
    change_manifest(store, EXTRA)
    for file in (store_files.index_state_file(store), store_files.lease_files(store).record):
        change_json(file, EXTRA)
    write_tree(engine.identity.root, {"c.py": "retry = 3\n"})

    assert paths(open_engine(engine.identity.root, engine.home.base, encoder="none"), "queue")
    assert open_engine(engine.identity.root, engine.home.base, encoder="none").sync().published


@pytest.mark.slow
@pytest.mark.parametrize("artifact", ["manifest", "rows", "image"])
def test_a_later_store_is_refused_by_readers(engine: Engine, artifact: str) -> None:
    """An answer from an older snapshot, or a misread one, would be worse than none."""
    change, output = REFUSED[artifact]
    change(engine.identity.store)
    before = everything_in(engine.identity.store)
    reader = open_engine(engine.identity.root, engine.home.base, encoder="none")
    with pytest.raises(Incompatible, match=output):
        reader.search(SearchRequest("retry"))
    identity = reader.identity
    if artifact == "image":
        assert not check_health(identity.store, identity.store_id, Settings(), deep=True).ok
    else:
        with pytest.raises(Incompatible, match=output):
            check_health(identity.store, identity.store_id, Settings(), deep=True)
        with pytest.raises(Incompatible, match=output):
            audit(identity.store, identity.store_id)
    assert _but_caches(everything_in(engine.identity.store)) == _but_caches(before)


@pytest.mark.slow
@pytest.mark.parametrize("artifact", sorted(REFUSED))
def test_a_later_store_is_refused_by_writers_and_left_as_it_is(
    engine: Engine, artifact: str
) -> None:
    """Also what a dead writer of the later build was putting together."""
    change, output = REFUSED[artifact]
    store = engine.identity.store
    staged = store_files.staging_dir(store) / "theirs"
    staged.mkdir(parents=True)
    (staged / "file").write_bytes(b"theirs")
    change(store)
    write_tree(engine.identity.root, {"c.py": "retry = 3\n"})
    before = everything_in(store)
    writer = open_engine(engine.identity.root, engine.home.base, encoder="none")
    acts: Mapping[str, Callable[[], object]] = {
        "sync": writer.sync,
        "upgrade": writer.upgrade,
        "clone": lambda: clone_store(
            writer.home, store.name, f"{store.name}-eval", writer.settings
        ),
    }
    for name, act in acts.items():
        if (name, artifact) == ("clone", "image"):
            continue  # a clone opens no image it does not have to
        with pytest.raises(Incompatible, match=output):
            act()
        assert _but_caches(everything_in(store)) == _but_caches(before), name


@pytest.mark.slow
def test_what_a_reset_may_replace_it_replaces(engine: Engine) -> None:
    """It is the advice that a refusal gives, and nothing of the old index is read for it."""
    for artifact in ("manifest", "index_state"):
        REFUSED[artifact][0](engine.identity.store)
    engine.sync(fresh=True)

    assert paths(open_engine(engine.identity.root, engine.home.base, encoder="none"), "retry")


def _but_caches(found: Mapping[str, tuple[bytes, int]]) -> dict[str, tuple[bytes, int]]:
    """Leave out what may be deleted at any time."""
    return {name: value for name, value in found.items() if not name.startswith("cache/")}
