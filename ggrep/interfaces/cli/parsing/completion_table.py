"""What completions offer of the command tree, as a module that the fast path can import.

    python -m ggrep.interfaces.cli.parsing.completion_table

writes `ggrep/base/completion_words.py` anew; a test says when it has to be.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from ggrep.base.shorthand import CONTEXT, EXACT, FILTERING, FILTERS, FINDS, SEARCHING, TESTS
from ggrep.config.languages import LANGUAGES
from ggrep.interfaces.agents.shells import EVERY as EVERY_CLIENT
from ggrep.interfaces.cli.parsing.flags import Argument
from ggrep.interfaces.cli.parsing.parameters import Piece, pieces_of
from ggrep.interfaces.cli.parsing.tree import BELOW, EVERY, GROUPS
from ggrep.model.filters import FILTER_KEYS

FILE: Final = Path(__file__).parents[3] / "base" / "completion_words.py"
_HEAD: Final = '''\
"""Commands, flags and words of closed sets, as completions offer them. Generated; do not edit.

`python -m ggrep.interfaces.cli.parsing.completion_table` writes it from the command tree. A flag
leads to the words that it may be given, with blanks between them; None where it takes no value,
and `@` before what is looked up when it is asked for. Options of every command are not among them.
"""

# ruff: noqa: E501
# fmt: off
'''
_KINDS: Final = {"FLAGS": "dict[str, dict[str, str | None]]", "ARGUMENTS": "dict[str, list[str]]"}


def tables() -> dict[str, Any]:
    """Return the content of the module, by name."""
    pieces = {name: pieces_of(one.load()) or () for name, one in EVERY.items()}
    return {
        "COMMANDS": " ".join(
            name for group in GROUPS.values() for name, one in group.items() if not one.hidden
        ),
        "CLIENTS": " ".join(EVERY_CLIENT),
        "BELOW": {above: " ".join(names) for above, names in BELOW.items()},
        "FLAGS": {name: _flags(told) | _short_forms(name) for name, told in pieces.items()},
        "ARGUMENTS": {name: kinds for name, told in pieces.items() if (kinds := _arguments(told))},
        "FILTERS": {key: " ".join(words) for key, words in FILTER_KEYS.items()}
        | {"lang": " ".join(sorted(LANGUAGES))},
    }


def source() -> str:
    """Return the module's text."""
    parts = [_HEAD]
    for name, value in tables().items():
        kind = _KINDS.get(name)
        parts.append(f"{name}{f': {kind}' if kind else ''} = {_spelled(value)}\n")
    return "".join(parts)


def _short_forms(name: str) -> dict[str, str | None]:
    if name not in FILTERING:
        return {}
    of_filters = {flag: "@language" if "lang:" in key else "" for flag, key in FILTERS.items()}
    alone = (*TESTS, *(FINDS if name in SEARCHING else ()))
    exact = {**dict.fromkeys(EXACT, None), **dict.fromkeys(CONTEXT, "")}
    return {**of_filters, **dict.fromkeys(alone, None), **(exact if name == "search" else {})}


def _flags(pieces: tuple[Piece, ...]) -> dict[str, str | None]:
    return {
        flag: _values(piece) for piece in pieces for name in piece.names for flag in name.split("/")
    }


def _arguments(pieces: tuple[Piece, ...]) -> list[str]:
    """Return what the arguments may be, in their order; none where nothing is known of any."""
    kinds = [_values(piece) or "" for piece in pieces if isinstance(piece.says, Argument)]
    return kinds if any(kinds) else []


def _values(piece: Piece) -> str | None:
    says = piece.says
    if piece.kind is bool or piece.kind == bool | None:
        return None
    takes = says.takes if isinstance(says, Argument) else says.flag.takes
    words = says.words
    return " ".join(words) if words else f"@{takes}" if takes != "text" else ""


def _spelled(value: object) -> str:
    """Return a table with one line for each name in it."""
    if not isinstance(value, Mapping):
        return repr(value)
    return "{\n" + "".join(f"    {name!r}: {one!r},\n" for name, one in value.items()) + "}"


def main() -> int:
    """Write the module."""
    FILE.write_text(source(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
