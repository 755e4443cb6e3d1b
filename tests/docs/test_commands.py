"""The command lines of the documentation: each is one that the program takes."""

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import typer

from ggrep.base.commands import COMMANDS
from ggrep.base.option_spelling import written_out
from ggrep.interfaces.agents.instructions import AT_THE_SHELL
from ggrep.interfaces.cli.parsing.typer_tree import parser
from tests.docs.pages import PAGES, ROOT, page

_FENCE = re.compile(r"```sh\n(.*?)```", re.DOTALL)
_ENDS = {"|", "||", "&", ">", ">>", "2>"}
_OPTIONS = ("--help", "-h", "--version")


def lines_of(name: str) -> Iterator[list[str]]:
    """Yield the arguments of each `ggrep` command in the fences of a page."""
    for block in _FENCE.findall(page(name)):
        for line in block.splitlines():
            yield from typed_in(line)


def typed_in(line: str) -> Iterator[list[str]]:
    """Yield the arguments of the `ggrep` command that a line is, if it is one."""
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return  # a text in quotes over several lines
    if words[:1] == ["ggrep"]:
        end = next((at for at, word in enumerate(words) if word in _ENDS), None)
        yield words[1:end]


PAGE_NAMES = [str(path.relative_to(ROOT)) for path in PAGES]


@pytest.mark.parametrize("name", [name for name in PAGE_NAMES if any(lines_of(name))])
def test_each_command_of_a_page_is_taken(name: str) -> None:
    """Flags are renamed in code; pages are forgotten."""
    check_taken(lines_of(name))


def test_each_command_that_agents_are_told_of_is_taken() -> None:
    """It is read in every conversation: it is short, and each line of it can be typed."""
    reports = [words for line in AT_THE_SHELL.splitlines() for words in typed_in(line)]

    assert len(reports) == 7
    assert len(AT_THE_SHELL) < 1_500
    check_taken(reports)


def check_taken(commands: Iterable[list[str]]) -> None:
    root: Any = typer.main.get_command(parser())

    for arguments in commands:
        words = arguments if arguments[0] in {*COMMANDS, *_OPTIONS} else ["search", *arguments]
        words = written_out(words)
        command: Any = root
        context = root.make_context("ggrep", [], resilient_parsing=True)
        while getattr(command, "commands", None) and words:
            command, words = command.commands[words[0]], words[1:]
        parsed = command.make_context(command.name, list(words), parent=context)
        assert parsed.args == [], arguments
