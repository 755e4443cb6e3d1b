"""A disk that is full, failing or read-only costs a sync or a query, never what was indexed."""

import errno
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path

import pytest

from tests.crash.hardship import Pressure, Scene, ask_under, prepare, said, sync_under
from tests.crash.io_errors import KINDS, Disk, failing

Scenes = Callable[[str], Scene]
Act = Callable[[Pressure], str | None]

KINDS_OF_SYNC = ("first", "incremental", "merging")
STRIDES = {
    errno.ENOSPC: 43,
    errno.EROFS: 53,
    errno.EACCES: 179,
    errno.EMFILE: 83,
    errno.EIO: 149,
    errno.ENOLCK: 2,
    errno.ENOMEM: 3,
}
"""By default every so many-th operation fails; every one does in the long proof."""


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenes]:
    """Return scenes by kind, each prepared once."""
    return cache(lambda kind: prepare(kind, tmp_path_factory.mktemp(kind).resolve()))


@pytest.fixture
def store_to_ask(scenes: Scenes, home: Path) -> tuple[Scene, Path]:
    """Return a scene with two snapshots, and a home of its own."""
    scene = scenes("incremental")
    return scene, scene.copy(home)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "kind"),
    [(number, KINDS_OF_SYNC[place % 3]) for place, number in enumerate(STRIDES)],
)
def test_a_failure_costs_the_sync(scenes: Scenes, home: Path, number: int, kind: str) -> None:
    """The old index answers, or the new one, and the next sync makes it good."""
    step = STRIDES[number]
    start = KINDS_OF_SYNC.index(kind) * 4 % step

    assert _each(partial(sync_under, scenes(kind), home), number, range(start, 5000, step)) > 0


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS_OF_SYNC)
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("number", KINDS, ids=errno.errorcode.get)
def test_whatever_operation_fails_costs_no_more_than_the_sync(
    scenes: Scenes, home: Path, number: int, lasting: bool, kind: str
) -> None:
    """The strides of the short proof step over most operations."""
    sync = partial(sync_under, scenes(kind), home)

    assert _each(sync, number, range(5000), lasting=lasting) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["first", "merging"])
@pytest.mark.parametrize(
    ("number", "step"), [(errno.ENOSPC, 47), (errno.EIO, 211)], ids=["ENOSPC", "EIO"]
)
def test_a_dead_disk_too(scenes: Scenes, home: Path, number: int, step: int, kind: str) -> None:
    """Nor does what is done about the first failure make it worse."""
    sync = partial(sync_under, scenes(kind), home)

    assert _each(sync, number, range(7, 5000, step), lasting=True) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "most"), [("first", 100), ("incremental", 1000), ("merging", 1)])
def test_short_writes_are_carried_on(scenes: Scenes, home: Path, kind: str, most: int) -> None:
    """The kernel may take a part of what it is given."""
    assert sync_under(scenes(kind), home, lambda below: failing(below, most=most)) is None


@pytest.mark.slow
@pytest.mark.parametrize("number", sorted(KINDS.keys() - {errno.EDQUOT}), ids=errno.errorcode.get)
def test_a_failure_brings_no_older_snapshot(store_to_ask: tuple[Scene, Path], number: int) -> None:
    """A query says that it cannot read the active snapshot, or answers from it."""
    scene, home = store_to_ask
    verified = next(home.rglob("verified.json"), None)
    if verified:
        verified.unlink()
    ask = partial(ask_under, scene, home)

    _each(ask, number, range(0, 5000, 23))
    _each(ask, number, range(0, 5000, 61), lasting=True)


@pytest.mark.deep
@pytest.mark.parametrize("number", KINDS, ids=errno.errorcode.get)
def test_no_failure_brings_an_older_one(store_to_ask: tuple[Scene, Path], number: int) -> None:
    """Every operation, over a store that was never verified, each time anew."""
    scene, home = store_to_ask

    def ask(pressure: Pressure) -> str | None:
        shutil.rmtree(home)
        return ask_under(scene, scene.copy(home), pressure)

    for lasting in (False, True):
        _each(ask, number, range(5000), lasting=lasting)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS])
def test_a_query_needs_no_room_on_the_disk(store_to_ask: tuple[Scene, Path], number: int) -> None:
    scene, home = store_to_ask
    said(scene.engine(home))

    with failing(home, number=number, at=0, lasting=True):
        assert said(scene.engine(home)) == scene.old


@pytest.mark.slow
@pytest.mark.parametrize("number", [errno.EMFILE, errno.EIO], ids=errno.errorcode.get)
def test_an_unreadable_tree_is_not_indexed(scenes: Scenes, home: Path, number: int) -> None:
    """Where somebody asked for all or nothing; else a file that could not be read waits alone."""
    scene = scenes("incremental")

    def sync(pressure: Pressure) -> str | None:
        return sync_under(scene, home, lambda _: pressure(scene.root), strict=True)

    assert _each(sync, number, range(0, 5000, 5), named=False) > 0


@pytest.mark.slow
@pytest.mark.parametrize("missing", [1, 50])
def test_a_table_without_its_end_is_not_published(scenes: Scenes, home: Path, missing: int) -> None:
    """LanceDB says that all is well when the last write of a data file fails."""
    scene = scenes("first")
    size = max(
        path.stat().st_size for path in scene.kept.with_name("fresh").rglob("*.lance/data/*")
    )

    @contextmanager
    def short(_: Path) -> Iterator[None]:
        before, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size - missing, hard))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (before, hard))

    failure = sync_under(scene, home, short)

    assert failure is not None
    assert "was not written completely" in failure


def _each(act: Act, number: int, turns: range, *, lasting: bool = False, named: bool = True) -> int:
    """Let one operation after another fail; return how many failures were noticed."""
    noticed = 0
    for at in turns:
        disks: list[Disk] = []

        @contextmanager
        def pressure(below: Path, at: int = at, disks: list[Disk] = disks) -> Iterator[None]:
            with failing(below, number=number, at=at, lasting=lasting) as disk:
                disks.append(disk)
                yield

        failure = act(pressure)
        if not disks[0].failed:
            assert failure is None
            return noticed
        if failure is not None:
            noticed += 1
            if named:
                _names_what_failed(failure, disks[0])
    raise AssertionError("there is no end of operations")


def _names_what_failed(failure: str, disk: Disk) -> None:
    """Check that the message has the system's words and the name of a file that failed."""
    assert os.strerror(disk.number) in failure, (failure, disk.failed[:3])
    places = [Path(line.split(" ", 1)[1]) for line in disk.failed]
    parts = {part for place in places for part in place.relative_to(disk.below[0]).parts}
    known = (parts - {"data", "cache", "locks"}) | {place.name for place in places}
    words = {"segment", "lease.json", "GGREP_HOME"} | {
        part.lstrip(".").split(".")[0] for part in known
    }
    if disk.failed[0].startswith("stat "):
        words.add("a file of the store")  # the standard library looks at descriptors of its own
    assert any(word in failure for word in words), (failure, disk.failed[:3])


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS_OF_SYNC)
@pytest.mark.parametrize("pressure", ["full", "sized", "few"])
def test_kernel_faults_reach_the_database(tmp_path: Path, pressure: str, kind: str) -> None:
    script = Path(__file__).with_name("hard_kernel.py")
    inner = [sys.executable, str(script), pressure, kind, str(tmp_path.resolve())]
    command = inner
    if pressure == "full":
        mount = f"mount -t tmpfs -o size=8m none {tmp_path} && exec "
        command = ["unshare", "-rm", "sh", "-c", mount + '"$0" "$@"', *inner]
        if subprocess.run([*command[:4], "true"], check=False, capture_output=True).returncode:
            pytest.skip("user namespaces are not allowed here: nothing can be mounted")

    done = subprocess.run(
        command,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": str(script.parents[2])},
        capture_output=True,
        check=False,
        text=True,
    )

    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout.split()[-1]) > 0, "some sizes were too small"
