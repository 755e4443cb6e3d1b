"""Outlines and tours for people; agents read the same lines."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import convert

from ggrep.model.answer_view import ViewOptions
from ggrep.model.outline import (
    OutlineResponse,
    PathOutline,
    TourResponse,
    TourSection,
)
from ggrep.model.outline_lines import outline_lines, tour_lines
from ggrep.render.outline_json import outline_success, tour_success
from ggrep.render.printed import Rendered, answer_notes, json_line, place

TOLD_IN_TEXT = frozenset({"max_outline_bytes", "max_outline_depth", "max_tour_bytes"})
"""Cuts that stand in the text itself."""


def render_outline(response: OutlineResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return outlines as the view wants them."""
    hits = len(response.outlines)
    if view.json:
        return Rendered(json_line(outline_success(response)), "", hits=hits)
    shown = partial(place, root, view.cwd)
    blocks = ["\n".join(outline_lines(one, shown(one.path))) for one in response.outlines]
    first, notes = _notes(response, root, view)
    return Rendered("\n\n".join(blocks) + "\n", notes, hits=hits, before=first)


def render_tour(response: TourResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return a tour as the view wants it; its paths are those below the root."""
    hits = len(response.sections)
    if view.json:
        return Rendered(json_line(tour_success(response)), "", hits=hits)
    first, notes = _notes(response, root, view)
    text = "\n".join(tour_lines(response.sections)) + "\n"
    return Rendered(text, notes, hits=hits, before=first)


def outline_document_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of an outline's document."""
    outlines = convert(document["outlines"], tuple[PathOutline, ...])
    for place_in_answer, outline in enumerate(outlines):
        if place_in_answer:
            yield ""
        yield from outline_lines(outline, outline.path)


def tour_document_lines(document: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a tour's document."""
    yield from tour_lines(convert(document["sections"], tuple[TourSection, ...]))


def _notes(
    response: OutlineResponse | TourResponse, root: Path, view: ViewOptions
) -> tuple[str, str]:
    limits = tuple(one for one in response.limits_hit if one.code not in TOLD_IN_TEXT)
    return answer_notes(limits, response.warnings, root, view)
