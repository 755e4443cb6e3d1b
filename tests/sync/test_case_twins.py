"""Two paths that differ only by case are two files, wherever the file system tells them apart."""

from pathlib import Path

import pytest

from ggrep.base.errors import SyncRefused
from ggrep.index.maintenance.checks import check_health
from ggrep.index.sync.rebuild import rebuild
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.repos import indexed, open_engine, paths, write_tree

TREE = {
    "net/xt_DSCP.py": "def set_target():\n    return other()\n",
    "net/xt_dscp.py": "def match_packet():\n    return set_target()\n",
    "Doc/a.md": "# Upper\n\nThe upper twin.\n",
    "doc/a.md": "# Lower\n\nThe lower twin.\n",
}
PORTABLE = ".ggrep.toml", "portable_paths = true\n"


def twins(engine: Engine) -> tuple[str, tuple[str, ...]]:
    """Return what health says of twins: its severity and the paths."""
    identity = engine.identity
    report = check_health(identity.store, identity.store_id, engine.settings, deep=False)
    (result,) = (check for check in report.checks if check.code == "casefold_collisions")
    return result.severity, result.paths


@pytest.mark.parametrize("tracked", [False, True])
def test_twins_are_both_indexed(root: Path, home: Path, git: Git, *, tracked: bool) -> None:
    """A large kernel tree has a dozen pairs of them."""
    write_tree(root, TREE)
    if tracked:
        git(root, "init")
        git(root, "add", ".")
    engine = open_engine(root, home)
    first = engine.sync()
    write_tree(root, {"net/xt_dscp.py": "def match_packet():\n    return set_target() + 1\n"})
    second = engine.sync(strict=True)

    assert sorted(engine.view().live_files()) == sorted(TREE)
    assert (first.degraded, second.degraded, second.files.indexed) == ((), (), 1)
    assert twins(engine) == ("warn", tuple(sorted(TREE)))


def test_each_twin_is_found_and_goes_alone(root: Path, home: Path) -> None:
    """Nothing on the way may take one for the other; a tombstone is of one path."""
    engine = indexed(root, home, TREE)

    def defined(name: str) -> list[str]:
        return [item.path for item in engine.ask(SymbolRequest(name)).definitions]

    def expanded(target: str) -> str:
        item = engine.ask(ExpandRequest(target))
        return item.path

    used = {use.path for use in engine.ask(ReferencesRequest("set_target")).references}
    assert defined("set_target") == ["net/xt_DSCP.py"]
    assert defined("match_packet") == ["net/xt_dscp.py"]
    assert "net/xt_dscp.py" in used
    for path in TREE:
        assert expanded(f"{path}:1") == path
        assert path in paths(engine, path)
        scoped = engine.search(SearchRequest("twin target packet", scope=path, keep_weak=True))
        assert {hit.path for hit in scoped.hits} == {path}
    assert {"Doc/a.md", "doc/a.md"} <= set(paths(engine, "twin"))

    write_tree(root, {"net/xt_DSCP.py": None})
    engine.sync()

    assert sorted(engine.view().live_files()) == ["Doc/a.md", "doc/a.md", "net/xt_dscp.py"]
    assert twins(engine)[1] == ("Doc/a.md", "doc/a.md")


def test_portable_paths_refuses_twins_and_names_both(root: Path, home: Path) -> None:
    """For stores that are shared with systems where the two would be one file."""
    engine = indexed(root, home, TREE)
    write_tree(root, dict([PORTABLE]))
    wary = open_engine(root, home)
    with pytest.raises(SyncRefused, match="differ only by case") as refused:
        wary.sync()
    with wary.target() as target, pytest.raises(SyncRefused):
        rebuild(target)

    assert [reason.partition(": ")[0] for reason in refused.value.reasons] == [
        "Doc/a.md, doc/a.md",
        "net/xt_DSCP.py, net/xt_dscp.py",
    ]
    assert wary.identity.store_id == engine.identity.store_id
    assert twins(wary) == ("fail", tuple(sorted(TREE)))
    write_tree(root, {".ggrep.toml": None})
    assert open_engine(root, home).sync().degraded == ()


def test_a_strict_user_is_not_overruled_by_a_repository(root: Path, home: Path) -> None:
    home.mkdir(exist_ok=True)
    write_tree(home, {"config.toml": "portable_paths = true\n"})
    assert open_engine(root, home).settings.portable_paths
    write_tree(root, {".ggrep.toml": "portable_paths = false\n"})

    with pytest.raises(Exception, match="false is less strict than true"):
        open_engine(root, home)
