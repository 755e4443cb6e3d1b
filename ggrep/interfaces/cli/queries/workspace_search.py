"""`ggrep search --workspace`: turns flags into a federated request and prints its answer."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline, Stop
from ggrep.base.errors import UsageError
from ggrep.config.settings import home_from
from ggrep.daemon.asked_line import Work
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.searcher import Searchers
from ggrep.federation.selection import path_resolver, select_repos
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.interfaces.cli.daemon_contact import address_of, watching
from ggrep.interfaces.cli.parsing.flags import said
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
from ggrep.interfaces.cli.queries.one_search import shown as shown_as
from ggrep.interfaces.cli.queries.search_options import Asking, Typed, request_of
from ggrep.interfaces.cli.queries.workspace_notes import (
    failure_of,
    for_agent,
    limits_of,
    merge_told,
    notices_of,
    times_of,
)
from ggrep.interfaces.cli.terminal import Terminal, ended_at, open_terminal, show_progress
from ggrep.interfaces.cli.workspaces.workspace_file import load
from ggrep.model.answer_view import ViewOptions
from ggrep.model.limits import LimitHit
from ggrep.model.response import MatchTotals
from ggrep.render.agent_text import MERGED_BY_RANK, AgentView, agent_text
from ggrep.render.hits import HitView, ShownHit, render_confidence, render_hits, split_notes
from ggrep.render.matching_lines import (
    CUT_CODES,
    MatchedHit,
    render_counts,
    render_lines,
    render_listing,
)
from ggrep.render.printed import Rendered, json_line
from ggrep.render.style import Style
from ggrep.service.daemon_choice import asking_of, asks_daemon
from ggrep.service.places import Place, open_engine
from ggrep.service.searchers import OwnIndexes, engine_searchers
from ggrep.service.workspace_calls import configured

if TYPE_CHECKING:
    from ggrep.service.federator import Federator


T = TypeVar("T")


class WorkspaceSearch(Struct, frozen=True):
    """A search of a workspace, as typed.

    Attributes:
        agent: how an agent is shown the hits; None for people.
    """

    typed: Typed
    repositories: Repositories
    agent: AgentView | None = None

    def answer(self) -> int:
        """Search, and print the hits."""
        typed, output = self.typed, self.typed.output
        terminal = open_terminal(plain=output.plain)
        workspace, request = prepared(terminal, typed, self.repositories)
        response = answer_of(
            terminal,
            typed,
            request,
            ask=lambda federator: federator.search(workspace, request),
            read=lambda here: federated_search(workspace, request, here, SystemClock()),
        )
        if output.receipt is not None and response.ok:
            from ggrep.interfaces.cli.queries.workspace_replay import keep_receipt

            keep_receipt(output.receipt, response, force=output.force)
        view = shown_as(typed, view_of(terminal, json=output.json))
        return written(terminal, self._printed(response, view), view)

    def plan(self, finder: Finder, spot: Spot, view: ViewOptions) -> Plan | None:
        """Return what a daemon's process is to do: ask the daemons that run."""
        del finder  # the file says where
        typed = self.typed
        if typed.output.receipt is not None or not asks_plainly(typed.asking):
            return None
        shown = shown_as(typed, view)
        workspace, request = asked_of(typed, self.repositories, spot.environ, Path(view.cwd))

        def run(stop: Stop, client: str) -> Rendered:
            ask = partial(_search, workspace, request)
            return self._printed(coordinated(ask, spot, stop, client), shown)

        return Plan(Work(run), printed_already)

    def _printed(self, response: FederatedResponse, view: ViewOptions) -> Rendered:
        empty = response.ok and not response.hits
        status = response.exit_status
        if self.typed.output.exit_status:
            status = 1 if empty else 2 if status == 1 else status
        if view.json:
            return Rendered(json_line(response.to_json()), "", status, hits=len(response.hits))
        if self.agent is not None:
            notes = (MERGED_BY_RANK,) if response.merge_unsaid else ()
            text = for_agent(agent_text(response.to_json(), self.agent, notes), response, view)
            return Rendered(text, "", status, hits=len(response.hits))
        return _text(response, _hit_view(self.typed, view), view, status)


async def _search(
    workspace: Workspace, request: FederatedRequest, federator: "Federator"
) -> FederatedResponse:
    return await federator.search(workspace, request)


def written(terminal: Terminal, rendered: Rendered, view: ViewOptions) -> int:
    """Write rendered output; return its exit status."""
    terminal.write_answer(rendered, json=view.json)
    return rendered.exit_status


def _hit_view(typed: Typed, view: ViewOptions) -> HitView:
    return HitView(
        words=tuple(word for word in typed.query.split() if len(word) > 2),
        scores=typed.hits.scores,
        explain=typed.hits.explain,
        compact=typed.hits.compact,
        columns=0 if typed.hits.whole else view.columns,
    )


def prepared(
    terminal: Terminal, typed: Typed, repositories: Repositories
) -> tuple[Workspace, FederatedRequest]:
    """Return the workspace and the request, after syncing the indexes if requested.

    The time limit counts from the start of the command, or from the end of the sync.

    Raises:
        UsageError: a flag was given that no workspace heeds.
    """
    workspace, request = asked_of(typed, repositories, terminal.environ, Path())
    if typed.asking.sync:
        _sync(terminal, workspace, request, typed.asking)
        terminal = replace(terminal, began_ms=None)
    return workspace, replace(request, deadline=terminal.deadline(request.search.timeout_ms))


def asked_of(
    typed: Typed, repositories: Repositories, environ: Mapping[str, str], here: Path
) -> tuple[Workspace, FederatedRequest]:
    """Return the workspace and the request, typed in the directory `here`.

    Raises:
        UsageError: a flag was given that no workspace heeds.
        WorkspaceError: the file is wrong.
    """
    _refuse(typed, repositories)
    workspace = load(here / repositories.files[0])
    # Without hits there is still an answer: who was asked, and what became of them.
    search = request_of(typed, scope="", least=0)
    request = FederatedRequest(
        search=search,
        top=search.limit,
        base_dirs=(Path.cwd() / here,),
        **said(FederatedRequest, repositories),
    )
    return workspace, configured(request, environ, workspace)


def answer_of(
    terminal: Terminal,
    typed: Typed,
    request: FederatedRequest,
    ask: Callable[["Federator"], Awaitable[T]],
    read: Callable[["Searchers"], Awaitable[T]],
) -> T:
    """Return the daemons' answer; indexes whose daemon is unavailable are read in this process.

    Args:
        terminal: whose environment counts.
        typed: says whether all indexes are read here.
        request: says when to end.
        ask: has daemons answer.
        read: answers from the indexes here.
    """
    flags = typed.asking.overrides
    # What a receipt is of is asked again without daemons, which could publish meanwhile.
    kept = typed.output.receipt is not None
    offline = kept or typed.asking.offline or bool(terminal.environ.get("GGREP_OFFLINE"))

    async def run() -> T:
        if offline:
            return await read(engine_searchers(terminal.environ, flags))
        from ggrep.service.federator import Federator

        federator = Federator(
            home_from(terminal.environ),
            terminal.environ,
            SystemClock(),
            flags=flags,
            told=terminal.tell,
            fallback=OwnIndexes(terminal.environ, flags, terminal.tell),
        )
        try:
            return await ask(federator)
        finally:
            with anyio.CancelScope(shield=True):
                await federator.aclose()

    with ended_at(request.deadline or Deadline.never(SystemClock())):
        return anyio.run(run)


def _refuse(typed: Typed, repositories: Repositories) -> None:
    """Raise for options that a workspace search does not support.

    Raises:
        UsageError: names the flags and, where the contract has one, its code.
    """
    if len(repositories.files) > 1:
        raise UsageError(
            "--workspace was given more than once",
            code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG",
        )
    if typed.asking.repo is not None:
        raise UsageError(
            "--repo and --workspace cannot go together; choose with --select or --only",
            code="ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED",
        )
    if typed.paths:
        raise UsageError("a PATH and --workspace cannot go together; use --filter path:")
    if typed.output.receipt is not None:
        _refuse_what_no_receipt_holds(typed, repositories)


def _refuse_what_no_receipt_holds(typed: Typed, given: Repositories) -> None:
    """Raise for options whose results differ between runs or machines.

    Raises:
        UsageError: names the flag.
    """
    for flag, is_given in {
        "--stats": given.stats,
        "--debug-include-paths": given.include_paths,
        "--profile": typed.asking.profile is not None,
    }.items():
        if is_given:
            raise UsageError(f"{flag} and --receipt cannot go together")
    if any(token.startswith(("/", "~")) for token in (*given.select, *given.only)):
        raise UsageError("--receipt: choose repositories by alias or id, not by absolute path")


def _sync(
    terminal: Terminal, workspace: Workspace, request: FederatedRequest, asking: Asking
) -> None:
    """Sync the indexes of the selected repositories, one after another."""
    resolve = path_resolver((workspace.workspace_dir, *request.base_dirs))
    for repo in sorted(select_repos(workspace, request, resolve).repos, key=_by_id):
        if repo.missing is not None:
            continue  # the answer says so
        label, root = repo.alias or repo.repo_id, repo.root_canonical
        flags = asking.overrides
        address = address_of(Place(root, ""), terminal, flags)
        if asks_daemon(address, terminal.environ, offline=asking.offline):
            with watching(terminal, label) as watch:
                daemon = asking_of(address, terminal.environ, terminal.tell)
                daemon.sync(watch, strict=asking.strict_sync)
        else:
            with show_progress(terminal, label) as progress:
                engine = open_engine(root, terminal.environ, flags=flags)
                engine.sync(strict=asking.strict_sync, progress=progress)


def _by_id(repo: WorkspaceRepo) -> str:
    return repo.repo_id


def _matched(
    response: FederatedResponse, view: ViewOptions, limits: Sequence[LimitHit]
) -> tuple[str, str]:
    """Return the lines that match, or their files; and how much there is."""
    names = {each.repo.repo_id: each.repo.alias or each.repo.repo_id for each in response.reports}
    totals = MatchTotals(
        sum(one.lines for _, one in response.matched), sum(one.files for _, one in response.matched)
    )
    hits = [MatchedHit(each.hit, each.hit.path, names[each.repo_id]) for each in response.hits]
    request = replace(response.request.search, limit=response.in_force.top)
    counts = render_counts(totals, hits, request, limits, Style(view.notes_colour))
    if not request.list_files:
        return render_lines(hits, view.columns, Style(view.colour)), counts
    listed = [
        (names[repo], file.path, file.lines)
        for repo, one in response.matched
        for file in one.by_file
    ]
    return render_listing(listed, Style(view.colour), counts=view.counts), counts


def _text(response: FederatedResponse, shown: HitView, view: ViewOptions, status: int) -> Rendered:
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
        text = render_hits(hits, shown, Style(view.colour))
    if response.error is None:
        doubts = render_confidence(response.confidence, len(hits), limits, notes_style)
    first, others = split_notes(limits, notices_of(response, view.cwd), notes_style)
    notes += others
    notes += merge_told(response, view.cwd)
    if response.request.stats:
        notes += times_of(response)
    if response.error is not None:
        notes += failure_of(response, view)
    elif not hits:
        notes += doubts
    return Rendered(
        text,
        notes,
        status,
        hits=len(hits),
        before=first + (doubts if hits else ""),
    )
