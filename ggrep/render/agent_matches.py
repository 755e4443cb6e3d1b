"""Hits of an exact text or an expression as text for agents: the lines that match, by file."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

_Object: TypeAlias = Mapping[str, Any]

_MOST_CHARACTERS: Final = 240
_MOST_NAME: Final = 60
"""Characters of what a line stands in; of a heading below many the last ones."""
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]*>\s*")


def match_lines(document: _Object) -> Iterator[str]:
    """Yield how much matches, then the lines of each file below its path."""
    totals = document["matches"]
    yield f"{totals['lines']} lines match in {totals['files']} files"
    if listed := totals.get("by_file") or totals.get("byFile"):
        yield from (f"{_path(one)}: {one['lines']}" for one in listed)
        return
    files: dict[str, dict[int, tuple[bool, str]]] = {}
    for hit in document["results"]:
        lines = files.setdefault(_path(hit), {})
        name = _name(hit)
        for line in hit.get("lines", ()):
            number, matches = line["line"], bool(line["columns"])
            if matches or number not in lines:
                text = line["text"].strip()[:_MOST_CHARACTERS]
                lines[number] = matches, f"{text}  in {name}" if name and matches else text
    for path, lines in files.items():
        yield path
        for number, (matches, text) in sorted(lines.items()):
            yield f" {number}{':' if matches else '-'} {text}".rstrip()


def _path(place: _Object) -> str:
    path = place.get("path") or place["file"]
    repo = place.get("repoAlias") or place.get("repoId")
    return f"[{repo}] {path}" if repo else str(path)


def _name(hit: _Object) -> str:
    name = _TAG.sub("", hit.get("qualified_name") or hit.get("qualifiedName") or hit["name"])
    return name if len(name) <= _MOST_NAME else f"...{name[-_MOST_NAME:]}"
