"""What a search carries beside its query: budgets, how to print it, what the client believes."""

import re
from typing import Final

from ggrep.config.caps import MAX_STORE_BYTES
from ggrep.domain.view import ViewOptions
from ggrep.errors import InvalidRequest
from ggrep.wire.fields import Fields, shown, text_bytes
from ggrep.wire.message_types import Claim
from ggrep.wire.requests import MAX_PATH_BYTES

_MOST_BUDGETS: Final = 64
_MOST_VARIABLES: Final = 256
_MOST_VALUE_BYTES: Final = 32 * 1024
_MOST_COLUMNS: Final = 100_000
_MOST_BUILD: Final = 128
_BUDGET: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")


def parse_budgets(fields: Fields) -> tuple[tuple[str, int], ...]:
    """Return the client's output bounds, by name.

    Raises:
        InvalidRequest: a name or figure is malformed.
    """
    found = fields.mapping("budgets", _MOST_BUDGETS) or {}
    inner = Fields(found, "budgets")
    return tuple(
        (_named(name, _BUDGET, "budgets"), inner.whole(name, 0, MAX_STORE_BYTES))
        for name in sorted(found)
    )


def parse_render(fields: Fields) -> ViewOptions | None:
    """Return how to print the answer; None when the client wants the document.

    Raises:
        InvalidRequest: a field is malformed.
    """
    found = fields.mapping("render", _MOST_BUDGETS)
    if found is None:
        return None
    inner = Fields(found, "render")
    return ViewOptions(
        json=inner.flag("json", default=False),
        columns=inner.whole("columns", 0, _MOST_COLUMNS, default=0),
        colour=inner.flag("colour", default=False),
        notes_colour=inner.flag("notes_colour", default=False),
        cwd=_path(inner, "cwd", default=""),
        scores=inner.flag("scores", default=False),
        compact=inner.flag("compact", default=False),
        explain=inner.flag("explain", default=False),
        whole=inner.flag("whole", default=False),
    )


def parse_path(fields: Fields) -> str:
    """Return the absolute path that the answer is narrowed to; empty for none.

    Raises:
        InvalidRequest: it is not absolute.
    """
    found = _path(fields, "path", default="")
    if found and not found.startswith("/"):
        raise fields.misfit("path", "an absolute path")
    return found


def parse_claim(fields: Fields) -> Claim | None:
    """Return what the client believes of this daemon; None when it knows.

    Raises:
        InvalidRequest: a field is malformed.
    """
    found = fields.mapping("claim", _MOST_BUDGETS)
    if found is None:
        return None
    inner = Fields(found, "claim")
    variables = inner.mapping("environ", _MOST_VARIABLES) or {}
    values = Fields(variables, inner.name("environ"))
    return Claim(
        root=_path(inner, "root"),
        environ=tuple(
            (_named(name, _VARIABLE, inner.name("environ")), values.text(name, _MOST_VALUE_BYTES))
            for name in sorted(variables)
        ),
        build=inner.printable("build", _MOST_BUILD, default=""),
    )


def _named(name: str, pattern: re.Pattern[str], place: str) -> str:
    text_bytes(name, place)
    if not pattern.fullmatch(name):
        raise InvalidRequest(f"{place}: {shown(name)} is no name")
    return name


def _path(fields: Fields, key: str, default: str | None = None) -> str:
    """Return an absolute path, or the default's empty one."""
    path = fields.text(key, MAX_PATH_BYTES, default=default)
    if "\0" in path or not (path.startswith("/") or path == default):
        raise fields.misfit(key, "an absolute path")
    return path
