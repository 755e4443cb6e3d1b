"""The lines that the documentation gives to CI, as they stand there."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from ggrep.base import stable_json
from tests.docs.pages import page
from tests.fakes.remotes import SHOP, clone, commit
from tests.fakes.repos import write_tree
from tests.journeys.household import SCRIPT

pytestmark = pytest.mark.deep

URL = "s3://team-indexes/ggrep"
ASKED = ("search", "settle an invoice", "--json", "--deterministic", "--offline")


def recipe() -> str:
    """Return the lines."""
    section = page("docs/tutorials/team.md").partition("\n## In CI\n")[2]
    (result,) = re.findall(r"```\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    return str(result)


def environ(folder: Path) -> Mapping[str, str]:
    """Return what a job knows: the program, and a home that is empty."""
    path = f"{SCRIPT.parent}{os.pathsep}{os.environ['PATH']}"
    home = {"HOME": str(folder), "GGREP_HOME": str(folder / "ggrep")}
    return {"PATH": path, "GGREP_ENCODER": "none", "GGREP_OFFLINE": "1", **home}


def run(command: str, root: Path, home: Path) -> str:
    """Run lines in a shell that ends with the first that fails; return both streams."""
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        ["sh", "-ec", command],
        cwd=root,
        env=environ(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def asked(root: Path, home: Path) -> bytes:
    """Return the answer's bytes."""
    done = subprocess.run(
        [SCRIPT, *ASKED], cwd=root, env=environ(home), capture_output=True, check=True
    )
    return done.stdout


def test_what_ci_has_built_answers_elsewhere(tmp_path: Path) -> None:
    """A job on main, a job on a branch, and a machine without an index of git's."""
    lines = recipe()
    assert lines.count(URL) == 1
    lines = lines.replace(URL, f"file://{tmp_path}/remote")
    commit(tmp_path / "main", SHOP)
    first = run(lines, tmp_path / "main", tmp_path / "job1")
    assert "nothing was pulled from origin" in first
    assert "pushed team/shop" in first

    branch = clone(tmp_path / "main", tmp_path / "branch")
    commit(branch, {"src/new.py": "fresh = 1\n"})
    second = run(lines, branch, tmp_path / "job2")
    assert "pulled 4 of 5 files" in second
    assert "branch: 1 indexed, 4 unchanged" in second

    other = clone(tmp_path / "main", tmp_path / "another" / "place")
    (other / ".git" / "index").unlink()
    add = f"ggrep remote add origin file://{tmp_path}/remote"
    third = run(f"{add}\nggrep pull", other, tmp_path / "job3")
    assert "pulled 4 of 4 files" in third
    answers = [
        stable_json.loads(asked(root, tmp_path / home))
        for root, home in ((tmp_path / "main", "job1"), (other, "job3"))
    ]
    assert answers[0]["results"] == answers[1]["results"] != []

    export = tmp_path / "export"
    shutil.copytree(tmp_path / "main", export, ignore=shutil.ignore_patterns(".git"))
    fourth = run(f"{add}\nggrep pull", export, tmp_path / "job4")
    assert "pulled 4 of 4 files" in fourth
    write_tree(export, {"src/new.py": "fresh = 1\n"})
    assert "pulled 1 of 5 files" in run("ggrep pull", export, tmp_path / "job4")
