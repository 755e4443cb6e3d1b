"""A daemon that says what it is told to, in a thread of this process."""

import itertools
import os
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.protocol.wire.handshake import Welcome, welcome_json
from ggrep.protocol.wire.locator import Locator, locator_bytes, locator_name
from tests.fakes.places import short_directory

STORE, CONFIG = "repo-0123456789ab", "f" * 64
RENDERED = {"out": "1.  a.py:1  café\n", "err": "a note\n", "exit_status": 0, "hits": 1}

Reply = Callable[[dict[str, Any]], bytes]


def packed(value: object) -> bytes:
    data = stable_json.dumps(value)  # type: ignore[arg-type] # JSON
    return struct.pack(">I", len(data)) + data


def welcome(**other: Any) -> dict[str, Any]:
    """Return a greeting, with other values in it."""
    offer = Welcome(1, (1,), "0", {}, STORE, CONFIG, 1, "", stale=False, build=build_id())
    return {**welcome_json(offer), **other}


def says(value: object) -> Reply:
    """Return a reply that says `value`."""
    return lambda _: packed(value)


def prints(**other: Any) -> Reply:
    """Return a reply that has the client print something."""
    return says({"request_id": "r", "message": "search", "rendered": {**RENDERED, **other}})


def fails(code: str, **more: Any) -> Reply:
    """Return a reply that is a failure."""
    return says({"request_id": "r", "error": {"code": code, "message": "no", **more}})


class FakeDaemon:
    """Answers the first message of each connection by `greeting`, the second by `reply`.

    Attributes:
        seen: all messages of all connections.
        piece: most bytes that are sent at a time.
        asked: set when a question has arrived.
        lasting: further messages of a connection are answered by `reply` too.
    """

    def __init__(self, directory: Path) -> None:
        """Listen below `directory`."""
        self.address = directory / "d.sock"
        self.greeting: Reply = says(welcome())
        self.reply: Reply = prints()
        self.seen: list[dict[str, Any]] = []
        self.piece = 1 << 20
        self.lasting = False
        self.asked = threading.Event()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.address))
        self._listener.listen()
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def lead(self, home: Path, root: Path, build: str | None = None) -> None:
        raw = os.fsencode(root)
        (home / "daemon").mkdir(parents=True, exist_ok=True)
        locator = Locator(raw, STORE, CONFIG, self.address, build or build_id())
        (home / "daemon" / locator_name(raw)).write_bytes(locator_bytes(locator))

    def stop(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            with peer, peer.makefile("rb") as stream:
                self._answer(peer, stream)

    def _answer(self, peer: socket.socket, stream: Any) -> None:
        replies = itertools.repeat(self.reply, 1_000 if self.lasting else 1)
        for reply in itertools.chain([self.greeting], replies):
            size = stream.read(4)
            if len(size) < 4:
                return
            message = stable_json.loads(stream.read(int.from_bytes(size, "big")))
            self.seen.append(message)
            if reply is self.reply:
                self.asked.set()
            data = reply(message)
            try:
                for start in range(0, len(data), self.piece):
                    peer.sendall(data[start : start + self.piece])
            except OSError:
                return


@contextmanager
def running() -> Iterator[FakeDaemon]:
    """Run one; its directory's path is short enough for a socket."""
    with short_directory() as base:
        daemon = FakeDaemon(base)
        try:
            yield daemon
        finally:
            daemon.stop()
