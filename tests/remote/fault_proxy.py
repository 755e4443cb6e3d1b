"""A proxy that stands before an object store and fails as a test tells it to."""

import http.client
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from msgspec import Struct

_PATIENCE_S: Final = 60.0
_READS: Final = ("GET", "HEAD")
_OF_THE_CONNECTION: Final = frozenset({"connection", "expect", "keep-alive", "transfer-encoding"})
"""Headers that go no further; none of them is signed."""


class Fault(Struct, frozen=True):
    """What becomes of one request; its parts may be combined.

    Attributes:
        delay_s: nothing happens for so long, neither there nor here.
        forwarded: the store sees the request.
        stale: a read is answered as it was when this URL was last truly read.
        status: answered in place of what the store said.
        flipped: every byte of the body is another one.
        kept_bytes: of the body; then the connection is closed.
        closed: nothing is answered.
    """

    delay_s: float = 0.0
    forwarded: bool = True
    stale: bool = False
    status: int | None = None
    flipped: bool = False
    kept_bytes: int | None = None
    closed: bool = False


def slow(seconds: float) -> Fault:
    return Fault(delay_s=seconds)


def truncate(kept_bytes: int) -> Fault:
    return Fault(kept_bytes=kept_bytes)


def lie() -> Fault:
    return Fault(flipped=True)


def status(code: int) -> Fault:
    return Fault(forwarded=False, status=code)


def lost_reply(code: int | None = None) -> Fault:
    return Fault(status=code, closed=code is None)


def stale() -> Fault:
    """Answer a GET, HEAD or listing as it was last answered truly, a 404 too.

    Where this URL was not read before, and where the request is no read, the store answers.
    """
    return Fault(stale=True)


def drop() -> Fault:
    return Fault(forwarded=False, closed=True)


Decision = Callable[[str, str, int], Fault | None]
"""Of method, path with its query as it came, and the number of the request from 0 on."""


def no_fault(_method: str, _path: str, _number: int) -> None:
    """Let everything pass."""


class _Answer(Struct, frozen=True):
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class FaultProxy:
    """An HTTP/1.1 proxy that asks `fault` about each request; tests set it at any time.

    It listens on the host of the store. Requests reach the store as they came, their `Host` too:
    signatures hold.

    Attributes:
        fault: asked in the order in which requests come, one at a time.
    """

    def __init__(self, upstream_endpoint: str) -> None:
        self.fault: Decision = no_fault
        self._upstream = urlsplit(upstream_endpoint)
        self._earlier: dict[tuple[str, ...], _Answer] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._ending = threading.Event()
        self._server = _Server(self, str(self._upstream.hostname))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def endpoint(self) -> str:
        """Return the URL that clients use in place of the store's."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close every connection and end every thread.

        Raises:
            Exception: what `fault` raised, unless the test failed anyway.
        """
        self._ending.set()
        self._server.shutdown()
        self._thread.join()
        self._server.end_connections()
        self._server.server_close()
        if self._server.failures and error is None:
            raise self._server.failures[0]

    def decide(self, method: str, path: str) -> Fault:
        """Return what becomes of the next request."""
        with self._lock:
            number = self._number
            self._number += 1
            return self.fault(method, path, number) or Fault()

    def answer(self, request: "_Request", body: bytes, fault: Fault) -> _Answer | None:
        """Return what the client is sent; None where the store is gone or nothing is sent."""
        truth = self._answer_truly(request, body, fault) if fault.forwarded else None
        if fault.closed:
            return None
        if fault.status is not None:
            return _Answer(fault.status, (), b"")
        if truth is not None and fault.flipped:
            return _Answer(truth.status, truth.headers, truth.body.translate(_FLIPPED))
        return truth

    def wait(self, seconds: float) -> None:
        self._ending.wait(seconds)

    def _answer_truly(self, request: "_Request", body: bytes, fault: Fault) -> _Answer | None:
        """Ask the store, or remember what it said."""
        key = (request.command, request.path, request.headers.get("Range", ""))
        if fault.stale and (earlier := self._earlier.get(key)):
            return earlier
        try:
            truth = self._forward(request, body)
        except (OSError, http.client.HTTPException):
            return None
        if request.command in _READS:
            self._earlier[key] = truth
        return truth

    def _forward(self, request: "_Request", body: bytes) -> _Answer:
        assert self._upstream.hostname is not None
        there = http.client.HTTPConnection(
            self._upstream.hostname, self._upstream.port, timeout=_PATIENCE_S
        )
        try:
            there.connect()
            with self._server.open(there.sock):
                there.putrequest(
                    request.command, request.path, skip_host=True, skip_accept_encoding=True
                )
                for name, value in request.headers.items():
                    if name.lower() not in _OF_THE_CONNECTION | {"content-length"}:
                        there.putheader(name, value)
                if body or "Content-Length" in request.headers:
                    there.putheader("Content-Length", str(len(body)))
                there.endheaders(body or None)
                with there.getresponse() as reply:
                    return _Answer(reply.status, tuple(reply.getheaders()), reply.read())
        finally:
            there.close()


_FLIPPED: Final = bytes(255 - byte for byte in range(256))


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # they are waited for, so that no socket outlives a test

    def __init__(self, proxy: FaultProxy, host: str) -> None:
        self.proxy = proxy
        self.failures: list[Exception] = []
        self._open: set[socket.socket] = set()
        self._guard = threading.Lock()
        super().__init__((host, 0), _Request)

    @contextmanager
    def open(self, connection: socket.socket) -> Iterator[None]:
        """Have a connection ended with the proxy."""
        with self._guard:
            self._open.add(connection)
        try:
            yield
        finally:
            with self._guard:
                self._open.discard(connection)

    def finish_request(self, request: Any, client_address: Any) -> None:
        with self.open(request):
            super().finish_request(request, client_address)

    def end_connections(self) -> None:
        """Wake all who wait for a client or for the store."""
        with self._guard:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep what went wrong here; clients that went away are none of it."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.failures.append(error)


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def serve(self) -> None:
        """Answer one request as its fault says."""
        proxy = self.server.proxy
        try:
            fault = proxy.decide(self.command, self.path)
        except Exception:
            self.close_connection = True
            raise
        proxy.wait(fault.delay_s)
        never = fault.closed and not fault.forwarded
        answer = None if never else proxy.answer(self, self._body(), fault)
        if answer is None:
            self.close_connection = True
            return
        body = answer.body if fault.kept_bytes is None else answer.body[: fault.kept_bytes]
        self.close_connection = self.close_connection or fault.kept_bytes is not None
        self.wfile.write(self._head(answer) + body)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = serve  # noqa: N815 - as the library calls them

    def log_message(self, *_arguments: Any) -> None:
        """Print nothing."""

    def _body(self) -> bytes:
        """Return the body of the request, its chunks joined."""
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():
            pass  # trailers
        return b"".join(parts)

    def _head(self, answer: _Answer) -> bytes:
        """Return the head as the store wrote it, with a length where it sent chunks."""
        headers = [each for each in answer.headers if each[0].lower() not in _OF_THE_CONNECTION]
        given = any(name.lower() == "content-length" for name, _ in headers)
        if not given and answer.status not in {HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED}:
            headers.append(("Content-Length", str(len(answer.body))))
        if self.close_connection:
            headers.append(("Connection", "close"))
        phrase = http.client.responses.get(answer.status, "")
        lines = [
            f"HTTP/1.1 {answer.status} {phrase}",
            *(f"{name}: {text}" for name, text in headers),
        ]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")
