"""`symbol`, `refs`, `expand`, `outline` and `tour` over a small shop."""

import subprocess
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.cli.queries.typed_targets import Finder
from tests.journeys.command import Command, fits


def key_of(typed: str, repo: Path | None = None) -> str:
    """Return the target as its repository writes it."""
    target = Finder().target(typed, repo)
    return target.key(target.place.scope)


def test_a_name_leads_to_its_definition(ggrep: Command, shop: Path) -> None:
    """`path:line` first, so that it can be opened."""
    shown = ggrep("symbol", "charge_card")

    assert shown.out.startswith("src/checkout.py:7-9  method Checkout.charge_card\n")
    assert "    Charge a card.\n" in shown.out

    document = ggrep("symbol", "Checkout", "--json").document

    fits(document, "symbol_success")
    assert [shown["path"] for shown in document["definitions"]] == ["src/checkout.py"]


def test_an_unknown_name_is_an_exit_status_where_that_is_asked_for(
    ggrep: Command, shop: Path
) -> None:
    unknown = ggrep("symbol", "charge_crad", "--exit-status")

    assert unknown.status == 1
    assert "similar names: charge_card" in unknown.err
    assert ggrep("symbol", "charge_crad").status == 0


def test_the_head_of_a_definition_asks_for_its_name(ggrep: Command, shop: Path) -> None:
    """It is what an editor's selection or a diff gives."""
    for command in ("symbol", "refs"):
        plain = ggrep(command, "charge_card").out
        assert plain
        assert ggrep(command, "def charge_card").out == plain
        assert ggrep(command, "def charge_card(self, card):").out == plain
    result = ("search", "--find", "definition", "--json", "--deterministic")
    hits = ggrep(*result, "charge_card").document["results"]
    assert hits
    assert ggrep(*result, "def charge_card").document["results"] == hits


def test_usages_are_told_from_strings_and_comments(ggrep: Command, shop: Path) -> None:
    shown = ggrep("refs", "charge_card", "./src")
    everything = ggrep("refs", "charge_card", "./src", "--strings", "--comments")

    assert shown.out == "src/app.py\n  7:23  return Checkout().charge_card(card)  in main\n"
    assert "not shown: 1 string (--strings)" in shown.err
    first_words = [line.split()[0] for line in everything.out.splitlines() if line]
    assert first_words == ["src/app.py", "7:23", "src/app.py", "6:12", "5:7"]
    assert "src/app.py  mentioned\n" in everything.out


def test_a_path_of_nothing_is_a_route(ggrep: Command, shop: Path) -> None:
    """The quotes of a route are those of the shell, unless it is typed as a name."""
    routes = '@app.post("/login")\ndef login(): ...\n\n\nGO = "/login"\n'
    (shop / "src/routes.py").write_text(routes)
    shown = ggrep("refs", "/login", "--sync")

    assert shown.out == (
        'src/routes.py\n  1:12  handles: @app.post("/login")  in login\n\n'
        'src/routes.py  mentioned\n  5:7  GO = "/login"\n'
    )
    assert ggrep("refs", '"/login"').out == shown.out
    assert ggrep("refs", str(shop)).status == 2


def test_usages_have_two_names(ggrep: Command, shop: Path) -> None:
    flags = ("charge_card", "--json", "--deterministic")
    document = ggrep("refs", *flags)

    fits(document.document, "references_success")
    assert ggrep("references", *flags).out == document.out


def test_filters_narrow_usages(ggrep: Command, shop: Path) -> None:
    tested = ggrep("refs", "charge_card", "--filter", "test:true")

    assert tested.out.startswith("tests/test_checkout.py\n  2:")


def test_a_place_leads_to_what_stands_around_it(ggrep: Command, shop: Path) -> None:
    shown = ggrep("expand", "src/checkout.py:9", "--boundary", "chunk")

    assert shown.out.startswith("src/checkout.py:4  chunk, in Checkout, lines 4-9 of 9\n")
    assert "\n7 │     def charge_card(self, card):\n" in shown.out
    assert "\nbefore  1  block  ggrep expand " in shown.out


def test_what_is_printed_can_be_pasted(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Places and ids lead to the same text from any directory of the repository."""
    around = ggrep("expand", "src/checkout.py:9", "--boundary", "chunk", "--json").document
    row_id = around["neighbours"][0]["row_id"][:8]
    monkeypatch.chdir(shop / "src")

    fits(around, "expand_success")
    assert ggrep("expand", row_id).out.startswith("checkout.py:1  ")
    assert ggrep("expand", "checkout.py:9").out.startswith("checkout.py:")
    assert ggrep("expand", "src/checkout.py:9").out.startswith("checkout.py:")


def test_paths_are_keys_of_their_root(
    root: Path, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row id, or a file that was deleted since it was indexed, is left to the index."""
    (root / "other.py").write_text("x = 1\n")
    (root / "notes:12").write_text("text\n")
    monkeypatch.chdir(shop / "src")
    keys = {
        "app.py:3-7": "src/app.py:3-7",
        f"{shop}/docs/payments.md:2": "docs/payments.md:2",
        # `--repo` decides; a path of another repository is one of its keys, if it is any.
        f"{root}/other.py": f"{root}/other.py",
        **{typed: typed for typed in ("0123abcd", "gone.py:3", "x" * 5_000)},
    }

    assert {typed: key_of(typed, shop) for typed in keys} == keys
    # A file that exists is meant before what would have to be cut off.
    assert key_of(f"{root}/notes:12", root) == "notes:12"
    assert key_of(f"{root}/notes:12:1", root) == "notes:12:1"
    with pytest.raises(InvalidRequest, match="a directory"):
        Finder().target(".", shop)


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("symbol x -m -1", "-m: -1 is negative"),
        ("symbol x ./src --repo .", "cannot go together"),
        ("refs x --timeout-ms -5", "--timeout-ms: -5"),
        ("refs charge_card --filter nonsense", "--filter: 'nonsense'"),
        ("refs charge_card ./src --in tests", "use only one path"),
        ("refs x --budget 300", "only with --format agent"),
        ("refs x --format agent --json", "cannot go together"),
        ("search x --body 1", "only with --format agent"),
        ("expand src/app.py --max-bytes -1", "--max-bytes: -1 is negative"),
        ("expand src/app.py --boundary word", "--boundary: unknown 'word'"),
        ("expand nothing.py:3", "nothing.py"),
        ("outline nothing.py", "no file 'nothing.py'"),
        ("outline src --depth -1", "--depth"),
        ("outline src --max-bytes 0", "--max-bytes: 0"),
        ("outline .. --repo .", "is outside"),
        ("tour --max-bytes 0", "--max-bytes: 0"),
    ],
)
def test_a_value_that_means_nothing_is_named(
    ggrep: Command, shop: Path, line: str, output: str
) -> None:
    """Flag and value, so that it can be mended."""
    refused = ggrep(*line.split())

    assert refused.status != 0
    assert output in refused.err


def test_several_names_are_answered_at_once(ggrep: Command, shop: Path) -> None:
    shown = ggrep("symbol", "charge_card", "main")
    wrong = ggrep("refs", "no\nway", "charge_card")
    document = ggrep("symbol", "charge_card", "no\nway", "--json").document
    alone = ggrep("symbol", "charge_card", "--json").document

    heads = [line for line in shown.out.splitlines() if line.startswith("## ")]
    assert heads == ["## charge_card", "## main"]
    assert "src/checkout.py:7-9  method Checkout.charge_card" in shown.out
    assert wrong.status != 0
    assert "src/app.py" in wrong.out
    assert "no way: " in wrong.err
    fits(document, "answers")
    first, second = document["answers"]
    assert first["definitions"] == alone["definitions"]
    assert second["error"]["code"] == "invalid_request"


def test_what_one_answer_shows_the_next_names(ggrep: Command, shop: Path) -> None:
    """The same definition, line or text is not read twice."""
    symbols = ggrep("symbol", "Checkout.charge_card", "charge_card").out
    places = ggrep("expand", "src/checkout.py", "src/checkout.py:9").out

    assert symbols.count("method Checkout.charge_card") == 1
    assert "above: src/checkout.py:7 Checkout.charge_card\n" in symbols
    assert places.count("def charge_card") == 1
    assert "above: src/checkout.py:" in places


def test_a_search_is_narrowed_by_an_option_or_by_the_form_of_a_path(
    ggrep: Command, shop: Path
) -> None:
    named = ggrep("symbol", "src", "main")

    assert "## src" not in named.out
    assert "no definition of src" in named.err
    narrowed = ggrep("refs", "charge_card", "--in", "src").out
    assert narrowed
    assert ggrep("refs", "charge_card", "src/").out == narrowed


def test_an_agent_reads_a_line_a_place(ggrep: Command, shop: Path) -> None:
    defined = ggrep("symbol", "charge_card", "--format", "agent")
    used = ggrep("refs", "charge_card", "--format", "agent")
    around = ggrep("expand", "src/checkout.py:9", "--format", "agent")

    assert defined.out.startswith("src/checkout.py:7-9 method Checkout.charge_card\n")
    assert "src/app.py\n 7: return Checkout().charge_card(card)  in main\n" in used.out
    assert "\t    def charge_card(self, card):\n" in around.out
    assert not defined.err + used.err + around.err

    text = ggrep("slate", "charge a card", "--format", "agent").out

    assert "\n## " in text
    assert "─" not in text


def test_a_text_for_agents_is_cut_at_its_budget(ggrep: Command, shop: Path) -> None:
    text = ggrep("refs", "charge_card", "--format", "agent", "--budget", "256", "--comments").out

    assert len(text) <= 256 or "\ncut: " in text


def test_a_search_for_agents_opens_the_best_hit(ggrep: Command, shop: Path) -> None:
    text = ggrep("search", "charge a card", "--format", "agent").out

    assert "src/checkout.py:" in text
    assert "\t    def charge_card(self, card):\n" in text
    closed = ggrep("search", "charge a card", "--format", "agent", "--body", "0").out
    assert "charge_card(self, card):\n" not in closed.partition("\n## ")[2]


def test_a_file_is_outlined_as_its_path_is_typed(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ggrep("outline", "src/checkout.py").out.startswith("src/checkout.py  python, ")
    monkeypatch.chdir(shop / "src")
    shown = ggrep("outline", "checkout.py:8").out

    assert shown.startswith("checkout.py  python, ")
    assert "\n  7-9 method charge_card(self, card)" in shown

    monkeypatch.chdir(shop / "src")

    assert ggrep("outline").out == ggrep("outline", ".").out
    assert "\ncheckout.py  " in ggrep("outline").out


def test_outlines_and_tours_in_json_fit_their_schemas(ggrep: Command, shop: Path) -> None:
    outline = ggrep("outline", "src", "src/app.py", "--json").document

    fits(outline, "outline_success")
    assert outline["targets"] == ["src", "src/app.py"]
    fits(ggrep("tour", "--json").document, "tour_success")


def test_a_tour_is_of_the_whole_repository_wherever_it_is_asked(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = ggrep("tour").out
    monkeypatch.chdir(shop / "src")

    assert ggrep("tour").out == whole
    assert ggrep("tour", "--repo", str(shop)).out == whole
    assert "\ntests\n  tests/  " in whole


def test_paths_of_two_repositories_are_refused(ggrep: Command, shop: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(("git", "init", "-q", str(other)), check=True)
    refused = ggrep("outline", "src", str(other))

    assert refused.status != 0
    assert "these places are in " in refused.err
