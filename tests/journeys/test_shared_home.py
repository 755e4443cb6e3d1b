"""Two users of one group work on one home."""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import WORDS, Outcome
from tests.journeys.users import as_user, interpreter_for_all

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users"),
]

GROUP, ANNA, BERT, EVE = 60_000, 60_001, 60_002, 60_003


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run what every user may run."""
    interpreter_for_all(monkeypatch, ANNA)


@pytest.fixture
def place() -> Iterator[Path]:
    """Return a directory that all users may look into: the tests' own is root's alone."""
    path = Path(tempfile.mkdtemp()).resolve()
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


@pytest.fixture
def tree(place: Path) -> Path:
    """Return a small tree that all may read."""
    write_tree(place / "repo", WORDS)
    return place / "repo"


@pytest.fixture
def shared(place: Path) -> Path:
    """Return an empty home of the group, with its settings, as an administrator makes it."""
    home = place / "home"
    home.mkdir()
    os.chown(home, 0, GROUP)
    home.chmod(0o2770)
    (home / "config.toml").write_text('shared_store = true\nencoder = "hashed"\n')
    (home / "config.toml").chmod(0o644)
    return home


def ggrep(user: int, home: Path, *arguments: object, cwd: Path | None = None) -> Outcome:
    groups = [] if user == EVE else [GROUP]
    return as_user(user, groups, *arguments, home=home, cwd=cwd, umask=0o077)


def test_what_one_publishes_the_other_updates_and_removes(tree: Path, shared: Path) -> None:
    """Files of either can be replaced by the other, and a third who is not of the group is refused.

    Both keep their files to themselves.
    """
    first = ggrep(ANNA, shared, "index", tree, "--json")
    write_tree(tree, {"c.py": "def gamma_needle():\n    return 2\n", "a.py": None})
    second = ggrep(BERT, shared, "index", tree, "--json")
    asked = ggrep(ANNA, shared, "needle", "--compact", cwd=tree)
    write_tree(tree, {"d.py": "def delta_needle():\n    return 2\n"})
    third = ggrep(ANNA, shared, "index", tree, "--json")
    for arguments in (["index", tree, "--json"], ["search", "needle", tree, "--json"]):
        refused = ggrep(EVE, shared, *arguments)
        assert refused.status == 2
        assert "Permission denied" in refused.error()["message"]
        assert "Traceback" not in refused.err
    removed = ggrep(BERT, shared, "clean", "--path", tree)

    assert [outcome.status for outcome in (first, second, asked, third, removed)] == [0] * 5
    assert second.document["files"] == {"indexed": 1, "deleted": 1, "unchanged": 1}
    assert sorted(asked.out.split()) == ["c.py", "docs/b.md"]
    assert third.document["files"] == {"indexed": 1, "deleted": 0, "unchanged": 2}
    left = [path for path in shared.rglob("*") if path.name != "config.toml"]
    assert {path.stat().st_gid for path in left} == {GROUP}
    assert {stat.S_IMODE(path.stat().st_mode) for path in left} <= {0o2770, 0o660}


@pytest.mark.deep
def test_a_private_home_stays_private_beside_it(place: Path, tree: Path) -> None:
    """Another user of the same group sees none of it."""
    home = place / "anna"
    home.mkdir()
    os.chown(home, ANNA, GROUP)
    home.chmod(0o755)
    assert ggrep(ANNA, home, "index", tree).status == 0

    refused = ggrep(BERT, home, "search", "needle", tree)

    assert (refused.status, refused.out) == (1, "")
    assert "Traceback" not in refused.err
