"""A collection removes what no ref leads to, and nothing that anybody may be about to name."""

from datetime import timedelta
from pathlib import Path

import pytest

from ggrep.base import durable
from ggrep.base.clock import SystemClock
from ggrep.base.errors import NotTrusted, RemoteError
from ggrep.config.remotes import Remote
from ggrep.index.remote import layout, push
from ggrep.index.remote.collect import collect
from ggrep.model.maintenance import RemoteCollection
from ggrep.search.engine.engine import Engine
from tests.fakes.git import run_git
from tests.fakes.remotes import (
    clone,
    commit,
    directory_remote,
    engine_at,
    objects_of,
    pulled,
    pushed,
)

pytestmark = pytest.mark.slow


OVER = timedelta(seconds=-2)
"""A grace that is over for all: servers tell whole seconds."""


def collected(remote: Remote, *, grace: timedelta = OVER, force: bool = True) -> RemoteCollection:
    return collect(objects_of(remote), SystemClock(), grace=grace, force=force)


def everything(remote: Remote) -> set[str]:
    objects = objects_of(remote)
    folders = ("blobs", "trees", "by-state", "refs")
    return {stat.key for folder in folders for stat in objects.list(folder)}


def push_often(origin: Engine, remote: Remote, number: int) -> None:
    for each in range(number):
        commit(origin.identity.root, {"new.py": f"fresh = {each}\n"})
        origin.sync()
        pushed(origin, remote)


def test_what_a_ref_leads_to_stays(origin: Engine, remote: Remote) -> None:
    """All of it, however old."""
    push_often(origin, remote, 3)
    before = everything(remote)

    assert collected(remote).removable == 0
    assert everything(remote) == before


def test_what_nothing_leads_to_goes_in_time(
    origin: Engine, remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not before the grace is over, and not without a word that it may."""
    monkeypatch.setattr(layout, "MOST_ENTRIES", 2)
    push_often(origin, remote, 5)
    before = everything(remote)

    assert collected(remote, grace=timedelta(hours=1)).removable == 0
    counted = collected(remote, force=False)
    assert (counted.removable > 0, counted.deleted) == (True, 0)
    assert everything(remote) == before
    result = collected(remote)
    assert (result.deleted, result.deleted_bytes) == (counted.removable, counted.removable_bytes)
    assert len(everything(remote)) == len(before) - result.deleted
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    assert pulled(other, remote).exact


def test_what_was_pushed_right_before_it_goes_stays(
    origin: Engine, remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A push names objects again that a collection has found to be of no use."""
    monkeypatch.setattr(layout, "MOST_ENTRIES", 1)
    push_often(origin, remote, 2)
    root = clone(tmp_path / "a", tmp_path / "side")
    run_git(root, "checkout", "-q", "HEAD~1")
    side = engine_at(root, tmp_path / "home-side")
    side.sync()

    def push_meanwhile(point: str) -> None:
        if point == "remote.before_deletes":
            pushed(side, remote)

    with durable.watched(push_meanwhile):
        collected(remote)
    assert pulled(engine_at(tmp_path / "side", tmp_path / "home-c"), remote).exact


def test_a_push_restores_collected_files(origin: Engine, remote: Remote, tmp_path: Path) -> None:
    """It saw the blobs lie there, and looks again at its end."""
    pushed(origin, remote)
    objects = objects_of(remote)
    for folder in ("refs", "by-state", "trees"):
        for stat in list(objects.list(folder)):
            objects.delete(stat.key)

    def collect_meanwhile(point: str) -> None:
        if point == "push.after_blobs":
            collected(remote)

    with durable.watched(collect_meanwhile):
        pushed(origin, remote)
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    assert pulled(other, remote).exact


def test_old_objects_are_written_again(
    origin: Engine, remote: Remote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their age would let a collection take them."""
    first = pushed(origin, remote)
    objects = objects_of(remote)
    for folder in ("refs", "by-state", "trees"):
        for stat in list(objects.list(folder)):
            objects.delete(stat.key)
    monkeypatch.setattr(push, "_REFRESH", timedelta(0))

    assert pushed(origin, remote).written == first.blobs


@pytest.mark.parametrize("folder", ["refs", "trees"])
def test_unreadable_references_keep_all(origin: Engine, remote: Remote, folder: str) -> None:
    """It may be a lie of the moment."""
    pushed(origin, remote)
    objects = objects_of(remote)
    objects.put("blobs/" + "0" * 64, b"left")
    for stat in list(objects.list(folder)):
        objects.put(stat.key, b"{}")
    before = everything(remote)

    with pytest.raises(NotTrusted):
        collected(remote)
    assert everything(remote) == before


def test_a_missing_tree_is_told_with_what_mends_it(origin: Engine, remote: Remote) -> None:
    pushed(origin, remote)
    objects = objects_of(remote)
    for stat in list(objects.list("trees")):
        objects.delete(stat.key)

    with pytest.raises(RemoteError, match=r"nothing was deleted; .*ggrep push --again"):
        collected(remote)
    pushed(origin, remote, again=True)
    assert collected(remote).deleted == 0


def test_what_is_not_ours_stays(origin: Engine, tmp_path: Path) -> None:
    """Others may keep things beside, and behind a link; and without a ref nothing is known."""
    remote = directory_remote(tmp_path)
    objects = objects_of(remote)
    left, others = "blobs/" + "0" * 64, "blobs/mydata.bin"
    for key in (left, others, "trees/sub/file"):
        objects.put(key, b"x")
    assert collected(remote).removable == 0
    assert objects.stat(left) is not None

    pushed(origin, remote)
    assert collected(remote).deleted == 1
    assert objects.stat(left) is None
    assert objects.stat(others) is not None
    blobs = tmp_path / "remote" / "blobs"
    blobs.rename(tmp_path / "elsewhere")
    blobs.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RemoteError, match="blobs is a symbolic link; nothing was deleted"):
        collected(remote)
