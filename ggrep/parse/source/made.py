"""The origin of a text, if recognisable: written by a generator, minified, or dumped data."""

import re
from typing import Final

from ggrep.model.traits import DATA, GENERATED, MINIFIED
from ggrep.parse.source.made_by import says_generated
from ggrep.parse.source.text_shape import is_data, is_minified

_HEAD_BYTES: Final = 2048
_MAPPED: Final = re.compile(rb"\s*(?://|/\*)[#@] ?sourceMappingURL=")
"""The last line of a script that was translated from others."""
_BUNDLED: Final = re.compile(
    rb"\bwebpackBootstrap\b|^\s*[;!]?\(?function\(\)\{function \w\(\w,\w,\w\)\{"
    rb"|\bvar __(?:getOwnPropNames|commonJS|defProp) = "
)
_SCRIPTS: Final = re.compile(r"\.(?:[cm]?js|css)$")
_PAGES: Final = re.compile(r"\.x?html?$")
_GENERATOR: Final = re.compile(rb"<meta\s[^>]{0,200}\bname=[\"']?generator\b", re.IGNORECASE)


def made_traits(path_key: str, data: bytes) -> int:
    """Return the one trait that fits best: `MINIFIED`, `DATA`, `GENERATED`, or 0.

    Args:
        path_key: its ending tells what a text of this shape would be.
        data: UTF-8. A bounded part of it is looked at.
    """
    if is_minified(path_key, data):
        return MINIFIED
    if is_data(path_key, data):
        return DATA
    told = says_generated(path_key, data) or _is_translated(path_key, data)
    return GENERATED * (told or _names_generator(path_key, data))


def _is_translated(path_key: str, data: bytes) -> bool:
    """Tell whether a script or style sheet is the product of a compiler or bundler."""
    if not _SCRIPTS.search(path_key):
        return False
    last_line = data.rfind(b"\n", 0, len(data.rstrip())) + 1
    return bool(_MAPPED.match(data, last_line) or _BUNDLED.search(data[:_HEAD_BYTES]))


def _names_generator(path_key: str, data: bytes) -> bool:
    """Tell whether a page names the program that wrote it."""
    return bool(_PAGES.search(path_key) and _GENERATOR.search(data[:_HEAD_BYTES]))
