"""A sync of a tree in which nothing changed, against `git status` and against a bare look at it."""

import os
import statistics
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.search.engine.engine import Engine

FILES = 10_000
ROUNDS = 25
GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost")


def measure(work: Path) -> list[str]:
    """Return one line for each comparison of a tree of FILES small files."""
    return [_in_git(work), _outside_git(work)]


def _in_git(work: Path) -> str:
    tree = _write(work / "in-git")
    for command in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-m", "all")):
        subprocess.run([*GIT, *command], cwd=tree, check=True)
    engine = Engine(tree.resolve(), Home(work / "home"))
    record = store_files.unchanged_file(engine.identity.store)

    def status() -> None:
        subprocess.run([*GIT, "status"], cwd=tree, check=True, stdout=subprocess.DEVNULL)

    status()  # it may write git's index, which is watched
    engine.sync()
    engine.sync()
    if not record.is_file():
        raise SystemExit("unchanged: the sync left no record to go by")

    def walk() -> None:
        record.unlink()
        engine.sync()

    proved = _ratio(engine.sync, status)
    return (
        f"unchanged: {FILES} files in git: a sync takes {proved:.2f}x `git status` (goal <= 1.2); "
        f"when it has to walk {_ratio(walk, status, rounds=7):.1f}x"
    )


def _outside_git(work: Path) -> str:
    tree = _write(work / "outside-git")
    engine = Engine(tree.resolve(), Home(work / "home"))
    engine.sync()
    engine.sync()
    found = _ratio(engine.sync, lambda: _look(tree), rounds=9)
    return f"unchanged: {FILES} files outside git: a sync takes {found:.1f}x scandir and stat"


def _ratio(ours: Callable[[], object], theirs: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Return the median of paired ratios, each pair measured back to back in either order."""
    ratios = []
    for turn in range(rounds):
        if turn % 2:
            first, second = _time(ours), _time(theirs)
        else:
            second, first = _time(theirs), _time(ours)
        ratios.append(first / second)
    return statistics.median(ratios)


def _time(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def _look(tree: Path) -> None:
    """Stat every file of a tree, as cheaply as Python can."""
    ahead = [os.fspath(tree)]
    while ahead:
        with os.scandir(ahead.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    ahead.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)


def _write(tree: Path) -> Path:
    """Write FILES files, 25 in a directory and 20 directories in each of those above."""
    for number in range(FILES):
        folder = tree / f"part{number // 500:02}" / f"module{number // 25 % 20:02}"
        folder.mkdir(parents=True, exist_ok=True)
        text = f"def function_{number}(value):\n    return value + {number}\n"
        (folder / f"file{number % 25:02}.py").write_text(text)
    (tree / ".gitignore").write_text("*.log\n/build/\n")
    return tree
