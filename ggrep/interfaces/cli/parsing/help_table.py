"""Generates the pages of help from the command tree and the declared parameters."""

import inspect
import sys
from collections.abc import Iterable, Mapping
from inspect import Parameter
from pathlib import Path
from typing import Final, get_args, get_origin

from ggrep.base import stable_json
from ggrep.base.option_spelling import (
    FILTERING,
    SEARCHING,
    SHOWN,
    SHOWN_OF_EXACT,
    SHOWN_OF_SEARCHES,
)
from ggrep.base.stable_json import Json
from ggrep.interfaces.cli.parsing.examples import EXAMPLES, SAME
from ggrep.interfaces.cli.parsing.flags import Argument, help_of
from ggrep.interfaces.cli.parsing.help_pages import ALL, FILE, WORKSPACES, Page, Row, Section
from ggrep.interfaces.cli.parsing.parameters import Command, Piece, item_of, pieces_of
from ggrep.interfaces.cli.parsing.tree import BELOW, COMMANDS, EVERY, EVERYDAY, GROUPS, Entry, about

_ARGUMENTS: Final = "Arguments"
_REST: Final = "Options"
_METAVARS: Final = {int: "N", float: "NUMBER", Path: "PATH", str: "WORD"}


_ABOUT: Final = "Search code by meaning, in one repository or in all repositories of a workspace."
_MORE: Final = (
    '`ggrep "words"` is short for `ggrep search "words"`. `ggrep help COMMAND` shows a command\'s'
    " page, "
    f"`ggrep help {ALL}` lists all commands."
)
_WORKSPACE: Final = "Workspace"
"""Title of the options for workspaces, which have a separate page."""
EVERYWHERE: Final = (
    Row("--color WHEN", "Colour output: auto, always or never. [default: auto]"),
    Row("--no-pager", "Show long text on a terminal without a pager."),
    Row("-h, --help", "Show this page."),
)
"""Options of every command."""


def every_page() -> dict[str, Page]:
    """Return all help pages, keyed by the command's words; the key of `ggrep` itself is empty."""
    return {
        "": overview({"Everyday commands": {name: COMMANDS[name] for name in EVERYDAY}}),
        ALL: overview(GROUPS),
        WORKSPACES: workspace_options(),
        **{name: page_of_group(name) for name in BELOW},
        **{name: page_of(tuple(name.split()), entry) for name, entry in EVERY.items()},
    }


def overview(listed: Mapping[str, Mapping[str, Entry]]) -> Page:
    """Return the page of `ggrep` itself: commands by group."""
    groups = tuple(_listed(title, commands) for title, commands in listed.items())
    rows = Row("--version", "Print the version."), *EVERYWHERE
    return Page(
        path=(),
        usage="ggrep COMMAND [OPTIONS] [ARGUMENTS]",
        brief=_ABOUT,
        about=(_ABOUT, _MORE),
        sections=(*groups, Section("Options", rows)),
        examples=EXAMPLES[""],
    )


def workspace_options() -> Page:
    """Return the page of the options for searches of a workspace."""
    of_all, of_searches = (
        [_row(piece) for piece in pieces_of(COMMANDS[name].load()) or () if _is_shared(piece)]
        for name in ("symbol", "search")
    )
    brief = "Options of a search over the repositories of a workspace."
    return Page(
        path=(WORKSPACES,),
        usage="ggrep COMMAND --workspace FILE [OPTIONS]",
        brief=brief,
        about=(
            brief,
            "`ggrep help workspace` lists the commands that create and check a workspace file.",
        ),
        sections=(
            Section("search, slate, symbol, refs and expand", tuple(of_all)),
            Section("search and slate", tuple(row for row in of_searches if row not in of_all)),
        ),
        examples=EXAMPLES[WORKSPACES],
    )


def _is_shared(piece: Piece) -> bool:
    return piece.title == _WORKSPACE


def page_of_group(name: str) -> Page:
    """Return the page of a command that only has subcommands."""
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


def page_of(path: tuple[str, ...], entry: Entry) -> Page:
    """Return the help page of a command; `path` contains the command's words."""
    command = entry.load()
    pieces = pieces_of(command) or ()
    arguments = [piece for piece in pieces if not piece.names]
    # An argument with a default is in brackets.
    placed = (
        _metavar(each) if each.default is Parameter.empty else f"[{_metavar(each)}]"
        for each in arguments
    )
    name, short_forms = " ".join(path), []
    if name in FILTERING:  # options with the names and meaning that they have in grep and ripgrep
        shown = (*SHOWN, *(SHOWN_OF_SEARCHES if name in SEARCHING else ()))
        shown += SHOWN_OF_EXACT if name == "search" else ()
        short_forms.append(Section("Short forms", tuple(Row(*each) for each in shown)))
    return Page(
        path=path,
        usage=" ".join(["ggrep", *path, "[OPTIONS]", *placed]),
        brief=entry.about,
        about=_paragraphs(command),
        sections=(*_sections(pieces), *short_forms),
        examples=EXAMPLES.get(SAME.get(name, name), ()),
    )


def _sections(pieces: Iterable[Piece]) -> tuple[Section, ...]:
    """Return sections: the arguments, the options of each titled group, and other options."""
    rows: dict[str, list[Row]] = {_ARGUMENTS: []}
    for piece in pieces:
        if _is_shared(piece) and "--workspace" not in piece.names:
            continue
        title = piece.title or _REST if piece.names else _ARGUMENTS
        row = _row(piece)
        if _is_shared(piece):
            row = Row(row.term, f"{row.text} Further options: `ggrep help {WORKSPACES}`.")
        rows.setdefault(title, []).append(row)
    rest = [*rows.pop(_REST, []), *EVERYWHERE]
    return tuple(
        Section(title, tuple(listed)) for title, listed in {**rows, _REST: rest}.items() if listed
    )


def _row(piece: Piece) -> Row:
    says = piece.says
    if isinstance(says, Argument):
        return Row(_metavar(piece), says.help)
    if piece.word:
        switch = next(each for each in says.flag.switches if each.word == piece.word)
        return Row(_names(piece), switch.help)
    text = help_of(says)
    has_default = says.of is None and piece.default and not isinstance(piece.default, bool)
    if has_default and piece.default is not Parameter.empty:
        text = f"{text} [default: {piece.default}]"
    item, _ = item_of(piece.kind)
    item = get_args(item)[0] if get_origin(item) is tuple else item
    value = "" if item is bool else f" {_METAVARS.get(item, 'WORD')}"
    return Row(_names(piece) + value, text)


def _names(piece: Piece) -> str:
    """Return an option's names, the short one first."""
    names = sorted(piece.names, key=lambda name: (name.startswith("--"), piece.names.index(name)))
    return ", ".join(names).replace("/", " / ")


def _metavar(piece: Piece) -> str:
    named = piece.says.metavar if isinstance(piece.says, Argument) else None
    several = "..." if item_of(piece.kind)[1] else ""
    return named or piece.key.upper() + several


def _paragraphs(command: Command) -> tuple[str, ...]:
    """Return the paragraphs of a command's docstring that are for users."""
    shown = []
    for paragraph in (inspect.getdoc(command) or "").split("\n\n"):
        if paragraph.startswith(("Args:", "Returns:", "Raises:")):
            break
        shown.append(" ".join(paragraph.split()))
    return tuple(shown)


def shipped() -> bytes:
    """Return the content of the shipped file, one line for each page."""
    lines = [
        stable_json.dumps(name) + b": " + stable_json.dumps(_json(page))
        for name, page in every_page().items()
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def _json(page: Page) -> Json:
    return {
        "path": page.path,
        "usage": page.usage,
        "brief": page.brief,
        "about": page.about,
        "sections": [
            [section.title, [[row.term, row.text] for row in section.rows]]
            for section in page.sections
        ],
        "examples": page.examples,
    }


def main() -> int:
    """Write the file."""
    FILE.write_bytes(shipped())
    return 0


if __name__ == "__main__":
    sys.exit(main())
