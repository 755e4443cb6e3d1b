"""Sends messages to the nodes of a server, and checks which nodes answer.

Each call runs in a worker thread. If a node does not answer, its running calls fail at once, and
later calls go to other nodes with the same repositories, until the node answers a check. An
abandoned call occupies its thread until the link returns, so the number of threads is limited.
"""

from collections.abc import Awaitable, Mapping
from math import inf
from threading import Semaphore
from typing import Final, Protocol

import anyio
from anyio import CapacityLimiter, to_thread
from msgspec import Struct, field, to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, DeadlineExceeded, GgrepError
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.replies import Reply, parse_reply
from ggrep.server.node import NodeMessage, NotHeld
from ggrep.server.placement import placed

LINES: Final = 32
"""Maximum number of concurrent queries to a node."""
THREADS: Final = 2 * LINES
"""Maximum number of threads that wait for a node, including threads of abandoned queries."""
CHECK_S: Final = 1.0
"""Time within which a node must answer a check."""
_HUNG: Final = 30
"""Number of consecutive failed checks after which a node's fetches are cancelled."""
RETRY_AFTER_MS: Final = 1_000
"""Time after which a client can repeat a query that no node could answer."""


class NodeLink(Protocol):
    """A connection to a node."""

    def send(self, data: bytes, timeout_s: float) -> bytes:
        """Return the reply to a message; called in worker threads.

        Raises:
            Unreachable: there is no connection to the node.
            DeadlineExceeded: the node did not answer within `timeout_s`.
        """
        ...


class _Node(Struct):
    link: NodeLink
    lines: CapacityLimiter
    threads: Semaphore
    holds: Semaphore
    checks: Semaphore
    answers: bool = True
    missed: int = 0
    questions: set[anyio.CancelScope] = field(default_factory=set)
    fetches: set[anyio.CancelScope] = field(default_factory=set)


class Nodes:
    """The nodes of a server, by name. All calls must come from one event loop."""

    def __init__(self, links: Mapping[str, NodeLink]) -> None:
        self._nodes = {
            name: _Node(
                link, CapacityLimiter(LINES), Semaphore(THREADS), Semaphore(LINES), Semaphore(1)
            )
            for name, link in sorted(links.items())
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all nodes."""
        return tuple(self._nodes)

    def answering(self) -> dict[str, bool]:
        """Return for each node's name whether the node currently answers."""
        return {name: node.answers for name, node in self._nodes.items()}

    def holders(self, key: str) -> tuple[str, ...]:
        """Return the answering nodes that hold a repository, the preferred node first."""
        return tuple(name for name in placed(key, self._nodes) if self._nodes[name].answers)

    async def ask(self, name: str, message: NodeMessage, deadline: Deadline) -> Reply:
        """Return a node's reply to a message.

        Raises:
            Unreachable: the node does not answer, or its reply is invalid.
            Busy: the maximum number of threads already waits for the node.
            DeadlineExceeded: the reply was late; the node still counts as answering.
            GgrepError: the error in the reply.
        """
        node = self._nodes[name]
        data = stable_json.dumps(to_builtins(message))
        timeout_s = deadline.remaining_ms() / 1000.0
        # Fetches have separate limits, and continue while the node is too busy to answer a check.
        calls, lines, threads = node.questions, node.lines, node.threads
        if message.hold is not None:
            calls, lines, threads = node.fetches, CapacityLimiter(1), node.holds
        call = _call(node.link, data, timeout_s, threads, lines)
        try:
            reply = await _cancellable(calls, call)
        except Unreachable:
            self.lose(name)
            raise
        if reply.error is not None:
            raise reply.error
        return reply

    async def check(self) -> dict[str, Mapping[str, int]]:
        """Check all nodes; return the counters of each node that answers."""
        data = stable_json.dumps(to_builtins(NodeMessage()))
        figures: dict[str, Mapping[str, int]] = {}

        async def check(name: str, node: _Node) -> None:
            try:
                # All lines to a busy node are in use, so a check does not need one.
                free = CapacityLimiter(1)
                reply = await _call(node.link, data, CHECK_S, node.checks, free)
                figures[name] = value_of(dict[str, int], reply, "figures")
            except GgrepError:
                node.missed += 1
                self.lose(name)
                if node.missed >= _HUNG:
                    _cancel(node.fetches)
            else:
                node.answers, node.missed = True, 0

        async with anyio.create_task_group() as group:
            for name, node in self._nodes.items():
                group.start_soon(check, name, node)
        return figures

    def lose(self, name: str) -> None:
        """Cancel all queries to a node, and send it no new queries until it answers a check."""
        node = self._nodes[name]
        node.answers = False
        _cancel(node.questions)


def _cancel(calls: set[anyio.CancelScope]) -> None:
    for scope in tuple(calls):
        scope.cancel()


async def _cancellable(calls: set[anyio.CancelScope], call: Awaitable[Reply]) -> Reply:
    """Return the reply to a call; raise Unreachable if its scope in `calls` is cancelled."""
    with anyio.CancelScope() as scope:
        calls.add(scope)
        try:
            return await call
        finally:
            calls.discard(scope)
    raise Unreachable("a node of the server does not answer")


async def _call(
    link: NodeLink, data: bytes, timeout_s: float, threads: Semaphore, lines: CapacityLimiter
) -> Reply:
    def send() -> Reply:
        if not threads.acquire(blocking=False):
            raise Busy("too many calls wait for a node", retry_after_ms=RETRY_AFTER_MS)
        try:
            return _parsed(link.send(data, timeout_s))
        finally:
            threads.release()

    try:
        with anyio.fail_after(None if timeout_s == inf else timeout_s):
            return await to_thread.run_sync(send, abandon_on_cancel=True, limiter=lines)
    except TimeoutError as error:
        raise DeadlineExceeded("a node did not answer in time") from error


def is_elsewhere(error: GgrepError) -> bool:
    """Return whether the error concerns a single node, so that another node could answer."""
    return isinstance(error, (Unreachable, Busy)) or error.code == NotHeld.code


def _parsed(data: bytes) -> Reply:
    try:
        return parse_reply(stable_json.loads_in_parts(data))
    except (ValueError, AttributeError, GgrepError) as error:
        raise Unreachable(f"invalid reply from a node: {error}") from error
