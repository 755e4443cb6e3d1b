"""`ggrep symbol`, `ggrep refs` and `ggrep expand` with `--workspace`."""

import os
import shlex
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import fields, replace

from ggrep.base.errors import GgrepError
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Document
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.selection import label_of
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_expand import FederatedExpansion
from ggrep.interfaces.cli.queries.query_options import MergeOptions, WorkspaceOptions
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
from ggrep.model.field_meta import MOST_MS
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import ViewOptions
from ggrep.model.sanitise import sanitise_line
from ggrep.model.written_names import last_part
from ggrep.render.agent_text import AgentView, agent_text
from ggrep.render.failures import error_lines, query_error
from ggrep.render.hits import split_notes
from ggrep.render.navigation_text import (
    Labelled,
    expansion_text,
    labelled_definitions,
    labelled_mentions,
    mentions_told,
    nothing_defines,
)
from ggrep.render.page import Page
from ggrep.render.printed import Rendered, json_line
from ggrep.render.style import Style
from ggrep.service.federator import Federator

A = TypeVar("A", FederatedSymbol, FederatedReferences, FederatedExpansion)


class _Way(Struct, Generic[A], frozen=True):
    """How a question is asked, and what is printed of its answer.

    Attributes:
        typed: the name or the place, as it was typed.
        ask: has daemons answer.
        shown: returns what is printed, and what is noted below it.
        count: returns how many things were found.
    """

    typed: str
    ask: Callable[[Federator, Workspace, FederatedRequest, Path], Awaitable[A]]
    shown: Callable[[A, ViewOptions], tuple[str, str]]
    count: Callable[[A], int]


def in_workspace(
    typed: TypedSearch, members: WorkspaceOptions, ways: Sequence[_Way[A]], agent: AgentView | None
) -> WorkspaceQuery[list[A | GgrepError]]:
    """Return questions of one kind about a workspace.

    Args:
        typed: flags.
        members: of the workspace.
        ways: one a name or a place.
        agent: how an agent is shown the answers; None for people.
    """
    selected = {each.name: getattr(members, each.name) for each in fields(members)}
    return WorkspaceQuery(
        typed,
        MergeOptions(**selected),
        partial(_each, ways),
        partial(_printed, typed, ways, agent),
    )


def symbol_way(asked: SymbolRequest) -> _Way[FederatedSymbol]:
    """Return the question where a workspace defines a name."""

    def shown(found: FederatedSymbol, view: ViewOptions) -> tuple[str, str]:
        names = _labels(found.attendance.workspace)
        each = [(names[one.repo_id], one.found) for one in found.definitions]
        told = "" if each else nothing_defines(asked.name, found.suggestions)
        return labelled_definitions(each, _page(view)), told

    return _Way(
        asked.name,
        lambda federator, workspace, request, _: federator.follow(workspace, request, asked),
        shown,
        lambda found: len(found.definitions),
    )


def references_way(asked: ReferencesRequest) -> _Way[FederatedReferences]:
    """Return the question where a workspace uses a name."""

    def shown(found: FederatedReferences, view: ViewOptions) -> tuple[str, str]:
        names = _labels(found.attendance.workspace)
        each = [Labelled(names[one.repo_id], one.found, one.tie or "") for one in found.references]
        references = [one.found for one in found.references]
        told = mentions_told(asked, references, dict(found.totals), found.files)
        defined = _defined_in([names[repo] for repo in found.defining])
        return labelled_mentions(each, _page(view, (last_part(asked.name),))), told + defined

    return _Way(
        asked.name,
        lambda federator, workspace, request, _: federator.follow(workspace, request, asked),
        shown,
        lambda found: len(found.references),
    )


def expand_way(asked: ExpandRequest) -> _Way[FederatedExpansion]:
    """Return the question for the code around a place of a workspace."""

    def meant(workspace: Workspace, cwd: Path) -> ExpandRequest:
        roots = {repo.root_canonical: label_of(repo) for repo in workspace.repos}
        return replace(asked, target=placed_in(asked.target, roots, cwd))

    def shown(found: FederatedExpansion, view: ViewOptions) -> tuple[str, str]:
        if found.found is None or found.repo is None:
            return "", ""
        label = label_of(found.repo)
        page = Page(0, Style(view.colour), lambda key: f"{label}:{key}")
        file = os.path.relpath(found.attendance.workspace.workspace_path, view.cwd or None)
        ask = f"ggrep expand --workspace {shlex.quote(file)} {shlex.quote(label)}:"
        return expansion_text(found.found, page, ask), ""

    return _Way(
        asked.target,
        lambda federator, workspace, request, cwd: federator.follow(
            workspace, request, meant(workspace, cwd)
        ),
        shown,
        lambda _: 1,
    )


async def _each(
    ways: Sequence[_Way[A]],
    federator: Federator,
    workspace: Workspace,
    request: FederatedRequest,
    here: Path,
) -> list[A | GgrepError]:
    """Return the answers in the order of the questions; a single failure is the command's."""
    if len(ways) == 1:
        return [await ways[0].ask(federator, workspace, request, here)]

    def within(way: _Way[A], left_ms: int) -> Awaitable[A]:
        timed = replace(request, search=replace(request.search, timeout_ms=left_ms))
        return way.ask(federator, workspace, timed, here)

    return await in_turn(ways, within, request.search.timeout_ms or MOST_MS)


def _printed(
    typed: TypedSearch,
    ways: Sequence[_Way[A]],
    agent: AgentView | None,
    answers: Sequence[A | GgrepError],
    view: ViewOptions,
) -> Rendered:
    """Return what is printed of all answers."""
    pairs = list(zip(ways, answers, strict=True))
    hits = sum(way.count(each) for way, each in pairs if not isinstance(each, GgrepError))
    failure = next((each.exit_status for each in answers if each.exit_status), 0)
    empty = typed.output.exit_status and not failure and not hits
    status = 1 if empty else failure
    if view.json:
        return Rendered(json_line(_document(answers)), "", status, hits=hits)
    if agent is not None:
        asked = [way.typed for way in ways]
        text = agent_text(_document(answers), agent, asked=asked)
        given = [each.attendance for each in answers if not isinstance(each, GgrepError)]
        out = for_agent(text, given[0], view) if given else f"{text}\n"
        return Rendered(out, "", status, hits=hits)
    shown = [_told(way, each, view) for way, each in pairs]
    if len(shown) == 1:
        return replace(shown[0], exit_status=status, hits=hits)
    heads = [Style(view.colour).paint("name", f"## {sanitise_line(way.typed)}") for way in ways]
    parts = [f"{head}\n{each.out}" for head, each in zip(heads, shown, strict=True) if each.out]
    notes = _lines_once(each.err for each in shown)
    before = _lines_once(each.before for each in shown)
    return Rendered("\n".join(parts), notes, status, hits=hits, before=before)


def _told(way: _Way[A], found: A | GgrepError, view: ViewOptions) -> Rendered:
    """Return what is printed of one answer."""
    if isinstance(found, GgrepError):
        mark = Style(view.notes_colour).paint("bad", "error: ")
        lines = map(sanitise_line, error_lines(found))
        said = "".join(f"{mark}{sanitise_line(way.typed)}: {line}\n" for line in lines)
        return Rendered("", said)
    attendance = found.attendance
    out, told = way.shown(found, view) if attendance.error is None else ("", "")
    style = Style(view.notes_colour)
    notices = notices_of(attendance, view.cwd)
    first, notes = split_notes(limits_of(attendance), notices, style)
    notes += told
    if attendance.request.stats:
        notes += times_of(attendance)
    if attendance.error is not None:
        notes += failure_of(attendance, view)
    return Rendered(out, notes, before=first)


def _lines_once(texts: Iterable[str]) -> str:
    """Return the lines of all texts, each once."""
    return "".join(dict.fromkeys(line for one in texts for line in one.splitlines(keepends=True)))


def _document(answers: Sequence[A | GgrepError]) -> Document:
    """Return the only answer's JSON object, or one of several."""
    documents = [
        query_error(found) if isinstance(found, GgrepError) else found.to_json()
        for found in answers
    ]
    several = {"schema_version": ANSWERS_SCHEMA, "answers": documents}
    return documents[0] if len(documents) == 1 else several


def _labels(workspace: Workspace) -> dict[RepoId, str]:
    return {repo.repo_id: label_of(repo) for repo in workspace.repos}


def _page(view: ViewOptions, words: tuple[str, ...] = ()) -> Page:
    return Page(view.columns, Style(view.colour), lambda key: key, words=words)


def _defined_in(labels: Sequence[str]) -> str:
    return f"defined in {', '.join(labels)}\n" if labels else ""
