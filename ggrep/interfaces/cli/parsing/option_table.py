"""Every option and argument of the command tree, as a table that is fast to import.

Running `python -m ggrep.interfaces.cli.parsing.option_table` writes `ggrep/base/options.py`. A test
fails when that file is out of date. `ggrep.base.commands` parses command lines with this table.
"""

import inspect
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from ggrep.base.option_spelling import CONTEXT, EXACT, FILTERING, FILTERS, FINDS, SEARCHING, TESTS
from ggrep.config.languages import LANGUAGES
from ggrep.interfaces.agents.shells import EVERY as EVERY_CLIENT
from ggrep.interfaces.cli.parsing.flags import Argument
from ggrep.interfaces.cli.parsing.parameters import Piece, item_of, pieces_of
from ggrep.interfaces.cli.parsing.tree import BELOW, COMMANDS, EVERY, GROUPS
from ggrep.model.filters import FILTER_KEYS

FILE: Final = Path(__file__).parents[3] / "base" / "options.py"
_HEAD: Final = '''\
"""Commands, options and lists of allowed words. Generated; do not edit.

`python -m ggrep.interfaces.cli.parsing.option_table` makes this module from the command tree. Each
line of a command describes an option or argument in four columns, separated by blanks: the flags (a
dot for an argument, an exclamation mark for a required argument); the key of the value; the kind of
value, with bounds of numbers, and a plus sign if repeatable; the allowed words or, after an at
sign, the names that completions look up. A hyphen as key marks a short option, which is expanded
before the line is parsed. Terminal options are not listed.
"""

# ruff: noqa: E501
# fmt: off
'''
_KINDS: Final = {str: "text", int: "number", Path: "path"}


def tables() -> dict[str, Any]:
    """Return the constants of the module, by name."""
    return {
        "COMMANDS": " ".join(
            name for group in GROUPS.values() for name, entry in group.items() if not entry.hidden
        ),
        "ASKING": " ".join(name for name, entry in COMMANDS.items() if entry.asks),
        "CLIENTS": " ".join(EVERY_CLIENT),
        "BELOW": {above: " ".join(names) for above, names in BELOW.items()},
        "OPTIONS": {
            name: "\n".join(_rows(name, pieces_of(entry.load()) or ()))
            for name, entry in EVERY.items()
            if entry.place
        },
        "FILTERS": {key: " ".join(words) for key, words in FILTER_KEYS.items()}
        | {"lang": " ".join(sorted(LANGUAGES))},
    }


def source() -> str:
    """Return the module's text."""
    return _HEAD + "".join(f"{name} = {_spelled(value)}\n" for name, value in tables().items())


def _rows(name: str, pieces: tuple[Piece, ...]) -> Iterator[str]:
    """Yield the rows of a command: its parameters, then its short options."""
    for piece in pieces:
        yield from _rows_of(piece)
    if name not in FILTERING:
        return
    for flag, key in FILTERS.items():
        yield f"{flag} - text {'@language' if 'lang:' in key else ''}"
    switches = (*TESTS, *(FINDS if name in SEARCHING else ()), *(EXACT if name == "search" else ()))
    yield from (f"{flag} - switch " for flag in switches)
    yield from (f"{flag} - text " for flag in (CONTEXT if name == "search" else ()))


def _rows_of(piece: Piece) -> Iterator[str]:
    """Yield the row of a parameter; two rows for a parameter with a negating flag."""
    says = piece.says
    if isinstance(says, Argument):
        required = piece.default is inspect.Parameter.empty
        yield f"{'!' if required else '.'} {piece.key} {_kind(piece)} {_words(piece)}"
        return
    if "/" in says.flag.names:
        on, off = says.flag.names.split("/")
        yield f"{on} {piece.key} on "
        yield f"{off} {piece.key} off "
        return
    yield f"{','.join(piece.names)} {piece.key} {_kind(piece)} {_words(piece)}"


def _kind(piece: Piece) -> str:
    """Return the kind of a parameter's value; `other` if only typer can parse it."""
    if piece.kind is bool:
        return "switch"
    item, is_list = item_of(piece.kind)
    kind, flag = _KINDS.get(item, "other"), getattr(piece.says, "flag", None)
    if kind == "number" and flag is not None and (flag.least, flag.most) != (None, None):
        bounds = ("" if bound is None else f"{bound}" for bound in (flag.least, flag.most))
        kind = ":".join((kind, *bounds))
    return kind + "+" * is_list


def _words(piece: Piece) -> str:
    says = piece.says
    if piece.kind is bool:
        return ""
    takes = says.takes if isinstance(says, Argument) else says.flag.takes
    return " ".join(says.words) if says.words else f"@{takes}" if takes != "text" else ""


def _spelled(value: object) -> str:
    """Return the source of a table, with one line for each key."""
    if not isinstance(value, Mapping):
        return repr(value)
    return "{\n" + "".join(f"    {name!r}: {each!r},\n" for name, each in value.items()) + "}"


def main() -> int:
    """Write the module."""
    FILE.write_text(source(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
