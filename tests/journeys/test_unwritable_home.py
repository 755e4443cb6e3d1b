"""What a home that cannot be written costs: a named error, and never the last good answer."""

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Outcome, finish, start
from tests.journeys.users import as_user, interpreter_for_all

pytestmark = pytest.mark.slow
USER = 60_001
MORE = {"c.py": "def gamma_needle():\n    return 2\n"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user, or mount")


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a user's own directory: modes mean nothing to root."""
    interpreter_for_all(monkeypatch, USER)
    path = Path(tempfile.mkdtemp()).resolve()
    write_tree(path / "repo", WORDS)
    for made in (path, path / "repo"):
        os.chown(made, USER, USER)
    yield path
    shutil.rmtree(path)


ggrep = partial(as_user, USER, [])


def is_clean(outcome: Outcome, said: str, status: int = 1) -> None:
    """Fail unless the command failed with an error of ours that says why."""
    assert outcome.status == status
    assert said in outcome.error()["message"]
    assert "Traceback" not in outcome.err


@as_root
@pytest.mark.parametrize("mode", [0o400, 0o500])
def test_a_home_that_may_not_be_written_is_named(place: Path, mode: int) -> None:
    """The first thing that goes wrong when somebody else made the directory."""
    home = place / "home"
    home.mkdir(mode)
    os.chown(home, USER, USER)

    refused = ggrep("index", place / "repo", "--json", home=home)

    is_clean(refused, "Permission denied", 1 if mode & 0o100 else 2)
    assert list(home.iterdir()) == []


@as_root
def test_a_store_that_may_not_be_written_keeps_answering(place: Path) -> None:
    home = place / "home"
    assert ggrep("index", place / "repo", home=home).status == 0
    write_tree(place / "repo", MORE)
    for directory in (home, *(path for path in home.rglob("*") if path.is_dir())):
        directory.chmod(0o500)

    refused = ggrep("index", place / "repo", "--json", home=home)
    asked = ggrep("needle", "--compact", home=home, cwd=place / "repo")

    is_clean(refused, "Permission denied")
    assert sorted(asked.out.split()) == ["a.py", "docs/b.md"]


@pytest.mark.deep
@as_root
def test_a_read_only_mount_keeps_answering(root: Path, home: Path) -> None:
    """A store on an image that several machines mount, or a disk that failed."""
    write_tree(root, WORDS)
    Engine(root, Home(home)).sync()
    write_tree(root, MORE)
    mount = subprocess.run(["mount", "--bind", home, home], check=False, capture_output=True)
    if mount.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        subprocess.run(["mount", "-o", "remount,bind,ro", home], check=True)
        refused = finish(start("index", root, "--json", home=home))
        asked = finish(start("needle", "--compact", home=home, cwd=root))
    finally:
        subprocess.run(["umount", home], check=True)

    is_clean(refused, "Read-only file system")
    assert sorted(asked.out.split()) == ["a.py", "docs/b.md"]


@pytest.mark.parametrize(
    "descriptors", [16, *(pytest.param(n, marks=pytest.mark.deep) for n in (8, 12, 14, 18, 20, 32))]
)
def test_too_few_descriptors_are_named(root: Path, home: Path, descriptors: int) -> None:
    """Half an index would be worse than none; more than enough of them is no error."""
    write_tree(root, WORDS)
    Engine(root, Home(home)).sync()
    write_tree(root, MORE)

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    limited = finish(start("index", root, "--json", home=home, preexec_fn=limit))
    asked = finish(start("needle", "--compact", "-m", "9", home=home, cwd=root))

    if limited.status:
        is_clean(limited, "too many open files")
    # It may have failed on a look at what it had published: whole either way.
    before, after = ["a.py", "docs/b.md"], ["a.py", "c.py", "docs/b.md"]
    assert sorted(asked.out.split()) in ([before, after] if limited.status else [after])
