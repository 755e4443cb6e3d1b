"""`symbol`, `refs` and `expand` with `--workspace`: on the screen and as JSON, without daemons."""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.interfaces.cli.queries.query_options import WorkspaceOptions
from ggrep.interfaces.cli.queries.search_options import TypedSearch
from ggrep.interfaces.cli.queries.workspace_names import in_workspace
from tests.fakes.repos import open_engine, write_tree
from tests.journeys.command import Command, CommandOver, fits

MONEY = {
    "pyproject.toml": '[project]\nname = "shop-money"\n',
    "shop_money/rounding.py": (
        'def round_cents(value):\n    """Round half up."""\n    return int(value)\n'
    ),
    "shop_money/__init__.py": "",
    "shop_money/coins.py": (
        "class Currency:\n    def sign(self): ...\n\n\nclass Yen(Currency): ...\n"
    ),
}
WEB = {
    "web/cart.py": (
        "from shop_money.rounding import round_cents\n\n\n"
        "def total(cart):\n    return round_cents(sum(cart))\n"
    ),
    "web/legacy.py": "def old(cart):\n    return round_cents(cart)\n",
    "web/euro.py": (
        "from shop_money.coins import Currency\nfrom flask import Flask\n\n\n"
        "class Euro(Currency):\n    def sign(self):\n        return Flask(self)\n"
    ),
    "README.md": "# Web\n",
}
TREES = {"money": MONEY, "web": WEB, "docs": {"README.md": "# Docs\n"}}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a directory with three indexed repositories and their home."""
    result = tmp_path_factory.mktemp("names").resolve()
    for name, tree in TREES.items():
        (result / name).mkdir()
        write_tree(result / name, tree)
        open_engine(result / name, result / "home", encoder="none").sync()
    repos = [{"root": name, "alias": name} for name in TREES]
    document = {"schemaVersion": 1, "name": "shop", "repos": repos}
    (result / "ws.jsonc").write_bytes(stable_json.dumps(document))
    return result


@pytest.fixture
def ggrep(place: Path, monkeypatch: pytest.MonkeyPatch, command_over: CommandOver) -> Command:
    """Return the command beside the workspace file, without colours or daemons."""
    monkeypatch.chdir(place)
    return command_over(place / "home", GGREP_ENCODER="none", GGREP_OFFLINE="1", COLUMNS="100")


WS = ("--workspace", "ws.jsonc")


@pytest.mark.slow
def test_a_definition_is_printed_as_expand_takes_it(ggrep: Command) -> None:
    shown = ggrep("symbol", "round_cents", *WS)
    place = shown.out.split()[0]
    opened = ggrep("expand", place, *WS)

    assert (shown.status, place) == (0, "money:shop_money/rounding.py:1-3")
    assert opened.status == 0
    assert "def round_cents(value):" in opened.out
    assert opened.out.startswith("money:shop_money/rounding.py:1  ")


@pytest.mark.slow
def test_usages_say_how_they_are_tied_to_the_definition(ggrep: Command) -> None:
    """By an import of the repository that defines the name, or by nothing but the name."""
    shown = ggrep("refs", "round_cents", *WS)

    assert shown.status == 0
    assert "web:web/cart.py  import\n" in shown.out
    assert "web:web/legacy.py  guess\n" in shown.out
    assert "imported once at web:web/cart.py:1\n" in shown.out
    assert "defined in money\n" in shown.err


@pytest.mark.slow
def test_json_fits_its_schema(ggrep: Command) -> None:
    """For symbol, refs, expand, and what none of them finds."""
    for schema, words in {
        "federated_symbol": ("symbol", "round_cent"),
        "federated_references": ("refs", "round_cents", "-m", "1"),
        "federated_expand": ("expand", "money:shop_money/rounding.py"),
        "federated_error": ("expand", "README.md"),
    }.items():
        shown = ggrep(*words, *WS, "--json")
        fits(stable_json.loads(shown.out), schema)


@pytest.mark.slow
def test_a_page_goes_on_by_its_cursor(ggrep: Command) -> None:
    first = stable_json.loads(ggrep("refs", "round_cents", *WS, "-m", "1", "--json").out)
    cursor = ("--cursor", first["next_cursor"])
    second = stable_json.loads(ggrep("refs", "round_cents", *WS, "--json", *cursor).out)

    every = stable_json.loads(ggrep("refs", "round_cents", *WS, "--json").out)
    assert first["references"] + second["references"] == every["references"]
    assert "next_cursor" not in second


@pytest.mark.slow
def test_a_file_as_seen_from_here_names_its_repository(ggrep: Command) -> None:
    assert ggrep("expand", "web/README.md", *WS).out.startswith("web:README.md:1  ")


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        # Passed over, flags would give an answer that nobody asked for.
        *(
            (f"{command} round_cents --only web", "--only: allowed only with --workspace")
            for command in ("symbol", "refs", "expand")
        ),
        (
            "symbol round_cents --in web --workspace ws.jsonc",
            "a PATH and --workspace cannot go together",
        ),
        (
            "symbol round_cents --repo web --workspace ws.jsonc",
            "--repo and --workspace cannot go together",
        ),
        (
            "expand README.md --workspace ws.jsonc",
            "README.md is in several repositories, docs, web; choose one: docs:README.md",
        ),
    ],
)
def test_a_wrong_line_is_refused_with_what_is_wrong(
    ggrep: Command, line: str, reported: str
) -> None:
    shown = ggrep(*line.split())

    assert shown.status == 2
    assert reported in shown.err


@pytest.mark.slow
def test_every_option_of_a_workspace_reaches_the_question() -> None:
    """`--all-repos` was dropped on its way."""
    members = WorkspaceOptions((Path("w"),), only=("a",), all_repos=True)

    assert in_workspace(TypedSearch(""), members, (), None).repositories is members


def test_nothing_found_is_a_status_on_request(ggrep: Command) -> None:
    shown = ggrep("symbol", "round_cnts", *WS, "--exit-status")

    assert shown.status == 1
    assert "no definition of round_cnts; similar names: round_cents" in shown.err


@pytest.mark.slow
def test_several_names_are_answered_at_once_each_under_its_head(ggrep: Command) -> None:
    shown = ggrep("symbol", "round_cents", "total", "nowhere", *WS)
    document = stable_json.loads(ggrep("refs", "round_cents", "total", *WS, "--json").out)

    assert shown.status == 0
    assert shown.out.startswith("## round_cents\nmoney:shop_money/rounding.py:1-3")
    assert "\n## total\nweb:web/cart.py:4-5" in shown.out
    assert "nowhere" in shown.err
    fits(document, "federated_answers")
    assert [answer["name"] for answer in document["answers"]] == ["round_cents", "total"]


@pytest.mark.slow
def test_an_agent_reads_places_of_a_workspace_as_expand_takes_them(ggrep: Command) -> None:
    """The same text that MCP gives, for one and for several."""
    agent = (*WS, "--format", "agent")
    defined = ggrep("symbol", "round_cents", *agent)
    opened = ggrep("expand", "money:shop_money/rounding.py:1-2", "README.md", *agent)
    hits = ggrep("search", "round half up", *agent)
    slate = ggrep("slate", "round half up", *agent)
    small = ggrep("slate", "round half up", *agent, "--max-bytes", "1024")

    assert defined.out.startswith("money:shop_money/rounding.py:1-3 function round_cents\n")
    assert opened.out.startswith(
        "## money:shop_money/rounding.py:1-2 lines in round_cents, of 3 lines\n"
        "1\tdef round_cents(value):\n"
    )
    assert "## README.md\n" in opened.out
    assert opened.status == 2
    assert "[money] shop_money/rounding.py:1-3" in hits.out
    assert "[money] shop_money/rounding.py" in slate.out
    assert "merged by rank only" in hits.out
    assert 0 < len(small.out.encode()) <= 1_024


@pytest.mark.parametrize(
    "line",
    [
        *("search a --body 1", "search a --scores", "search a --stats", "slate a --stats"),
        *("symbol a --stats", "slate a --graph dot"),
    ],
)
def test_what_text_for_agents_does_not_heed_is_refused(ggrep: Command, line: str) -> None:
    """A flag that is taken and not heeded misleads."""
    assert ggrep(*line.split(), "--format", "agent", *WS).status == 2


@pytest.mark.slow
def test_implementations_of_all_repositories_are_listed(ggrep: Command) -> None:
    """A type is often extended where it is used, and not where it is defined."""
    types, members = ggrep("symbol", "Currency", *WS), ggrep("symbol", "Currency.sign", *WS)
    document = ggrep("symbol", "Currency", *WS, "-m", "1", "--json").document

    head = "implemented or extended by\n"
    assert types.out.partition(head)[2] == (
        "  money:shop_money/coins.py:5  class Yen\n  web:web/euro.py:5-7  class Euro\n"
    )
    assert members.out.partition(head)[2] == "  web:web/euro.py:6-7  method Euro.sign\n"
    assert [each["qualified_name"] for each in document["implementations"]] == ["Yen"]
    assert document["implementations_total"] == 2
    fits(document, "federated_symbol")


@pytest.mark.slow
def test_a_package_outside_of_all_repositories_is_named(ggrep: Command) -> None:
    """A package of another repository of the workspace is not outside."""
    origin = "defined outside this repository (package flask): web:web/euro.py:2: from flask import"

    for command in ("symbol", "refs"):
        shown = ggrep(command, "Flask", *WS)
        assert f"Flask is {origin} Flask\n" in shown.err
        fits(ggrep(command, "Flask", *WS, "--json").document, f"federated_{_DOCUMENTS[command]}")
        assert "outside" not in ggrep(command, "round_cents", *WS).err


_DOCUMENTS = {"symbol": "symbol", "refs": "references"}
