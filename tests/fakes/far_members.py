"""Members of a workspace on another machine: reached by bytes alone, each by itself."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError
from ggrep.base.ids import RepoId
from ggrep.federation.searcher import JointSearcher, RepoSearcher
from ggrep.federation.workspace import WorkspaceRepo
from ggrep.model.operations import operation_of
from ggrep.model.request import Request
from ggrep.model.response import RepoDescription
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.wire.messages import (
    Ask,
    Describe,
    Fetch,
    Message,
    message_json,
    parse_message,
    whole_ms,
    within,
)
from ggrep.protocol.wire.replies import Reply, error_json, parse_reply
from ggrep.service.searchers import EngineSearcher, EngineSearchers

R = TypeVar("R")


class FarMember:
    """A repository behind a line that carries bytes; it counts what goes over it."""

    def __init__(self, inner: EngineSearcher) -> None:
        self._inner = inner
        self.sent = self.received = 0
        self.cut: GgrepError | None = None

    async def describe(self, deadline: Deadline) -> RepoDescription:
        """Return the description, read from bytes."""
        message = Describe(whole_ms(deadline.remaining_ms()))
        return value_of(RepoDescription, await self._exchange(message, deadline), "description")

    async def ask(self, request: Request[R], deadline: Deadline) -> R:
        """Return the answer, read from bytes; errors likewise."""
        operation = operation_of(request)
        message = Ask(request, values=True) if operation.is_public else Fetch(request)
        reply = await self._exchange(within(message, deadline.remaining_ms()), deadline)
        return value_of(operation.response, reply, operation.reply_key)

    async def _exchange(self, message: Message, deadline: Deadline) -> Reply:
        if self.cut is not None:
            raise self.cut
        data = stable_json.dumps(message_json("q", message))
        self.sent += len(data)
        answer = stable_json.dumps(await self._answer(stable_json.loads(data), deadline))
        self.received += len(answer)
        reply = parse_reply(stable_json.loads(answer))
        if reply.error is not None:
            raise reply.error
        return reply

    async def _answer(self, body: Any, deadline: Deadline) -> Mapping[str, Any]:
        message = parse_message(body).message
        try:
            if isinstance(message, Describe):
                return {"description": to_builtins(await self._inner.describe(deadline))}
            answer = await self._inner.ask(message.request, deadline)
        except GgrepError as error:
            return error_json("q", error)
        return {operation_of(message.request).reply_key: to_builtins(answer)}


class MixedSearchers:
    """Engines of this process, some of them far away."""

    def __init__(self, inner: EngineSearchers, far: Sequence[RepoId]) -> None:
        self._inner = inner
        self.far: dict[RepoId, FarMember | None] = dict.fromkeys(far)

    async def prepare(self, repos: Sequence[WorkspaceRepo], deadline: Deadline) -> None:
        """Do nothing."""

    def open(self, repo: WorkspaceRepo) -> RepoSearcher:
        """Return the engine, or the line to it."""
        near = self._inner.open(repo)
        if repo.repo_id not in self.far:
            return near
        member = self.far[repo.repo_id] or FarMember(near)
        self.far[repo.repo_id] = member
        return member

    def joint(self, repos: Sequence[WorkspaceRepo]) -> JointSearcher | None:
        """Return the engines of this process together."""
        return self._inner.joint([repo for repo in repos if repo.repo_id not in self.far])
