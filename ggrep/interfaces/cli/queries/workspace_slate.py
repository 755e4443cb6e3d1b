"""`ggrep slate --workspace`: one slate over the repositories of a workspace file."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ggrep.base.clock import SystemClock
from ggrep.base.errors import GgrepError, UsageError
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.interfaces.cli.queries.asked import Finder, Spot
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.search_options import Typed
from ggrep.interfaces.cli.queries.slate_options import (
    ALONE,
    Bounds,
    Session,
    Shape,
    slate_request_of,
)
from ggrep.interfaces.cli.queries.workspace_search import (
    answer_of,
    failed,
    failure_of,
    limits_of,
    notices_of,
    prepared,
)
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import SearchRequest
from ggrep.model.slate import ContextGraph, Slate
from ggrep.render.graph_text import GraphForm, graph_text
from ggrep.render.hits import render_confidence, render_notes
from ggrep.render.page import Page
from ggrep.render.slate_text import Told, slate_text

_STEM_LETTERS: Final = 4
_NO_SESSION: Final = "--session and --workspace cannot go together: a session is of one index"


@dataclass(frozen=True, slots=True)
class WorkspaceSlate:
    """A slate of a workspace, as typed."""

    typed: Typed
    shape: Bounds
    repositories: Repositories
    session: Session = ALONE

    def answer(self) -> int:
        """Build it and print it."""
        terminal = open_terminal(plain=self.typed.output.plain)
        return _slate_workspace(terminal, self.typed, self.shape, self.repositories, self.session)

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> None:
        """Leave it to the client: no daemon asks others."""


def _slate_workspace(
    terminal: Terminal,
    typed: Typed,
    shape: Bounds,
    repositories: Repositories,
    session: Session,
) -> int:
    try:
        if session != ALONE:
            raise UsageError(_NO_SESSION)
        asked = slate_request_of(shape, SearchRequest(typed.query))
        wanted = SlateShape(asked.level, asked.budgets, asked.anchors, asked.graph)
        workspace, request = prepared(terminal, typed, repositories)
        found = answer_of(
            terminal,
            typed,
            ask=lambda federator: federator.slate(workspace, request, wanted),
            read=lambda here: federated_slate(workspace, request, wanted, here, SystemClock()),
        )
    except GgrepError as error:
        return failed(error, terminal, typed, repositories)
    if typed.output.json:
        terminal.write_json(found.to_json(), pretty=False)
    else:
        _print(terminal, found, shape.graph_form if isinstance(shape, Shape) else None)
    empty = found.slate is None or not found.slate.sections
    return 1 if typed.output.exit_status and found.ok and empty else found.exit_status


def _print(terminal: Terminal, found: FederatedSlate, form: GraphForm | None) -> None:
    response = found.response
    limits = limits_of(response)
    notes = render_notes(limits, notices_of(response), terminal.notes_style)
    if response.error is not None or found.slate is None:
        terminal.note(notes)
        terminal.tell_error(failure_of(response))
        return
    if form is not None:
        terminal.write(graph_text(found.slate.graph or ContextGraph((), ()), form))
        terminal.note(notes)
        return
    terminal.write(slate_text(_told(found, found.slate), _page(terminal, found.slate)))
    terminal.note(notes)
    files = sum(len(packs) for _, packs in found.slate.sections)
    confidence = response.confidence, files, limits, terminal.notes_style
    terminal.note(render_confidence(*confidence))


def _told(found: FederatedSlate, slate: Slate) -> Told:
    response = found.response
    answered = sum(report.status == "ok" for report in response.reports)
    return Told(
        query=response.request.search.query,
        confidence=response.confidence,
        slate=slate,
        source=f"{answered} of {len(response.reports)} repositories",
        roots=tuple(
            (repo.alias or repo.repo_id, os.path.relpath(repo.root_canonical, Path.cwd()))
            for repo in response.workspace.repos
        ),
        workspace=os.path.relpath(response.workspace.workspace_path, Path.cwd()),
    )


def _page(terminal: Terminal, slate: Slate) -> Page:
    stems = tuple(term for term in slate.overview.terms if len(term) >= _STEM_LETTERS)
    return Page(terminal.columns, terminal.style, lambda key: key, stems=stems)
