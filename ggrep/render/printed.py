"""A repository's answer, outline or failure as bytes for stdout and stderr."""

import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, convert
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.outline import (
    OutlineResponse,
    PathOutline,
    TourResponse,
    TourSection,
    outline_lines,
    tour_lines,
)
from ggrep.model.request import ViewOptions
from ggrep.model.response import MatchTotals, QueryResponse
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.model.suggested_commands import with_path
from ggrep.render.answer_json import outline_success, query_success, tour_success
from ggrep.render.failures import error_lines, query_error
from ggrep.render.hits import (
    HitView,
    ShownHit,
    render_confidence,
    render_explanation,
    render_hits,
    split_notes,
)
from ggrep.render.matching_lines import (
    CUT_CODES,
    MatchedHit,
    render_counts,
    render_lines,
    render_listing,
)
from ggrep.render.style import Style


class Rendered(Struct, frozen=True):
    """What a command prints, and how it ends.

    Attributes:
        out: for standard output; JSON is to be written as UTF-8 whatever the locale says.
        err: for standard error.
        hits: how many hits the answer holds; 0 for a failure.
        scan: nothing was indexed, and a scan answered.
        before: for standard error, ahead of the rest: the answer is from less than the complete
            index, or the hits may be beside the point.
    """

    out: str
    err: str
    exit_status: int = 0
    hits: int = 0
    scan: bool = False
    before: str = ""

    def document(self) -> dict[str, stable_json.Json]:
        """Return the same as a daemon's reply holds it."""
        return {
            "out": self.out,
            "err": self.err,
            "exit_status": self.exit_status,
            "hits": self.hits,
            **({"scan": True} if self.scan else {}),
            **({"before": self.before} if self.before else {}),
        }


def render_answer(response: QueryResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return an answer as the view wants it: for people, or one JSON document and a newline.

    Paths are written as seen from `view.cwd`, or as they are stored where it is empty; the file
    system is not asked.
    """
    hits, scan = len(response.hits), response.provenance.scan is not None
    if view.json:
        return Rendered(json_line(query_success(response)), "", hits=hits, scan=scan)
    style, notes_style = Style(view.colour, view.links, view.cwd), Style(view.notes_colour)
    header = ""
    if response.explanation is not None:
        header = render_explanation(response, style) + "\n"
    if response.matched is not None and view.shows_lines:
        return _matched(response, response.matched, root, view)
    shown = [ShownHit(hit, place(root, view.cwd, hit.path)) for hit in response.hits]
    first, notes = answer_notes(response.limits_hit, response.warnings, root, view)
    doubts = render_confidence(response.confidence, hits, response.limits_hit, notes_style)
    text = render_hits(shown, _hit_view(response.request.query, view), style)
    if not hits:
        return Rendered(header + text, notes + doubts, scan=scan, before=first)
    return Rendered(header + text, notes, hits=hits, scan=scan, before=first + doubts)


def _matched(
    response: QueryResponse, totals: MatchTotals, root: Path, view: ViewOptions
) -> Rendered:
    """Return an answer of exact text: its lines by file, or its files."""
    style, notes_style = Style(view.colour, view.links, view.cwd), Style(view.notes_colour)
    hits = [MatchedHit(hit, place(root, view.cwd, hit.path)) for hit in response.hits]
    if response.request.list_files:
        listed = [("", place(root, view.cwd, one.path), one.lines) for one in totals.by_file]
        text = render_listing(listed, style, counts=view.counts)
    else:
        text = render_lines(hits, view.columns, style)
    limits = [limit for limit in response.limits_hit if limit.code not in CUT_CODES]
    notes = render_counts(totals, hits, response.request, response.limits_hit, notes_style)
    first, others = answer_notes(limits, response.warnings, root, view)
    notes += others
    if not totals.lines:
        notes += render_confidence(response.confidence, 0, response.limits_hit, notes_style)
    scan = response.provenance.scan is not None
    return Rendered(text, notes, hits=totals.lines, scan=scan, before=first)


def answer_notes(
    limits: Sequence[LimitHit], notices: Sequence[Notice], root: Path, view: ViewOptions
) -> tuple[str, str]:
    """Return the lines before and behind an answer; see `split_notes`.

    Commands name the repository where the reader stands elsewhere.
    """
    away = view.cwd and root != Path(view.cwd) and root not in Path(view.cwd).parents
    path = os.path.relpath(root, view.cwd) if away else None
    told = [replace(notice, message=with_path(notice.message, path)) for notice in notices]
    return split_notes(limits, told, Style(view.notes_colour))


def render_failure(error: GgrepError, view: ViewOptions, path: str | None = None) -> Rendered:
    """Return a failure in words, and as one JSON document too where the view wants JSON.

    Args:
        error: what went wrong.
        view: how to print.
        path: the repository that was typed, for the commands that the words suggest.
    """
    out = json_line(query_error(error)) if view.json else ""
    mark = Style(view.notes_colour).paint("bad", "error: ")
    err = "".join(f"{mark}{sanitise_line(with_path(line, path))}\n" for line in error_lines(error))
    if error.__cause__ is not None and type(error) is GgrepError:
        err += sanitise("".join(traceback.format_exception(error.__cause__)))
    return Rendered(out, err, error.exit_status)


def place(root: Path, cwd: str, key: str) -> str:
    """Return a path key as seen from a directory; as it is stored where that is empty."""
    return os.path.relpath(root / key, cwd) if cwd else key


def json_line(document: stable_json.Document) -> str:
    """Return a document and a newline."""
    return stable_json.dumps(document).decode() + "\n"


def _hit_view(query: str, view: ViewOptions) -> HitView:
    return HitView(
        words=tuple(word for word in query.split() if len(word) > 2 or not word.isascii()),
        scores=view.scores,
        explain=view.explain,
        compact=view.compact,
        columns=0 if view.whole else view.columns,
    )


NOTICES_IN_TEXT = frozenset({"max_outline_bytes", "max_outline_depth", "max_tour_bytes"})
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
    limits = tuple(one for one in response.limits_hit if one.code not in NOTICES_IN_TEXT)
    return answer_notes(limits, response.warnings, root, view)
