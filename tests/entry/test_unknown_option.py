"""A slip in an option is named before the command line's parser is loaded."""

import subprocess
import sys

import pytest

from ggrep.base.commands import options_of
from ggrep.base.option_spelling import unknown_option
from ggrep.interfaces.cli.parsing.parameters import pieces_of
from ggrep.interfaces.cli.parsing.tree import EVERY


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("search --tpo 3 x", "no option --tpo; did you mean: ggrep search --top 3 x"),
        ("search x --levle=1", "no option --levle; did you mean: ggrep search x --level=1"),
        ("search x --only --tpo --tga b", "no option --tga; did you mean: ggrep search x --only"),
        ("search --limt 3 x", "no option --limt; did you mean: ggrep search --max 3 x"),
        ("search --verison", "no option --verison; did you mean: ggrep --version"),
        ("search --stauts", "no option --stauts; did you mean: ggrep status"),
        ("symbol --qqqq x", "no option --qqqq; see: ggrep help symbol"),
        ("status --deep", "no option --deep, which is one of ggrep health; see: ggrep help status"),
        ("workspace add --tga x", "no option --tga; did you mean: ggrep workspace add --tag x"),
    ],
)
def test_the_message_holds_the_line_that_was_meant(line: str, said: str) -> None:
    """It can be typed as it stands."""
    assert str(unknown_option(line.split())).startswith(said)


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
