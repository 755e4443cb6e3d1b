"""`ggrep slate --workspace`: one slate over the repositories of a workspace file."""

import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Stop
from ggrep.daemon.asked_line import Work
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.interfaces.cli.queries.asked import (
    Finder,
    Plan,
    Spot,
    asks_plainly,
    printed_already,
)
from ggrep.interfaces.cli.queries.federation_options import Repositories
from ggrep.interfaces.cli.queries.hosted_workspace import coordinated
from ggrep.interfaces.cli.queries.one_answer import view_of
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
from ggrep.interfaces.cli.queries.workspace_search import (
    answer_of,
    asked_of,
    prepared,
    written,
)
from ggrep.interfaces.cli.terminal import open_terminal
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

if TYPE_CHECKING:
    from ggrep.service.federator import Federator

_STEM_LETTERS: Final = 4


class WorkspaceSlate(Struct, frozen=True):
    """A slate of a workspace, as typed."""

    typed: Typed
    shape: Bounds
    repositories: Repositories
    session: Session = ALONE
    for_agents: bool = False

    def answer(self) -> int:
        """Build it and print it."""
        typed = self.typed
        terminal = open_terminal(plain=typed.output.plain)
        wanted = self._wanted()
        workspace, request = prepared(terminal, typed, self.repositories)
        found = answer_of(
            terminal,
            typed,
            request,
            ask=lambda federator: federator.slate(workspace, request, wanted),
            read=lambda here: federated_slate(workspace, request, wanted, here, SystemClock()),
        )
        view = view_of(terminal, json=typed.output.json)
        return written(terminal, self._printed(found, view), view)

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> Plan | None:
        """Return what a daemon's process is to do: ask the daemons that run."""
        del finder  # the file says where
        typed = self.typed
        if not asks_plainly(typed.asking):
            return None
        shown, wanted = replace(view, json=typed.output.json), self._wanted()
        workspace, request = asked_of(typed, self.repositories, spot.environ, Path(view.cwd))

        def run(stop: Stop, client: str) -> Rendered:
            ask = partial(_slate, workspace, request, wanted)
            return self._printed(coordinated(ask, spot, stop, client), shown)

        return Plan(Work(run), printed_already)

    def _wanted(self) -> SlateShape:
        """Return the form of the slate.

        Raises:
            UsageError: flags that exclude each other, or lack one another.
            InvalidRequest: a value means nothing.
        """
        asked = slate_request_of(self.shape, SearchRequest(self.typed.query), self.session)
        budgets = asked.budgets.for_agents() if self.for_agents else asked.budgets
        return SlateShape(asked.level, budgets, asked.anchors, asked.graph, asked.session)

    def _printed(self, found: FederatedSlate, view: ViewOptions) -> Rendered:
        files = 0 if found.slate is None else sum(len(each) for _, each in found.slate.sections)
        empty = self.typed.output.exit_status and found.ok and not files
        status = 1 if empty else found.exit_status
        if view.json:
            return Rendered(json_line(found.to_json()), "", status, hits=files)
        if self.for_agents:
            notes = (MERGED_BY_RANK,) if found.merge_unsaid else ()
            text = for_agent(agent_text(found.to_json(), notes=notes), found.response, view)
            return Rendered(text, "", status, hits=files)
        form = self.shape.graph_form if isinstance(self.shape, Shape) else None
        return replace(_text(found, form, view), exit_status=status, hits=files)


async def _slate(
    workspace: Workspace, request: FederatedRequest, wanted: SlateShape, federator: "Federator"
) -> FederatedSlate:
    return await federator.slate(workspace, request, wanted)


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
