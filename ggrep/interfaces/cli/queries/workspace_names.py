"""`ggrep symbol`, `ggrep refs` and `ggrep expand` with `--workspace`."""

import os
import shlex
from collections.abc import Awaitable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from msgspec.structs import replace

from ggrep.base.errors import GgrepError
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.base.stable_json import Document
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.name_merging import InRepo, P
from ggrep.federation.selection import label_of
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_expand import FederatedExpansion
from ggrep.federation.workspace_names import FederatedReferences, FederatedSymbol
from ggrep.interfaces.cli.queries.query_options import WorkspaceOptions
from ggrep.interfaces.cli.queries.search_options import TypedSearch
from ggrep.interfaces.cli.queries.typed_targets import placed_in
from ggrep.interfaces.cli.queries.workspace_query import (
    WorkspaceQuery,
    failure_of,
    for_agent,
    limits_of,
    notices_of,
    times_of,
)
from ggrep.interfaces.surfaces.in_turn import in_turn
from ggrep.model.containers import OTHER_CONTAINER
from ggrep.model.field_meta import MOST_MS
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.operations import BY_REQUEST
from ggrep.model.request import ViewOptions
from ggrep.model.sanitise import sanitise_line
from ggrep.model.written_names import last_part
from ggrep.render.agent_text import AgentView, agent_text
from ggrep.render.failures import error_lines, query_error
from ggrep.render.hits import split_notes
from ggrep.render.navigation_text import (
    MentionCounts,
    Placed,
    count_line,
    definitions_text,
    expansion_text,
    implementations_text,
    placed_mentions,
    undefined,
)
from ggrep.render.page import Page
from ggrep.render.printed import CUTS_IN_TEXT, Rendered, json_line
from ggrep.render.style import Style
from ggrep.service.federator import Federator

_Request: TypeAlias = SymbolRequest | ReferencesRequest | ExpandRequest
_Answer: TypeAlias = FederatedSymbol | FederatedReferences | FederatedExpansion | GgrepError


def in_workspace(
    typed: TypedSearch,
    members: WorkspaceOptions,
    requests: Sequence[_Request],
    agent: AgentView | None,
) -> WorkspaceQuery[list[_Answer]]:
    """Return a query that sends requests of one kind to a workspace."""
    printed = partial(_printed, typed, requests, agent)
    return WorkspaceQuery(typed, members, partial(_each, requests), printed)


async def _each(
    requests: Sequence[_Request],
    federator: Federator,
    workspace: Workspace,
    federated: FederatedRequest,
    here: Path,
) -> list[_Answer]:
    """Return the answers in the order of the requests; raise if the only request fails."""
    roots = {repo.root_canonical: label_of(repo) for repo in workspace.repos}

    def within(request: _Request, left_ms: int | None) -> Awaitable[Any]:
        timed = federated
        if left_ms is not None:
            timed = replace(federated, search=replace(federated.search, timeout_ms=left_ms))
        if isinstance(request, ExpandRequest):
            request = replace(request, target=placed_in(request.target, roots, here))
        return federator.follow(workspace, timed, request)

    if len(requests) == 1:
        return [await within(requests[0], None)]
    return await in_turn(requests, within, federated.search.timeout_ms or MOST_MS)


def _printed(
    typed: TypedSearch,
    requests: Sequence[_Request],
    agent: AgentView | None,
    answers: Sequence[_Answer],
    view: ViewOptions,
) -> Rendered:
    pairs = list(zip(requests, answers, strict=True))
    hits = sum(_count(request, answer) for request, answer in pairs)
    failure = next((each.exit_status for each in answers if each.exit_status), 0)
    empty = typed.output.exit_status and not failure and not hits
    status = 1 if empty else failure
    if view.json:
        return Rendered(json_line(_document(answers)), "", status, hits=hits)
    asked = [_typed(request) for request in requests]
    if agent is not None:
        text = agent_text(_document(answers), agent, asked=asked)
        answered = [each for each in answers if not isinstance(each, GgrepError)]
        out = for_agent(text, answered[0], view) if answered else f"{text}\n"
        return Rendered(out, "", status, hits=hits)
    shown = [_rendered(request, answer, view) for request, answer in pairs]
    if len(shown) == 1:
        return replace(shown[0], exit_status=status, hits=hits)
    heads = [Style(view.colour).paint("name", f"## {sanitise_line(word)}") for word in asked]
    parts = [f"{head}\n{each.out}" for head, each in zip(heads, shown, strict=True) if each.out]
    notes = _lines_once(each.err for each in shown)
    before = _lines_once(each.before for each in shown)
    return Rendered("\n".join(parts), notes, status, hits=hits, before=before)


def _typed(request: _Request) -> str:
    return request.target if isinstance(request, ExpandRequest) else request.name


def _count(request: _Request, answer: _Answer) -> int:
    """Return the number of results of an answer."""
    count = BY_REQUEST[type(request)].count
    return 0 if count is None or isinstance(answer, GgrepError) else count(answer)


def _rendered(request: _Request, answer: _Answer, view: ViewOptions) -> Rendered:
    if isinstance(answer, GgrepError):
        mark = Style(view.notes_colour).paint("bad", "error: ")
        lines = map(sanitise_line, error_lines(answer))
        return Rendered(
            "", "".join(f"{mark}{sanitise_line(_typed(request))}: {line}\n" for line in lines)
        )
    out, notes = _text(request, answer, view) if answer.error is None else ("", "")
    notices, limits = notices_of(answer, view.cwd), limits_of(answer)
    if isinstance(answer, FederatedReferences):
        notices = [notice for notice in notices if notice.code != OTHER_CONTAINER]
    limits = [limit for limit in limits if limit.code not in CUTS_IN_TEXT]
    first, others = split_notes(limits, notices, Style(view.notes_colour))
    notes = others + notes
    if answer.request.stats:
        notes += times_of(answer)
    if answer.error is not None:
        notes += failure_of(answer, view)
    return Rendered(out, notes, before=first)


def _text(
    request: _Request,
    answer: FederatedSymbol | FederatedReferences | FederatedExpansion,
    view: ViewOptions,
) -> tuple[str, str]:
    """Return the text of an answer, and the note to print below it."""
    style = Style(view.colour)
    page = Page(view.columns, style, lambda key: key)
    names = _labels(answer.workspace)
    if isinstance(answer, FederatedSymbol):
        outside = _keyed(names, answer.outside)
        note = undefined(_typed(request), answer.suggestions, outside)
        text = definitions_text(_keyed(names, answer.definitions), page)
        text += implementations_text(_keyed(names, answer.implementations), page)
        return text, "" if answer.definitions else f"{note}\n"
    if isinstance(answer, FederatedReferences) and isinstance(request, ReferencesRequest):
        outside = _keyed(names, answer.outside)
        places = zip(_keyed(names, answer.references), answer.references, strict=True)
        mentions = [Placed(*pair, each.tie or "") for pair, each in places]
        counts = MentionCounts(
            *([each.place.kind for each in answer.references], dict(answer.totals)),
            *(answer.files, answer.mentions, answer.mention_files),
            *(limits_of(answer), notices_of(answer, view.cwd)),
        )
        note = f"{count_line(request, counts)}\n"
        note += f"{undefined(_typed(request), (), outside)}\n" if outside else ""
        if defining := ", ".join(names[repo] for repo in answer.defining):
            note += f"defined in {defining}\n"
        page = replace(page, words=(last_part(request.name),))
        return placed_mentions(mentions, page), note
    if not isinstance(answer, FederatedExpansion) or answer.response is None or answer.repo is None:
        return "", ""
    label = label_of(answer.repo)
    file = os.path.relpath(answer.workspace.workspace_path, view.cwd or None)
    more = f"ggrep expand --workspace {shlex.quote(file)} {shlex.quote(label)}:"
    return expansion_text(answer.response, Page(0, style, lambda key: f"{label}:{key}"), more), ""


def _keyed(names: dict[str, str], places: Iterable[InRepo[P]]) -> list[tuple[str, P]]:
    """Return locations, each with its displayed path."""
    return [(f"{names[each.repo_id]}:{each.place.path}", each.place) for each in places]


def _labels(workspace: Workspace) -> dict[str, str]:
    return {repo.repo_id: label_of(repo) for repo in workspace.repos}


def _lines_once(texts: Iterable[str]) -> str:
    return "".join(dict.fromkeys(line for text in texts for line in text.splitlines(keepends=True)))


def _document(answers: Sequence[_Answer]) -> Document:
    """Return the JSON object of the only answer, or an object with all answers."""
    documents = [
        query_error(answer) if isinstance(answer, GgrepError) else answer.to_json()
        for answer in answers
    ]
    several = {"schema_version": ANSWERS_SCHEMA, "answers": documents}
    return documents[0] if len(documents) == 1 else several
