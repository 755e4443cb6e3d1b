"""Definitions and usages of names as text for agents, without locations that were already shown."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

from msgspec import convert

from ggrep.model.limits import LimitHit, Notice
from ggrep.model.line_numbers import line_range
from ggrep.model.navigation import OutsideName, ReferencesRequest
from ggrep.model.sanitise import first_of
from ggrep.model.written_names import last_part
from ggrep.render.agent_hits import AlreadyShown, path_of
from ggrep.render.navigation_text import (
    FOLDED,
    IMPLEMENTED,
    NAMED_ROLES,
    MentionCounts,
    count_line,
    file_ranks,
    folded_line,
    undefined,
)

_Object: TypeAlias = Mapping[str, Any]

MAX_LISTED: Final = 6
"""Maximum number of locations in a line."""
MAX_LINE: Final = 140
"""Maximum number of characters of a usage's line of code."""
MAX_GUESSES: Final = 10
"""Maximum number of uncertain usages to show with their lines; others show only the location."""
MAX_VALUES: Final = 3
"""Maximum number of constants whose values are shown before the usages."""
_VALUED: Final = frozenset({"constant", "field"})
_MARKED: Final = {"write": " set", **{role: f" {role}" for role in NAMED_ROLES}}
"""Roles that are named beside the lines of usages."""


def definition_lines(document: _Object) -> Iterator[str]:
    """Yield a head and a signature for each definition of a name, then the implementations.

    Without a definition, yield the package from which the name is imported, or similar names.
    """
    for definition in document["definitions"]:
        line = definition.get("line", 1)
        span = line_range(definition.get("start_line", line), definition.get("end_line", line))
        name = definition.get("qualified_name") or definition["name"]
        yield f"{path_of(definition)}:{span} {definition.get('kind', '')} {name}"
        if signature := definition.get("signature"):
            yield f"  {signature}"
    if not document["definitions"]:
        suggestions = document.get("suggestions", ())
        yield undefined(document.get("name", ""), suggestions, _outside(document))
    implementations = document.get("implementations", ())
    yield from (IMPLEMENTED,) if implementations else ()
    yield from (f" {_defined_place(item)}" for item in implementations)


def _outside(document: _Object) -> list[tuple[str, OutsideName]]:
    return [(path_of(item), convert(item, OutsideName)) for item in document.get("outside", ())]


def reference_lines(document: _Object, *, arguments: bool = False) -> Iterator[str]:
    """Yield usages by file: files with handlers and calls first, tests last, imports as a count.

    Usages that may belong to another container than the requested one, such as another class, come
    last. With `arguments` the line of counts names arguments of tools instead of flags.
    """
    mentions, limits = document["references"], document.get("limits", {})
    notices = (*document.get("warnings", ()), *document.get("diagnostics", {}).get("warnings", ()))
    request = ReferencesRequest(
        document.get("name", ""),
        strings=limits.get("strings", False),
        comments=limits.get("comments", False),
    )
    counts = MentionCounts(
        *([item.get("kind", "usage") for item in mentions], document.get("totals", {})),
        *(document.get("files", 0), document.get("mentions", 0), document.get("mention_files", 0)),
        convert(document.get("limits_hit", ()), tuple[LimitHit, ...]),
        [Notice(item["code"], item["message"]) for item in notices],
    )
    yield count_line(request, counts, arguments=arguments)
    yield from _defined(document.get("defined", ()))
    if outside := _outside(document):
        yield undefined(document.get("name", ""), (), outside)
    used = [item for item in mentions if item.get("role") not in FOLDED]
    guesses = [item for item in used if item.get("guess")]
    if len(guesses) > MAX_GUESSES:
        used = [item for item in used if not item.get("guess")]
    yield from _by_file(used)
    if len(guesses) > MAX_GUESSES:
        name = last_part(document.get("name", ""))
        yield f"maybe: {len(guesses)} more, first at {_listed(guesses[0])}; refs {name} shows them"
    for role in FOLDED:
        listed = [_listed(item) for item in mentions if item.get("role") == role]
        yield from filter(None, (folded_line(role, listed),))


def _by_file(used: list[_Object]) -> Iterator[str]:
    """Yield the usages by file; for tests only line numbers, unless all usages are in tests."""
    is_test = all(item.get("test") for item in used)
    ranks = file_ranks((path_of(item), item.get("role", "")) for item in used)
    used.sort(key=lambda item: (*_group(item)[:3], ranks[path_of(item)], *_place(item)))
    for (mentioned, test, guess, path, tie), group in groupby(used, key=_group):
        words = (("mentioned", mentioned), ("test", test), ("maybe", guess))
        marks = [word for word, is_so in words if is_so]
        notes = f" ({', '.join(marks)})" if marks else ""
        head = f"{path}{notes} {tie}".rstrip()
        by_line = groupby(group, key=lambda item: item["line"])
        if test and not is_test:
            yield f"{head}: {', '.join(str(line) for line, _ in by_line)}"
            continue
        yield head
        yield from (_row(line, list(same)) for line, same in by_line)


def _row(line: int, mentions: Sequence[_Object]) -> str:
    """Return the row for a line of a file with one or several mentions."""
    first = mentions[0]
    inside = f"  in {first['container']}" if first.get("container") else ""
    marked = (_MARKED.get(item.get("role", ""), "") for item in mentions)
    mark = next(filter(None, marked), "")
    return f" {line}{mark}: {first.get('content', '').strip()[:MAX_LINE]}{inside}"


def _group(mention: _Object) -> tuple[bool, bool, bool, str, str]:
    """Return the sort key of mentions; mentions with equal keys have a common head."""
    tie, mentioned = mention.get("tie", ""), mention.get("kind", "usage") != "usage"
    return mentioned, bool(mention.get("test")), bool(mention.get("guess")), path_of(mention), tie


def _listed(mention: _Object) -> str:
    return f"{path_of(mention)}:{mention['line']}"


def _place(mention: _Object) -> tuple[str, str, int]:
    return mention["path"], mention.get("repoId", ""), mention["line"]


def _defined(places: Sequence[_Object]) -> Iterator[str]:
    """Yield lines with the definitions and implementations of the name, and values of constants."""
    for relation, verb in (("definition", "defined"), ("implementation", "implemented")):
        shown = [_defined_place(item) for item in places if item["relation"] == relation]
        if shown:
            more = "; symbol lists all" if len(shown) > MAX_LISTED else ""
            yield f"{verb} at {first_of(shown, MAX_LISTED)}{more}"
    values = [item["signature"] for item in places if item.get("kind") in _VALUED]
    yield from (f"  {value}" for value in dict.fromkeys(values[:MAX_VALUES]))


def _defined_place(item: _Object) -> str:
    span = line_range(item["start_line"], item["end_line"])
    return f"{path_of(item)}:{span} {item['qualified_name']}{'?' if item['guess'] else ''}"


def fresh(document: _Object, shown_before: AlreadyShown) -> tuple[_Object | None, tuple[str, ...]]:
    """Return the new part of an answer (None if empty), and lines about the part shown before."""
    for key in ("definitions", "references"):
        if key in document:
            return _fresh_places(document, key, shown_before)
    if "boundary" not in document or not document["content"]:
        return document, ()
    path, first, last = path_of(document), document["start_line"], document["end_line"]
    unseen, seen = shown_before.split(path, first, last)
    if not seen:
        return document, ()
    if unseen:
        shown = ", ".join(line_range(*each) for each in seen)
        return {**document, "unseen": unseen}, (f"above: {path}:{shown}",)
    inside = f" {'.'.join(document['breadcrumb'])}".rstrip()
    return None, (f"above: {path}:{line_range(first, last)}{inside}",)


def _fresh_places(
    document: _Object, key: str, shown_before: AlreadyShown
) -> tuple[_Object | None, tuple[str, ...]]:
    entries = document[key]
    old = shown_before.repeated([(path_of(item), item.get("line", 1)) for item in entries])
    if not old:
        return document, ()
    kept = [item for item in entries if (path_of(item), item.get("line", 1)) not in old]
    names = first_of([f"{path}:{line}" for path, line in sorted(old)], MAX_LISTED)
    return ({**document, key: kept} if kept else None), (f"above: {names}",)
