"""The code around a place of a workspace: of the repository that is named, or that alone has it."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, cast

from msgspec.structs import replace

from ggrep.base.clock import Clock
from ggrep.base.errors import InvalidRequest
from ggrep.base.formats import EXPAND_SCHEMA
from ggrep.base.ids import RepoId
from ggrep.federation.coordinator import deadline_of
from ggrep.federation.coordinator_cache import CoordinatorCache
from ggrep.federation.envelope import RepoNotices, WorkspaceAnswer, envelope_of
from ggrep.federation.fanout_session import FanoutSession
from ggrep.federation.federated_names import failed_names_json, names_json
from ggrep.federation.federated_request import FederatedRequest, check_request
from ggrep.federation.repo_outcomes import RepoLimit
from ggrep.federation.searcher import Searchers
from ggrep.federation.selection import (
    RepoTarget,
    Selection,
    label_of,
    repo_target,
    select_repos,
)
from ggrep.federation.workspace import Workspace, WorkspaceRepo
from ggrep.model.navigation import ExpandRequest, ExpandResponse
from ggrep.model.request import SearchRequest
from ggrep.render.answer_json import expansion_json

if TYPE_CHECKING:
    from ggrep.model.schemas.federated import FederatedErrorJson
    from ggrep.model.schemas.federated_names import FederatedExpandJson

_ALL = 1
"""The only round has all the time that is left."""


class FederatedExpansion(WorkspaceAnswer, frozen=True):
    """The code around a place of one of several repositories."""

    asked: ExpandRequest
    repo: WorkspaceRepo | None = None
    found: ExpandResponse | None = None

    def to_json(self) -> "FederatedExpandJson | FederatedErrorJson":
        """Return the answer, or its failure with all that is known of the repositories."""
        error = self.attendance.error
        if self.repo is None or self.found is None or error is not None:
            return failed_names_json(self.attendance, error or _nowhere(self.asked, ()))
        asked = replace(self.asked, max_bytes=self.found.request.max_bytes)
        document = {
            "schema_version": EXPAND_SCHEMA,
            "ok": True,
            "format": "expand",
            **names_json(self.attendance, (self.repo.repo_id,)),
            **expansion_json(replace(self.found, request=asked)),
            "repoId": self.repo.repo_id,
            "repoAlias": self.repo.alias,
        }
        return cast("FederatedExpandJson", document)


async def federated_expand(
    workspace: Workspace,
    request: FederatedRequest,
    asked: ExpandRequest,
    searchers: Searchers,
    clock: Clock,
) -> FederatedExpansion:
    """Return the code around a place.

    Its target may begin with `alias:`; else it must lie in one repository alone. The search of
    `request` is not read.
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
    session = FanoutSession(
        workspace,
        request,
        _narrowed(selection, target),
        searchers,
        CoordinatorCache(0),
        deadline_of(request, clock),
    )
    await session.begin()
    replies = await _asked(session, replace(asked, target=target.target))
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
    if envelope.error is not None:
        return FederatedExpansion(envelope, asked)
    places = {repo: reply for repo, reply in replies.items() if isinstance(reply, ExpandResponse)}
    if len(places) == 1:
        ((repo, place),) = places.items()
        return FederatedExpansion(envelope, asked, session.repos[repo], place)
    error = _several(asked, session, places) if places else _nowhere(asked, _refusals(replies))
    return FederatedExpansion(replace(envelope, error=error), asked)


def _narrowed(selection: Selection, target: RepoTarget) -> Selection:
    """Return the selection of the repository that the target names, if it names one."""
    if target.repo is None:
        return selection
    return replace(selection, repos=(target.repo,))


async def _asked(
    session: FanoutSession, asked: ExpandRequest
) -> Mapping[RepoId, ExpandResponse | InvalidRequest]:
    """Return the reply of each repository: its code there, or that it has no such place."""

    async def ask(repo: RepoId) -> ExpandResponse | InvalidRequest:
        try:
            return await session.searcher(repo).ask(asked, session.deadline)
        except InvalidRequest as error:
            return error

    if session.is_over:
        return {}
    described = [repo for repo in session.descriptions if repo not in session.failures]
    return await session.round({repo: partial(ask, repo) for repo in described}, _ALL)


def _several(
    asked: ExpandRequest, session: FanoutSession, places: Mapping[RepoId, ExpandResponse]
) -> InvalidRequest:
    labels = sorted(label_of(session.repos[repo]) for repo in places)
    return InvalidRequest(
        f"target: {asked.target} is in {', '.join(labels)}; say which: {labels[0]}:{asked.target}"
    )


def _refusals(replies: Mapping[RepoId, ExpandResponse | InvalidRequest]) -> tuple[str, ...]:
    texts = (str(one) for _, one in sorted(replies.items()) if isinstance(one, InvalidRequest))
    return tuple(dict.fromkeys(texts))


def _nowhere(asked: ExpandRequest, refusals: tuple[str, ...]) -> InvalidRequest:
    if len(refusals) == 1:
        return InvalidRequest(refusals[0])
    more = f"; {refusals[0]}" if refusals else ""
    return InvalidRequest(f"target: no repository holds {asked.target}{more}")
