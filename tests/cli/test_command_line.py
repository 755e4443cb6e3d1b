"""The command line and the names of its commands."""

from pathlib import Path

import pytest
from typer.main import get_command

from ggrep.base.commands import COMMANDS, values_of
from ggrep.config.home import Home
from ggrep.config.profiles import Profile
from ggrep.daemon.plan import Plan, PlannedLine, ServedRoot
from ggrep.interfaces import entry
from ggrep.interfaces.cli.parsing.typer_tree import parser
from ggrep.interfaces.cli.queries.command_line import read_line
from ggrep.model.navigation import ExpandRequest, SymbolRequest
from ggrep.model.outline import OutlineRequest, TourRequest
from ggrep.model.request import SnippetMode, ViewOptions
from ggrep.protocol.wire.messages import Claim, Line, Search, Status
from ggrep.render.printed import Rendered, json_line


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a work tree of two directories, and a file beside it."""
    result = tmp_path.resolve() / "repo"
    (result / "src/deep").mkdir(parents=True)
    (result / "docs").mkdir()
    (result / "src/a.py").touch()
    (result.parent / "b.py").touch()
    return result


def read(root: Path, here: str, *words: str) -> PlannedLine | None:
    served = ServedRoot(root, Home(root.parent / "home"), Profile(""), {})
    view = ViewOptions(cwd=str(root / here))
    return read_line(Line(words, Claim(str(root)), view), served)


def plan_of(root: Path, here: str, *words: str) -> Plan:
    """Return the plan of a line that is taken."""
    line = read(root, here, *words)
    assert line is not None
    assert isinstance(line.plan, Plan)
    return line.plan


def asked(root: Path, here: str, *words: str) -> object:
    """Return the only request of a line that is taken."""
    (message,) = plan_of(root, here, *words).messages
    return getattr(message, "request", message)


def test_places_are_read_from_where_the_line_was_typed(root: Path) -> None:
    result = asked(root, "", "symbol", "Name", "-m", "5", "--deterministic", "--timeout-ms=9")

    assert result == SymbolRequest("Name", "", limit=5, deterministic=True, timeout_ms=9)
    assert asked(root, "src", "symbol", "Name") == SymbolRequest("Name", "src")
    assert asked(root, "src", "symbol", "Name", "../docs") == SymbolRequest("Name", "docs")
    assert asked(root, "src", "symbol", "Name", "--repo", "..") == SymbolRequest("Name", "")
    assert asked(root, "src", "expand", "a.py:3") == ExpandRequest("src/a.py:3")
    assert asked(root, "", "expand", "abc123") == ExpandRequest("abc123")
    assert asked(root, "docs", "status") == Status()
    assert asked(root, "src", "outline") == OutlineRequest(("src",))
    assert asked(root, "", "outline") == OutlineRequest(("",))
    assert asked(root, "docs", "outline", "../src", "../src/a.py:3", "gone.py") == OutlineRequest(
        ("src", "src/a.py:3", "gone.py")
    )
    assert asked(root, "docs", "outline", ".", "--repo", "..") == OutlineRequest(("docs",))
    assert asked(root, "docs", "tour", "--max-bytes", "900") == TourRequest(max_bytes=900)


def test_a_search_for_agents_says_which_hits_it_opens(root: Path) -> None:
    plan = plan_of(root, "src", "search", "words", "--format", "agent", "--body", "1")

    (search,) = plan.messages
    assert isinstance(search, Search)
    assert search.request.scope == "src"
    document = {"results": [{"row_id": "a", "content": ""}, {"row_id": "b", "content": ""}]}
    assert plan.follow_ups is not None
    (expansion,) = plan.follow_ups([Rendered(json_line(document), "")])
    assert isinstance(expansion.request, ExpandRequest)
    assert expansion.request.target == "a"


def test_places_for_an_editor_are_told_from_where_the_line_was_typed(root: Path) -> None:
    plan = plan_of(root, "docs", "search", "words", "..", "--vimgrep")

    (search,) = plan.messages
    assert isinstance(search, Search)
    assert (search.request.scope, search.request.snippet) == ("", SnippetMode.FULL)
    hit = {"path": "src/a.py", "start_line": 1, "content": "few words"}
    warning = {"code": "index_behind", "message": "files have changed"}
    document = {"results": [hit], "warnings": [warning]}
    printed = plan.printed([Rendered(json_line(document), "")])
    assert printed.out == "../src/a.py:1:5:few words\n"
    assert printed.err == "warning: files have changed\n"
    assert printed.hits == 1


def test_several_names_are_several_questions_of_one_line(root: Path) -> None:
    plan = plan_of(root, "src", "symbol", "A", "B", "A", "--format", "agent")

    requests = [message.request for message in plan.messages if not isinstance(message, Status)]
    assert requests == [SymbolRequest("A", "src"), SymbolRequest("B", "src")]


def test_the_directories_that_a_line_goes_by_are_told(root: Path) -> None:
    def places(here: str, *words: str) -> tuple[str, ...]:
        result = read(root, here, *words)
        return () if result is None else result.places

    assert places("src/deep", "symbol", "Name") == ("src/deep",)
    assert places("", "symbol", "Name", "./src/a.py") == ("src",)
    assert places("docs", "expand", "../src/a.py:1") == ("src",)
    assert places("docs", "expand", "abc123") == ("docs",)


@pytest.mark.parametrize(
    "line",
    [
        *("clean", "nosuch", "symbol", "symbol Name ./nosuch", "symbol Name .."),
        *("symbol Name src/ --repo .", "symbol Name --limit 5", "symbol Name -m -5"),
        *("symbol Name --filter nosuch", "symbol Name --sync", "symbol Name --offline"),
        *("symbol Name --encoder none", "symbol Name --profile x", "expand ../b.py:1"),
        *("expand src", "slate words --workspace nosuch.json"),
        "slate words --workspace nosuch.json --session new",
        *("slate words --graph dot --json", "search words --workspace nosuch.json"),
        *("search words --receipt r.json", "search words --level 1"),
        *("search words --format agent --sync", "search words --format agent --stats"),
        *("outline ../b.py", "outline src --repo .. --depth -1", "tour --max-bytes 0"),
        *("status --all", "status --watch", "status --profile x"),
    ],
)
def test_whatever_gives_cause_to_doubt_is_left_to_the_client(root: Path, line: str) -> None:
    assert read(root, "", *line.split()) is None
    assert read(root, "..", *line.split()) is None


def test_a_line_from_nowhere_is_left_to_the_client(root: Path) -> None:
    served = ServedRoot(root, Home(root.parent / "home"), Profile(""), {})

    assert read_line(Line(("symbol", "Name"), Claim(str(root)), ViewOptions()), served) is None
    assert read_line(Line((), Claim(str(root)), ViewOptions(cwd=str(root))), served) is None


def test_the_script_knows_the_commands_and_their_values() -> None:
    """A command the script does not know would be searched for instead of run."""
    assert set(get_command(parser()).commands) == COMMANDS  # type: ignore[attr-defined] # a group

    command = get_command(parser()).commands["search"]  # type: ignore[attr-defined] # as above
    options = [each for each in command.params if each.param_type_name == "option"]

    assert {name for each in options if not each.is_flag for name in each.opts} <= values_of(
        "search"
    )


@pytest.mark.parametrize(
    ("given", "run"),
    [
        (["words"], ["search", "words"]),
        (["-m", "5", "words"], ["search", "-m", "5", "words"]),
        (["-m", "5", "status code"], ["search", "-m", "5", "status code"]),
        (["--repo", "status", "words"], ["search", "--repo", "status", "words"]),
        (["stauts"], ["stauts"]),
        (["--json", "status"], ["--json", "status"]),
        (["--", "status"], ["search", "--", "status"]),
        (["--json"], ["search", "--json"]),
        (["search", "status"], ["search", "status"]),
        (["status"], ["status"]),
        (["--version"], ["--version"]),
    ],
)
def test_what_is_no_command_is_a_search(
    given: list[str], run: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ggrep "words"` is the whole interface for most people."""
    seen: list[list[str]] = []
    monkeypatch.setattr("ggrep.interfaces.entry.fast.search", lambda *_, **__: None)
    monkeypatch.setattr(
        "ggrep.interfaces.cli.app.run", lambda arguments, _: seen.append(arguments) or 0
    )

    assert entry.main(given) == 0
    assert seen == [run]
