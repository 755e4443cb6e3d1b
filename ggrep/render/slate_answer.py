"""Slates and navigation answers as bytes for stdout and stderr."""

from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.navigation import ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.request import ViewOptions
from ggrep.model.slate import ContextGraph, SlateResponse
from ggrep.model.written_names import declared_name
from ggrep.render.agent_text import agent_text
from ggrep.render.answer_json import (
    Answer,
    expand_success,
    references_success,
    slate_success,
    symbol_success,
)
from ggrep.render.hits import render_confidence
from ggrep.render.navigation_text import (
    expansion_text,
    references_notes,
    references_text,
    symbol_notes,
    symbol_text,
)
from ggrep.render.page import Page
from ggrep.render.printed import Rendered, answer_notes, json_line, place
from ggrep.render.slate_text import GraphForm, graph_text, slate_text, told_of
from ggrep.render.style import Style

_STEM_LETTERS: Final = 4
"""Shorter ones stand in half of all words."""


def render_slate(response: SlateResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return a slate as the view wants it; its files count as hits."""
    files = sum(len(packs) for _, packs in response.slate.sections)
    if view.json:
        return _json(slate_success(response), files)
    stems = tuple(term for term in response.slate.overview.terms if len(term) >= _STEM_LETTERS)
    page = replace(_page(root, view), stems=stems)
    told = response.confidence, files, response.limits_hit, Style(view.notes_colour)
    first, notes = _notes(response, root, view)
    notes += render_confidence(*told)
    return Rendered(slate_text(told_of(response), page), notes, hits=files, before=first)


def render_slate_for_agent(response: SlateResponse) -> Rendered:
    """Return a slate as text for agents; its own budget bounds it."""
    files = sum(len(packs) for _, packs in response.slate.sections)
    return Rendered(agent_text(slate_success(response)) + "\n", "", hits=files)


def render_graph(
    response: SlateResponse, form: GraphForm, root: Path, view: ViewOptions
) -> Rendered:
    """Return only the graph of a slate, for programs that draw."""
    graph = response.slate.graph or ContextGraph((), ())
    first, notes = _notes(response, root, view)
    return Rendered(graph_text(graph, form), notes, hits=len(graph.nodes), before=first)


def render_symbol(response: SymbolResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return definitions as the view wants them."""
    found = len(response.definitions)
    if view.json:
        return _json(symbol_success(response), found)
    first, notes = _notes(response, root, view)
    notes += symbol_notes(response)
    return Rendered(symbol_text(response, _page(root, view)), notes, hits=found, before=first)


def render_references(response: ReferencesResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return mentions as the view wants them."""
    found = len(response.references)
    if view.json:
        return _json(references_success(response), found)
    page = replace(_page(root, view), words=(last_part(response.request.name),))
    first, notes = _notes(response, root, view)
    notes += references_notes(response)
    return Rendered(references_text(response, page), notes, hits=found, before=first)


def render_expansion(response: ExpandResponse, root: Path, view: ViewOptions) -> Rendered:
    """Return surroundings as the view wants them; there always are some."""
    if view.json:
        return _json(expand_success(response), 1)
    first, notes = _notes(response, root, view)
    return Rendered(expansion_text(response, _page(root, view)), notes, hits=1, before=first)


def last_part(name: str) -> str:
    """Return the last part of a qualified name, which is what stands in the lines."""
    name = declared_name(name)
    for separator in ("::", "#", "/"):
        name = name.replace(separator, ".")
    return name.rpartition(".")[2]


def _json(document: stable_json.Document, hits: int) -> Rendered:
    return Rendered(json_line(document), "", hits=hits)


def _notes(response: Answer, root: Path, view: ViewOptions) -> tuple[str, str]:
    return answer_notes(response.limits_hit, response.warnings, root, view)


def _page(root: Path, view: ViewOptions) -> Page:
    columns = 0 if view.whole else view.columns
    return Page(columns, Style(view.colour, view.links, view.cwd), partial(place, root, view.cwd))
