"""A daemon without a store: it greets as it should, and a script says what it does then."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ggrep.base import stable_json
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.wire.frames import PROTOCOL_VERSIONS, FrameReader, frame
from ggrep.protocol.wire.handshake import Welcome, welcome_json

_CAP = 64 * 1024 * 1024
_PATIENCE_S = 600.0

Script = Callable[["Peer", dict[str, Any]], object]


class Peer:
    """The daemon's end of a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def say(self, document: Any) -> None:
        """Send anything that has JSON as a frame."""
        self.say_bytes(frame(stable_json.dumps(document), cap_bytes=_CAP))

    def answer(self, message: dict[str, Any], **body: Any) -> None:
        self.say({"request_id": message["request_id"], "message": message["message"], **body})

    def refuse(self, message: dict[str, Any], code: str, **more: Any) -> None:
        """Answer a message with a failure."""
        error = {"code": code, "message": "no", **more}
        self.say({"request_id": message["request_id"], "error": error})

    def say_bytes(self, data: bytes) -> None:
        with suppress(OSError):
            self._connection.sendall(data)

    def hang_up(self) -> None:
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)


def answers(peer: Peer, message: dict[str, Any]) -> None:
    peer.answer(message)


def says_nothing(peer: Peer, message: dict[str, Any]) -> None:
    """Be the script of a daemon that is stuck once it has greeted."""


def hangs_up(peer: Peer, message: dict[str, Any]) -> None:
    """Be the script of a daemon that dies of every question."""
    peer.hang_up()


class ScriptedDaemon:
    """Listens on a path, with a thread for each connection.

    Attributes:
        greets: False for one that accepts and says nothing at all.
        welcome: what it says of itself, or another object in its place.
        after_welcome: bytes in one piece with that.
        script: called with each message after the greeting, in the thread of its connection.
        seen: messages after greetings, in order.
        greeted: greetings so far.
    """

    def __init__(self, path: Path, store_id: str, config_fingerprint: str) -> None:
        schemas = {name: list(versions) for name, versions in SCHEMA_VERSIONS.items()}
        offer = Welcome(1, PROTOCOL_VERSIONS, "0", {}, store_id, config_fingerprint, 1)
        self.welcome: Any = {**welcome_json(offer), "supported_schema_versions": schemas}
        self.greets = True
        self.after_welcome = b""
        self.script: Script = answers
        self.seen: list[dict[str, Any]] = []
        self.greeted = 0
        self._changed = threading.Condition()
        self._peers: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.socket(socket.AF_UNIX)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._listener.bind(str(path))
        self._listener.listen()
        self._path = path
        self._accepting = threading.Thread(target=self._accept)
        self._accepting.start()

    def saw(self, *names: str) -> list[dict[str, Any]]:
        """Wait until the messages seen have these names; return them."""
        with self._changed:
            self._changed.wait_for(lambda: len(self.seen) >= len(names), _PATIENCE_S)
            results = list(self.seen)
        assert [message["message"] for message in results] == list(names)
        return results

    def heard(self, name: str) -> bool:
        """Wait for a message of this name; return whether it came."""

        def came() -> bool:
            return any(message["message"] == name for message in self.seen)

        with self._changed:
            return self._changed.wait_for(came, _PATIENCE_S)

    def die(self) -> None:
        """Go away with every connection, as a process that is killed."""
        self._path.unlink(missing_ok=True)
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self.hang_up()

    def hang_up(self) -> None:
        """End every connection, and go on listening."""
        with self._changed:
            peers = list(self._peers)
        for peer in peers:
            Peer(peer).hang_up()

    def stop(self) -> None:
        self.die()
        self._accepting.join(_PATIENCE_S)
        self.hang_up()
        for thread in self._threads:
            thread.join(_PATIENCE_S)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._listener.accept()
            except OSError:
                return
            with self._changed:
                self._peers.append(peer)
            thread = threading.Thread(target=self._serve, args=(peer,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        reader, peer, is_greeted = FrameReader(_CAP), Peer(connection), False
        try:
            while data := connection.recv(65_536):
                for payload in reader.feed(data):
                    message: Any = stable_json.loads(payload)
                    if is_greeted:
                        self._take(peer, message)
                    elif self.greets:
                        self.greeted += 1
                        is_greeted = True
                        output = frame(stable_json.dumps(self.welcome), cap_bytes=_CAP)
                        peer.say_bytes(output + self.after_welcome)
        except OSError:
            pass
        finally:
            with self._changed:
                self._peers.remove(connection)
            connection.close()

    def _take(self, peer: Peer, message: dict[str, Any]) -> None:
        with self._changed:
            self.seen.append(message)
            self._changed.notify_all()
        self.script(peer, message)


@contextmanager
def scripted(address: DaemonAddress, script: Script = answers) -> Iterator[ScriptedDaemon]:
    """Run one where the daemon of a repository is met."""
    hello = address.hello
    daemon = ScriptedDaemon(address.socket, hello.store_id, hello.config_fingerprint)
    daemon.script = script
    try:
        yield daemon
    finally:
        daemon.stop()
