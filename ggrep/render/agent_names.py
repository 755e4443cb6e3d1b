"""Definitions and usages of names as text for agents, and what of them stands above already."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any, TypeAlias

from ggrep.model.traits import TEST, traits_of
from ggrep.render.above import Above
from ggrep.render.agent_hits import path_of, range_of
from ggrep.render.navigation_text import IMPORT

_Object: TypeAlias = Mapping[str, Any]


def definition_lines(document: _Object) -> Iterator[str]:
    """Yield the definitions of a name, each with its head, or names that are spelled alike."""
    for found in document["definitions"]:
        line = found.get("line", 1)
        span = range_of(found.get("start_line", line), found.get("end_line", line))
        name = found.get("qualified_name") or found["name"]
        yield f"{path_of(found)}:{span} {found.get('kind', '')} {name}"
        if signature := found.get("signature"):
            yield f"  {signature}"
    if not document["definitions"]:
        near = ", ".join(document.get("suggestions", ()))
        yield f"nothing defines {document.get('name', '')}" + (
            f"; similar names: {near}" if near else ""
        )


def reference_lines(document: _Object) -> Iterator[str]:
    """Yield usages by file, those in tests behind the others, and imports in one line each."""
    found = document["references"]
    yield f"{len(found)} mentions of {document.get('name', '')} in {document.get('files', 0)} files"
    used = [one for one in found if not _is_import(one)]
    for path, group in groupby(sorted(used, key=_standing), key=path_of):
        first, *more = group
        test = " (test)" if traits_of(first["path"]) & TEST else ""
        yield f"{path}{test} {first.get('tie', '')}".rstrip()
        for one in (first, *more):
            inside = f"  in {one['container']}" if one.get("container") else ""
            yield f" {one['line']}: {one.get('content', '').strip()}{inside}"
    imports = [f"{path_of(one)}:{one['line']}" for one in found if _is_import(one)]
    if imports:
        yield f"imported at {', '.join(imports)}"


def _is_import(mention: _Object) -> bool:
    return not mention.get("container") and bool(IMPORT.match(mention.get("content", "")))


def _standing(mention: _Object) -> tuple[bool, str, str, int]:
    path = mention["path"]
    return bool(traits_of(path) & TEST), path, mention.get("repoId", ""), mention["line"]


def fresh(document: _Object, above: Above) -> tuple[_Object | None, tuple[str, ...]]:
    """Return what of an answer is new, None for nothing, and lines that name the rest."""
    for key in ("definitions", "references"):
        if key in document:
            return _fresh_places(document, key, above)
    if "boundary" not in document or not document["content"]:
        return document, ()
    path, first, last = document["path"], document["start_line"], document["end_line"]
    if not above.covers(path, first, last):
        return document, ()
    inside = f" {'.'.join(document['breadcrumb'])}".rstrip()
    return None, (f"above: {path}:{range_of(first, last)}{inside}",)


def _fresh_places(
    document: _Object, key: str, above: Above
) -> tuple[_Object | None, tuple[str, ...]]:
    found = document[key]
    old = above.repeated([(one["path"], one.get("line", 1)) for one in found])
    if not old:
        return document, ()
    kept = [one for one in found if (one["path"], one.get("line", 1)) not in old]
    told = (f"above: {', '.join(f'{path}:{line}' for path, line in sorted(old))}",)
    return ({**document, key: kept} if kept else None), told
