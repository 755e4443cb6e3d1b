"""`ggrep symbol`, `ggrep refs` and `ggrep expand` with `--workspace`."""

import os
import shlex
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Stop
from ggrep.base.errors import GgrepError
from ggrep.base.formats import ANSWERS_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.base.stable_json import Document
from ggrep.daemon.asked_line import Work
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.repo_targets import label_of
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_expand import FederatedExpansion, federated_expand
from ggrep.federation.workspace_names import federated_references, federated_symbol
from ggrep.interfaces.cli.queries.asked import (
    Finder,
    Plan,
    Spot,
    asks_plainly,
    printed_already,
)
from ggrep.interfaces.cli.queries.federation_options import Members, Repositories
from ggrep.interfaces.cli.queries.hosted_workspace import coordinated
from ggrep.interfaces.cli.queries.one_answer import view_of
from ggrep.interfaces.cli.queries.search_options import Typed
from ggrep.interfaces.cli.queries.typed_targets import placed_in
from ggrep.interfaces.cli.queries.workspace_notes import (
    failure_of,
    for_agent,
    limits_of,
    notices_of,
    times_of,
)
from ggrep.interfaces.cli.queries.workspace_search import (
    answer_of,
    asked_of,
    prepared,
    written,
)
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.interfaces.surfaces.in_turn import in_turn
from ggrep.model.answer_view import ViewOptions
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.sanitise import sanitise_line
from ggrep.model.says import MOST_MS
from ggrep.model.written_names import last_part
from ggrep.render.agent_text import AgentView, agent_text
from ggrep.render.error_json import query_error
from ggrep.render.error_text import error_lines
from ggrep.render.hits import split_notes
from ggrep.render.navigation_text import expansion_text, mentions_told, nothing_defines
from ggrep.render.page import Page
from ggrep.render.printed import Rendered, json_line
from ggrep.render.style import Style
from ggrep.render.workspace_names_text import Labelled, labelled_definitions, labelled_mentions

if TYPE_CHECKING:
    from ggrep.federation.searcher import Searchers
    from ggrep.interfaces.cli.queries.asked import Pending
    from ggrep.service.federator import Federator

A = TypeVar("A", FederatedSymbol, FederatedReferences, FederatedExpansion)


class _Way(Struct, Generic[A], frozen=True):
    """How a question is asked, and what is printed of its answer.

    Attributes:
        typed: the name or the place, as it was typed.
        ask: has daemons answer.
        read: answers from the indexes here.
        shown: returns what is printed, and what is noted below it.
        count: returns how many things were found.
    """

    typed: str
    ask: "Callable[[Federator, Workspace, FederatedRequest, Path], Awaitable[A]]"
    read: "Callable[[Searchers, Workspace, FederatedRequest, Path], Awaitable[A]]"
    shown: Callable[[A, ViewOptions], tuple[str, str]]
    count: Callable[[A], int]


def in_workspace(
    typed: Typed, members: Members, ways: Sequence[_Way[A]], agent: AgentView | None
) -> "Pending":
    """Return questions of one kind about a workspace.

    Args:
        typed: flags.
        members: of the workspace.
        ways: one a name or a place.
        agent: how an agent is shown the answers; None for people.
    """
    return _OfWorkspace(typed, _repositories(members), ways, agent)


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
        lambda here, workspace, request, _: federated_symbol(
            workspace, request, asked, here, SystemClock()
        ),
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
        lambda here, workspace, request, _: federated_references(
            workspace, request, asked, here, SystemClock()
        ),
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
        lambda here, workspace, request, cwd: federated_expand(
            workspace, request, meant(workspace, cwd), here, SystemClock()
        ),
        shown,
        lambda _: 1,
    )


class _OfWorkspace(Struct, Generic[A], frozen=True):
    """Questions of one kind about a workspace, as typed.

    Attributes:
        agent: as of `in_workspace`.
    """

    typed: Typed
    repositories: Repositories
    ways: Sequence[_Way[A]]
    agent: AgentView | None

    def answer(self) -> int:
        """Ask, and print."""
        typed, here = self.typed, Path()
        terminal = open_terminal(plain=typed.output.plain)
        workspace, request = prepared(terminal, typed, self.repositories)
        answers = answer_of(
            terminal,
            typed,
            request,
            ask=lambda federator: self._each(
                request, lambda way, timed: way.ask(federator, workspace, timed, here)
            ),
            read=lambda searchers: self._each(
                request, lambda way, timed: way.read(searchers, workspace, timed, here)
            ),
        )
        view = view_of(terminal, json=typed.output.json)
        return written(terminal, self._printed(answers, view), view)

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> Plan | None:
        """Return what a daemon's process is to do: ask the daemons that run."""
        del finder  # the file says where
        typed, here = self.typed, Path(view.cwd)
        if not asks_plainly(typed.asking):
            return None
        shown = replace(view, json=typed.output.json)
        workspace, request = asked_of(typed, self.repositories, spot.environ, here)

        async def ask(federator: "Federator") -> list[A | GgrepError]:
            return await self._each(
                request, lambda way, timed: way.ask(federator, workspace, timed, here)
            )

        def run(stop: Stop, client: str) -> Rendered:
            return self._printed(coordinated(ask, spot, stop, client), shown)

        return Plan(Work(run), printed_already)

    async def _each(
        self,
        request: FederatedRequest,
        ask: Callable[[_Way[A], FederatedRequest], Awaitable[A]],
    ) -> list[A | GgrepError]:
        """Return the answers in the order of the questions; a single failure is everybody's."""
        if len(self.ways) == 1:
            return [await ask(self.ways[0], request)]

        def within(way: _Way[A], left_ms: int) -> Awaitable[A]:
            return ask(way, replace(request, search=replace(request.search, timeout_ms=left_ms)))

        timeout_ms = request.search.timeout_ms or MOST_MS
        return await in_turn(self.ways, within, timeout_ms)

    def _printed(self, answers: Sequence[A | GgrepError], view: ViewOptions) -> Rendered:
        pairs = list(zip(self.ways, answers, strict=True))
        hits = sum(way.count(found) for way, found in pairs if not isinstance(found, GgrepError))
        failure = next((found.exit_status for found in answers if found.exit_status), 0)
        empty = self.typed.output.exit_status and not failure and not hits
        status = 1 if empty else failure
        if view.json:
            return Rendered(json_line(_document(answers)), "", status, hits=hits)
        if self.agent is not None:
            asked = [way.typed for way in self.ways]
            text = agent_text(_document(answers), self.agent, asked=asked)
            given = [found.attendance for found in answers if not isinstance(found, GgrepError)]
            out = for_agent(text, given[0], view) if given else f"{text}\n"
            return Rendered(out, "", status, hits=hits)
        told = [self._told(way, found, view) for way, found in pairs]
        if len(told) == 1:
            return replace(told[0], exit_status=status, hits=hits)
        heads = [
            Style(view.colour).paint("name", f"## {sanitise_line(way.typed)}") for way in self.ways
        ]
        parts = [f"{head}\n{one.out}" for head, one in zip(heads, told, strict=True) if one.out]
        notes = _lines_once(one.err for one in told)
        before = _lines_once(one.before for one in told)
        return Rendered("\n".join(parts), notes, status, hits=hits, before=before)

    def _told(self, way: _Way[A], found: A | GgrepError, view: ViewOptions) -> Rendered:
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


def _repositories(members: Members) -> Repositories:
    """Return the same selection as a search has it."""
    return Repositories(**asdict(members))


def _labels(workspace: Workspace) -> dict[RepoId, str]:
    return {repo.repo_id: label_of(repo) for repo in workspace.repos}


def _page(view: ViewOptions, words: tuple[str, ...] = ()) -> Page:
    return Page(view.columns, Style(view.colour), lambda key: key, words=words)


def _defined_in(labels: Sequence[str]) -> str:
    return f"defined in {', '.join(labels)}\n" if labels else ""
