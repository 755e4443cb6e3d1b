"""The code around a location of a workspace."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from msgspec.structs import asdict, replace

from ggrep.base.clock import Clock
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import EXPAND_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator import deadline_of
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.envelope import Envelope, RepoNotices, envelope_of
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.federated_request import FederatedRequest, check_request
from ggrep.federation.repo_outcomes import RepoLimit
from ggrep.federation.searcher import Searchers
from ggrep.federation.selection import label_of, repo_target, select_repos
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.navigation import ExpandRequest, ExpandResponse
from ggrep.model.request import SearchRequest
from ggrep.render.answer_json import expansion_json

_ALL = 1
"""Share of the remaining time that the single round may use."""


class FederatedExpansion(Envelope, frozen=True, kw_only=True):
    """The code around a location in a repository of a workspace.

    Attributes:
        repo: repository of the location; None after a failure, like `response`.
    """

    asked: ExpandRequest
    repo: WorkspaceRepo | None = None
    response: ExpandResponse | None = None

    def shown(self) -> Iterable[RepoId]:
        """Return the repository of the location."""
        return () if self.repo is None else (self.repo.repo_id,)

    def body(self) -> dict[str, Any]:
        """Return the code, with the target as the user wrote it."""
        if self.repo is None or self.response is None:
            return {}
        asked = replace(self.asked, max_bytes=self.response.request.max_bytes)
        return {
            "schema_version": EXPAND_SCHEMA,
            "format": "expand",
            **expansion_json(replace(self.response, request=asked)),
            "repoId": self.repo.repo_id,
            "repoAlias": self.repo.alias,
        }


async def federated_expand(
    workspace: Workspace,
    request: FederatedRequest,
    asked: ExpandRequest,
    searchers: Searchers,
    clock: Clock,
) -> FederatedExpansion:
    """Return the code around a location.

    The target may begin with `alias:`. Without an alias, exactly one selected repository must
    contain the location. `request.search` is not used.
    """
    search = SearchRequest(
        query=asked.target or " ",
        deterministic=asked.deterministic,
        timeout_ms=asked.timeout_ms or request.search.timeout_ms,
    )
    request = replace(request, search=search)
    check_request(request)
    started_ms = clock.monotonic_ms()
    selection = select_repos(workspace, request)
    target = repo_target(asked.target, workspace, selection)
    if target.repo is not None:
        selection = replace(selection, repos=(target.repo,))
    deadline = deadline_of(request, clock)
    session = FanoutSession(workspace, request, selection, searchers, CoordinatorCache(0), deadline)
    await session.begin()
    replies = await _replies(session, replace(asked, target=target.target))
    notices = {
        repo: RepoNotices(
            reply.provenance,
            tuple(RepoLimit(cut, repo) for cut in reply.limits_hit),
            reply.warnings,
        )
        if isinstance(reply, ExpandResponse)
        else RepoNotices(None)
        for repo, reply in sorted(replies.items())
    }
    envelope = envelope_of(session, notices, elapsed_ms=clock.monotonic_ms() - started_ms)
    answer = FederatedExpansion(**asdict(envelope), asked=asked)
    if answer.error is not None:
        return answer
    places = {repo: reply for repo, reply in replies.items() if isinstance(reply, ExpandResponse)}
    if len(places) == 1:
        ((repo, response),) = places.items()
        return replace(answer, repo=session.repos[repo], response=response)
    if places:
        labels = sorted(label_of(session.repos[repo]) for repo in places)
        message = (
            f"{asked.target} is in several repositories, {', '.join(labels)}; choose one: "
            f"{labels[0]}:{asked.target}"
        )
        return replace(answer, error=InvalidRequest(f"target: {message}"))
    texts = (
        str(reply) for _, reply in sorted(replies.items()) if isinstance(reply, InvalidRequest)
    )
    refusals = tuple(dict.fromkeys(texts))
    if len(refusals) == 1:
        return replace(answer, error=InvalidRequest(refusals[0]))
    more = f"; {refusals[0]}" if refusals else ""
    message = f"target: no repository contains {asked.target}{more}"
    return replace(answer, error=InvalidRequest(message))


async def _replies(
    session: FanoutSession, asked: ExpandRequest
) -> Mapping[RepoId, ExpandResponse | InvalidRequest]:
    """Return each repository's reply: the code, or an error if it lacks the location."""

    async def ask(repo: RepoId) -> ExpandResponse | InvalidRequest:
        try:
            return await session.searcher(repo).ask(asked, session.deadline)
        except InvalidRequest as error:
            return error

    if session.is_over:
        return {}
    described = [repo for repo in session.descriptions if repo not in session.failures]
    return await session.round({repo: partial(ask, repo) for repo in described}, _ALL)
