"""`ggrep slate --workspace`: one slate over the repositories of a workspace file."""

import os
from collections.abc import Awaitable
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.search_options import Typed
from ggrep.interfaces.cli.queries.slate_options import (
    ALONE,
    Bounds,
    Session,
    Shape,
    slate_request_of,
)
from ggrep.interfaces.cli.queries.workspace_notes import (
    failure_of,
    for_agent,
    limits_of,
    merge_told,
    notices_of,
)
from ggrep.interfaces.cli.queries.workspace_query import WorkspaceQuery
from ggrep.model.answer_view import ViewOptions
from ggrep.model.request import SearchRequest
from ggrep.model.slate import ContextGraph, Slate
from ggrep.render.agent_text import MERGED_BY_RANK, agent_text
from ggrep.render.graph_text import GraphForm, graph_text
from ggrep.render.hits import render_confidence, split_notes
from ggrep.render.page import Page
from ggrep.render.printed import Rendered, json_line
from ggrep.render.slate_text import Told, slate_text
from ggrep.render.style import Style
from ggrep.service.federator import Federator

_STEM_LETTERS: Final = 4


def slate_of_workspace(
    typed: Typed,
    shape: Bounds,
    repositories: Repositories,
    session: Session = ALONE,
    *,
    for_agents: bool = False,
) -> WorkspaceQuery[FederatedSlate]:
    """Return the query for a slate of a workspace.

    Raises:
        UsageError: flags that exclude each other, or lack one another.
        InvalidRequest: a value means nothing.
    """
    asked = slate_request_of(shape, SearchRequest(typed.query), session)
    budgets = asked.budgets.for_agents() if for_agents else asked.budgets
    wanted = SlateShape(asked.level, budgets, asked.anchors, asked.graph, asked.session)

    def ask(
        federator: Federator, workspace: Workspace, request: FederatedRequest, here: Path
    ) -> Awaitable[FederatedSlate]:
        del here
        return federator.slate(workspace, request, wanted)

    def printed(answer: FederatedSlate, view: ViewOptions) -> Rendered:
        files = 0 if answer.slate is None else sum(len(each) for _, each in answer.slate.sections)
        empty = typed.output.exit_status and answer.ok and not files
        status = 1 if empty else answer.exit_status
        if view.json:
            return Rendered(json_line(answer.to_json()), "", status, hits=files)
        if for_agents:
            notes = (MERGED_BY_RANK,) if answer.merge_unsaid else ()
            text = for_agent(agent_text(answer.to_json(), notes=notes), answer.response, view)
            return Rendered(text, "", status, hits=files)
        form = shape.graph_form if isinstance(shape, Shape) else None
        return replace(_text(answer, form, view), exit_status=status, hits=files)

    return WorkspaceQuery(typed, repositories, ask, printed)


def _text(found: FederatedSlate, form: GraphForm | None, view: ViewOptions) -> Rendered:
    response, notes_style = found.response, Style(view.notes_colour)
    limits = limits_of(response)
    first, notes = split_notes(limits, notices_of(response, view.cwd), notes_style)
    if response.error is not None or found.slate is None:
        return Rendered("", first + notes + failure_of(response, view))
    if form is not None:
        graph = found.slate.graph or ContextGraph((), ())
        return Rendered(graph_text(graph, form), notes, before=first)
    files = sum(len(packs) for _, packs in found.slate.sections)
    notes += render_confidence(response.confidence, files, limits, notes_style)
    notes += merge_told(response, view.cwd)
    told = _told(found, found.slate, view.cwd or None)
    return Rendered(slate_text(told, _page(view, found.slate)), notes, before=first)


def _told(found: FederatedSlate, slate: Slate, here: str | None) -> Told:
    response = found.response
    answered = sum(report.status == "ok" for report in response.reports)
    return Told(
        query=response.request.search.query,
        confidence=response.confidence,
        slate=slate,
        session=found.session,
        source=f"{answered} of {len(response.reports)} repositories",
        roots=tuple(
            (repo.alias or repo.repo_id, os.path.relpath(repo.root_canonical, here))
            for repo in response.workspace.repos
        ),
        workspace=os.path.relpath(response.workspace.workspace_path, here),
    )


def _page(view: ViewOptions, slate: Slate) -> Page:
    stems = tuple(term for term in slate.overview.terms if len(term) >= _STEM_LETTERS)
    return Page(view.columns, Style(view.colour), lambda key: key, stems=stems)
