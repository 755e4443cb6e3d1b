"""What may be asked about a name, and what is said of its spelling; needs no index."""

import re
from collections.abc import Iterable
from typing import Final, TypeVar

from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.base.scripts import nfc
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.name_pools import MAX_SUGGESTIONS
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.model.sanitise import is_text, sanitise_line

MAX_SYMBOLS: Final = 2_000
"""Most definitions of one answer."""
MAX_REFERENCES: Final = 2_000
"""Most mentions of one answer."""
MAX_NAME_CHARACTERS: Final = 400
_UNPRINTED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_RULE: Final = (
    f"a name is one line of 1 to {MAX_NAME_CHARACTERS} characters as `ggrep outline FILE` prints"
    " it; `ggrep search` takes any text"
)

_Asked = TypeVar("_Asked", SymbolRequest, ReferencesRequest)


def check_spelling(typed: str) -> None:
    """Raise unless a text can be read as a name, or as the head of a definition.

    Raises:
        InvalidRequest: says what is wrong, the rule, and the command that helps.
    """
    name = typed.strip()
    if not is_text(name):
        wrong = f"{name!r} is not valid Unicode"
    elif not name:
        wrong = f"{typed!r} is empty"
    elif _UNPRINTED.search(name):
        wrong = f"{name!r} has line ends or control characters"
    elif len(name) > MAX_NAME_CHARACTERS:
        wrong = f"{len(name)} characters"
    else:
        return
    raise InvalidRequest(f"name: {wrong}; {_RULE}")


def clamped(request: _Asked) -> tuple[_Asked, tuple[LimitHit, ...]]:
    """Return the request within the cap, which also replaces a limit of 0."""
    code = limit_code(request)
    most = MAX_SYMBOLS if code == "max_symbols" else MAX_REFERENCES
    limits = (LimitHit(code, most, request.limit),) if request.limit > most else ()
    return replace(request, limit=min(request.limit or most, most)), limits


def limit_code(request: SymbolRequest | ReferencesRequest) -> str:
    """Return what the limit of an answer is called."""
    return "max_symbols" if isinstance(request, SymbolRequest) else "max_references"


def other_case(name: str, spellings: Iterable[str]) -> tuple[Notice, ...]:
    """Return the notice that the name occurs only in other letter case."""
    spelled = sorted({*map(nfc, spellings)} - {name})
    shown = ", ".join(map(sanitise_line, spelled[:MAX_SUGGESTIONS]))
    told = f"nothing is spelled {sanitise_line(name)}; shown is {shown}"
    return (Notice("other_case", told),) if spelled else ()
