"""Help pages, generated and shipped as JSON: look-up, plain text, and manual pages in roff."""

import json  # noqa: TID251 - orjson loads dataclasses, which doubles the time of a page
import textwrap
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import Any, Final, NamedTuple

from ggrep import __version__
from ggrep.base.commands import ABOVE_OTHERS


class Row(NamedTuple):
    """One command, argument or option with its description."""

    term: str
    text: str


class Section(NamedTuple):
    """Rows under a title."""

    title: str
    rows: tuple[Row, ...]


class Page(NamedTuple):
    """The help page of one command or command group."""

    path: tuple[str, ...]
    usage: str
    brief: str
    about: tuple[str, ...]
    sections: tuple[Section, ...]
    examples: tuple[tuple[str, str], ...]


FILE: Final = Path(__file__).with_name("help_pages.json")
"""Made by `python -m ggrep.interfaces.cli.parsing.help_table`."""
ALL: Final = "--all"
WORKSPACES: Final = "workspaces"
"""Pages of no command: all commands, and the options of a search over a workspace."""


def page_at(words: list[str]) -> Page | None:
    """Return the help page of the command that the words begin with; None for no command."""
    size = 2 if words[:1] and words[0] in ABOVE_OTHERS else 1
    path = words if words == [ALL] else [word for word in words[:size] if word[:1] != "-"]
    values = _shipped().get(" ".join(path))
    return None if values is None else page_from(values)


def names_below(path: list[str]) -> list[str]:
    """Return the names of a command's subcommands."""
    begin = " ".join([*path, ""])
    names = [name.removeprefix(begin) for name in _shipped() if name.startswith(begin)]
    return [name for name in names if name and " " not in name and name != ALL]


def page_from(document: dict[str, Any]) -> Page:
    """Return a help page from its shipped JSON."""
    sections = (Section(title, tuple(starmap(Row, rows))) for title, rows in document["sections"])
    return Page(
        path=tuple(document["path"]),
        usage=document["usage"],
        brief=document["brief"],
        about=tuple(document["about"]),
        sections=tuple(sections),
        examples=tuple((line, text) for line, text in document["examples"]),
    )


@cache
def _shipped() -> dict[str, Any]:
    result: dict[str, Any] = json.loads(FILE.read_bytes())
    return result


MOST_COLUMNS: Final = 100
_LEAST_TEXT: Final = 30
_MOST_TERM: Final = 30


def text_of(page: Page, columns: int) -> str:
    """Return a help page as lines of at most `columns`; only examples may be longer."""
    columns = min(columns, MOST_COLUMNS)
    blocks = [textwrap.wrap(f"Usage: {page.usage}", columns, subsequent_indent=" " * 7)]
    blocks += [_filled(paragraph, columns, "  ") for paragraph in page.about]
    terms = [row.term for section in page.sections for row in section.rows]
    width = max(len(term) for term in terms if len(term) <= _MOST_TERM)
    for section in page.sections:
        lines = [line for row in section.rows for line in _row(row, width, columns)]
        blocks.append([f"{section.title}:", *lines])
    if page.examples:
        width = max(len(line) for line, _ in page.examples)
        longest = max(len(text) for _, text in page.examples)
        if width + longest + 6 <= columns:
            examples = [f"  {line:{width}}  # {text}" for line, text in page.examples]
        else:
            pairs = ((f"  # {text}", f"  {line}") for line, text in page.examples)
            examples = [part for pair in pairs for part in pair]
        blocks.append(["Examples:", *examples])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _row(row: Row, width: int, columns: int) -> list[str]:
    """Return a term and its text in two columns; a term that is too wide is above its text."""
    indent = " " * (width + 4)
    if columns - len(indent) < _LEAST_TEXT:
        return [f"  {row.term}", *_filled(row.text, columns, "      ")]
    lines = _filled(row.text, columns, indent)
    if len(row.term) > width:
        return [f"  {row.term}", *lines]
    return [f"  {row.term:{width}}  {lines[0].strip()}", *lines[1:]]


def _filled(text: str, columns: int, indent: str) -> list[str]:
    return textwrap.wrap(
        text, columns, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


_ESCAPES: Final = str.maketrans(
    {"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}
)
"""Characters that roff would replace."""


def roff_of(page: Page) -> str:
    """Return a help page as roff, without a date."""
    name = "-".join(("ggrep", *page.path))
    lines = [
        f'.TH {_text(name.upper())} 1 "" "ggrep {_text(__version__)}" "User Commands"',
        ".SH NAME",
        rf"{_text(name)} \- {_text(page.brief.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {_text(page.usage)}",
        ".SH DESCRIPTION",
    ]
    for paragraph in page.about:
        lines += [".PP", _text(paragraph)]
    for section in page.sections:
        lines.append(f".SH {_text(section.title.upper())}")
        for row in section.rows:
            lines += [".TP", f".B {_text(row.term)}", _text(row.text)]
    if page.examples:
        lines.append(".SH EXAMPLES")
    for line, text in page.examples:
        sentence = f"{text[:1].upper()}{text[1:].rstrip('.')}."
        lines += [".TP", f".B {_text(line)}", _text(sentence)]
    lines += [".SH SEE ALSO", r"\fBggrep help\fR, \fBggrep help \-\-man\fR \fICOMMAND\fR"]
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    escaped = text.translate(_ESCAPES).replace('"', r"\(dq")
    return rf"\&{escaped}" if escaped.startswith(".") else escaped
