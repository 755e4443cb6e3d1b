"""`ggrep search --workspace`: flags become a federated request, its answer becomes output."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from ggrep.cli.asking import meeting_of, watching
from ggrep.cli.progress import show_progress
from ggrep.cli.search_flags import SearchFlags, WorkspaceFlags, limit_of, request_of
from ggrep.cli.terminal import Terminal
from ggrep.cli.workspace import load
from ggrep.clock import SystemClock
from ggrep.config.settings import home_from
from ggrep.domain.hints import with_file
from ggrep.domain.limits import LimitHit, Notice
from ggrep.errors import GgrepError, InvalidRequest, UsageError
from ggrep.federation.cohort import POLICIES, Policy
from ggrep.federation.coordinator import federated_search
from ggrep.federation.request import FederatedRequest
from ggrep.federation.response import FederatedResponse
from ggrep.federation.response_json import failure_json
from ggrep.federation.rounds import SHARE_LIMIT
from ggrep.federation.selection import select_repos
from ggrep.federation.tokens import path_resolver
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.public.asking import asking_of, asks_daemon
from ggrep.public.places import Place, open_engine
from ggrep.public.searchers import OwnReading, engine_searchers
from ggrep.public.workspaces import configured
from ggrep.render.error_text import error_lines
from ggrep.render.hits import HitView, ShownHit, render_confidence, render_hits, render_notes

if TYPE_CHECKING:
    from ggrep.surfaces.federator import Federator

_MOST_NAMED = 8
"""Repositories that one line names; the JSON document has all."""


def search_workspace(
    terminal: Terminal,
    flags: SearchFlags,
    given: WorkspaceFlags,
    view: HitView,
    *,
    json: bool,
    exit_status: bool,
) -> int:
    """Search a workspace and print the answer; return the exit status."""
    try:
        response = _answer(terminal, flags, given)
    except GgrepError as error:
        if not json:
            raise
        terminal.write_json(failure_json(error, include_paths=given.include_paths), pretty=False)
        for line in error_lines(error):
            terminal.tell_error(line)
        return error.exit_status
    if given.receipt is not None and response.ok:
        from ggrep.cli.workspace_replay import keep_receipt

        keep_receipt(given.receipt, response)
    if json:
        terminal.write_json(response.to_json(), pretty=False)
    else:
        _print(terminal, response, view)
    return 1 if exit_status and response.ok and not response.hits else response.exit_status


def _answer(terminal: Terminal, flags: SearchFlags, given: WorkspaceFlags) -> FederatedResponse:
    workspace, request = prepared(terminal, flags, given)
    return anyio.run(
        _read if is_offline(terminal, given) else _ask, terminal, workspace, request, given
    )


def prepared(
    terminal: Terminal, flags: SearchFlags, given: WorkspaceFlags
) -> tuple[Workspace, FederatedRequest]:
    """Return the workspace and what is asked of it; its indexes are brought up to date if wanted.

    Raises:
        UsageError: a flag was given that no workspace heeds.
    """
    _refuse(given)
    workspace = load(given.files[0])
    request = FederatedRequest(
        # Without hits there is still an answer: who was asked, and what became of them.
        search=request_of(flags, scope="", least=0),
        top=limit_of(flags.top, least=0),
        select=given.select,
        only=given.only,
        tags=given.tags,
        repo_filter=given.repo_filter,
        include_disabled=given.include_disabled,
        merge_strategy=given.merge,
        rrf_k=given.rrf_k,
        per_repo_top=given.top_per_repo,
        max_repos=given.max_repos,
        fold=given.fold,
        concurrency=given.concurrency,
        cohort=given.cohort,
        cohort_policy=_policy(given.cohort_policy),
        allow_unsafe_mix=given.allow_unsafe_mix,
        strict=given.strict,
        base_dirs=(Path.cwd(),),
        include_paths=given.include_paths,
        stats=given.stats,
    )
    request = configured(request, terminal.environ, workspace)
    if given.sync:
        _sync(terminal, workspace, request, given)
    return workspace, request


async def _ask(
    terminal: Terminal, workspace: Workspace, request: FederatedRequest, given: WorkspaceFlags
) -> FederatedResponse:
    """Have daemons answer; an index whose daemon cannot be had is read here."""
    async with federator_of(terminal, given) as federator:
        return await federator.search(workspace, request)


@asynccontextmanager
async def federator_of(terminal: Terminal, given: WorkspaceFlags) -> AsyncIterator["Federator"]:
    """Yield who asks daemons; an index whose daemon cannot be had is read here."""
    from ggrep.surfaces.federator import Federator

    flags = {"encoder": given.encoder}
    here = engine_searchers(terminal.environ, flags)
    federator = Federator(
        home_from(terminal.environ),
        terminal.environ,
        SystemClock(),
        flags=flags,
        told=terminal.tell,
        through=lambda daemons: OwnReading(daemons, here, terminal.tell),
    )
    try:
        yield federator
    finally:
        with anyio.CancelScope(shield=True):
            await federator.aclose()


async def _read(
    terminal: Terminal, workspace: Workspace, request: FederatedRequest, given: WorkspaceFlags
) -> FederatedResponse:
    """Read all indexes in this process."""
    searchers = engine_searchers(terminal.environ, {"encoder": given.encoder})
    return await federated_search(workspace, request, searchers, SystemClock())


def is_offline(terminal: Terminal, given: WorkspaceFlags) -> bool:
    """Return whether indexes are read in this process, whatever daemons run."""
    # What a receipt is of is asked again without daemons, which could publish meanwhile.
    kept = given.receipt is not None
    return kept or given.offline or bool(terminal.environ.get("GGREP_OFFLINE"))


def _refuse(given: WorkspaceFlags) -> None:
    """Raise for what a workspace search does not allow.

    Raises:
        UsageError: names the flags and, where the contract has one, its code.
    """
    if len(given.files) > 1:
        raise UsageError(
            "--workspace was given more than once",
            code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG",
        )
    if given.repo is not None:
        raise UsageError(
            "--repo and --workspace cannot go together; choose with --select or --only",
            code="ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED",
        )
    if given.path is not None:
        raise UsageError("a PATH and --workspace cannot go together; use --filter path:")
    if given.receipt is not None:
        _refuse_what_no_receipt_holds(given)


def _refuse_what_no_receipt_holds(given: WorkspaceFlags) -> None:
    """Raise for what differs from run to run, or from machine to machine.

    Raises:
        UsageError: names the flag.
    """
    for flag, is_given in {
        "--stats": given.stats,
        "--debug-include-paths": given.include_paths,
    }.items():
        if is_given:
            raise UsageError(f"{flag} and --receipt cannot go together")
    if any(token.startswith(("/", "~")) for token in (*given.select, *given.only)):
        raise UsageError("--receipt: choose repositories by alias or id, not by absolute path")


def _policy(word: str) -> Policy:
    for policy in POLICIES:
        if policy == word:
            return policy
    raise InvalidRequest(f"--cohort-policy: unknown {word!r}; use one of {', '.join(POLICIES)}")


def _sync(
    terminal: Terminal, workspace: Workspace, request: FederatedRequest, given: WorkspaceFlags
) -> None:
    """Bring the indexes of the selected repositories up to date, one after another."""
    resolve = path_resolver((workspace.workspace_dir, *request.base_dirs))
    for repo in sorted(select_repos(workspace, request, resolve).repos, key=_by_id):
        if repo.missing is not None:
            continue  # the answer says so
        label, root = repo.alias or repo.repo_id, repo.root_canonical
        flags = {"encoder": given.encoder}
        meeting = meeting_of(Place(root, ""), terminal, flags)
        if asks_daemon(meeting, terminal.environ, offline=given.offline):
            with watching(terminal, label) as watch:
                asking = asking_of(meeting, terminal.environ, terminal.tell)
                asking.sync(watch, strict=given.strict_sync)
        else:
            with show_progress(terminal, label) as progress:
                engine = open_engine(root, terminal.environ, flags=flags)
                engine.sync(strict=given.strict_sync, progress=progress)


def _by_id(repo: WorkspaceRepo) -> str:
    return repo.repo_id


def _print(terminal: Terminal, response: FederatedResponse, view: HitView) -> None:
    shown = [
        ShownHit(
            merged.hit,
            merged.hit.path,
            merged.repo_alias or merged.repo_id,
            merged.score,
            tuple(dict.fromkeys(copy.repo_alias or copy.repo_id for copy in merged.also_in)),
        )
        for merged in response.hits
    ]
    terminal.write(render_hits(shown, view, terminal.style))
    limits = limits_of(response)
    notices = notices_of(response)
    terminal.note(render_notes(limits, notices, terminal.notes_style))
    if response.request.stats:
        terminal.note(_times(response))
    if response.error is not None:
        terminal.tell_error(failure_of(response))
    else:
        terminal.note(
            render_confidence(response.confidence, len(shown), limits, terminal.notes_style)
        )


def _times(response: FederatedResponse) -> str:
    """Return how long it took, and whom it took longest, as a line."""
    names = {repo.repo_id: repo.alias or repo.repo_id for repo in response.workspace.repos}
    slowest = sorted(response.repo_elapsed_ms, key=lambda item: (-item[1], item[0]))
    each = ", ".join(f"{names[repo]} {ms:.0f} ms" for repo, ms in slowest[:_MOST_NAMED])
    known = " from memory" if response.from_memory else ""
    return f"{len(response.reports)} repos in {response.elapsed_ms:.0f} ms{known}: {each}\n"


def notices_of(response: FederatedResponse) -> list[Notice]:
    """Return what is to be said; repositories of which the same is said share a line."""
    told: dict[tuple[str, str], set[str | None]] = {}
    for item in (*response.warnings, *response.errors):
        told.setdefault((item.code, item.message), set()).add(item.repo_id)
    file = _file_of(response)
    return [
        Notice(code, _prefix(response.workspace, repos) + with_file(message, file))
        for (code, message), repos in told.items()
    ]


def limits_of(response: FederatedResponse) -> list[LimitHit]:
    """Return the cuts; those of repositories say whose they are.

    Who ran out of its share of the deadline is among the errors already.
    """
    names = {repo.repo_id: repo.alias or repo.repo_id for repo in response.workspace.repos}
    found = []
    for entry in response.limits_hit:
        limit, repo = entry.limit, names.get(entry.repo_id) if entry.repo_id else None
        if limit.code == SHARE_LIMIT:
            continue
        if repo is not None:
            place = f"{repo}:{limit.path_key}" if limit.path_key else repo
            limit = replace(limit, path_key=place)
        found.append(limit)
    return found


def failure_of(response: FederatedResponse) -> str:
    """Return why there is no answer, with the workspace's file in its commands."""
    error = response.error
    return "" if error is None else with_file(f"{error} ({error.code})", _file_of(response))


def _file_of(response: FederatedResponse) -> Path:
    return Path(os.path.relpath(response.workspace.workspace_path, Path.cwd()))


def _prefix(workspace: Workspace, repos: set[str | None]) -> str:
    """Return the names of repositories and a colon, or nothing for the workspace as a whole."""
    names = [repo.alias or repo.repo_id for repo in workspace.repos if repo.repo_id in repos]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}: " if names else ""
