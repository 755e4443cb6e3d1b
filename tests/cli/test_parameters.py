"""Command lines that are read without typer are read as typer reads them."""

import inspect
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer import Typer
from typer.main import get_command

from ggrep.base.commands import read
from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.parsing.parameters import Command, handed, pieces_of
from ggrep.interfaces.cli.parsing.tree import COMMANDS, EVERY
from ggrep.interfaces.cli.parsing.typer_tree import grouped
from tests.fakes.effort import examples

NAMES = sorted(COMMANDS)
VALUES = ("a", "a=b", "x y", "café", "5", "0", "007", "12", "p/../q", "rrf", "debug", "new")
ODD = (
    *("", "-", "--", "-m5", "-m=5", "-yd", "-x", "--nosuch", "--json=1", "--json=", "--jso", "-1"),
    *("--max=", "--max=-1", "-m", "+3", " 4", "1_0", "\u0661", "99999999999", "1.5", "--fold"),
    *("--no-fold", "--filter", "--filter=-lang:c", "--level=2", "--help", "-h"),
)


def command_of(name: str) -> Command:
    """Return the function that is a command."""
    return COMMANDS[name].load()


def by_typer(command: Command, arguments: list[str]) -> dict[str, Any]:
    """Return what typer hands to a command."""
    seen: dict[str, Any] = {}

    def capture(**values: Any) -> int:
        seen.update(values)
        return 0

    capture.__signature__ = inspect.signature(command)  # type: ignore[attr-defined] # as inspect reads it
    app = Typer()
    app.command()(grouped(capture))
    assert get_command(app).main(arguments, prog_name="x", standalone_mode=False) == 0
    return seen


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """Return a command, and arguments that mostly fit it."""
    name = draw(st.sampled_from(NAMES))
    pieces = pieces_of(command_of(name)) or ()
    options = [piece for piece in pieces if piece.names]
    words = [piece for piece in pieces if not piece.names]
    groups = [[draw(st.sampled_from(VALUES))] for _ in words if draw(st.booleans())]
    for piece in draw(st.lists(st.sampled_from(options), max_size=4)) if options else ():
        flag = draw(st.sampled_from(piece.names))
        value = draw(st.sampled_from(VALUES))
        joined = flag.startswith("--") and draw(st.booleans())
        with_value = [f"{flag}={value}"] if joined else [flag, value]
        groups.append([flag] if piece.kind is bool else with_value)
    if draw(st.booleans()):
        groups.append([draw(st.sampled_from(ODD))])
    return name, [token for group in draw(st.permutations(groups)) for token in group]


@pytest.mark.slow
@settings(max_examples=examples(60, 500))
@given(lines())
def test_what_is_taken_is_read_as_typer_reads_it(line: tuple[str, list[str]]) -> None:
    """Which of both reads a line must not show. All else may be refused."""
    name, arguments = line
    command = command_of(name)
    try:
        values = read([name, *arguments]).values
    except ValueError:
        return
    assert handed_or_said(lambda: handed(command, values)) == handed_or_said(
        lambda: by_typer(command, arguments)
    )


def handed_or_said(act: Callable[[], dict[str, Any]]) -> dict[str, Any] | str:
    try:
        return act()
    except UsageError as error:
        return str(error)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("symbol", "Session.commit --in src -m 5 --filter lang:python --json"),
        ("symbol", "a b --json c"),
        ("symbol", "-m5 -- a -b"),
        ("slate", "words --fold"),
        ("slate", "words --no-fold --filter -lang:c"),
        ("refs", "commit --strings --comments --max=7 --timeout-ms 900"),
        ("expand", "src/a.py:3 --boundary file --max-bytes 9000"),
        ("slate", "words --level 2 --session new --max-files=3 -d --exit-status"),
        (
            "search",
            "words src --find usage --sync --strict --no-vectors --content --repo-filter x*",
        ),
        ("search", "words --workspace shop.jsonc --only api --only web --merge rrf --rrf-k 10"),
        ("status", "--path src --all --json"),
        ("index", "src --dry-run --yes"),
        ("stop-all", "--json"),
    ],
)
def test_the_usual_lines_are_taken(name: str, line: str) -> None:
    """Each of them waits for typer otherwise, and nothing would say so."""
    command, arguments = command_of(name), line.split()

    values = read([name, *arguments]).values
    assert handed(command, values) == by_typer(command, arguments)


@pytest.mark.parametrize(
    "line",
    [
        *("symbol", "replay a b c", "symbol a --nosuch", "symbol a --js", "symbol a -m"),
        *("symbol a -m five", "symbol a -m -1", "symbol a -m=5", "symbol a --json=1"),
        *("symbol --help", "search words -cs", "eval -k 0", "eval --timeout-s 5"),
    ],
)
def test_whatever_gives_cause_to_doubt_is_refused(line: str) -> None:
    """Typer knows what to make of it, and `usage` the words for what is wrong with it."""
    with pytest.raises(ValueError):
        read(line.split())


@pytest.mark.parametrize("name", EVERY)
def test_each_command_is_there(name: str) -> None:
    """The tree names modules by text, which no import checks."""
    entry = EVERY[name]

    assert callable(entry.load())
    assert len(entry.about) <= 64


@pytest.mark.slow
def test_a_plain_line_loads_no_typer(tmp_path: Path) -> None:
    """It takes longer to load than many commands to run."""
    run = (
        "import sys; from ggrep.interfaces.cli.app import run; run(sys.argv[1:]);"
        "print(*sorted({'typer', 'pydantic', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    line = [sys.executable, "-c", run, "list"]
    with subprocess.Popen(
        line, env={"GGREP_HOME": str(tmp_path)}, stderr=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        _, err = process.communicate(timeout=1_200)

    assert err.decode().splitlines()[-1] == ""
