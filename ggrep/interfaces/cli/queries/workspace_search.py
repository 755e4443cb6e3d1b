"""`ggrep search` and `ggrep slate` with `--workspace`."""

import os
from collections.abc import Awaitable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape
from ggrep.interfaces.cli.queries.one_search import shown
from ggrep.interfaces.cli.queries.query_options import MergeOptions
from ggrep.interfaces.cli.queries.search_options import TypedSearch
from ggrep.interfaces.cli.queries.slate_options import (
    NO_SESSION,
    SessionOptions,
    SlateBounds,
    SlateOptions,
    slate_request_of,
)
from ggrep.interfaces.cli.queries.workspace_query import (
    WorkspaceQuery,
    failure_of,
    for_agent,
    limits_of,
    merge_note,
    notices_of,
    times_of,
)
from ggrep.model.limits import LimitHit
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.model.response import MatchTotals
from ggrep.model.slate import ContextGraph, Slate
from ggrep.render.agent_text import MERGED_BY_RANK, AgentView, agent_text
from ggrep.render.hits import (
    ShownHit,
    highlighted_words,
    render_confidence,
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
from ggrep.render.printed import Rendered, json_line
from ggrep.render.slate_text import GraphForm, ShownSlate, graph_text, slate_text
from ggrep.render.style import Style
from ggrep.service.federator import Federator


def search_workspace(
    typed: TypedSearch, repositories: MergeOptions, agent: AgentView | None
) -> WorkspaceQuery[FederatedResponse]:
    """Return a search of a workspace; `agent` contains the options of hits for agents."""

    def ask(
        federator: Federator, workspace: Workspace, request: FederatedRequest, _: Path
    ) -> Awaitable[FederatedResponse]:
        return federator.search(workspace, request)

    def keep(response: FederatedResponse) -> None:
        if typed.output.receipt is not None and response.ok:
            from ggrep.interfaces.cli.queries.replay import keep_receipt

            keep_receipt(typed.output.receipt, response, force=typed.output.force)

    kept = None if typed.output.receipt is None else keep
    return WorkspaceQuery(typed, repositories, ask, partial(_printed, typed, agent), kept)


def _printed(
    typed: TypedSearch, agent: AgentView | None, response: FederatedResponse, view: ViewOptions
) -> Rendered:
    empty = response.ok and not response.hits
    status = response.exit_status
    if typed.output.exit_status:
        status = 1 if empty else 2 if status == 1 else status
    if view.json:
        return Rendered(json_line(response.to_json()), "", status, hits=len(response.hits))
    if agent is not None:
        notes = (MERGED_BY_RANK,) if response.merge_unsaid else ()
        text = for_agent(agent_text(response.to_json(), agent, notes), response, view)
        return Rendered(text, "", status, hits=len(response.hits))
    return _text(response, typed, view, status)


def _matched(
    response: FederatedResponse, view: ViewOptions, limits: Sequence[LimitHit]
) -> tuple[str, str]:
    """Return the text of matching lines or of their files, and the line of totals."""
    names = {each.repo.repo_id: each.repo.alias or each.repo.repo_id for each in response.reports}
    totals = MatchTotals(
        sum(each.lines for _, each in response.matched),
        sum(each.files for _, each in response.matched),
    )
    hits = [ShownHit(each.hit, each.hit.path, names[each.repo_id]) for each in response.hits]
    request = replace(response.request.search, limit=response.in_force.top)
    counts = render_counts(totals, hits, request, limits, Style(view.notes_colour))
    if not request.list_files:
        return render_lines(hits, view.columns, Style(view.colour)), counts
    listed = [
        (names[repo], file.path, file.lines)
        for repo, matched in response.matched
        for file in matched.by_file
    ]
    return render_listing(listed, Style(view.colour), counts=view.counts), counts


def _text(
    response: FederatedResponse, typed: TypedSearch, view: ViewOptions, status: int
) -> Rendered:
    hits = [
        ShownHit(
            merged.hit,
            merged.hit.path,
            merged.repo_alias or merged.repo_id,
            merged.score,
            tuple(dict.fromkeys(copy.repo_alias or copy.repo_id for copy in merged.also_in)),
        )
        for merged in response.hits
    ]
    notes_style = Style(view.notes_colour)
    limits = limits_of(response)
    text, doubts, notes = "", "", ""
    if response.matched and view.shows_lines:
        text, notes = _matched(response, view, limits)
        limits = [limit for limit in limits if limit.code not in CUT_CODES]
    else:
        words = highlighted_words(typed.query)
        text = render_hits(hits, shown(typed, view), Style(view.colour), words)
    if response.error is None:
        doubts = render_confidence(response.confidence, len(hits), limits, notes_style)
    first, others = split_notes(limits, notices_of(response, view.cwd), notes_style)
    notes += others
    notes += merge_note(response, view.cwd)
    if response.request.stats:
        notes += times_of(response)
    if response.error is not None:
        notes += failure_of(response, view)
    elif not hits:
        notes += doubts
    return Rendered(text, notes, status, hits=len(hits), before=first + (doubts if hits else ""))


_STEM_LETTERS: Final = 4


def slate_of_workspace(
    typed: TypedSearch,
    shape: SlateBounds,
    repositories: MergeOptions,
    session: SessionOptions = NO_SESSION,
    *,
    for_agents: bool = False,
) -> WorkspaceQuery[FederatedSlate]:
    """Return the query that gathers a slate from a workspace."""
    asked = slate_request_of(shape, SearchRequest(typed.query), session)
    budgets = asked.budgets.for_agents() if for_agents else asked.budgets
    wanted = SlateShape(asked.level, budgets, asked.anchors, asked.graph, asked.session)

    def ask(
        federator: Federator, workspace: Workspace, request: FederatedRequest, _: Path
    ) -> Awaitable[FederatedSlate]:
        return federator.slate(workspace, request, wanted)

    def printed(answer: FederatedSlate, view: ViewOptions) -> Rendered:
        files = 0 if answer.slate is None else sum(len(each) for _, each in answer.slate.sections)
        empty = typed.output.exit_status and answer.ok and not files
        status = 1 if empty else answer.exit_status
        if view.json:
            return Rendered(json_line(answer.to_json()), "", status, hits=files)
        if for_agents:
            notes = (MERGED_BY_RANK,) if answer.merge_unsaid else ()
            text = for_agent(agent_text(answer.to_json(), notes=notes), answer, view)
            return Rendered(text, "", status, hits=files)
        form = shape.graph_form if isinstance(shape, SlateOptions) else None
        return replace(_text_of_slate(answer, form, view), exit_status=status, hits=files)

    return WorkspaceQuery(typed, repositories, ask, printed)


def _text_of_slate(answer: FederatedSlate, form: GraphForm | None, view: ViewOptions) -> Rendered:
    notes_style = Style(view.notes_colour)
    limits = limits_of(answer)
    first, notes = split_notes(limits, notices_of(answer, view.cwd), notes_style)
    if answer.error is not None or answer.slate is None:
        return Rendered("", first + notes + failure_of(answer, view))
    if form is not None:
        graph = answer.slate.graph or ContextGraph((), ())
        return Rendered(graph_text(graph, form), notes, before=first)
    files = sum(len(packs) for _, packs in answer.slate.sections)
    notes += render_confidence(answer.confidence, files, limits, notes_style)
    notes += merge_note(answer, view.cwd)
    content = _shown_slate(answer, answer.slate, view.cwd or None)
    stems = tuple(term for term in answer.slate.overview.terms if len(term) >= _STEM_LETTERS)
    page = Page(view.columns, Style(view.colour), lambda key: key, stems=stems)
    return Rendered(slate_text(content, page), notes, before=first)


def _shown_slate(answer: FederatedSlate, slate: Slate, here: str | None) -> ShownSlate:
    answered = sum(report.status == "ok" for report in answer.reports)
    return ShownSlate(
        query=answer.request.search.query,
        confidence=answer.confidence,
        slate=slate,
        session=answer.session,
        source=f"{answered} of {len(answer.reports)} repositories",
        roots=tuple(
            (repo.alias or repo.repo_id, os.path.relpath(repo.root_canonical, here))
            for repo in answer.workspace.repos
            if repo.remote is None
        ),
        workspace=os.path.relpath(answer.workspace.workspace_path, here),
    )
