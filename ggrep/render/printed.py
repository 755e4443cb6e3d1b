"""Renders a repository's answer or error for stdout and stderr."""

import os
import traceback
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.model.containers import OTHER_CONTAINER
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.outline import (
    OutlineResponse,
    TourResponse,
    outline_lines,
    tour_lines,
)
from ggrep.model.request import ViewOptions
from ggrep.model.response import Answer, MatchTotals, QueryResponse
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.model.slate import ContextGraph, SlateResponse
from ggrep.model.suggested_commands import with_path
from ggrep.model.written_names import last_part
from ggrep.render.answer_json import NameAnswer, answer_json
from ggrep.render.failures import error_lines, query_error
from ggrep.render.hits import (
    ShownHit,
    highlighted_words,
    render_confidence,
    render_explanation,
    render_hits,
    split_notes,
)
from ggrep.render.matching_lines import (
    CUT_CODES,
    render_counts,
    render_lines,
    render_listing,
)
from ggrep.render.page import Page
from ggrep.render.style import Style

if TYPE_CHECKING:
    from ggrep.render.slate_text import GraphForm

_STEM_LETTERS: Final = 4
"""Minimum length of highlighted stems; shorter stems are part of too many words."""


class Rendered(Struct, frozen=True):
    """The output of a command.

    Attributes:
        out: text for standard output; JSON is written as UTF-8 in any locale.
        err: text for standard error.
        hits: number of hits in the answer; 0 for a failure.
        scan: whether a scan answered, without an index.
        before: for standard error, before `out`: warnings about an incomplete index or weak hits.
    """

    out: str
    err: str
    exit_status: int = 0
    hits: int = 0
    scan: bool = False
    before: str = ""

    def document(self) -> dict[str, stable_json.Json]:
        """Return the output as JSON for a daemon's reply."""
        return {
            "out": self.out,
            "err": self.err,
            "exit_status": self.exit_status,
            "hits": self.hits,
            **({"scan": True} if self.scan else {}),
            **({"before": self.before} if self.before else {}),
        }


def render_answer(response: QueryResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return an answer as text, or as a JSON document and a newline.

    Paths are relative to `view.cwd`, or to the root if `view.cwd` is empty; the file system is not
    read.
    """
    hits, scan = len(response.hits), response.provenance.scan is not None
    if view.json:
        return Rendered(json_line(answer_json(response)), "", hits=hits, scan=scan)
    style, notes_style = Style(view.colour, view.links, view.cwd), Style(view.notes_colour)
    header = ""
    if response.explanation is not None:
        header = render_explanation(response, style) + "\n"
    if response.matched is not None and view.shows_lines:
        return _matched(response, response.matched, root, view)
    shown = [ShownHit(hit, place(root, view.cwd, hit.path)) for hit in response.hits]
    first, notes = answer_notes(response.limits_hit, response.warnings, root, view)
    doubts = render_confidence(response.confidence, hits, response.limits_hit, notes_style)
    text = render_hits(shown, view, style, highlighted_words(response.request.query))
    if not hits:
        return Rendered(header + text, notes + doubts, scan=scan, before=first)
    return Rendered(header + text, notes, hits=hits, scan=scan, before=first + doubts)


def _matched(
    response: QueryResponse, totals: MatchTotals, root: Path, view: ViewOptions
) -> Rendered:
    """Return an answer about exact text: matching lines by file, or matching files."""
    style, notes_style = Style(view.colour, view.links, view.cwd), Style(view.notes_colour)
    hits = [ShownHit(hit, place(root, view.cwd, hit.path)) for hit in response.hits]
    if response.request.list_files:
        listed = [("", place(root, view.cwd, file.path), file.lines) for file in totals.by_file]
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
    """Return the lines before and after an answer; see `split_notes`.

    Suggested commands name the repository if the user is outside of it.
    """
    away = view.cwd and root != Path(view.cwd) and root not in Path(view.cwd).parents
    path = os.path.relpath(root, view.cwd) if away else None
    notes = [replace(notice, message=with_path(notice.message, path)) for notice in notices]
    return split_notes(limits, notes, Style(view.notes_colour))


def render_failure(error: GgrepError, view: ViewOptions, path: str | None = None) -> Rendered:
    """Return an error as text, and also as a JSON document if the view requests JSON.

    `path` is the repository path that the user typed, for suggested commands.
    """
    out = json_line(query_error(error)) if view.json else ""
    mark = Style(view.notes_colour).paint("bad", "error: ")
    err = "".join(f"{mark}{sanitise_line(with_path(line, path))}\n" for line in error_lines(error))
    if error.__cause__ is not None and type(error) is GgrepError:
        err += sanitise("".join(traceback.format_exception(error.__cause__)))
    return Rendered(out, err, error.exit_status)


def place(root: Path, cwd: str, key: str) -> str:
    """Return a path key relative to the directory `cwd`; unchanged if `cwd` is empty."""
    return os.path.relpath(root / key, cwd) if cwd else key


def json_line(document: stable_json.Document) -> str:
    """Return a document and a newline."""
    return stable_json.dumps(document).decode() + "\n"


CUTS_IN_TEXT = frozenset(
    {"max_outline_bytes", "max_outline_depth", "max_references", "max_tour_bytes"}
)
"""Codes of limits that outlines, tours and usages report in their own text."""


def render_outline(response: OutlineResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return outlines rendered for the view."""
    hits = len(response.outlines)
    if view.json:
        return Rendered(json_line(answer_json(response)), "", hits=hits)
    shown = partial(place, root, view.cwd)
    blocks = ["\n".join(outline_lines(item, shown(item.path))) for item in response.outlines]
    return _with_notes("\n\n".join(blocks) + "\n", response, root, view, hits)


def render_tour(response: TourResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return a tour rendered for the view, with paths relative to the root."""
    hits = len(response.sections)
    if view.json:
        return Rendered(json_line(answer_json(response)), "", hits=hits)
    return _with_notes("\n".join(tour_lines(response.sections)) + "\n", response, root, view, hits)


def render_slate(response: SlateResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return a slate rendered for the view; its files count as hits."""
    from ggrep.render.slate_text import shown_slate, slate_text

    files = sum(len(packs) for _, packs in response.slate.sections)
    if view.json:
        return Rendered(json_line(answer_json(response)), "", hits=files)
    stems = tuple(term for term in response.slate.overview.terms if len(term) >= _STEM_LETTERS)
    text = slate_text(shown_slate(response), _page(root, view, stems=stems))
    style = Style(view.notes_colour)
    doubts = render_confidence(response.confidence, files, response.limits_hit, style)
    return _with_notes(text, response, root, view, files, doubts)


def render_graph(
    response: SlateResponse, form: "GraphForm", root: Path, view: ViewOptions
) -> Rendered:
    """Return only the graph of a slate, for drawing programs."""
    from ggrep.render.slate_text import graph_text

    graph = response.slate.graph or ContextGraph((), ())
    return _with_notes(graph_text(graph, form), response, root, view, len(graph.nodes))


def render_name_answer(response: NameAnswer, root: Path, view: ViewOptions) -> Rendered:
    """Return definitions, mentions or surrounding code rendered for the view."""
    from ggrep.render.navigation_text import (
        expansion_text,
        references_notes,
        references_text,
        symbol_notes,
        symbol_text,
    )

    hits = hits_of(response)
    if view.json:
        return Rendered(json_line(answer_json(response)), "", hits=hits)
    page, text, notes = _page(root, view), "", ""
    match response:
        case SymbolResponse():
            text, notes = symbol_text(response, page), symbol_notes(response)
        case ReferencesResponse():
            page = _page(root, view, words=(last_part(response.request.name),))
            text, notes = references_text(response, page), references_notes(response)
        case ExpandResponse():
            text = expansion_text(response, page)
    return _with_notes(text, response, root, view, hits, notes)


def hits_of(answer: NameAnswer | GgrepError) -> int:
    """Return the number of definitions or mentions in an answer."""
    match answer:
        case SymbolResponse():
            return len(answer.definitions)
        case ReferencesResponse():
            return len(answer.references)
        case ExpandResponse():
            return 1
        case GgrepError():
            return 0


def _with_notes(
    text: str, answer: Answer, root: Path, view: ViewOptions, hits: int, notes: str = ""
) -> Rendered:
    limits = [limit for limit in answer.limits_hit if limit.code not in CUTS_IN_TEXT]
    warnings = answer.warnings
    if isinstance(answer, ReferencesResponse):
        warnings = tuple(notice for notice in warnings if notice.code != OTHER_CONTAINER)
    before, behind = answer_notes(limits, warnings, root, view)
    return Rendered(text, behind + notes, hits=hits, before=before)


def _page(
    root: Path, view: ViewOptions, *, words: tuple[str, ...] = (), stems: tuple[str, ...] = ()
) -> Page:
    style = Style(view.colour, view.links, view.cwd)
    return Page(view.line_columns, style, partial(place, root, view.cwd), words, stems)
