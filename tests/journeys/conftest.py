"""What the journeys share."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import write_tree
from tests.journeys.command import REPOS, WORDS, WORKSPACE_NAMES, Command, CommandOver
from tests.journeys.household import Household, household


@pytest.fixture
def ggrep(home: Path, command_over: CommandOver) -> Command:
    """Return the command with a home of its own, no colours and the process left as it was."""
    return command_over(home)


@pytest.fixture
def repo(root: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small tree, which is the current directory."""
    write_tree(root, WORDS)
    monkeypatch.chdir(root)
    return root


@pytest.fixture
def indexed(ggrep: Command, repo: Path) -> Path:
    """Return the small tree, indexed."""
    assert ggrep("index").status == 0
    return repo


@pytest.fixture(scope="session")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with the small tree and the home of its index."""
    base = tmp_path_factory.mktemp("indexed").resolve()
    write_tree(base / "repo", WORDS)
    Engine(base / "repo", Home(base / "home"), environ={}).sync()
    return base


@pytest.fixture
def read_only(shared_home: Path, ggrep: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the small tree, indexed once for all tests that change neither tree nor home."""
    monkeypatch.setenv("GGREP_HOME", str(shared_home / "home"))
    monkeypatch.chdir(shared_home / "repo")
    return shared_home / "repo"


@pytest.fixture
def workspace(ggrep: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a workspace file over copies of the fixture repositories; none has an index."""
    monkeypatch.chdir(tmp_path)
    for name in WORKSPACE_NAMES:
        shutil.copytree(REPOS / name, tmp_path / name)
    made = ggrep("workspace", "init", "ws.jsonc", *(f"{name}={name}" for name in WORKSPACE_NAMES))
    assert made.status == 0
    return tmp_path / "ws.jsonc"


@pytest.fixture
def indexed_workspace(ggrep: Command, workspace: Path) -> Path:
    """Return the same, with every repository indexed."""
    assert ggrep("index", "--workspace", workspace).status == 0
    return workspace


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory of indexed repositories, their workspace and their home."""
    base = tmp_path_factory.mktemp("shared").resolve()
    for name in WORKSPACE_NAMES:
        shutil.copytree(REPOS / name, base / name)
        Engine(base / name, Home(base / "home"), environ={}).sync()
    roots = ", ".join(f'{{"root": "{name}", "alias": "{name}"}}' for name in WORKSPACE_NAMES)
    (base / "ws.jsonc").write_text(
        f'{{"schemaVersion": 1, "merge": {{"strategy": "global"}}, "repos": [{roots}]}}'
    )
    return base


@pytest.fixture
def shared_workspace(shared: Path, ggrep: Command, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an indexed workspace, for tests that write nothing."""
    monkeypatch.setenv("GGREP_HOME", str(shared / "home"))
    monkeypatch.chdir(shared)
    return shared / "ws.jsonc"


@pytest.fixture
def house() -> Iterator[Household]:
    """Return a home that nothing was done in; none of its processes outlives the test."""
    with household() as result:
        yield result
