"""Damage is found before it is answered from, and an older whole snapshot stands in."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np
import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.durable import watched
from ggrep.base.errors import CorruptStore, DeadlineExceeded, InvalidRequest, NoIndex, StoreError
from ggrep.base.ids import SegmentName
from ggrep.config import store_files
from ggrep.daemon.admitting import is_published
from ggrep.index.maintenance.checks import check_health
from ggrep.index.store import verify
from ggrep.index.store.image import open_image, write_image
from ggrep.index.store.judging import open_active
from ggrep.index.store.manifest import SnapshotManifest, to_bytes
from ggrep.index.store.tables import measure_table
from ggrep.index.store.verify import Stamp, Verifier
from ggrep.index.store.view import newest_epoch, open_snapshot
from ggrep.search.engine.engine import Engine
from tests.crash.power_trial import by_name_and_size
from tests.fakes.leases import held_lease
from tests.fakes.repos import indexed, open_engine, paths, write_tree
from tests.store.conftest import Kept

if TYPE_CHECKING:
    from ggrep.daemon.store_daemon import StoreDaemon

Pick = Callable[[Path, SnapshotManifest], Path]


def table(store: Path, manifest: SnapshotManifest) -> Path:
    root = store_files.table_dir(store, manifest.segments[-1].table)
    return max((p for p in root.rglob("*") if p.is_file()), key=lambda p: p.stat().st_size)


ARTIFACTS: dict[str, Pick] = {
    "table": table,
    "image": lambda store, manifest: store / manifest.segments[-1].image.path,
    "tombstones": lambda store, manifest: store / manifest.tombstones[-1].path,
    "map": lambda store, manifest: store / manifest.segment_map[-1].path,
    "visibility": lambda store, manifest: store / manifest.visibility.path,
}

JOURNAL = ("tombstones", "map")
READ = sorted(ARTIFACTS.keys() - set(JOURNAL))


def flip(path: Path) -> None:
    """Flip one bit in the middle; the modification time moves on as it would."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    later = path.stat().st_mtime_ns + 1_000_000_000
    os.utime(path, ns=(later, later))


@pytest.mark.parametrize("damage", [flip, Path.unlink])
@pytest.mark.parametrize("artifact", READ)
def test_damage_makes_a_fallback(kept: Kept, artifact: str, damage: Callable[[Path], None]) -> None:
    """A wrong answer is worse than an old one, and an old one must say so."""
    damage(ARTIFACTS[artifact](kept.store, kept.second))

    view = open_active(kept.store)
    assert view.manifest.snapshot_id == kept.first.snapshot_id
    assert [notice.code for notice in view.notices] == ["snapshot_fallback"]
    with pytest.raises(CorruptStore):
        open_snapshot(kept.store, kept.second.snapshot_id)


@pytest.mark.parametrize("artifact", JOURNAL)
def test_the_active_snapshot_answers_without_its_journal(kept: Kept, artifact: str) -> None:
    """Masks say the same; who writes has to know, and so has who asks."""
    flip(ARTIFACTS[artifact](kept.store, kept.second))
    view = open_active(kept.store)

    assert view.manifest.snapshot_id == kept.second.snapshot_id
    assert [notice.code for notice in view.notices] == ["journal_damaged"]


def test_a_full_check_finds_silent_changes(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bits rot below the file system, which tells nothing of it."""
    monkeypatch.setattr("ggrep.index.store.verify._signature", by_name_and_size)
    store_files.verified_file(kept.store).unlink()
    verifier = Verifier(kept.store)
    verifier.manifest(kept.second)
    verifier.save()
    path = kept.store / kept.second.segments[-1].image.path
    times = path.stat()
    data = bytearray(path.read_bytes())
    data[-70] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    Verifier(kept.store).manifest(kept.second)

    with pytest.raises(CorruptStore, match="image"):
        Verifier(kept.store, full=True).manifest(kept.second)


def test_masks_that_can_be_read_are_verified_all_the_same(kept: Kept) -> None:
    path = kept.store / kept.second.visibility.path
    masks = {name: np.ones_like(mask) for name, mask in open_image(path).arrays.items()}
    path.unlink()
    write_image(path, masks, {})

    assert open_active(kept.store).manifest.snapshot_id == kept.first.snapshot_id


def test_what_every_snapshot_needs_cannot_be_replaced(kept: Kept) -> None:
    """Then an operator has to look; nothing is made up."""
    flip(kept.store / kept.first.segments[0].image.path)

    with pytest.raises(CorruptStore, match="no snapshot can answer"):
        open_active(kept.store)


def test_a_sync_heals_a_store_that_fell_back(kept: Kept) -> None:
    """Also when the tree is what the older snapshot holds; nothing is left to heal the newer by."""
    flip(kept.store / kept.second.visibility.path)
    flip(kept.store / kept.second.segment_map[-1].path)
    root = kept.engine.identity.root
    (root / "a.py").write_text("def old_retry():\n    pass\n")
    (root / "c.py").unlink()
    engine = open_engine(root, kept.engine.home.base)
    engine.sync()

    assert engine.view().notices == ()
    assert paths(engine, "old_retry")[0] == "a.py"


def test_a_lost_pointer_is_found_out(kept: Kept) -> None:
    """The newest whole snapshot is shown, and it is said, beside a later writer too."""
    store_files.active_file(kept.store).unlink()
    view = open_active(kept.store)

    assert view.manifest.snapshot_id == kept.second.snapshot_id
    assert view.notices

    with held_lease(kept.store, kept.engine.clock):
        damage = open_active(kept.store).damage

    assert damage
    assert damage.rebuilding
    assert damage != open_active(kept.store).damage, "nobody rebuilds it now"


def test_a_manifest_of_another_store_is_refused(kept: Kept) -> None:
    """A copied directory must not answer for another repository."""
    ours = kept.second.store_id
    other = ours[:-1] + ("1" if ours.endswith("0") else "0")
    with pytest.raises(CorruptStore, match="another store"):
        open_active(kept.store, store_id=other)  # type: ignore[arg-type] # made up


def test_losing_the_memory_of_what_was_verified_loses_nothing(kept: Kept) -> None:
    """It is derived; a large store that was copied is hashed within some queries, not never."""
    shutil.rmtree(store_files.verified_file(kept.store).parent)

    assert open_active(kept.store).notices == ()
    store_files.verified_file(kept.store).write_bytes(b"[]")
    assert open_active(kept.store).notices == ()

    store_files.verified_file(kept.store).unlink()
    clock = kept.engine.clock

    with pytest.raises(DeadlineExceeded, match="opening"):
        open_active(kept.store, deadline=Deadline.after(clock, 0))
    assert open_active(kept.store, deadline=Deadline.never(clock)).notices == ()


@pytest.mark.parametrize("grows", [True, False], ids=["size", "inode"])
def test_memory_is_of_one_file(kept: Kept, monkeypatch: pytest.MonkeyPatch, grows: bool) -> None:
    """Some file systems tell time by the second, or are restored with the times of old."""
    stamp_of = verify.stamp_of

    def timeless(path: str) -> Stamp:
        size, _, _, inode = stamp_of(path)
        return size, 1, 1, inode

    monkeypatch.setattr(verify, "stamp_of", timeless)
    verifier = Verifier(kept.store, full=True)
    verifier.manifest(kept.second)
    verifier.save()
    path = kept.store / kept.second.visibility.path
    if grows:
        with path.open("ab") as file:
            file.write(b"x")
    else:
        path.with_name("other").write_bytes(b"x" * path.stat().st_size)
        path.with_name("other").replace(path)

    with pytest.raises(CorruptStore, match="is corrupt"):
        Verifier(kept.store).manifest(kept.second)


def test_a_lack_of_descriptors_is_no_damage(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy process must not answer from an older snapshot, nor spread its absolute paths."""
    read_bytes = Path.read_bytes

    def refuse(self: Path) -> bytes:
        if self.name == "manifest.json":
            raise OSError(errno.EMFILE, "Too many open files", str(self))
        return read_bytes(self)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(StoreError, match="Too many open files") as caught:
        open_active(kept.store)

    assert not isinstance(caught.value, CorruptStore)
    assert str(kept.store) not in str(caught.value)


def test_the_latest_writer_stands_in_whatever_its_clock_said(kept: Kept) -> None:
    """A clock that was set back gives smaller ids to newer snapshots."""
    path = store_files.manifest_file(kept.store, kept.first.snapshot_id)
    path.write_bytes(to_bytes(replace(kept.first, lease_epoch=9)))
    store_files.active_file(kept.store).unlink()

    assert open_active(kept.store).manifest.snapshot_id == kept.first.snapshot_id
    assert newest_epoch(kept.store) == 9


def test_a_snapshot_is_not_shown_before_its_first_publish_is_done(root: Path, home: Path) -> None:
    engine, seen = open_engine(root, home), list[bool]()
    host = cast("StoreDaemon", engine)  # it reads no more of it than the identity

    def look(point: str) -> None:
        if point == "publish.before_swap":
            with pytest.raises(NoIndex):
                open_active(engine.identity.store)
            seen.append(is_published(host))

    write_tree(root, {"a.py": "a = 1\n"})
    with watched(look):
        engine.sync()

    assert seen == [False], "a daemon waits for the pointer"
    assert is_published(host)


def test_only_what_the_published_snapshot_names_is_remembered(kept: Kept) -> None:
    """The memory is read at every start and must not grow with every publish."""
    for number in range(3):
        (kept.engine.identity.root / "c.py").write_text(f"y = {number}\n")
        kept.engine.sync()
    manifest = kept.engine.view().manifest
    known = stable_json.loads(store_files.verified_file(kept.store).read_bytes())

    old = [name for name in known if name.startswith("snapshots/")]
    named = {ref.path for ref in (*manifest.tombstones, *manifest.segment_map)}
    assert set(old) <= named | {manifest.visibility.path}


def test_remembering_does_not_bring_a_removed_store_back(tmp_path: Path, kept: Kept) -> None:
    """A query may end after `ggrep clean`; an empty directory would look like a store."""
    store_files.verified_file(kept.store).unlink()
    verifier = Verifier(kept.store)
    verifier.manifest(kept.second)
    kept.store.rename(tmp_path / "elsewhere")
    verifier.save()

    assert not kept.store.exists()


def test_a_change_with_its_time_set_back_is_found_at_once(kept: Kept) -> None:
    path = kept.store / kept.second.segments[-1].image.path
    times = path.stat()
    flip(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))

    with pytest.raises(CorruptStore, match="image"):
        Verifier(kept.store).manifest(kept.second)


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the tables that are hashed from now on, in that order."""
    results: list[str] = []

    def measure(store: Path, segment: SegmentName) -> tuple[int, str]:
        results.append(segment)
        return measure_table(store, segment)

    monkeypatch.setattr("ggrep.index.store.verify.measure_table", measure)
    return results


def test_a_damaged_table_is_hashed_once(kept: Kept, hashed: list[str]) -> None:
    """Each of many snapshots names it, and each query would run into its deadline."""
    damaged = kept.second.segments[0].table
    flip(table(kept.store, replace(kept.second, segments=kept.second.segments[:1])))
    for _ in range(2):
        with pytest.raises(CorruptStore, match="no snapshot can answer"):
            open_active(kept.store)

    assert damaged in {ref.table for ref in kept.first.segments}
    assert hashed.count(damaged) == 1


def test_damage_is_forgotten_with_the_file_it_was_found_in(kept: Kept) -> None:
    path = kept.store / kept.second.segments[-1].image.path
    data = path.read_bytes()
    flip(path)
    assert open_active(kept.store).notices
    path.write_bytes(data)

    assert open_active(kept.store).notices == ()


def test_a_deep_look_hashes_what_snapshots_share_once(kept: Kept, hashed: list[str]) -> None:
    """A table that tens of snapshots name would cost an hour."""
    flip(ARTIFACTS["image"](kept.store, kept.second))
    engine = kept.engine
    check_health(
        kept.store, engine.identity.store_id, engine.settings, deep=True, clock=engine.clock
    )

    assert sorted(hashed) == sorted({ref.table for ref in kept.second.segments})


@pytest.fixture
def engine(root: Path, home: Path) -> Engine:
    return indexed(root, home, {"a.py": "def retry():\n    pass\n"})


def damage_in_place(engine: Engine) -> None:
    """Zero the images under their maps, as a failing disk would."""
    for image in store_files.images_dir(engine.identity.store).iterdir():
        status = image.stat()
        with image.open("r+b") as file:
            file.write(b"\0" * status.st_size)
        os.utime(image, ns=(status.st_atime_ns, status.st_mtime_ns))


@pytest.mark.slow
def test_a_stumble_over_damage_is_damage(engine: Engine) -> None:
    """`IndexError` would send its reader looking for a bug."""
    deadline = Deadline.never(engine.clock)
    refused = pytest.raises(CorruptStore, match="is corrupt")
    with refused, engine.pin(deadline):
        damage_in_place(engine)
        raise IndexError

    assert not store_files.verified_file(engine.identity.store).exists()


@pytest.mark.slow
def test_a_store_found_damaged_heals_with_the_next_sync(engine: Engine) -> None:
    """Also when the tree did not change, and all was verified a moment ago."""
    damage_in_place(engine)
    again = open_engine(engine.identity.root, engine.home.base)
    report = again.sync()

    assert (report.published, report.warnings) == (False, ())
    assert paths(again, "retry") == ["a.py"]


@pytest.mark.slow
def test_a_bug_over_a_sound_store_stays_a_bug(engine: Engine) -> None:
    """Calling it damage would have people rebuild for nothing."""
    with pytest.raises(ZeroDivisionError), engine.pin(Deadline.never(engine.clock)):
        raise ZeroDivisionError
    with pytest.raises(InvalidRequest), engine.pin(Deadline.never(engine.clock)):
        raise InvalidRequest("asked wrongly")

    assert store_files.verified_file(engine.identity.store).exists()
