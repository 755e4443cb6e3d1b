"""Sync scenes while the kernel itself refuses room, length or descriptors, many times over."""

import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.crash.hardship import Pressure, ask_under, prepare, sync_under
from tests.fakes.repos import InProcessPool

STEPS = 30
_PAGE = 4096


@contextmanager
def full(home: Path, *, pages: int) -> Iterator[None]:
    """Leave that many pages free on the file system of `home`."""
    filler = home.parent / "filler"
    status = os.statvfs(home.parent)
    with filler.open("wb") as file:
        room = status.f_bavail * status.f_frsize - pages * _PAGE
        os.posix_fallocate(file.fileno(), 0, room)
    try:
        yield
    finally:
        filler.unlink()


@contextmanager
def limited(_: Path, *, what: int, most: int) -> Iterator[None]:
    """Set a limit of this process."""
    before, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(what, (before, hard))


def pressures(name: str) -> list[Pressure]:
    """Return the same pressure at many strengths."""
    match name:
        case "full":
            return [partial(full, pages=pages) for pages in range(1, STEPS + 1)]
        case "sized":
            sizes = [16 * (step + 1) ** 2 for step in range(2 * STEPS)]
            return [partial(limited, what=resource.RLIMIT_FSIZE, most=size) for size in sizes]
        case _:
            used = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - names alone
            limits = range(max(used - 2, 1), used + 18)
            return [partial(limited, what=resource.RLIMIT_NOFILE, most=most) for most in limits]


def main(name: str, kind: str, base: Path) -> None:
    """Print how often a failure was noticed; raise when something else was lost by it."""
    from ggrep.index.sync import syncer

    syncer.IndexPool = InProcessPool  # type: ignore[misc,assignment] # quick parsing
    scene = prepare(kind, base / kind)
    sync_under(scene, base / "home", partial(limited, what=resource.RLIMIT_CORE, most=0))
    noticed = 0
    for number, pressure in enumerate(pressures(name)):
        failure = sync_under(scene, base / "home", pressure)
        print(number, repr(failure))  # noqa: T201 - the test shows it when something breaks
        noticed += failure is not None
    if scene.old is not None:
        home = scene.copy(base / "asked")
        for pressure in pressures(name):
            ask_under(scene, home, pressure)
    print(noticed)  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
