"""The nodes of a server: links to them, and which of them answer.

A link sends bytes and returns bytes, in a worker thread. If a node does not answer, its calls fail
at once, and further calls go to the other nodes that hold the same repositories, until the node
answers a check.
"""

from collections.abc import Mapping
from math import inf
from typing import Final, Protocol

import anyio
from anyio import CapacityLimiter, to_thread
from msgspec import Struct, field, to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded, GgrepError
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.replies import Reply, parse_reply
from ggrep.server.node import NodeMessage, NotHeld
from ggrep.server.placement import placed

LINES: Final = 32
"""Maximum number of calls to a node at once."""
CHECK_S: Final = 1.0
"""Time in which a node must answer a check."""


class NodeLink(Protocol):
    """A connection to a node."""

    def send(self, data: bytes, timeout_s: float) -> bytes:
        """Return the reply to a message; called in worker threads.

        Raises:
            Unreachable: the node does not answer.
            DeadlineExceeded: it did not answer in time.
        """
        ...


class _Node(Struct):
    link: NodeLink
    limiter: CapacityLimiter
    answers: bool = True
    calls: set[anyio.CancelScope] = field(default_factory=set)


class Nodes:
    """The nodes by name. All calls must come from one event loop."""

    def __init__(self, links: Mapping[str, NodeLink]) -> None:
        self._nodes = {
            name: _Node(link, CapacityLimiter(LINES)) for name, link in sorted(links.items())
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all nodes."""
        return tuple(self._nodes)

    def answering(self) -> dict[str, bool]:
        """Return whether each node answers."""
        return {name: node.answers for name, node in self._nodes.items()}

    def holders(self, key: str) -> tuple[str, ...]:
        """Return the nodes that hold a repository and answer, the preferred node first."""
        return tuple(name for name in placed(key, self._nodes) if self._nodes[name].answers)

    async def ask(self, name: str, message: NodeMessage, deadline: Deadline) -> Reply:
        """Return a node's reply.

        Raises:
            Unreachable: the node does not answer, or its reply is invalid.
            DeadlineExceeded: it did not answer in time; a check decides whether it answers at all.
            GgrepError: the error in the reply.
        """
        data = stable_json.dumps(to_builtins(message))
        try:
            reply = _parsed(await self._send(name, data, deadline.remaining_ms() / 1000.0))
        except Unreachable:
            self.lose(name)
            raise
        if reply.error is not None:
            raise reply.error
        return reply

    async def check(self) -> dict[str, Mapping[str, int]]:
        """Check all nodes; return the counters of the nodes that answer."""
        data = stable_json.dumps(to_builtins(NodeMessage()))
        figures: dict[str, Mapping[str, int]] = {}

        async def check(name: str, node: _Node) -> None:
            try:
                # A busy node has no free line, and answers nevertheless.
                reply = _parsed(await self._send(name, data, CHECK_S, CapacityLimiter(1)))
                figures[name] = value_of(dict[str, int], reply, "figures")
            except GgrepError:
                self.lose(name)
            else:
                node.answers = True

        async with anyio.create_task_group() as group:
            for name, node in self._nodes.items():
                group.start_soon(check, name, node)
        return figures

    def lose(self, name: str) -> None:
        """Let all calls to a node fail, until the node answers a check."""
        node = self._nodes[name]
        node.answers = False
        for scope in tuple(node.calls):
            scope.cancel()

    async def _send(
        self, name: str, data: bytes, timeout_s: float, limiter: CapacityLimiter | None = None
    ) -> bytes:
        node = self._nodes[name]
        with anyio.CancelScope() as scope:
            node.calls.add(scope)
            try:
                with anyio.fail_after(None if timeout_s == inf else timeout_s):
                    return await to_thread.run_sync(
                        node.link.send,
                        data,
                        timeout_s,
                        abandon_on_cancel=True,
                        limiter=limiter or node.limiter,
                    )
            except TimeoutError as error:
                raise DeadlineExceeded("a node did not answer in time") from error
            finally:
                node.calls.discard(scope)
        raise Unreachable("a node of the server does not answer")


def is_elsewhere(error: GgrepError) -> bool:
    """Return whether another node could answer instead."""
    return isinstance(error, Unreachable) or error.code == NotHeld.code


def _parsed(data: bytes) -> Reply:
    try:
        return parse_reply(stable_json.loads(data))
    except (ValueError, AttributeError, GgrepError) as error:
        raise Unreachable(f"invalid reply from a node: {error}") from error
