"""Definitions and usages of names as text for agents, and what of them stands above already."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

from ggrep.model.files import TEST, traits_of
from ggrep.model.line_numbers import line_range
from ggrep.model.sanitise import first_of
from ggrep.render.agent_hits import AlreadyShown, path_of
from ggrep.render.navigation_text import IMPORT

_Object: TypeAlias = Mapping[str, Any]

MAX_LISTED: Final = 6
"""Places in one line."""
MAX_LINE: Final = 140
"""Characters of a line beside a usage."""
MAX_GUESSES: Final = 10
"""Usages that may be of another container and are shown by their lines; more are listed."""
MAX_VALUES: Final = 3
"""Constants of a name whose values stand above its usages."""
_VALUED: Final = frozenset({"constant", "field"})
_FOLDED: Final = {"import": "imported at", "receiver": "receiver or implemented type at"}
"""Roles of usages that are listed by their places alone."""


def definition_lines(document: _Object) -> Iterator[str]:
    """Yield the definitions of a name, each with its head, or similar names."""
    for definition in document["definitions"]:
        line = definition.get("line", 1)
        span = line_range(definition.get("start_line", line), definition.get("end_line", line))
        name = definition.get("qualified_name") or definition["name"]
        yield f"{path_of(definition)}:{span} {definition.get('kind', '')} {name}"
        if signature := definition.get("signature"):
            yield f"  {signature}"
    if not document["definitions"]:
        near = ", ".join(document.get("suggestions", ()))
        yield f"no definition of {document.get('name', '')}" + (
            f"; similar names: {near}" if near else ""
        )


def reference_lines(document: _Object) -> Iterator[str]:
    """Yield usages by file: files with calls first, tests last, imports in one line.

    Usages that may be of another container than requested come after the others.
    """
    mentions, files = document["references"], document.get("files", 0)
    count = "1 use" if len(mentions) == 1 else f"{len(mentions)} uses"
    where = "1 file" if files == 1 else f"{files} files"
    others = document.get("mentions", 0)
    rest = (
        f"; about {others:,} mentions in {document['mention_files']} more files" if others else ""
    )
    yield f"{count} of {document.get('name', '')} in {where}{rest}"
    yield from _defined(document.get("defined", ()))
    used = [item for item in mentions if _folded(item) is None]
    guesses = [item for item in used if item.get("guess")]
    if len(guesses) > MAX_GUESSES:
        used = [item for item in used if not item.get("guess")]
    calling = {path_of(item) for item in used if item.get("role") == "call"}
    used.sort(key=lambda item: (*_group(item)[:3], path_of(item) not in calling, *_place(item)))
    for (mentioned, test, guess, path, tie), group in groupby(used, key=_group):
        words = (("mentioned", mentioned), ("test", test), ("maybe", guess))
        marks = [word for word, is_so in words if is_so]
        notes = f" ({', '.join(marks)})" if marks else ""
        yield f"{path}{notes} {tie}".rstrip()
        for line, same in groupby(group, key=lambda item: item["line"]):
            yield _row(line, list(same))
    if len(guesses) > MAX_GUESSES:
        places = first_of(list(dict.fromkeys(map(_listed, guesses))), MAX_LISTED)
        yield (
            f"possibly related: {len(guesses)} uses at {places}; refs with the plain name "
            "shows them"
        )
    for role, words_of_role in _FOLDED.items():
        listed = [item for item in mentions if _folded(item) == role]
        if named := dict.fromkeys(map(_listed, listed)):
            yield f"{words_of_role} {first_of(list(named), MAX_LISTED)}"


def _row(line: int, mentions: Sequence[_Object]) -> str:
    """Return one line of a file, however often it holds the name."""
    first = mentions[0]
    inside = f"  in {first['container']}" if first.get("container") else ""
    sets = " set" if any(item.get("role") == "write" for item in mentions) else ""
    return f" {line}{sets}: {first.get('content', '').strip()[:MAX_LINE]}{inside}"


def _group(mention: _Object) -> tuple[bool, bool, bool, str, str]:
    """Return the sort key that mentions below one head share."""
    tie, mentioned = mention.get("tie", ""), mention.get("kind", "usage") != "usage"
    return mentioned, _in_test(mention), bool(mention.get("guess")), path_of(mention), tie


def _listed(mention: _Object) -> str:
    """Return the place of a listed mention; an import may be of another name."""
    place = f"{path_of(mention)}:{mention['line']}"
    return f"{place} guess" if mention.get("tie") == "guess" else place


def _folded(mention: _Object) -> str | None:
    """Return the role of a mention that is listed by its place alone; None for others."""
    if (role := mention.get("role")) in _FOLDED:
        return str(role)
    is_import = not mention.get("container") and IMPORT.match(mention.get("content", ""))
    return "import" if is_import else None


def _in_test(mention: _Object) -> bool:
    return bool(mention.get("test") or traits_of(mention["path"]) & TEST)


def _place(mention: _Object) -> tuple[str, str, int]:
    return mention["path"], mention.get("repoId", ""), mention["line"]


def _defined(places: Sequence[_Object]) -> Iterator[str]:
    """Yield where the name is defined and implemented, and the values of constants."""
    for relation, verb in (("definition", "defined"), ("implementation", "implemented")):
        shown = [
            f"{path_of(item)}:{line_range(item['start_line'], item['end_line'])}"
            f" {item['qualified_name']}{'?' if item['guess'] else ''}"
            for item in places
            if item["relation"] == relation
        ]
        if shown:
            yield f"{verb} at {first_of(shown, MAX_LISTED)}"
    values = [item["signature"] for item in places if item.get("kind") in _VALUED]
    yield from (f"  {value}" for value in dict.fromkeys(values[:MAX_VALUES]))


def fresh(document: _Object, above: AlreadyShown) -> tuple[_Object | None, tuple[str, ...]]:
    """Return what of an answer is new, None for nothing, and lines that name the rest."""
    for key in ("definitions", "references"):
        if key in document:
            return _fresh_places(document, key, above)
    if "boundary" not in document or not document["content"]:
        return document, ()
    path, first, last = path_of(document), document["start_line"], document["end_line"]
    unseen, seen = above.split(path, first, last)
    if not seen:
        return document, ()
    if unseen:
        shown = ", ".join(line_range(*each) for each in seen)
        return {**document, "unseen": unseen}, (f"above: {path}:{shown}",)
    inside = f" {'.'.join(document['breadcrumb'])}".rstrip()
    return None, (f"above: {path}:{line_range(first, last)}{inside}",)


def _fresh_places(
    document: _Object, key: str, above: AlreadyShown
) -> tuple[_Object | None, tuple[str, ...]]:
    entries = document[key]
    old = above.repeated([(path_of(item), item.get("line", 1)) for item in entries])
    if not old:
        return document, ()
    kept = [item for item in entries if (path_of(item), item.get("line", 1)) not in old]
    names = first_of([f"{path}:{line}" for path, line in sorted(old)], MAX_LISTED)
    return ({**document, key: kept} if kept else None), (f"above: {names}",)
