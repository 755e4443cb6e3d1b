"""`ggrep profiles`, and `--profile` where it is taken."""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.index.maintenance.inventory import list_profiles
from ggrep.interfaces.cli.app import run
from ggrep.interfaces.cli.stores.index import profile_table
from ggrep.model.status import ProfileBudgets, ProfileReport
from ggrep.render.style import Style
from tests.fakes.repos import open_engine, write_tree
from tests.journeys.command import fits

FILE = """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = 1_500_000
max_file_size_bytes = 100_000
max_store_bytes = 50_000_000

[profiles.docs]
exclude = ["old/"]
[profiles.docs.query]
top = 1
"""
TREE = {
    ".ggrep.toml": FILE,
    "Datasets/a.csv": "needle,1\n",
    "docs/a.md": "# Needle\n\nneedle\n",
    "old/b.md": "# Needle\n\nneedle\n",
    "main.py": "needle = 1\n",
}


@pytest.fixture
def tree(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_tree(root, TREE)
    monkeypatch.setenv("GGREP_HOME", str(home))
    monkeypatch.setenv("GGREP_ENCODER", "none")
    return root


def state(tree: Path, home: Path, name: str) -> ProfileReport:
    """Return what is known of a profile's store."""
    flags = {"encoder": "none"}
    states = list_profiles(tree, Home(home), {}, flags)
    return next(each for each in states if (each.name or "") == name)


def found(capsys: pytest.CaptureFixture[str], *arguments: str) -> set[str]:
    capsys.readouterr()
    status = run(["search", "needle", *arguments, "--compact", "--keep-weak", "--offline"])
    assert status == 0
    return {Path(line).name for line in capsys.readouterr().out.splitlines()}


def test_a_view_shares_the_default_store_and_a_data_set_does_not(tree: Path, home: Path) -> None:
    open_engine(tree, home, encoder="none").sync()

    plain, data, docs = (state(tree, home, name) for name in ("", "data", "docs"))

    assert plain.store_id == docs.store_id != data.store_id
    assert (plain.state, docs.state, data.state) == ("indexed", "indexed", "no_index")
    assert (plain.files, plain.in_force) == (3, True)


def test_the_profile_that_the_file_chooses_is_in_force(tree: Path, home: Path) -> None:
    write_tree(tree, {".ggrep.toml": "profile = 'docs'\n" + FILE})

    states = list_profiles(tree, Home(home), {"GGREP_PROFILE": ""}, {})

    assert [(each.name, each.in_force) for each in states] == [("data", False), ("docs", True)]


def test_a_store_that_cannot_be_read_is_listed_as_such(tree: Path, home: Path) -> None:
    """One damaged store must not hide the others."""
    engine = open_engine(tree, home, encoder="none")
    engine.sync()
    for manifest in (engine.identity.store / "snapshots").glob("*/manifest.json"):
        manifest.write_bytes(b"{")

    assert state(tree, home, "").state == "unreadable"
    assert state(tree, home, "data").state == "no_index"


def test_the_table_marks_the_profile_in_force() -> None:
    budgets = ProfileBudgets(1_500_000, 1, 1)
    row = ProfileReport(
        "data", True, "own_store", "r-1-2", "indexed", None, 12_300, 9, True, budgets
    )

    assert profile_table([row], Style(colour=False)).splitlines() == [
        "   profile  kind       state              files  chunks  budget  store",
        "*  data     own store  indexed, degraded  12.3k  9       1.5 MB  r-1-2",
    ]


def test_the_document_fits_its_schema(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from ggrep.base import stable_json

    status = run(["profiles", str(tree), "--json"])
    document = stable_json.loads(capsys.readouterr().out)
    fits(document, "profiles")

    assert status == 0
    assert [entry["name"] for entry in document["profiles"]] == [None, "data", "docs"]


def test_an_unknown_profile_fails_every_command_that_takes_one(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commands = (
        ["profiles", str(tree)],
        ["index", str(tree)],
        ["search", "needle", str(tree)],
        ["status", "--path", str(tree)],
        ["health", "--path", str(tree)],
    )
    statuses = [run([*command, "--profile", "dox"]) for command in commands]

    assert statuses == [2] * len(commands)
    assert capsys.readouterr().err.count("unknown profile 'dox'") == len(commands)


def test_a_search_sees_what_its_profile_shows(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for profile in ([], ["--profile", "data"]):
        run(["index", str(tree), *profile])

    assert found(capsys, str(tree)) == {"a.md", "b.md", "main.py"}
    assert found(capsys, str(tree), "--profile", "data") == {"a.csv", "a.md", "b.md", "main.py"}
    assert found(capsys, str(tree), "--profile", "docs", "--top", "9") == {"a.md", "main.py"}
    assert len(found(capsys, str(tree), "--profile", "docs")) == 1, "its own number of hits"


def test_a_profile_of_a_workspace_is_of_the_repositories_that_have_it(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    write_tree(other, {"needle.md": "# A needle\n\nThe needle lies elsewhere.\n"})
    workspace = tmp_path / "w.jsonc"
    repos = [{"root": str(tree), "alias": "tree"}, {"root": str(other), "alias": "other"}]
    workspace.write_bytes(stable_json.dumps({"schemaVersion": 1, "repos": repos}))
    for root in (tree, other):
        assert run(["index", str(root)]) == 0
    capsys.readouterr()
    asked = ["search", "needle", "--workspace", str(workspace), "--offline", "--json"]

    assert run([*asked, "--profile", "docs"]) == 0
    document = stable_json.loads(capsys.readouterr().out)
    rows = {row["alias"]: (row["status"], row.get("profile")) for row in document["repos"]}
    assert rows == {"tree": ("ok", "docs"), "other": ("error", None)}
    assert {hit["file"] for hit in document["results"]} == {"docs/a.md", "main.py"}
    assert "unknown profile 'docs'" in document["diagnostics"]["errors"][0]["message"]
