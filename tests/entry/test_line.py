"""Lines as the fast path reads them."""

import subprocess
import sys
from pathlib import Path

import pytest

from ggrep.base.command_time import now_ms
from ggrep.base.commands import options_of, read
from ggrep.base.option_spelling import unknown_option
from ggrep.interfaces import entry
from ggrep.interfaces.cli.parsing.parameters import pieces_of
from ggrep.interfaces.cli.parsing.tree import EVERY
from ggrep.interfaces.entry import daemon_place, fast
from ggrep.protocol.wire.messages import Line, parse_message
from tests.entry.conftest import Printed, Served
from tests.entry.fake_daemon import RENDERED, fails, prints


@pytest.mark.parametrize(
    "typed",
    [
        ["symbol", "Name", "src", "--json"],
        ["refs", "Name", "-m", "5", "--plain"],
        ["expand", "src/a.py:3"],
        ["slate", "some words", "--level", "0"],
        ["words", "--format", "slate"],
        ["words", "--find", "usage"],
        ["words", "-m5"],
        ["refs", "--", "-x"],
        ["status"],
    ],
)
def test_a_daemon_is_sent_the_line_and_prints(
    served: Served, printed: Printed, typed: list[str]
) -> None:
    """With where it was typed, and how the terminal prints."""
    served.daemon.reply = prints(exit_status=1)

    assert entry.main(typed) == 1

    _, asked = served.daemon.seen
    message = parse_message(asked).message
    assert isinstance(message, Line)
    assert message.arguments[-len(typed) :] == tuple(typed)
    assert (message.claim.root, message.render.cwd) == (str(served.root), str(served.root))
    assert message.render.json is ("--json" in typed)
    assert printed == [(1, RENDERED["out"]), (2, RENDERED["err"])]


@pytest.mark.parametrize("code", ["stale_hint", "no_index", "invalid_request", "internal"])
def test_a_line_that_the_daemon_declines_is_read_here(
    served: Served, printed: Printed, code: str
) -> None:
    """It may know another place than its own, or no words for what is wrong."""
    served.daemon.reply = fails(code)

    assert fast.answer(["symbol", "Name"], now_ms()) is None
    assert printed == []


@pytest.mark.parametrize(
    "typed",
    [
        ["symbol", "--help"],
        ["symbol", "-h"],
        ["slate", "words", "--workspace=nosuch.json"],
        ["status", "--all"],
        ["status", "--watch"],
        ["symbol", "Name", "--sync"],
        ["symbol", "Name", "--offline"],
        ["search", "words", "--receipt", "r.json"],
        ["search", "words", "--profile", "docs"],
        ["search", "words", "--encoder=none"],
        ["symbol", "Name", "--timeout-ms", "soon"],
        ["symbol", *(["Name"] * 80)],
    ],
)
def test_what_a_daemon_would_decline_is_not_sent(
    served: Served, printed: Printed, typed: list[str]
) -> None:
    """The way there would be for nothing."""
    assert fast.answer(typed, now_ms()) is None
    assert served.daemon.seen == []


def test_a_line_is_about_the_last_place_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is asked for is no place, even where a file is called so."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").touch()

    assert daemon_place.place_in(read(["symbol", "src"])) is None
    assert daemon_place.place_in(read(["symbol", "Name", "src"])) == "src"
    assert daemon_place.place_in(read(["refs", "Name", "src", "-m", "5"])) == "src"
    assert daemon_place.place_in(read(["expand", "src/a.py:3-5"])) == "src/a.py"
    assert daemon_place.place_in(read(["expand", "abcdef12"])) is None
    assert daemon_place.place_in(read(["symbol", "Name", "--repo", "elsewhere"])) == "elsewhere"
    assert daemon_place.place_in(read(["status", "--path=elsewhere"])) == "elsewhere"


def test_a_workspace_is_asked_of_any_of_its_daemons(
    served: Served, printed: Printed, tmp_path: Path
) -> None:
    """The one whose hint is there; the file is not read for more than that."""
    (tmp_path / "other").mkdir()
    file = tmp_path / "ws.jsonc"
    file.write_text('{"repos": [// one\n{"root": "other"}, {"alias": "r", "root": "repo"}]}')

    assert fast.answer(["search", "words", "--workspace", str(file)], now_ms()) == 0
    assert served.daemon.seen[1]["claim"]["root"] == str(served.root)
    assert printed == [(1, RENDERED["out"]), (2, RENDERED["err"])]

    file.write_text('{"repos": [{"root": "other"}]}')
    assert fast.answer(["search", "words", "--workspace", str(file)], now_ms()) is None
    assert len(served.daemon.seen) == 2


@pytest.mark.usefixtures("printed")
def test_a_workspace_that_includes_directories_is_asked_of_one_of_these(
    served: Served, tmp_path: Path
) -> None:
    """Outside of a repository nothing else leads to a daemon."""
    (tmp_path / "other").mkdir()
    file = tmp_path / "ws.jsonc"
    file.write_text(f'{{"include": ["{tmp_path}/nowhere/*", "{served.root.parent}/*"]}}')

    assert fast.answer(["search", "words", "--workspace", str(file)], now_ms()) == 0
    assert served.daemon.seen[1]["claim"]["root"] == str(served.root)

    file.write_text(f'{{"include": ["{served.root.parent}/**"]}}')
    assert fast.answer(["search", "words", "--workspace", str(file)], now_ms()) is None


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        (["refs", "a", "--timeout-ms", "2000"], ["refs", "a", "--timeout-ms=70"]),
        (["refs", "--timeout-ms=2000", "a", "b"], ["refs", "--timeout-ms=70", "a", "b"]),
    ],
)
def test_a_line_gives_the_daemon_what_is_left(typed: list[str], sent: list[str]) -> None:
    assert daemon_place.with_timeout(typed, 70) == sent


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("search --tpo 3 x", "no option --tpo; did you mean: ggrep search --top 3 x"),
        ("search x --levle=1", "no option --levle; did you mean: ggrep search x --level=1"),
        ("search x --only --tpo --tga b", "no option --tga; did you mean: ggrep search x --only"),
        ("search --limt 3 x", "no option --limt; did you mean: ggrep search --max 3 x"),
        ("search x --path ../a", "no option --path; did you mean: ggrep search x --repo ../a"),
        ("search --verison", "no option --verison; did you mean: ggrep --version"),
        ("search --stauts", "no option --stauts; did you mean: ggrep status"),
        ("symbol --qqqq x", "no option --qqqq; see: ggrep help symbol"),
        (
            "status --deep",
            "no option --deep; commands with --deep: ggrep health; see: ggrep help status",
        ),
        (
            "push --workspace a.jsonc",
            "no option --workspace; commands with --workspace: ggrep search, ggrep slate,"
            " ggrep symbol and others; see: ggrep help push",
        ),
        ("workspace add --tga x", "no option --tga; did you mean: ggrep workspace add --tag x"),
    ],
)
def test_the_message_holds_the_line_that_was_meant(line: str, output: str) -> None:
    assert str(unknown_option(line.split())).startswith(output)


@pytest.mark.parametrize(
    "line",
    [
        "search x --top 3 --json",
        "search x --receipt --tpo",
        "search -- --tpo",
        "search -nm 3 --tpo",
        "index --help",
        "serve --background --yes --later",
        "nothing --tpo",
        "workspace",
    ],
)
def test_other_lines_are_left_to_the_parser(line: str) -> None:
    """Values, words behind two hyphens, short forms, and commands that there are not."""
    assert unknown_option(line.split()) is None


def test_the_table_has_every_option_of_every_command() -> None:
    """One that it lacks would be refused."""
    missing = {
        f"{name} {option}"
        for name, entry in EVERY.items()
        for piece in pieces_of(entry.load()) or ()
        for word in piece.names
        for option in word.split("/")
        if option not in options_of(name)[0]
    }

    assert missing == set()


def test_no_parser_is_loaded_for_it() -> None:
    """It is answered about as fast as a search."""
    code = (
        "import sys; from ggrep.interfaces.entry import main; status = main();"
        "print(status, sorted({'typer', 'msgspec', 'ggrep.interfaces.cli'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--tpo", "3", "x"], capture_output=True, text=True, check=True
    )

    assert done.stdout == "2 []\n"
    assert done.stderr == "error: no option --tpo; did you mean: ggrep search --top 3 x\n"
