"""The nodes of a server: links to them, and which of them answer.

A link sends bytes and returns bytes, in a worker thread. If a node does not answer, its calls fail
at once, and further calls go to the other nodes that hold the same repositories, until the node
answers a check. A call whose caller has gone keeps its thread until the link returns, so the number
of threads is limited.
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
"""Maximum number of questions to a node at once."""
THREADS: Final = 2 * LINES
"""Maximum number of threads that wait for a node, with those of abandoned questions."""
CHECK_S: Final = 1.0
"""Time in which a node must answer a check."""
_HUNG: Final = 30
"""Number of checks without an answer after which a node does not fetch any more."""
RETRY_AFTER_MS: Final = 1_000
"""Time after which a client can repeat a question that no node could answer."""


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
    lines: CapacityLimiter
    threads: Semaphore
    holds: Semaphore
    checks: Semaphore
    answers: bool = True
    missed: int = 0
    questions: set[anyio.CancelScope] = field(default_factory=set)
    fetches: set[anyio.CancelScope] = field(default_factory=set)


class Nodes:
    """The nodes by name. All calls must come from one event loop."""

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
        """Return whether each node answers."""
        return {name: node.answers for name, node in self._nodes.items()}

    def holders(self, key: str) -> tuple[str, ...]:
        """Return the nodes that hold a repository and answer, the preferred node first."""
        return tuple(name for name in placed(key, self._nodes) if self._nodes[name].answers)

    async def ask(self, name: str, message: NodeMessage, deadline: Deadline) -> Reply:
        """Return a node's reply.

        Raises:
            Unreachable: the node does not answer, or its reply is invalid.
            Busy: all threads wait for the node.
            DeadlineExceeded: it did not answer in time; a check decides whether it answers at all.
            GgrepError: the error in the reply.
        """
        node = self._nodes[name]
        data = stable_json.dumps(to_builtins(message))
        timeout_s = deadline.remaining_ms() / 1000.0
        # A fetch goes on while the node is too busy to answer a check.
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
        """Check all nodes; return the counters of the nodes that answer."""
        data = stable_json.dumps(to_builtins(NodeMessage()))
        figures: dict[str, Mapping[str, int]] = {}

        async def check(name: str, node: _Node) -> None:
            try:
                # A busy node has no free line, and answers nevertheless.
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
        """Let all questions to a node fail, until the node answers a check."""
        node = self._nodes[name]
        node.answers = False
        _cancel(node.questions)


def _cancel(calls: set[anyio.CancelScope]) -> None:
    for scope in tuple(calls):
        scope.cancel()


async def _cancellable(calls: set[anyio.CancelScope], call: Awaitable[Reply]) -> Reply:
    """Return the reply to a call, which fails at once if its scope among `calls` is cancelled."""
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
    """Return whether another node could answer instead."""
    return isinstance(error, (Unreachable, Busy)) or error.code == NotHeld.code


def _parsed(data: bytes) -> Reply:
    try:
        return parse_reply(stable_json.loads_in_parts(data))
    except (ValueError, AttributeError, GgrepError) as error:
        raise Unreachable(f"invalid reply from a node: {error}") from error
