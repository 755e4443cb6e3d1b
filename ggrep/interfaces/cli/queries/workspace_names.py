"""`ggrep symbol`, `ggrep refs` and `ggrep expand` with `--workspace`."""

import os
import shlex
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Stop
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
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
from ggrep.interfaces.cli.queries.workspace_search import (
    answer_of,
    asked_of,
    failed,
    failure_of,
    limits_of,
    notices_of,
    prepared,
    times_of,
    written,
)
from ggrep.interfaces.cli.terminal import open_terminal
from ggrep.model.answer_view import ViewOptions
from ggrep.model.declared_name import last_part
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.render.hits import render_notes
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


@dataclass(frozen=True, slots=True)
class _Way(Generic[A]):
    """How a question is asked, and what is printed of its answer.

    Attributes:
        ask: has daemons answer.
        read: answers from the indexes here.
        shown: returns what is printed, and what is noted below it.
        count: returns how many things were found.
    """

    ask: "Callable[[Federator, Workspace, FederatedRequest, Path], Awaitable[A]]"
    read: "Callable[[Searchers, Workspace, FederatedRequest, Path], Awaitable[A]]"
    shown: Callable[[A, ViewOptions], tuple[str, str]]
    count: Callable[[A], int]


def symbol_in_workspace(typed: Typed, members: Members, asked: SymbolRequest) -> "Pending":
    """Return the question where a workspace defines a name."""

    def shown(found: FederatedSymbol, view: ViewOptions) -> tuple[str, str]:
        names = _labels(found.attendance.workspace)
        each = [(names[one.repo_id], one.found) for one in found.definitions]
        told = "" if each else nothing_defines(asked.name, found.suggestions)
        return labelled_definitions(each, _page(view)), told

    way: _Way[FederatedSymbol] = _Way(
        lambda federator, workspace, request, _: federator.symbol(workspace, request, asked),
        lambda here, workspace, request, _: federated_symbol(
            workspace, request, asked, here, SystemClock()
        ),
        shown,
        lambda found: len(found.definitions),
    )
    return _OfWorkspace(typed, _repositories(members), way)


def references_in_workspace(typed: Typed, members: Members, asked: ReferencesRequest) -> "Pending":
    """Return the question where a workspace uses a name."""

    def shown(found: FederatedReferences, view: ViewOptions) -> tuple[str, str]:
        names = _labels(found.attendance.workspace)
        each = [Labelled(names[one.repo_id], one.found, one.tie or "") for one in found.references]
        references = [one.found for one in found.references]
        told = mentions_told(asked, references, dict(found.totals), found.files)
        defined = _defined_in([names[repo] for repo in found.defining])
        return labelled_mentions(each, _page(view, (last_part(asked.name),))), told + defined

    way: _Way[FederatedReferences] = _Way(
        lambda federator, workspace, request, _: federator.references(workspace, request, asked),
        lambda here, workspace, request, _: federated_references(
            workspace, request, asked, here, SystemClock()
        ),
        shown,
        lambda found: len(found.references),
    )
    return _OfWorkspace(typed, _repositories(members), way)


def expand_in_workspace(typed: Typed, members: Members, asked: ExpandRequest) -> "Pending":
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

    way: _Way[FederatedExpansion] = _Way(
        lambda federator, workspace, request, cwd: federator.expand(
            workspace, request, meant(workspace, cwd)
        ),
        lambda here, workspace, request, cwd: federated_expand(
            workspace, request, meant(workspace, cwd), here, SystemClock()
        ),
        shown,
        lambda _: 1,
    )
    return _OfWorkspace(typed, _repositories(members), way)


@dataclass(frozen=True, slots=True)
class _OfWorkspace(Generic[A]):
    """A question about a workspace, as typed."""

    typed: Typed
    repositories: Repositories
    way: _Way[A]

    def answer(self) -> int:
        """Ask, and print."""
        typed, way, here = self.typed, self.way, Path()
        terminal = open_terminal(plain=typed.output.plain)
        try:
            workspace, request = prepared(terminal, typed, self.repositories)
            found = answer_of(
                terminal,
                typed,
                ask=lambda federator: way.ask(federator, workspace, request, here),
                read=lambda searchers: way.read(searchers, workspace, request, here),
            )
        except GgrepError as error:
            return failed(error, terminal, typed, self.repositories)
        view = view_of(terminal, json=typed.output.json)
        return written(terminal, self._printed(found, view), view)

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> Plan | None:
        """Return what a daemon's process is to do: ask the daemons that run."""
        del finder  # the file says where
        typed, way, here = self.typed, self.way, Path(view.cwd)
        if not asks_plainly(typed.asking):
            return None
        shown = replace(view, json=typed.output.json)
        workspace, request = asked_of(typed, self.repositories, spot.environ, here)

        async def ask(federator: "Federator") -> A:
            return await way.ask(federator, workspace, request, here)

        def run(stop: Stop, client: str) -> Rendered:
            return self._printed(coordinated(ask, spot, stop, client), shown)

        return Plan(Work(run), printed_already)

    def _printed(self, found: A, view: ViewOptions) -> Rendered:
        attendance, hits = found.attendance, self.way.count(found)
        empty = self.typed.output.exit_status and found.ok and not hits
        status = 1 if empty else found.exit_status
        if view.json:
            return Rendered(json_line(found.to_json()), "", status, hits=hits)
        out, told = self.way.shown(found, view) if attendance.error is None else ("", "")
        style = Style(view.notes_colour)
        notes = render_notes(limits_of(attendance), notices_of(attendance, view.cwd), style) + told
        if attendance.request.stats:
            notes += times_of(attendance)
        if attendance.error is not None:
            notes += failure_of(attendance, view)
        return Rendered(out, notes, status, hits=hits)


def _repositories(members: Members) -> Repositories:
    """Return the same selection as a search has it."""
    return Repositories(
        files=members.files,
        select=members.select,
        only=members.only,
        tags=members.tags,
        repo_filter=members.repo_filter,
        include_disabled=members.include_disabled,
        concurrency=members.concurrency,
        strict=members.strict,
        stats=members.stats,
        include_paths=members.include_paths,
    )


def _labels(workspace: Workspace) -> dict[RepoId, str]:
    return {repo.repo_id: label_of(repo) for repo in workspace.repos}


def _page(view: ViewOptions, words: tuple[str, ...] = ()) -> Page:
    return Page(view.columns, Style(view.colour), lambda key: key, words=words)


def _defined_in(labels: Sequence[str]) -> str:
    return f"defined in {', '.join(labels)}\n" if labels else ""
