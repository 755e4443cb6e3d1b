"""Sends messages to a team server over HTTPS, about repositories that the user may see.

Messages are only sent to servers that the user has registered with `ggrep remote add`, because
workspace files are not trusted. Redirects are not followed, and the size of replies is bounded.
"""

import ssl
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from math import inf
from pathlib import Path
from threading import Semaphore
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import urlsplit

from anyio import CapacityLimiter, to_thread
from msgspec import Struct, to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import (
    Busy,
    DeadlineExceeded,
    GgrepError,
    InvalidRequest,
    NoIndex,
    RemoteError,
)
from ggrep.config.remotes import Remote, read_remotes
from ggrep.config.repo_key import is_key
from ggrep.model.batched_query import MOST_MEMBERS
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.client.channel import before
from ggrep.protocol.client.daemon_client import value_of
from ggrep.protocol.client.link import Unreachable
from ggrep.protocol.wire.messages import Message, for_daemon, message_json
from ggrep.protocol.wire.replies import Reply, parse_reply

T = TypeVar("T")

ROUTE: Final = "/members"
MOST_REPLY_BYTES: Final = 64 * 1024 * 1024
_AT_ONCE: Final = 8
"""Maximum number of concurrent messages of one query to a server."""
_THREADS: Final = Semaphore(64)
"""Limits the threads that wait for servers, including threads of abandoned messages."""
_RETRY_AFTER_MS: Final = 1_000
_READ_BYTES: Final = 1 << 16
_SHOWN: Final = 300


class ServerMessage(Struct, frozen=True):
    """A message to a team server.

    Attributes:
        repos: the repositories to query: their keys, and the digests of their trees.
        message: a daemon message as JSON; None to list the user's repositories.
    """

    repos: tuple[tuple[str, str], ...] = ()
    message: Mapping[str, Any] | None = None


class Send(Protocol):
    """Sends bytes to a server in a worker thread."""

    def __call__(self, data: bytes, deadline: Deadline) -> bytes:
        """Return the reply.

        Raises:
            GgrepError: the server cannot be reached, or rejects the message.
        """
        ...


class ServerConnection:
    """A connection to a team server for one query. All calls must come from one event loop."""

    def __init__(self, url: str, send: Send, failure: GgrepError | None = None) -> None:
        """Create the connection; with a `failure`, messages raise it instead of being sent."""
        self.url = url
        self._send = send
        self._messages = CapacityLimiter(_AT_ONCE)
        self._failure = failure

    async def listed(self, deadline: Deadline) -> Mapping[str, str]:
        """Return the keys of the user's repositories, with the digests of their trees.

        Raises:
            GgrepError: as `ask`.
        """
        return await self._value(ServerMessage(), _listing, deadline)

    async def ask(
        self,
        repos: Sequence[tuple[str, str]],
        message_of: Callable[[float], Message],
        read: Callable[[Reply], T],
        deadline: Deadline,
    ) -> T:
        """Return the value of the reply to a message about repositories, given by key and tree.

        `read` returns the value of a reply, or raises Unreachable for an invalid one; it runs in a
        worker thread, because a reply can be large.

        Raises:
            RemoteError: the server cannot be reached, or its reply is invalid; all later messages
                of the query fail at once.
            DeadlineExceeded: the server did not answer in time.
            GgrepError: the error in the reply.
        """
        message = message_json("", message_of(for_daemon(deadline.remaining_ms())))
        return await self._value(ServerMessage(tuple(repos), message), read, deadline)

    async def _value(
        self, message: ServerMessage, read: Callable[[Reply], T], deadline: Deadline
    ) -> T:
        if self._failure is not None:
            raise self._failure
        data = stable_json.dumps(to_builtins(message))

        def exchange() -> T | GgrepError:
            """Return the value, or the error in the reply."""
            if not _THREADS.acquire(blocking=False):
                text = "too many messages to team servers wait for replies"
                raise Busy(text, retry_after_ms=_RETRY_AFTER_MS)
            try:
                reply = parse_reply(stable_json.loads_in_parts(self._send(data, deadline)))
                return read(reply) if reply.error is None else reply.error
            finally:
                _THREADS.release()

        try:
            with before(deadline, _late(self.url)):
                value = await to_thread.run_sync(
                    exchange, abandon_on_cancel=True, limiter=self._messages
                )
        except (ValueError, AttributeError, InvalidRequest, Unreachable) as error:
            shown = sanitise_line(str(error)[:_SHOWN])
            self._failure = RemoteError(f"invalid reply from the team server {self.url}: {shown}")
            raise self._failure from error
        except RemoteError as error:
            self._failure = error
            raise
        if isinstance(value, NoIndex):  # NoIndex would suggest a command for this machine
            raise RemoteError(f"the team server {self.url}: {value}")
        if isinstance(value, GgrepError):
            raise value
        return value


def _listing(reply: Reply) -> Mapping[str, str]:
    repos = value_of(tuple[tuple[str, str], ...], reply, "repos")
    if len(repos) > MOST_MEMBERS or not all(is_key(key) for key, _ in repos):
        raise Unreachable("it lists too much, or no keys")
    return dict(sorted(repos))


def _late(url: str) -> str:
    return f"the team server {url} did not answer in time"


def connections(file: Path, environ: Mapping[str, str]) -> Callable[[str], ServerConnection]:
    """Return a function that connects to servers registered in the user's file of remotes."""
    servers: Mapping[str, Remote] = {}
    problem = ""
    try:
        servers = {each.url: each for each in read_remotes(file)}
    except InvalidRequest as error:
        problem = str(error)

    def connect(url: str) -> ServerConnection:
        if url in servers:
            return ServerConnection(url, _sender(servers[url], environ))
        failure = RemoteError(problem or _unregistered(url))
        return ServerConnection(url, lambda _, __: b"", failure)

    return connect


def _sender(server: Remote, environ: Mapping[str, str]) -> Send:
    def send(data: bytes, deadline: Deadline) -> bytes:
        try:
            token = server.token(environ)
        except InvalidRequest as error:
            raise RemoteError(str(error)) from error
        return _posted(server, token, data, deadline)

    return send


def _unregistered(url: str) -> str:
    return (
        f"the team server {url} is not registered on this machine, so nothing was sent;"
        f" to register it, run: ggrep remote add NAME {url} --token-env VARIABLE"
    )


def _posted(server: Remote, token: str, data: bytes, deadline: Deadline) -> bytes:
    parts = urlsplit(server.url)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    left_ms = deadline.remaining_ms()
    timeout = None if left_ms == inf else max(left_ms, 1.0) / 1000.0
    connection = (
        HTTPSConnection(host, port, timeout=timeout, context=_trusted())
        if parts.scheme == "https"
        else HTTPConnection(host, port, timeout=timeout)
    )
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    try:
        connection.request("POST", f"{parts.path}{ROUTE}", data, headers)
        with connection.getresponse() as response:
            body = _body(response, deadline)
    except TimeoutError as error:
        raise DeadlineExceeded(_late(server.url)) from error
    except (OSError, HTTPException) as error:
        if not deadline.remaining_ms():
            raise DeadlineExceeded(_late(server.url)) from error
        why = sanitise_line(str(error)[:_SHOWN]) or type(error).__name__
        raise RemoteError(f"the team server {server.url} cannot be reached: {why}") from error
    finally:
        connection.close()
    if response.status == 200:
        return body
    why = sanitise_line(_message(body)[:_SHOWN])
    if response.status == 401:
        place = f"${server.token_env}" if server.token_env else server.token_file
        raise RemoteError(f"{server.url} refuses the token in {place}; renew it ({why})")
    if response.status == 429:
        raise Busy(f"the team server {server.url} is busy", retry_after_ms=_RETRY_AFTER_MS)
    raise RemoteError(f"{server.url} replied with the status {response.status}: {why}")


@cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _body(response: HTTPResponse, deadline: Deadline) -> bytes:
    parts = []
    size = 0
    while part := response.read1(_READ_BYTES):
        parts.append(part)
        size += len(part)
        if size > MOST_REPLY_BYTES or not deadline.remaining_ms():
            raise OSError("its reply is too large or too slow")
    return b"".join(parts)


def _message(body: bytes) -> str:
    """Return the message of an HTTP error; empty if the body has none."""
    try:
        return str(stable_json.loads(body)["error"]["message"])
    except (ValueError, TypeError, KeyError):
        return ""
