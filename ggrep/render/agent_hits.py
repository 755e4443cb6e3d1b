"""Hits and opened places as text for agents: one line a hit, then the bodies that were wanted.

    src/checkout.py:7-9 method Checkout.charge_card(self, card)
    ## src/checkout.py:7-9 Checkout.charge_card
    7       def charge_card(self, card):
                if not card.valid:

A hit's `body` is the document of `expand`, put there by who asked for it; no schema has it.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from ggrep.model.numbered import numbered, range_of
from ggrep.render.above import Above
from ggrep.render.agent_lines import opened_lines

_Object: TypeAlias = Mapping[str, Any]

_HEAD: Final = 60
"""Characters of a head that are shown behind a hit's name."""
_DIGITS: Final = 7
"""Of a row id: so few name one row of millions most of the time, and a clash is told."""


def hit_lines(document: _Object) -> Iterator[str]:
    """Yield the hits one by one, and below them the bodies."""
    found = document["results"]
    yield f"{document.get('confidence', 'found')}, {len(found)} hits"
    spans = [_place(hit) for hit in found]
    for hit, (path, first, last) in zip(found, spans, strict=True):
        alias = f"[{hit['repoAlias']}] " if hit.get("repoAlias") else ""
        handle = "" if spans.count((path, first, last)) == 1 else handle_of(hit)
        name = hit.get("qualified_name") or hit.get("name") or ".".join(hit.get("breadcrumb", ()))
        kind = hit.get("chunk_type", "")
        head = f"{alias}{path}:{range_of(first, last)}{_within(hit)} {kind} {name}".rstrip()
        yield head + _parameters(hit) + handle
        if content := hit.get("content"):
            yield from text_lines(content, hit.get("content_start_line", first), first)
    for hit in found:
        if body := hit.get("body"):
            yield from body_lines(body)


def body_lines(body: _Object) -> Iterator[str]:
    """Yield an opened hit under its place, or why it could not be opened."""
    if "code" in body:
        yield f"no body: {body['message']}"
        return
    name = ".".join(body["breadcrumb"])
    span = range_of(body["start_line"], body["end_line"])
    yield from _opened(body, f"## {body['path']}:{span} {name}".rstrip(), comments=False)


def handle_of(place: _Object) -> str:
    """Return a chunk's short name, for where its path and lines are not its own."""
    row_id = place.get("row_id", "")
    return f" #{row_id[:_DIGITS]}" if row_id else ""


def expansion_lines(
    document: _Object, *, comments: bool, above: Above | None = None
) -> Iterator[str]:
    """Yield a place's text under its numbers; long comments only if they are wanted.

    From now on these lines stand above, where somebody asks.
    """
    span = range_of(document["start_line"], document["end_line"])
    inside = f" in {' > '.join(document['breadcrumb'])}" if document["breadcrumb"] else ""
    whole = f" of {document['file_lines']} lines"
    head = f"{path_of(document)}:{span} {document['boundary']}{inside},{whole}"
    yield from _opened(document, head, comments=comments, above=above)


def neighbour_lines(document: _Object) -> Iterator[str]:
    """Yield one line of what is around a place, if anything is."""
    near = [
        f"{range_of(one['start_line'], one['end_line'])} {one.get('name') or one['chunk_type']}"
        for one in document["neighbours"]
    ]
    if near:
        yield f"around: {', '.join(near)}"


def text_lines(text: str, begins: int, expected: int) -> Iterator[str]:
    """Yield lines as they stand, behind the number of the first where it is not as expected."""
    if begins != expected:
        yield f"  from {begins}:"
    yield from text.rstrip("\n").split("\n")


def path_of(found: _Object) -> str:
    """Return a file as `expand` takes it: behind its repository where there are several."""
    repo = found.get("repoAlias") or found.get("repoId")
    return f"{repo}:{found['path']}" if repo else str(found["path"])


def _place(hit: _Object) -> tuple[str, int, int]:
    if "file" in hit:
        return hit["file"], hit["start"], hit["end"]
    return hit["path"], hit.get("start_line", 1), hit.get("end_line", 1)


def _within(hit: _Object) -> str:
    """Return the lines of the definition of which a hit is a part."""
    around = hit.get("definition")
    return f" in {range_of(around['start_line'], around['end_line'])}" if around else ""


def _parameters(hit: _Object) -> str:
    """Return what stands behind a hit's name in its head: parameters, bases or the value."""
    head, name = " ".join(hit.get("signature", "").split()), hit.get("name", "")
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", head) if name else None
    if found is None:
        return ""
    rest = head[found.end() :].partition(" # ")[0].replace("( ", "(").replace(", )", ")")
    return f"{rest[:_HEAD].rstrip()}..." if len(rest) > _HEAD else rest.rstrip(":{ ")


def _opened(
    document: _Object, head: str, *, comments: bool, above: Above | None = None
) -> Iterator[str]:
    """Yield an expansion's lines under a head that says how many comments are missing."""
    shown, left = opened_lines(document, comments=comments)
    if above is not None:
        above.add(path_of(document), [number for number, _ in shown], left)
    yield head + (f", {len(left)} of comments left out" if left else "")
    yield from numbered(shown)
    if hidden := document.get("hidden_lines", 0):
        what, after = document["boundary"], f"{path_of(document)}:{document['end_line'] + 1}"
        yield f"cut: {hidden} more lines of this {what}; expand {after} goes on, or max-bytes"
