"""`ggrep symbol`, `ggrep refs` and `ggrep expand` with `--workspace`."""

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ggrep.base.clock import SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.repo_targets import label_of
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_expand import FederatedExpansion, federated_expand
from ggrep.federation.workspace_names import federated_references, federated_symbol
from ggrep.interfaces.cli.queries.federation_options import Members, Repositories
from ggrep.interfaces.cli.queries.search_options import Typed
from ggrep.interfaces.cli.queries.typed_targets import placed_in
from ggrep.interfaces.cli.queries.workspace_search import (
    answer_of,
    failed,
    failure_of,
    limits_of,
    notices_of,
    prepared,
    times_of,
)
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.declared_name import last_part
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.render.hits import render_notes
from ggrep.render.navigation_text import expansion_text, mentions_told, nothing_defines
from ggrep.render.page import Page
from ggrep.render.workspace_names_text import Labelled, labelled_definitions, labelled_mentions

if TYPE_CHECKING:
    from ggrep.base.stable_json import Document

A = TypeVar("A", FederatedSymbol, FederatedReferences, FederatedExpansion)


def symbol_in_workspace(
    terminal: Terminal, typed: Typed, members: Members, asked: SymbolRequest
) -> int:
    """Show where a workspace defines a name; return the exit status."""

    def answer(workspace: Workspace, request: FederatedRequest) -> FederatedSymbol:
        return answer_of(
            terminal,
            typed,
            ask=lambda federator: federator.symbol(workspace, request, asked),
            read=lambda here: federated_symbol(workspace, request, asked, here, SystemClock()),
        )

    def show(found: FederatedSymbol) -> str:
        names = _labels(found.attendance.workspace)
        shown = [(names[one.repo_id], one.found) for one in found.definitions]
        terminal.write(labelled_definitions(shown, _page(terminal)))
        return "" if shown else nothing_defines(asked.name, found.suggestions)

    return _run(terminal, typed, members, answer, show, lambda found: len(found.definitions))


def references_in_workspace(
    terminal: Terminal, typed: Typed, members: Members, asked: ReferencesRequest
) -> int:
    """Show where a workspace uses a name; return the exit status."""

    def answer(workspace: Workspace, request: FederatedRequest) -> FederatedReferences:
        return answer_of(
            terminal,
            typed,
            ask=lambda federator: federator.references(workspace, request, asked),
            read=lambda here: federated_references(workspace, request, asked, here, SystemClock()),
        )

    def show(found: FederatedReferences) -> str:
        names = _labels(found.attendance.workspace)
        shown = [Labelled(names[one.repo_id], one.found, one.tie or "") for one in found.references]
        page = _page(terminal, (last_part(asked.name),))
        terminal.write(labelled_mentions(shown, page))
        references = [one.found for one in found.references]
        told = mentions_told(asked, references, dict(found.totals), found.files)
        return told + _defined_in([names[repo] for repo in found.defining])

    return _run(terminal, typed, members, answer, show, lambda found: len(found.references))


def expand_in_workspace(
    terminal: Terminal, typed: Typed, members: Members, asked: ExpandRequest
) -> int:
    """Show the code around a place of a workspace; return the exit status."""

    def answer(workspace: Workspace, request: FederatedRequest) -> FederatedExpansion:
        roots = {repo.root_canonical: label_of(repo) for repo in workspace.repos}
        meant = replace(asked, target=placed_in(asked.target, roots))
        return answer_of(
            terminal,
            typed,
            ask=lambda federator: federator.expand(workspace, request, meant),
            read=lambda here: federated_expand(workspace, request, meant, here, SystemClock()),
        )

    def show(found: FederatedExpansion) -> str:
        if found.found is not None and found.repo is not None:
            label = label_of(found.repo)
            page = Page(0, terminal.style, lambda key: f"{label}:{key}")
            file = os.path.relpath(found.attendance.workspace.workspace_path, Path.cwd())
            ask = f"ggrep expand --workspace {shlex.quote(file)} {shlex.quote(label)}:"
            terminal.write(expansion_text(found.found, page, ask))
        return ""

    return _run(terminal, typed, members, answer, show, lambda _: 1)


def _run(
    terminal: Terminal,
    typed: Typed,
    members: Members,
    answer: Callable[[Workspace, FederatedRequest], A],
    show: Callable[[A], str],
    count: Callable[[A], int],
) -> int:
    """Ask, print, and return the exit status; `show` returns what is to be noted below."""
    repositories = _repositories(members)
    try:
        found = answer(*prepared(terminal, typed, repositories))
    except GgrepError as error:
        return failed(error, terminal, typed, repositories)
    attendance = found.attendance
    if typed.output.json:
        document: Document = found.to_json()
        terminal.write_json(document, pretty=False)
    else:
        told = show(found) if attendance.error is None else ""
        terminal.note(
            render_notes(limits_of(attendance), notices_of(attendance), terminal.notes_style)
        )
        terminal.note(told)
        if attendance.request.stats:
            terminal.note(times_of(attendance))
        if attendance.error is not None:
            terminal.tell_error(failure_of(attendance))
    empty = found.ok and not count(found)
    return 1 if typed.output.exit_status and empty else found.exit_status


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


def _page(terminal: Terminal, words: tuple[str, ...] = ()) -> Page:
    return Page(terminal.columns, terminal.style, lambda key: key, words=words)


def _defined_in(labels: Sequence[str]) -> str:
    return f"defined in {', '.join(labels)}\n" if labels else ""
