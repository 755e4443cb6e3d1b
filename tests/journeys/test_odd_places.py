"""Commands from odd places: a file, modules of the repository, links among the stores."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.index.maintenance.inventory import list_stores
from tests.fakes.repos import indexed, write_tree

pytestmark = pytest.mark.slow


def ggrep(cwd: Path, home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the module as a checkout does, with the package found by PYTHONPATH."""
    checkout = Path(__file__).parents[2]
    environ = {"PATH": os.environ["PATH"], "PYTHONPATH": str(checkout), "GGREP_HOME": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "ggrep", *arguments],
        cwd=cwd,
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )


def test_modules_of_the_repository_are_not_run(tmp_path: Path) -> None:
    """`-m` looks for modules in the current directory first."""
    root, home = tmp_path / "repo", tmp_path / "home"
    planted = "raise SystemExit('planted')\n"
    write_tree(root, {"asyncio.py": planted, "orjson.py": planted, "typer/__init__.py": planted})
    done = ggrep(root, home, "index")

    assert (done.returncode, "planted" in done.stderr + done.stdout) == (0, False), done.stderr


def test_a_file_is_not_indexed_for_its_directory(tmp_path: Path) -> None:
    write_tree(tmp_path / "repo", {"a.py": "x = 1\n", "b.py": "x = 2\n"})
    done = ggrep(tmp_path, tmp_path / "home", "index", "repo/a.py")

    assert done.returncode == 2
    assert "not a directory" in done.stderr


def test_a_link_among_the_stores_is_none(root: Path, home: Path) -> None:
    """Removing all stores must not follow it, nor stop at it."""
    engine = indexed(root, home, {"a.py": "x = 1\n"})
    (home / "data" / "link").symlink_to(root)

    assert [entry.store_id for entry in list_stores(Home(home))] == [engine.identity.store_id]
