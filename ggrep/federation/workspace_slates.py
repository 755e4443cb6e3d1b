"""A slate over a workspace: a search chooses repositories, and their slates are merged."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.errors import InvalidRequest, SessionExpired
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator import CompletedSearch, deadline_of, run_search
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.diagnostics import Diagnostic, sorted_diagnostics
from ggrep.federation.fanout import RepoOutcome
from ggrep.federation.fanout_session import Arrived
from ggrep.federation.federated_request import MAX_PER_REPO_TOP, FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.merge import REFILL_LIMIT
from ggrep.federation.repo_outcomes import RepoLimit, code_of, first_failure
from ggrep.federation.searcher import Searchers
from ggrep.federation.selection import label_of, repo_target
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_draft import GLOBAL
from ggrep.federation.workspace_sessions import WorkspaceSession, read_session, write_session
from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit
from ggrep.model.request import MAX_TOP, CollectionStatistics, SnippetMode, sum_statistics
from ggrep.model.slate import (
    Anchors,
    Budgets,
    Graph,
    Level,
    Pack,
    SessionOp,
    SessionRequest,
    SessionState,
    Slate,
    SlateRequest,
    SlateResponse,
)
from ggrep.render.answer_json import continued_json
from ggrep.search.slate.combine import RepoSlate, combined
from ggrep.search.slate.document import slate_json
from ggrep.search.slate.levels import check_level, effective
from ggrep.search.slate.overview import SlatePlan
from ggrep.search.slate.tokens import check_session, told_of

_AROUND: Final = 4_000
"""Bytes of metadata around the slate of one repository, included in the default budget."""

_OF_LISTS: Final = frozenset(
    {"per_repo_top", "max_candidates", REFILL_LIMIT, "low_confidence", "max_total_snippet_bytes"}
)
"""Limits on lists of hits; a slate contains no such lists."""


def joined(
    completed: CompletedSearch,
    outcomes: Mapping[RepoId, RepoOutcome[SlateResponse]],
    plan: SlatePlan,
    clamps: Sequence[LimitHit],
    *,
    fits_usual: bool,
    shows: bool,
) -> tuple[FederatedResponse, Slate]:
    """Return the search's answer with the limits and warnings of the slates, and the merged slate.

    Args:
        completed: the search, whose hits determined the repositories with slates.
        outcomes: outcomes of the slate requests by repository.
        plan: form of the slate.
        clamps: requested budgets above a cap.
        fits_usual: whether the metadata of many repositories reduces the slate's byte budget.
        shows: whether the slates' files are shown; if False, the slates only provide the
            interpretation of the query.
    """
    response, repos = completed.response, completed.session.repos
    ordered = sorted(outcomes.items())
    responses = {repo: outcome.value for repo, outcome in ordered if outcome.value is not None}
    shown = responses if shows else {}
    slates = [
        RepoSlate(label_of(repos[repo]), each.slate, each.facts, _left_out(each))
        for repo, each in shown.items()
    ]
    beside = _OF_LISTS if response.hits else _OF_LISTS - {"low_confidence"}
    cuts_so_far = [
        *map(RepoLimit, clamps),
        *(item for item in response.limits_hit if item.limit.code not in beside),
        # Limits hit by the repositories' slates; the answer lacks the omitted content.
        *(
            RepoLimit(limit, repo)
            for repo, each in shown.items()
            for limit in each.limits_hit
            if limit.code not in _OF_LISTS
        ),
    ]
    failed = [
        Diagnostic(code_of(outcome.error), f"no slate: {outcome.error}", repo_id=repo)
        for repo, outcome in outcomes.items()
        if outcome.error is not None
    ]
    spent_ms = {repo: outcome.elapsed_ms for repo, outcome in outcomes.items()}
    response = replace(
        response,
        errors=sorted_diagnostics((*response.errors, *failed)),
        repo_elapsed_ms=tuple(
            (repo, ms + spent_ms.get(repo, 0.0)) for repo, ms in response.repo_elapsed_ms
        ),
    )
    if fits_usual and plan.level:
        around = replace(response, limits_hit=tuple(cuts_so_far))
        left = _left(around, plan.budgets.total_bytes)
        plan = replace(plan, budgets=replace(plan.budgets, total_bytes=left))
    # All repositories interpret the query in the same way; without a slate, as words.
    first = next((each.slate.overview for each in responses.values()), None)
    if first is not None:
        plan = replace(plan, terms=first.terms, kind=first.kind)
    slate, cuts = combined(slates, plan, comparable=completed.given.strategy == GLOBAL)
    cuts_so_far += [RepoLimit(limit) for limit in cuts]
    limits = tuple(dict.fromkeys(sorted(cuts_so_far, key=RepoLimit.order)))
    return replace(response, limits_hit=limits), slate


def _left_out(response: SlateResponse) -> int:
    """Return how many matching files of a repository are not in its slate."""
    over = (hit for hit in response.limits_hit if hit.code == "max_slate_files")
    return sum((hit.observed or hit.limit) - hit.limit for hit in over)


def _left(response: FederatedResponse, usual: int) -> int:
    """Return the byte budget that remains for a slate beside the metadata of many repositories.

    At least half of the default budget remains. The bytes of elapsed times are not counted, because
    times differ from run to run.
    """
    timeless = replace(response, request=replace(response.request, stats=False))
    head = {**timeless.head(), "ok": True, "confidence": timeless.confidence.value}
    around = len(stable_json.dumps(head))
    return max(usual - max(around - _AROUND, 0), usual // 2)


LEADING_HITS: Final = 50
"""Slates are requested from repositories with a hit among this many first hits."""

_SEARCH_SHARE: Final = 0.6
"""Share of the time that the search may use; slates use the rest."""

_HITS_OF_A_FILE: Final = 3
"""Additional hits to request for each file that a session has shown."""

_MOST_NAMED: Final = 8

_USUAL: Final = Budgets()


class SlateShape(Struct, frozen=True):
    """Level, budgets and parts of a slate over a workspace, and its session."""

    level: Level = 1
    budgets: Budgets = _USUAL
    anchors: Anchors = True
    graph: Graph = True
    session: SessionRequest | None = None


_LEAST: Final = SlateShape(level=0, anchors=False, graph=False)


class FederatedSlate(FederatedResponse, frozen=True, kw_only=True):
    """A slate over a workspace, with the answer of the search that chose its repositories.

    Attributes:
        slate: None after a failure.
    """

    slate: Slate | None
    session: SessionState | None = None

    def body(self) -> dict[str, Any]:
        """Return the slate instead of a search's lists."""
        slate = {} if self.slate is None else {"slate": slate_json(self.slate)}
        head = {"confidence": self.confidence.value, "format": "slate"}
        return {**continued_json(self.session), **head, **slate}


def _slate_of(
    response: FederatedResponse, slate: Slate | None, session: SessionState | None = None
) -> FederatedSlate:
    return FederatedSlate(**asdict(response), slate=slate, session=session)


async def federated_slate(  # noqa: PLR0913 - as a search, with a shape
    workspace: Workspace,
    request: FederatedRequest,
    shape: SlateShape,
    searchers: Searchers,
    clock: Clock,
    *,
    memory: CoordinatorCache | None = None,
    arrived: Arrived | None = None,
) -> FederatedSlate:
    """Return the slate for a question over the selected repositories.

    Arguments are those of `federated_search`; `request.top` is not used.

    Raises:
        WorkspaceError: the request is invalid or names a cohort that does not exist.
        InvalidRequest: the level, a budget or the session is invalid.
        SessionFull: the token cannot contain more shown files.
    """
    check_level(shape.level)
    budgets, clamps = effective(shape.budgets, shape.level)
    session_request = shape.session
    if session_request is not None:
        check_session(session_request)
        budgets = replace(budgets, files=max(budgets.files, len(session_request.targets)))
    token = session_request.token if session_request else ""
    session = read_session(token, workspace) if token else WorkspaceSession()
    started_ms = clock.monotonic_ms()
    deadline = deadline_of(request, clock)
    share_ms = _SEARCH_SHARE * deadline.remaining_ms()
    searching = replace(
        _searching(request, session_request, session.files),
        deadline=replace(deadline, at_ms=clock.monotonic_ms() + share_ms),
    )
    completed = await run_search(
        workspace,
        searching,
        searchers,
        clock,
        memory=memory,
        arrived=arrived,
        part=_SEARCH_SHARE,
        kept=session.tokens,
    )
    if not completed.response.ok:
        return _slate_of(completed.response, None)
    requests = _requests(completed, shape, budgets, session)
    outcomes = await completed.session.slates(
        requests or _interpreting(completed, budgets), deadline
    )
    failures = [outcome.error for outcome in outcomes.values() if outcome.error is not None]
    failed = bool(failures) and (request.strict or len(failures) == len(requests))
    plan = SlatePlan(
        level=shape.level,
        budgets=budgets,
        confidence=completed.response.confidence,
        graph=shape.graph,
        has_session=session_request is not None,
        keep_weak=request.search.keep_weak or bool(session_request and session_request.targets),
    )
    usual = not shape.budgets.total_bytes and not budgets.of_text
    shows = bool(requests) and not failed
    response, slate = joined(completed, outcomes, plan, clamps, fits_usual=usual, shows=shows)
    response = replace(response, elapsed_ms=clock.monotonic_ms() - started_ms)
    if failed:
        error = first_failure(failures)
        return _slate_of(replace(response, error=error, confidence=Confidence.NONE), None)
    if session_request is None:
        return _slate_of(response, slate)
    seen = _seen_again(completed, session) if session_request.delta_only else []
    response = replace(response, warnings=sorted_diagnostics((*response.warnings, *seen)))
    session = _advanced(completed, session, slate, outcomes)
    return _slate_of(response, slate, write_session(session, workspace, session_request.op))


def _searching(
    request: FederatedRequest, session_request: SessionRequest | None, shown: int
) -> FederatedRequest:
    """Return the request for the search that chooses repositories; `shown` counts shown files."""
    top = min(LEADING_HITS + _HITS_OF_A_FILE * shown, MAX_TOP)
    search = replace(request.search, snippet=SnippetMode.NONE, explain=False)
    searching = replace(request, search=search, top=top)
    if shown and request.per_repo_top is None:
        searching = replace(searching, per_repo_top=min(top, MAX_PER_REPO_TOP))
    if session_request is not None and session_request.targets:
        searching = replace(searching, max_repos=0)  # the targets determine the repositories
    return searching


def _seen_again(completed: CompletedSearch, session: WorkspaceSession) -> list[Diagnostic]:
    """Return the notice of matching files that are omitted because they were shown before."""
    files = {(hit.repo_id, hit.hit.path) for hit in completed.response.hits}
    number = sum(session.has_seen(repo, path) for repo, path in files)
    message = f"{number} matching files are omitted, because this session has shown them before"
    return [Diagnostic("files_seen", message)] if number else []


def _requests(
    completed: CompletedSearch, shape: SlateShape, budgets: Budgets, session: WorkspaceSession
) -> dict[RepoId, SlateRequest]:
    """Return the requests for slates by repository.

    If the session names targets, the result contains the repositories of the targets; otherwise the
    repositories of the best hits.
    """
    session_request, total = shape.session, _total(completed)
    if session_request is not None and session_request.targets:
        requests = {}
        for repo, targets in _targets(completed, session_request).items():
            plain = _request(completed, repo, shape, budgets, total)
            requests[repo] = _in_session(
                plain, replace(session_request, targets=targets), session, repo
            )
        return requests
    fresh = [
        hit.repo_id
        for hit in completed.response.hits
        if not (
            session_request
            and session_request.delta_only
            and session.has_seen(hit.repo_id, hit.hit.path)
        )
    ]
    leading = list(dict.fromkeys(fresh[:LEADING_HITS]))[: budgets.files]
    requests = {repo: _request(completed, repo, shape, budgets, total) for repo in leading}
    if session_request is not None:
        requests = {
            repo: _in_session(request, session_request, session, repo)
            for repo, request in requests.items()
        }
    return requests


def _interpreting(completed: CompletedSearch, budgets: Budgets) -> dict[RepoId, SlateRequest]:
    """Return a minimal request, whose reply provides the interpretation of the query."""
    return {
        repo: _request(completed, repo, _LEAST, replace(budgets, files=1), _total(completed))
        for repo in sorted(completed.given.pools)[:1]
    }


def _targets(
    completed: CompletedSearch, session_request: SessionRequest
) -> dict[RepoId, tuple[str, ...]]:
    """Return the targets to expand, by repository."""
    session, targets = completed.session, dict[RepoId, tuple[str, ...]]()
    for typed in session_request.targets:
        target = repo_target(typed, session.workspace, session.selection)
        repo = target.repo or (session.selection.repos[0] if len(session.repos) == 1 else None)
        if repo is None:
            names = ", ".join(sorted(map(label_of, session.selection.repos))[:_MOST_NAMED])
            raise InvalidRequest(
                f"targets: {typed!a} does not begin with an alias; write alias:path with one of "
                f"these aliases: {names}"
            )
        if repo.repo_id not in completed.given.pools:
            raise InvalidRequest(
                f"targets: {typed!a}: the repository {label_of(repo)} returned no answer"
            )
        targets[repo.repo_id] = (*targets.get(repo.repo_id, ()), target.target)
    return targets


def _in_session(
    request: SlateRequest, session_request: SessionRequest, session: WorkspaceSession, repo: RepoId
) -> SlateRequest:
    """Return the request with the repository's session token and shown files."""
    earlier = session.repos.get(repo)
    if earlier is None:
        op: SessionOp = "expand" if session_request.targets else "start"
        return replace(
            request, session=replace(session_request, token="", op=op, delta_only=False), seen=()
        )
    continued = replace(session_request, token=earlier.token)
    return replace(request, session=continued, seen=tuple(seen.hex() for seen in earlier.seen))


def _advanced(
    completed: CompletedSearch,
    session: WorkspaceSession,
    slate: Slate,
    outcomes: Mapping[RepoId, RepoOutcome[SlateResponse]],
) -> WorkspaceSession:
    """Return the session after a slate was shown."""
    ids = {label_of(repo): repo_id for repo_id, repo in completed.session.repos.items()}
    packs: dict[RepoId, list[Pack]] = {}
    for pack in (pack for _, listed in slate.sections for pack in listed):
        packs.setdefault(ids[pack.repo], []).append(pack)
    tokens: dict[RepoId, str] = {}
    shown: dict[RepoId, Iterable[str]] = {}
    failed = dict(completed.session.failures)
    for repo, outcome in outcomes.items():
        response = outcome.value
        if response is not None and response.session is not None:
            tokens[repo] = response.session.token
            shown[repo] = told_of(packs.get(repo, ()), response.copies)
        if outcome.error is not None:
            failed.setdefault(repo, outcome.error)
    ended = [repo for repo, error in failed.items() if error.code == SessionExpired.code]
    return session.going_on(tokens, shown, ended)


def _total(completed: CompletedSearch) -> CollectionStatistics | None:
    """Return the sum of all statistics; None if each repository uses its own statistics."""
    figures = completed.given.figures
    if completed.given.strategy != GLOBAL or not figures:
        return None
    return sum_statistics(figures[repo] for repo in sorted(figures))


def _request(
    completed: CompletedSearch,
    repo: RepoId,
    shape: SlateShape,
    budgets: Budgets,
    total: CollectionStatistics | None,
) -> SlateRequest:
    """Return the slate request to a repository, for the search and the snapshot of its hits."""
    session, given = completed.session, completed.given
    corpora = session.plan.corpora_of(repo)
    return SlateRequest(
        search=replace(session.search, corpora=corpora, keep_weak=True),
        level=shape.level,
        budgets=budgets,
        anchors=shape.anchors,
        graph=shape.graph,
        facts=shape.graph,
        statistics=total if repo in given.figures else None,
        snapshot_id=given.pools[repo].provenance.snapshot_id,
        vector=session.vector_of(repo),
    )
