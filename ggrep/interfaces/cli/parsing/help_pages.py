"""Which page of help some words ask for; pages ship as values, and no command is loaded."""

import json  # noqa: TID251 - orjson loads dataclasses, which doubles the time of a page
from functools import cache
from pathlib import Path
from typing import Any, Final

from ggrep.base.commands import ABOVE_OTHERS
from ggrep.interfaces.cli.parsing.help_values import Page, Row, Section

FILE: Final = Path(__file__).with_name("help_pages.json")
"""Made by `python -m ggrep.interfaces.cli.parsing.help_table`."""
ALL: Final = "--all"
WORKSPACES: Final = "workspaces"
"""Pages of no command: all commands, and the options of a search over a workspace."""


def page_at(words: list[str]) -> Page | None:
    """Return the page of what words name, whatever follows them; None where they name nothing."""
    size = 2 if words[:1] and words[0] in ABOVE_OTHERS else 1
    path = words if words == [ALL] else [word for word in words[:size] if word[:1] != "-"]
    told = _shipped().get(" ".join(path))
    return None if told is None else page_from(told)


def names_below(path: list[str]) -> list[str]:
    """Return the names of the commands that may follow a path."""
    begin = " ".join([*path, ""])
    names = [name.removeprefix(begin) for name in _shipped() if name.startswith(begin)]
    return [name for name in names if name and " " not in name and name != ALL]


def page_from(told: dict[str, Any]) -> Page:
    """Return a page from how it ships."""
    sections = tuple(
        Section(title, tuple(Row(term, text) for term, text in rows))
        for title, rows in told["sections"]
    )
    return Page(
        path=tuple(told["path"]),
        usage=told["usage"],
        brief=told["brief"],
        about=tuple(told["about"]),
        sections=sections,
        examples=tuple((line, text) for line, text in told["examples"]),
    )


@cache
def _shipped() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(FILE.read_bytes())
    return found
