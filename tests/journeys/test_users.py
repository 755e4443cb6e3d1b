"""Homes that cannot be written, and a home of several users."""

import os
import resource
import shutil
import stat
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ggrep.config.home import Home
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, WORDS, Outcome, finish, start

pytestmark = pytest.mark.slow
USER = 60_001
MORE = {"c.py": "def gamma_needle():\n    return 2\n"}
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user, or mount")


def interpreter_for_all(monkeypatch: pytest.MonkeyPatch, user: int) -> None:
    """Make `start` run an interpreter that a user may execute; skip when there is none.

    Root's own may lie in root's home.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/python{version}"):
        try:
            subprocess.run([candidate, "-c", ""], check=True, user=user, group=user)
        except OSError:
            continue
        monkeypatch.setattr(sys, "executable", candidate)
        return
    pytest.skip("other users cannot execute this interpreter")


def as_user(
    user: int, groups: Sequence[int], *arguments: object, home: Path, **options: Any
) -> Outcome:
    """Run `ggrep` as a user of these groups besides his own."""
    packages = sysconfig.get_paths()["purelib"]
    process = start(
        *arguments,
        home=home,
        environ={"PYTHONPATH": f"{SOURCE}:{packages}", "HOME": "/nonexistent"},
        user=user,
        group=user,
        extra_groups=groups,
        **options,
    )
    return finish(process)


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


GROUP, ANNA, BERT, EVE = 60_000, 60_001, 60_002, 60_003


@pytest.fixture
def commons(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a directory that all users may look into: the tests' own is root's alone."""
    interpreter_for_all(monkeypatch, ANNA)
    path = Path(tempfile.mkdtemp()).resolve()
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def tree(commons: Path) -> Path:
    """Return a small tree that all may read."""
    write_tree(commons / "repo", WORDS)
    return commons / "repo"


@pytest.fixture
def shared(commons: Path) -> Path:
    """Return an empty home of the group, with its settings, as an administrator makes it."""
    home = commons / "home"
    home.mkdir()
    os.chown(home, 0, GROUP)
    home.chmod(0o2770)
    (home / "config.toml").write_text('shared_store = true\nencoder = "hashed"\n')
    (home / "config.toml").chmod(0o644)
    return home


def ggrep_by(user: int, home: Path, *arguments: object, cwd: Path | None = None) -> Outcome:
    groups = [] if user == EVE else [GROUP]
    return as_user(user, groups, *arguments, home=home, cwd=cwd, umask=0o077)


@as_root
def test_what_one_publishes_the_other_updates_and_removes(tree: Path, shared: Path) -> None:
    """Files of either can be replaced by the other, and a third who is not of the group is refused.

    Both keep their files to themselves.
    """
    first = ggrep_by(ANNA, shared, "index", tree, "--json")
    write_tree(tree, {"c.py": "def gamma_needle():\n    return 2\n", "a.py": None})
    second = ggrep_by(BERT, shared, "index", tree, "--json")
    asked = ggrep_by(ANNA, shared, "needle", "--compact", cwd=tree)
    write_tree(tree, {"d.py": "def delta_needle():\n    return 2\n"})
    third = ggrep_by(ANNA, shared, "index", tree, "--json")
    for arguments in (["index", tree, "--json"], ["search", "needle", tree, "--json"]):
        refused = ggrep_by(EVE, shared, *arguments)
        assert refused.status == 2
        assert "Permission denied" in refused.error()["message"]
        assert "Traceback" not in refused.err
    removed = ggrep_by(BERT, shared, "clean", "--path", tree)

    assert [outcome.status for outcome in (first, second, asked, third, removed)] == [0] * 5
    assert second.document["files"] == {"indexed": 1, "deleted": 1, "unchanged": 1}
    assert sorted(asked.out.split()) == ["c.py", "docs/b.md"]
    assert third.document["files"] == {"indexed": 1, "deleted": 0, "unchanged": 2}
    left = [path for path in shared.rglob("*") if path.name != "config.toml"]
    assert {path.stat().st_gid for path in left} == {GROUP}
    assert {stat.S_IMODE(path.stat().st_mode) for path in left} <= {0o2770, 0o660}


@pytest.mark.deep
@as_root
def test_a_private_home_stays_private_beside_it(commons: Path, tree: Path) -> None:
    """Another user of the same group sees none of it."""
    home = commons / "anna"
    home.mkdir()
    os.chown(home, ANNA, GROUP)
    home.chmod(0o755)
    assert ggrep_by(ANNA, home, "index", tree).status == 0

    refused = ggrep_by(BERT, home, "search", "needle", tree)

    assert (refused.status, refused.out) == (1, "")
    assert "Traceback" not in refused.err
