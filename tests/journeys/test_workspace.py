"""Several repositories under one file: made, changed, checked and searched."""

import shutil
from pathlib import Path

import pytest

from ggrep.federation.workspace_draft import STRATEGIES
from tests.fakes.workspaces import tree_of
from tests.journeys.command import REPOS, WORKSPACE_NAMES, Command, fits


def test_a_workspace_is_made_indexed_and_searched(ggrep: Command, indexed_workspace: Path) -> None:
    """The journey of a developer who works across repositories."""
    validated = ggrep("workspace", "validate", indexed_workspace)
    status = ggrep("workspace", "status", indexed_workspace, "--json").document
    shown = ggrep("refund", "--workspace", indexed_workspace, "--compact")
    document = ggrep("refund", "--workspace", indexed_workspace, "--json").document

    assert "3 repos, 3 enabled" in validated.out
    assert all(row["snapshotId"] for row in status["repos"])
    assert {line.split("/")[0] for line in shown.out.split()} <= set(WORKSPACE_NAMES)
    assert document["meta"]["merge"]["strategy"] == "global"
    assert "rank alone" not in shown.err
    fits(document, "federated_success")
    assert {hit["repoAlias"] for hit in document["results"]} >= {"shop", "ledger"}


def test_a_repository_comes_and_goes(ggrep: Command, workspace: Path, tmp_path: Path) -> None:
    """Adding and removing leaves the comments of the file alone."""
    workspace.write_text("// mine\n" + workspace.read_text())
    shutil.copytree(REPOS / "shop", tmp_path / "second")

    added = ggrep("workspace", "add", workspace, "second", "--alias", "two", "--tag", "x", "--json")
    twice = ggrep("workspace", "add", workspace, "second", "--json")
    removed = ggrep("workspace", "remove", workspace, "gateway", "--json")
    absent = ggrep("workspace", "remove", workspace, "gateway", "--json")

    assert added.document["repos"] == 4
    assert (twice.status, twice.document["repos"]) == (0, 4)
    assert removed.document["repos"] == 3
    assert absent.status == 1
    assert "gateway" in absent.error()["message"]
    assert workspace.read_text().startswith("// mine\n")
    assert ggrep("workspace", "validate", workspace).status == 0


def test_a_directory_of_repositories_is_one_line(ggrep: Command, workspace: Path) -> None:
    """New ones are there without an edit, and one is left out by its path."""
    workspace.write_text(
        '{"schemaVersion": 1, "merge": {"strategy": "global"},\n "include": ["*", "!ledger"]}'
    )
    assert ggrep("index", "--workspace", workspace).status == 0
    shown = ggrep("refund", "--workspace", workspace, "--json").document
    shutil.copytree(workspace.parent / "shop", workspace.parent / "newer")
    later = ggrep("refund", "--workspace", workspace)
    removed = ggrep("workspace", "remove", workspace, "shop")
    by_path = ggrep("workspace", "remove", workspace, workspace.parent / "shop")
    idle = ggrep("workspace", "add", workspace, "newer", "--alias", "fresh")

    assert {repo["alias"] for repo in shown["repos"]} >= {"shop", "gateway"}
    assert "ledger" not in {repo["alias"] for repo in shown["repos"]}
    assert "newer: no index yet" in later.err
    assert removed.status == 2
    assert "comes from the glob '*'; to exclude it, add \"!shop\"" in removed.err
    assert 'add "!shop"' in by_path.err
    assert idle.status == 1
    assert 'write "repos": []' in idle.err


def test_a_workspace_of_nothing_is_shown(ggrep: Command, workspace: Path) -> None:
    workspace.write_text('{"schemaVersion": 1, "include": ["nowhere/*"]}')
    status = ggrep("workspace", "status", workspace)
    validated = ggrep("workspace", "validate", workspace)

    assert status.status == 0
    assert "0 repos" in validated.out
    assert "matches no repository" in validated.out + validated.err


def test_init_replaces_nothing_unasked(ggrep: Command, workspace: Path) -> None:
    """A workspace file is written by hand; losing it hurts."""
    before = workspace.read_bytes()

    refused = ggrep("workspace", "init", workspace, "shop", "--json")

    assert "exists" in refused.error()["message"]
    assert workspace.read_bytes() == before
    assert ggrep("workspace", "init", workspace, "shop", "--force").status == 0


def test_repositories_bear_directory_names(ggrep: Command, workspace: Path, tmp_path: Path) -> None:
    """Answers are read by people, who know no ids; two of one name keep theirs."""
    for place in ("a/Same", "b/same", "line\nbreak"):
        shutil.copytree(REPOS / "shop", tmp_path / place)

    made = ggrep(
        *("workspace", "init", workspace, "--force", "gateway/", "x=ledger"),
        *("shop", "a/Same", "b/same", "line\nbreak", "--json"),
    )
    repos = ggrep("workspace", "validate", workspace, "--json").document["workspace"]["repos"]

    assert made.status == 0
    assert [repo["alias"] for repo in repos] == ["gateway", "x", "shop", None, None, None]


def test_an_alias_keeps_its_name(ggrep: Command, workspace: Path, tmp_path: Path) -> None:
    assert ggrep("workspace", "init", workspace, "--force", "Shop=gateway", "shop").status == 0

    repos = ggrep("workspace", "validate", workspace, "--json").document["workspace"]["repos"]
    assert [repo["alias"] for repo in repos] == ["Shop", None]


def test_selection_narrows_the_answer(ggrep: Command, shared_workspace: Path) -> None:
    """Each way of choosing repositories chooses those."""
    ask = ("refund", "--workspace", shared_workspace, "--json")

    only = ggrep(*ask, "--only", "shop").document
    globbed = ggrep(*ask, "--repo-filter", "led*").document
    unknown = ggrep("refund", "--workspace", shared_workspace, "--only", "nowhere")

    assert {hit["repoAlias"] for hit in only["results"]} == {"shop"}
    assert {hit["repoAlias"] for hit in globbed["results"]} == {"ledger"}
    assert unknown.out == ""
    assert "nowhere" in unknown.err


def test_a_missing_index_is_told(ggrep: Command, workspace: Path, tmp_path: Path) -> None:
    """Part of an answer says which part is missing; no answer at all is an error."""
    nothing = ggrep("refund", "--workspace", workspace, "--json")
    ggrep("index", tmp_path / "shop")
    partly = ggrep("refund", "--workspace", workspace)

    assert nothing.status == 1
    assert nothing.error("federated_error")["code"] == "NO_INDEX"
    assert partly.status == 0
    assert "gateway" in partly.err
    assert ggrep("refund", "--workspace", workspace, "--federated-strict").status == 1


def test_the_same_of_many_repositories_is_said_once(
    ggrep: Command, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line for each of a hundred would push the hits off the screen."""
    ggrep("index", tmp_path / "shop")

    lacking = ggrep("refund", "--workspace", workspace)
    monkeypatch.setattr("ggrep.interfaces.cli.queries.workspace_query._MOST_NAMED", 1)
    cut = ggrep("refund", "--workspace", workspace)

    assert lacking.err.count("no index yet") == 1
    assert "warning: gateway, ledger: " in lacking.err
    assert "warning: gateway and 1 more: " in cut.err


@pytest.mark.parametrize(
    ("flags", "code"),
    [
        (["--repo", "shop"], "ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED"),
        (["--repo=shop"], "ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED"),
        (["-m", "5", "--top", "6"], "ERR_FEDERATED_DUPLICATE_TOP_FLAG"),
        (["-m5", "-m6"], "ERR_FEDERATED_DUPLICATE_TOP_FLAG"),
        (["--max=5", "--top=5"], "ERR_FEDERATED_DUPLICATE_TOP_FLAG"),
        (["--top", "5", "--top", "5"], "ERR_FEDERATED_DUPLICATE_TOP_FLAG"),
        (["--workspace", "ws.jsonc"], "ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG"),
        (["--workspace=other"], "ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG"),
        (["shop"], "invalid_request"),
    ],
)
def test_forbidden_flags(ggrep: Command, workspace: Path, flags: list[str], code: str) -> None:
    """The contract names each mistake, in every spelling of the flag."""
    shown = ggrep("refund", "--workspace=ws.jsonc", *flags)
    robot = ggrep("refund", "--workspace", "ws.jsonc", *flags, "--json")

    assert shown.status == robot.status == 2
    assert shown.err == f"error: {robot.error('federated_error')['message']}\n"
    assert robot.error("federated_error")["code"] == code


def test_after_two_dashes_a_flag_is_a_word(ggrep: Command, shared_workspace: Path) -> None:
    """`--` ends the options in a workspace too: what follows is the query."""
    shown = ggrep("--workspace", "ws.jsonc", "--json", "--", "--repo")

    assert shown.status == 0


@pytest.mark.parametrize("spelt", [("search",), ()])
def test_a_flag_that_may_be_repeated_takes_one_word(
    ggrep: Command, shared_workspace: Path, spelt: tuple[str, ...]
) -> None:
    """The query behind it is the query, not one more of the flag's values."""
    for flag in ("--select", "--only", "--repo-filter", "--tag"):
        before = ggrep(*spelt, "--workspace", shared_workspace, flag, "shop", "refund", "--json")
        after = ggrep("refund", "--workspace", shared_workspace, flag, "shop", "--json")
        nothing = ggrep(*spelt, "--workspace", shared_workspace, flag, "refund", "--json")

        assert before.status == 0, flag
        assert before.document == after.document
        assert bool(before.document["results"]) is (flag != "--tag")
        assert nothing.status == 2
        assert "query" in nothing.error("federated_error")["message"]


FORWARDED = (
    ("-p",),
    ("-i",),
    ("--mode", "discovery"),
    ("--filter", "lang:python"),
    ("--filter", "-path:docs", "--filter", "-lang:python"),
    ("--corpus", "prose"),
    ("-n",),
    ("-s",),
    ("--content",),
    ("-m", "2"),
    ("--per-file", "1"),
    ("--anchors",),
)


def test_every_search_flag_reaches_repositories(ggrep: Command, shared_workspace: Path) -> None:
    """One repository of a workspace answers as it does alone, and each flag makes a difference."""

    def both(*flags: str) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
        asked = ("refund a payment", *flags, "--json")
        alone = ggrep(*asked, "--repo", "shop").document
        among = ggrep(*asked, "--workspace", shared_workspace, "--only", "shop").document
        ours = [(hit["path"], hit["start_line"], hit["content"]) for hit in alone["results"]]
        return ours, [(hit["file"], hit["start"], hit["content"]) for hit in among["results"]]

    plain, _ = both()
    for flags in FORWARDED:
        alone, among = both(*flags)

        assert among == alone, flags
        assert among != plain, flags


def test_nothing_may_be_asked_for(ggrep: Command, shared_workspace: Path) -> None:
    document = ggrep("refund", "--workspace", shared_workspace, "-m", "0", "--json").document

    fits(document, "federated_success")
    assert document["ok"]
    assert document["meta"]["limits"]["top"] == 0
    assert {row["status"] for row in document["repos"]} == {"ok"}
    lists = ("results", "code", "prose", "extractedProse", "records")
    assert [document[name] for name in lists] == [[]] * len(lists)


def test_a_search_without_daemons_writes_nothing(
    ggrep: Command, shared: Path, shared_workspace: Path
) -> None:
    """No manifest, no cache, not a byte of an index; only the locks that readers share come."""

    def held() -> dict[str, tuple[int, bytes]]:
        result = tree_of(shared)
        return {path: each for path, each in result.items() if not path.endswith(".readers")}

    before = held()

    for merge in STRATEGIES:
        for flags in ((), ("--json",), ("--json", "--stats", "--offline")):
            result = ggrep("refund", "--workspace", shared_workspace, "--merge", merge, *flags)
            assert result.status == 0

    assert held() == before
    assert sorted(path.name for path in (shared / "home").iterdir()) == ["data", "locks"]


ONE = '{"schemaVersion": 1, "repos": [%s]}'
SAME_ALIAS = '{"root": "shop", "alias": "a"}, {"root": "ledger", "alias": "a"}'
BAD_FILES = {
    "missing": (None, "ws.jsonc"),
    "too_large": (" " * (256 * 1024 + 1), "262144"),
    "broken": ('{"schemaVersion": 1, "repos": [', "ws.jsonc"),
    "not_utf8": (b'{"schemaVersion": 1, "name": "\xff"}', "UTF-8"),
    "same_alias": (ONE % SAME_ALIAS, "repos[1].alias"),
}
"""A file of each stage of reading; `tests/federation` has all mistakes."""


@pytest.mark.parametrize("case", BAD_FILES)
def test_a_bad_workspace_file_is_named(ggrep: Command, workspace: Path, case: str) -> None:
    content, output = BAD_FILES[case]
    workspace.unlink()
    if content is not None:
        workspace.write_bytes(content if isinstance(content, bytes) else content.encode())

    for command in ("validate", "status"):
        arguments = ["workspace", command, workspace]
        shown, robot = ggrep(*arguments), ggrep(*arguments, "--json")

        error = robot.error()
        reports = [
            " ".join((issue["path"], issue["field"], issue["message"])) for issue in error["issues"]
        ]
        assert shown.status == robot.status == 1
        assert error["code"].startswith("ERR_WORKSPACE_")
        assert any("ws.jsonc" in line and output in line for line in reports)
        assert "ws.jsonc" in shown.err
        assert output in shown.err
        assert "Traceback" not in shown.err

    searched = ggrep("refund", "--workspace", workspace, "--json")
    error = searched.error("federated_error")
    assert searched.status == 1
    assert error["code"].startswith("ERR_WORKSPACE_")
    assert str(workspace.parent) not in searched.out, "absolute paths are not for every caller"
    assert any(
        output in issue["message"] + issue["field"] + issue["path"] + "ws.jsonc"
        for issue in error["issues"]
    )


def test_a_workspace_of_nothing_but_missing_repositories(ggrep: Command, workspace: Path) -> None:
    """It is looked at all the same; only what needs all of them, or any, fails."""
    workspace.write_text(ONE % '{"root": "nowhere", "alias": "lost"}')
    code = "ERR_WORKSPACE_REPO_ROOT_NOT_FOUND"

    validated = ggrep("workspace", "validate", workspace, "--json").error()
    searched = ggrep("refund", "--workspace", workspace, "--json")
    shown = ggrep("workspace", "status", workspace)

    assert (validated["code"], validated["issues"][0]["field"]) == (code, "$.repos[0].root")
    assert searched.status == 1
    assert (searched.document["ok"], searched.document["code"]) == (False, code)
    assert searched.document["repos"][0]["status"] == "missing_root"
    assert str(workspace.parent) not in searched.out
    assert shown.status == 0
    assert "missing" in shown.out
    assert "root 'nowhere': the directory does not exist" in shown.err


@pytest.mark.parametrize("query", ["", " ", "\x00\x07\x1b[2J", "\ud800"])
def test_a_query_of_nothing_is_refused(ggrep: Command, shared_workspace: Path, query: str) -> None:
    """There is nothing to rank by; an arbitrary list would look like an answer."""
    refused = ggrep("search", query, "--workspace", shared_workspace, "--json")

    assert refused.status == 2
    assert "query" in refused.error("federated_error")["message"]


def test_an_edit_that_breaks_the_file_is_not_saved(ggrep: Command, workspace: Path) -> None:
    """`add` either leaves a valid file or the one that was there, and no draft beside it."""
    before = workspace.read_bytes()

    (workspace.parent / "second").mkdir()
    refused = ggrep("workspace", "add", workspace, "second", "--priority", 2**60, "--json")

    assert refused.status == 1
    assert workspace.read_bytes() == before
    assert sorted(path.name for path in workspace.parent.glob(".*")) == []
