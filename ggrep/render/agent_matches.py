"""Hits of an exact text or an expression as text for agents: the lines that match, by file."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

_Object: TypeAlias = Mapping[str, Any]

MOST_LINES: Final = 5
"""Matching lines of a chunk that are shown; of a table of names the first say enough."""
_MOST_CHARACTERS: Final = 240
_MOST_NAME: Final = 60
"""Characters of what a line stands in; of a heading below many the last ones."""
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>\s*")


def with_matches(document: _Object, pattern: re.Pattern[str]) -> _Object:
    """Return a search as the lines of its hits that match, in the order of the hits.

    Where the hit's own lines do not match, as the two libraries may see it otherwise, its first
    line stands for it.
    """
    found = [each for hit in document["results"] for each in _matches(hit, pattern)]
    rest = {key: value for key, value in document.items() if key != "results"}
    return {**rest, "matches": found}


def match_lines(document: _Object) -> Iterator[str]:
    """Yield the matching lines, those of a file below its path."""
    found: Sequence[_Object] = document["matches"]
    yield f"{len(found)} lines match"
    order = {path: place for place, path in enumerate(dict.fromkeys(one["path"] for one in found))}
    for path, group in groupby(
        sorted(found, key=lambda one: (order[one["path"]], one["line"])),
        key=lambda one: one["path"],
    ):
        yield path
        for one in group:
            inside = f"  in {one['name']}" if one["name"] else ""
            yield f" {one['line']}: {one['text']}{inside}"


def _matches(hit: _Object, pattern: re.Pattern[str]) -> list[_Object]:
    begins = hit.get("content_start_line", hit["start_line"])
    lines = list(enumerate(hit.get("content", "").split("\n"), begins))
    held = [(number, line) for number, line in lines if pattern.search(line)] or lines[:1]
    name = _TAG.sub("", hit.get("qualified_name") or hit.get("name") or "")
    name = name if len(name) <= _MOST_NAME else f"...{name[-_MOST_NAME:]}"
    return [
        {
            "path": hit["path"],
            "line": number,
            "text": line.strip()[:_MOST_CHARACTERS],
            "name": name,
        }
        for number, line in held[:MOST_LINES]
    ]
