"""What a page of help consists of, and the pages that need no command loaded."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ggrep.interfaces.cli.parsing.examples import EXAMPLES
from ggrep.interfaces.cli.parsing.tree import BELOW, GROUPS, Entry, about


@dataclass(frozen=True, slots=True)
class Row:
    """One command, argument or option and what it is for."""

    term: str
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """Rows under a title."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """The help of one command.

    Attributes:
        path: what is typed for it, behind `ggrep`.
        usage: its form.
        brief: what it does in one line.
        about: paragraphs.
        examples: lines to type, and what each does.
    """

    path: tuple[str, ...]
    usage: str
    brief: str
    about: tuple[str, ...]
    sections: tuple[Section, ...]
    examples: tuple[tuple[str, str], ...]


_ABOUT: Final = "Search code by meaning: one repository, or a workspace of them."
_MORE: Final = (
    '`ggrep "words"` is `ggrep search "words"`. `ggrep help COMMAND` shows a command\'s page.'
)


EVERYWHERE: Final = (
    Row("--color WHEN", "Paint text: auto, always or never. [default: auto]"),
    Row("--no-pager", "Show long text on a terminal without a pager."),
    Row("-h, --help", "Show this page."),
)
"""Options of every command."""


def overview() -> Page:
    """Return the page of `ggrep` itself: its commands in groups."""
    groups = tuple(_listed(title, commands) for title, commands in GROUPS.items())
    rows = Row("--version", "Print the version."), *EVERYWHERE
    return Page(
        path=(),
        usage="ggrep COMMAND [OPTIONS] [ARGUMENTS]",
        brief=_ABOUT,
        about=(_ABOUT, _MORE),
        sections=(*groups, Section("Options", rows)),
        examples=EXAMPLES[""],
    )


def page_of_group(name: str) -> Page:
    """Return the page of a command that only leads to those below it."""
    brief = about(name)
    return Page(
        path=(name,),
        usage=f"ggrep {name} COMMAND [OPTIONS] [ARGUMENTS]",
        brief=brief,
        about=(brief, f"`ggrep help {name} COMMAND` shows a command's page."),
        sections=(_listed("Commands", BELOW[name]),),
        examples=EXAMPLES[name],
    )


def _listed(title: str, commands: Mapping[str, Entry]) -> Section:
    shown = {name: entry for name, entry in commands.items() if not entry.hidden}
    return Section(title, tuple(Row(name, entry.about) for name, entry in shown.items()))
