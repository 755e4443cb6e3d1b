"""Parses JSON from untrusted clients: no duplicate keys, bounded depth."""

import re
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest

MAX_DEPTH: Final = 16
"""Most objects and arrays within each other; our requests need three."""

_TOKEN = re.compile(rb'("[^"\\]*(?:\\.[^"\\]*)*")([ \t\r\n]*:)?|[{}\[\]]', re.DOTALL)


def parse_json(data: bytes) -> Any:  # noqa: ANN401 - JSON is whatever it is
    """Return the value that `data` spells.

    Raises:
        InvalidRequest: it is no JSON, is too deep, or an object has a key twice.
    """
    try:
        value = stable_json.loads(data)
    except ValueError as error:
        raise InvalidRequest(f"the body is not JSON: {error}") from error
    _check(data)
    return value


def _check(data: bytes) -> None:
    """Raise for depth and repeated keys.

    Requires: `data` is JSON.
    """
    open_keys: list[set[str]] = []
    for token in _TOKEN.finditer(data):
        text, colon = token[1], token[2]
        if text is None:
            if token[0] in b"{[":
                open_keys.append(set())
            else:
                open_keys.pop()
            if len(open_keys) > MAX_DEPTH:
                raise InvalidRequest(f"the body is nested deeper than {MAX_DEPTH} levels")
        elif colon is not None:
            key = stable_json.loads(text)
            if key in open_keys[-1]:
                raise InvalidRequest(f"the body says {key!a} twice in one object")
            open_keys[-1].add(key)
