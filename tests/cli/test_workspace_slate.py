"""`ggrep slate --workspace`: one slate over several repositories, on the screen and as JSON."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from tests.fakes.order_repos import DEPLOY, QUESTION, SHOP, WEB
from tests.fakes.repos import open_engine, write_tree
from tests.journeys.command import Command, CommandOver, Outcome, fits

TREES = {"shop": SHOP, "web": WEB, "deploy": DEPLOY}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with three indexed repositories, one without an index, and their home."""
    result = tmp_path_factory.mktemp("workspace").resolve()
    for name, tree in TREES.items():
        (result / name).mkdir()
        write_tree(result / name, tree)
        open_engine(result / name, result / "home", encoder="none").sync()
    (result / "bare").mkdir()
    write_tree(result / "bare", {"orders.py": "def orders(): ...\n"})
    for file, names in (("ws.jsonc", tuple(TREES)), ("all.jsonc", (*TREES, "bare"))):
        repos = [{"root": name, "alias": name} for name in names]
        document = {"schemaVersion": 1, "name": "orders", "repos": repos}
        (result / file).write_bytes(stable_json.dumps(document))
    return result


@pytest.fixture
def ggrep(place: Path, monkeypatch: pytest.MonkeyPatch, command_over: CommandOver) -> Command:
    """Return the command beside the workspace file, without colours."""
    monkeypatch.chdir(place)
    return command_over(place / "home", GGREP_ENCODER="none", COLUMNS="80")


def slate(ggrep: Command, *flags: object, file: str = "ws.jsonc") -> Outcome:
    """Return what a slate of the workspace left behind."""
    return ggrep("slate", QUESTION, "--workspace", file, *flags)


def packs(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Return repository and path of each file of a slate."""
    return [
        (pack["repo"], pack["path"])
        for section in document["slate"]["sections"]
        for pack in section["files"]
    ]


def test_a_slate_shows_files_of_all_repositories_under_their_names(ggrep: Command) -> None:
    shown = slate(ggrep)

    assert shown.status == 0
    assert shown.out.startswith(f"{QUESTION}  (")
    assert "3 of 3 repositories" in shown.out
    for place in ("[shop] shop_orders/api.py:", "[web] src/orders.ts:", "[deploy] compose.yaml:"):
        assert place in shown.out
    for title in ("\nCode ─", "\nDocuments ─", "\nConfiguration ─", "\nTests ─"):
        assert title in shown.out


def test_level_0_lists_places_and_shows_no_line_of_a_file(ggrep: Command) -> None:
    shown = slate(ggrep, "--level", "0")

    assert "shop_orders/api.py" in shown.out
    assert "│" not in shown.out
    assert "def show_order" not in shown.out
    assert "ggrep expand src/orders.ts:4 --repo web" in shown.out
    assert "--workspace ws.jsonc --level 1" in shown.out


def test_suggested_commands_for_names_search_the_whole_workspace(ggrep: Command) -> None:
    """Other repositories use the name; a command over one repository would miss them."""
    commands = [
        line.partition("  ")[0]
        for line in slate(ggrep).out.splitlines()
        if line.startswith(("ggrep refs ", "ggrep symbol "))
    ]
    typed = [shlex.split(command)[1:] for command in commands]

    assert [words[0] for words in typed] == ["refs", "symbol"]
    for words in typed:
        assert words[2:] == ["--workspace", "ws.jsonc"]
        assert ggrep(*words).status == 0


@pytest.mark.parametrize("level", [0, 1, 2, 3])
def test_the_document_fits_its_schema(ggrep: Command, level: int) -> None:
    flags = ("--level", level, "--deterministic", "--json")
    reported = slate(ggrep, *flags)

    fits(reported.document, "federated_slate")
    assert reported.document["slate"]["level"] == level
    assert {repo for repo, _ in packs(reported.document)} == set(TREES)
    assert slate(ggrep, *flags).out == reported.out


def test_slate_and_search_as_slate_are_one_thing(ggrep: Command) -> None:
    flags = ("--workspace", "ws.jsonc", "--deterministic", "--json", "--max-files", "5")
    alone = ggrep("slate", QUESTION, *flags, "--level", "2")
    searched = ggrep("search", QUESTION, "--format", "slate", *flags, "--long-snippet")

    assert len(packs(alone.document)) == 5
    assert searched.out == alone.out


@pytest.mark.parametrize(
    ("form", "begins"), [("mermaid", ("graph", "flowchart")), ("dot", "digraph")]
)
def test_a_graph_alone_can_be_drawn(
    ggrep: Command, form: str, begins: str | tuple[str, ...]
) -> None:
    drawn = slate(ggrep, "--graph", form)

    assert drawn.status == 0
    assert drawn.out.startswith(begins)
    assert "web:src/orders.ts" in drawn.out or "src/orders.ts" in drawn.out
    assert "package: shop-orders" in drawn.out
    assert str(Path.cwd()) not in drawn.out


def test_a_session_goes_on_with_what_it_has_not_shown(ggrep: Command) -> None:
    few = ("--max-files", "3", "--json")
    first = slate(ggrep, "--session", "new", *few)
    token = first.document["session"]["token"]
    fits(first.document, "federated_slate")
    more = slate(ggrep, "--session", token, "--delta-only", *few)
    repo, path = packs(first.document)[0]
    opened = slate(ggrep, "--session", token, "--target", f"{repo}:{path}", *few)

    assert first.document["session"]["seen_files"] == len(packs(first.document)) == 3
    assert not set(packs(more.document)) & set(packs(first.document))
    assert more.document["session"]["seen_files"] == 3 + len(packs(more.document))
    assert packs(opened.document) == [(repo, path)]


def test_the_token_and_how_to_go_on_are_shown_to_people_and_agents(ggrep: Command) -> None:
    begun = slate(ggrep, "--session", "new", "--max-files", "3", "--level", "2")
    alone = slate(ggrep, "--max-files", "3", "--level", "2")

    assert "Session" in begun.out
    assert "--workspace ws.jsonc --session TOKEN --delta-only" in begun.out
    assert "--workspace ws.jsonc --session new" in alone.out
    assert "\nsession " in slate(ggrep, "--session", "new", "--format", "agent").out


@pytest.mark.parametrize(
    ("flags", "output"),
    [
        (("--session", "dG9rZW4", "--delta-only"), "not a token of this workspace"),
        (("--delta-only",), "only with --session"),
        (("--session", "new", "--target", "shop:a.py"), "TOKEN"),
    ],
)
def test_a_session_that_is_none_is_refused(
    ggrep: Command, flags: Sequence[str], output: str
) -> None:
    refused = slate(ggrep, *flags)

    assert refused.status != 0
    assert output in refused.err
    assert refused.out == ""


@pytest.mark.parametrize(
    ("flags", "output"),
    [
        (("--profile", "wide"), "unknown profile 'wide'"),
        (("--level", "4"), "--level"),
        (("--graph", "dot", "--json"), "--graph and --json"),
        (("--merge", "best"), "best"),
        (("--only", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_had_of_a_workspace_is_refused(
    ggrep: Command, flags: Sequence[str], output: str
) -> None:
    """In words that name the flag or its value."""
    refused = slate(ggrep, *flags)

    assert output in refused.err + refused.out


def test_selection_and_filters_narrow_a_slate_of_a_workspace_and_a_path_does_not(
    ggrep: Command,
) -> None:
    only = slate(ggrep, "--only", "web", "--keep-weak", "--json").document
    globbed = slate(ggrep, "--repo-filter", "s*", "--keep-weak", "--json").document

    assert {repo for repo, _ in packs(only)} == {"web"}
    assert {repo for repo, _ in packs(globbed)} == {"shop"}

    filters = ("--filter", "ext:py", "--filter", "-test:true")
    result = slate(ggrep, *filters, "--keep-weak", "--json").document

    assert packs(result)
    assert all(path.endswith(".py") and "test_" not in path for _, path in packs(result))

    refused = ggrep("slate", QUESTION, "shop", "--workspace", "ws.jsonc")

    assert refused.status != 0
    assert "PATH and --workspace" in refused.err


def test_a_repository_without_an_index_is_told_of(ggrep: Command) -> None:
    shown = slate(ggrep, file="all.jsonc")
    document = slate(ggrep, "--json", file="all.jsonc").document

    assert shown.status == 0
    assert "3 of 4 repositories" in shown.out
    assert "bare" in shown.err
    assert "no index yet" in shown.err
    assert [each["code"] for each in document["diagnostics"]["errors"]] == ["NO_INDEX"]
    assert {repo for repo, _ in packs(document)} == set(TREES)


def test_without_any_index_there_is_no_slate(ggrep: Command) -> None:
    refused = slate(ggrep, "--only", "bare", "--json", file="all.jsonc")

    assert refused.status != 0
    assert "workspace build" in refused.error("federated_error")["message"]


def test_a_file_that_is_no_workspace_is_a_json_error_where_json_was_asked_for(
    ggrep: Command,
) -> None:
    refused = ggrep("slate", QUESTION, "--workspace", "home", "--json")

    assert refused.status != 0
    fits(refused.document, "federated_error")


def test_nothing_found_is_an_exit_status_where_that_is_asked_for(ggrep: Command) -> None:
    result = slate(ggrep, "--exit-status")
    nothing = ggrep("slate", "zyzzyva", "--workspace", "ws.jsonc", "--exit-status")
    unasked = ggrep("slate", "zyzzyva", "--workspace", "ws.jsonc")

    assert (result.status, nothing.status, unasked.status) == (0, 1, 0)
    assert "no hits\n" in nothing.err


def test_no_absolute_path_leaves_unasked(ggrep: Command, place: Path) -> None:
    assert str(place) not in slate(ggrep, "--json", file="all.jsonc").out


@pytest.mark.parametrize(
    "asked", [("slate", QUESTION), ("search", QUESTION), ("symbol", "orders"), ("refs", "orders")]
)
def test_an_agent_can_type_the_commands_that_it_is_told(
    ggrep: Command, asked: tuple[str, str]
) -> None:
    reported = ggrep(*asked, "--workspace", "all.jsonc", "--format", "agent").out

    assert "run: ggrep workspace build all.jsonc" in reported
    assert "FILE" not in reported
