#!/usr/bin/env python3
"""Try every sabotage in a copy of the project: the named tests must notice it.

    python3 tests/mutants/run.py [--list] [WORD]

WORD narrows to sabotages whose name or file holds it. Exit status 1 when one survived, when its
text is no longer there exactly once, or when a named test fails without any sabotage.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from itertools import count
from pathlib import Path
from typing import Protocol

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("ggrep", "training", "bench", "tests", "conftest.py", "pyproject.toml")
_PATIENCE_S = 120
"""A sabotage that makes a test hang is noticed; a busy machine takes 40 s for a first index."""
_MOMENTS = count(1_000_000_000)
"""Seconds, each given to one file that is written."""


class _Sabotage(Protocol):
    """See `tests.mutants.sabotages`, which is only found once the root is known."""

    name: str
    file: str
    text: str
    replacement: str
    tests: tuple[str, ...]


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for; return the exit status."""
    if "--help" in arguments:
        print(__doc__)
        return 0
    word = " ".join(item for item in arguments if not item.startswith("-"))
    chosen = [item for item in _load() if word in item.name or word in item.file]
    if "--list" in arguments:
        for item in chosen:
            print(f"{item.name}  [{item.file}]")
        return 0
    with tempfile.TemporaryDirectory(prefix="ggrep-mutants-") as directory:
        copy = Path(directory)
        _copy(copy)
        tests = sorted({test for item in chosen for test in item.tests})
        failed, output = _fails(copy, tests)
        if failed:
            print(f"the tests fail as they are:\n{output}")
            return 1
        verdicts = [_try(copy, item) for item in chosen]
    print(f"{verdicts.count('KILLED')} of {len(verdicts)} killed")
    return int(any(verdict != "KILLED" for verdict in verdicts))


def _try(copy: Path, item: _Sabotage) -> str:
    """Apply one sabotage to the copy, run its tests, take it back."""
    path = copy / item.file
    whole = path.read_text(encoding="utf-8")
    if whole.count(item.text) != 1:
        verdict = "STALE"
    else:
        _write(path, whole.replace(item.text, item.replacement))
        verdict = "KILLED" if _fails(copy, item.tests)[0] else "SURVIVED"
        _write(path, whole)
    print(f"{verdict:9}{item.name}", flush=True)
    return verdict


def _write(path: Path, text: str) -> None:
    """Write a file with a time of its own: compiled modules are told by size and time."""
    path.write_text(text, encoding="utf-8")
    moment = next(_MOMENTS)
    os.utime(path, (moment, moment))


def _fails(copy: Path, tests: list[str] | tuple[str, ...]) -> tuple[bool, str]:
    """Return whether a test fails in the copy, and what pytest said.

    Raises:
        RuntimeError: pytest could not run the tests at all.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["--hypothesis-profile=deep"]
    command += [f"--timeout={_PATIENCE_S}", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # most of a short run is compiling
    done = subprocess.run(
        command, cwd=copy, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.returncode == 1, done.stdout


def _copy(target: Path) -> None:
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
            shutil.copytree(source, target / name, ignore=ignore)
        else:
            shutil.copy(source, target / name)


def _load() -> tuple[_Sabotage, ...]:
    sys.path.insert(0, str(ROOT))
    from tests.mutants.sabotages import ALL

    return ALL


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
