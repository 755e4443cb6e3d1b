"""Daemons that compute nothing: real sockets, the real protocol, answers made beforehand.

A process of its own serves all of them, so that what the coordinator's process costs is the
coordinator's. Beside them it echoes: as many bytes as it is asked for.
"""

import selectors
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.model.confidence import TopFile, TopFiles, Wording
from ggrep.model.corpus import Corpus
from ggrep.model.request import CollectionStatistics, TermFrequency
from ggrep.model.response import Hit, PoolResponse, Provenance, RepoDescription
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.wire.frames import PROTOCOL_VERSIONS, FrameReader, frame
from ggrep.protocol.wire.handshake import Welcome, welcome_json

LIBRARY: Final = Path(selectors.__file__).parent
DIMENSION: Final = 256
ROWS: Final = 20_000
_CAP: Final = 64 * 1024 * 1024
_HEAD_BYTES: Final = 16
"""Of an echo's request: how long the rest of it is, and how long an answer is wanted."""

_LINES: Final = 12
_FULL: Final = (Corpus.CODE, Corpus.PROSE)
"""Corpora that have as many hits as anybody asks for."""


@contextmanager
def simulated(addresses: Sequence[DaemonAddress], echo: Path) -> Iterator[None]:
    """Serve at these addresses, and echo at a path, for the length of the block."""
    spec = {
        "echo": str(echo),
        "daemons": [
            {
                "socket": str(address.socket),
                "store_id": address.identity.store_id,
                "config_fingerprint": address.identity.config_fingerprint,
            }
            for address in addresses
        ],
    }
    line = [sys.executable, "-m", "bench.federation_daemons"]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(stable_json.dumps(spec) + b"\n")
        process.stdin.flush()
        if process.stdout.readline() != b"ready\n":
            raise SystemExit("the simulated daemons did not come up")
        try:
            yield
        finally:
            process.terminate()


def echoed(connection: socket.socket, asked: int, wanted: int) -> None:
    """Send so many bytes to the echo, and take so many back."""
    head = asked.to_bytes(8, "big") + wanted.to_bytes(8, "big")
    connection.sendall(head + bytes(asked))
    while wanted:
        wanted -= len(connection.recv(min(wanted, 262_144)))


@dataclass(slots=True)
class Daemon:
    """One repository's daemon: what it says, as bytes, by what was asked.

    Attributes:
        number: of the repository; whose files its hits are of.
        pools: replies made so far, by length of list.
    """

    number: int
    store_id: str
    config_fingerprint: str
    pools: dict[int, bytes] = field(default_factory=dict)

    def answer(self, message: Mapping[str, Any]) -> bytes:
        """Return the frame that answers a message."""
        match message.get("message"):
            case "describe":
                rest = stable_json.dumps({"description": to_builtins(self._description())})
            case "term_stats":
                rest = self._figures(message["request"]["search"]["query"])
            case "encode":
                rest = _vector(self.number)
            case "pool":
                rest = self._pool(message["request"]["per_list"])
            case "cancel":
                rest = b'{"cancelled":false}'
            case _:
                return frame(self._welcome(), cap_bytes=_CAP)
        head = {"request_id": message["request_id"], "message": message["message"]}
        return frame(stable_json.dumps(head)[:-1] + b"," + rest[1:], cap_bytes=_CAP)

    def _welcome(self) -> bytes:
        offer = Welcome(1, PROTOCOL_VERSIONS, "0", {}, self.store_id, self.config_fingerprint, 1)
        schemas = {name: list(versions) for name, versions in SCHEMA_VERSIONS.items()}
        return stable_json.dumps({**welcome_json(offer), "supported_schema_versions": schemas})

    def _description(self) -> RepoDescription:
        return RepoDescription(
            store_id=self.store_id,
            config_fingerprint=self.config_fingerprint,
            ignore_fingerprint="i" * 64,
            snapshot_id=self._snapshot_id,
            degraded=False,
            embed_key="e" * 64,
            lexical_key="l" * 64,
            schema_key="s" * 64,
            counts=tuple((corpus, ROWS // 4) for corpus in Corpus),
            freshness="current",
        )

    def _figures(self, query: str) -> bytes:
        terms = sorted(set(query.split()), key=str.encode)
        figures = CollectionStatistics(
            layout="layout-1",
            chunks=ROWS,
            files=ROWS // 20,
            lengths=(9 * ROWS, 4 * ROWS, 80 * ROWS, 2 * ROWS),
            terms=tuple(TermFrequency(term, 40 + self.number, 9) for term in terms),
        )
        statistics = to_builtins(figures)
        counted = {"snapshot_id": self._snapshot_id, "statistics": statistics}
        return stable_json.dumps({"term_stats": counted})

    def _pool(self, length: int) -> bytes:
        if length not in self.pools:
            pool = stable_json.dumps({"pool": to_builtins(self._pool_response(length))})
            self.pools[length] = pool
        return self.pools[length]

    def _pool_response(self, length: int) -> PoolResponse:
        hits = _hits(self.number, length)
        extracted = tuple(_of(hit, Corpus.EXTRACTED_PROSE) for hit in hits[: length // 2])
        lists = {corpus: tuple(_of(hit, corpus) for hit in hits) for corpus in _FULL}
        lists |= {Corpus.EXTRACTED_PROSE: extracted, Corpus.RECORDS: ()}
        blended = tuple(lists[_FULL[place % 2]][place] for place in range(len(hits)))
        leaders = tuple(
            TopFile(hit.score, hit.lexical, 0.5, 0.5, 0.75, spelt=False) for hit in hits[:10]
        )
        return PoolResponse(
            provenance=Provenance(
                store_id=self.store_id,
                config_fingerprint=self.config_fingerprint,
                ignore_fingerprint="i" * 64,
                embed_config_fingerprint="e" * 64,
                snapshot_id=self._snapshot_id,
                git=None,
                degraded=False,
                partial=False,
                indexed_files=1_000,
                eligible_files=1_000,
            ),
            blended=blended,
            corpora=tuple((corpus, lists[corpus]) for corpus in Corpus),
            leading=TopFiles(leaders, 2.0, 0.0, Wording.PLAIN),
            limits_hit=(),
            warnings=(),
        )

    @property
    def _snapshot_id(self) -> str:
        return f"01J{self.number:023}"


def _hits(number: int, length: int) -> list[Hit]:
    """Return hits whose text is of the library's files, best first; each repository has its own."""
    return [
        Hit(
            row_id=_digest(f"{number} {path} {line}"),
            # One text in fifty is copied from the neighbour.
            chunk_id=_digest(f"{number - (place % 50 == 7)} {place}"),
            path=path,
            start_line=line,
            end_line=line + 2 * _LINES,
            score=round(1.0 / (1.0 + place + number / 97.0), 9),
            lexical_score=round(0.5 / (1.0 + place), 9),
            corpus=Corpus.CODE,
            chunk_type="function",
            name=f"step_{place}",
            qualified_name=f"Part.step_{place}",
            breadcrumb=("class Part", f"step_{place}"),
            language="python",
            is_anchor=False,
            content=text,
            content_start_line=line,
            hidden_lines=_LINES,
            signature=f"def step_{place}(self, value: int) -> int",
        )
        for place, (path, line, text) in enumerate(islice(_texts(number), length))
    ]


def _of(hit: Hit, corpus: Corpus) -> Hit:
    # By hand, for `replace` is slow where it is done thousands of times.
    values = {name: getattr(hit, name) for name in Hit.__slots__}
    return Hit(**(values | {"corpus": corpus, "row_id": hit.row_id[:-1] + corpus.value[0]}))


def _texts(number: int) -> Iterator[tuple[str, int, str]]:
    """Yield path, line and snippet of pieces of files, for ever."""
    files = _files()
    while True:
        number += 1
        path = files[number * 7 % len(files)]
        lines = (LIBRARY / path).read_text(errors="replace").splitlines()
        for line in range(0, min(len(lines), 40 * _LINES), _LINES):
            yield path, line + 1, "\n".join(lines[line : line + _LINES])


@cache
def _files() -> list[str]:
    return sorted(str(path.relative_to(LIBRARY)) for path in LIBRARY.glob("*/*.py"))


def _vector(number: int) -> bytes:
    values = [(17 * place + number) % 255 - 127 for place in range(DIMENSION)]
    return stable_json.dumps({"encode": {"vector": {"values": values, "scale": 0.0039}}})


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]


def _serve(spec: Mapping[str, Any]) -> None:
    """Serve until the process is ended."""
    waiting = selectors.DefaultSelector()

    def listen(path: Path, talk: Callable[[socket.socket], Callable[[], None]]) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        path.unlink(missing_ok=True)
        listener.bind(str(path))
        listener.listen(128)

        def accept() -> None:
            peer, _ = listener.accept()
            waiting.register(peer, selectors.EVENT_READ, talk(peer))

        waiting.register(listener, selectors.EVENT_READ, accept)

    def gone(peer: socket.socket) -> None:
        waiting.unregister(peer)
        peer.close()

    def greet(daemon: Daemon) -> Callable[[socket.socket], Callable[[], None]]:
        return lambda peer: _talk(peer, daemon, gone)

    for number, entry in enumerate(spec["daemons"]):
        daemon = Daemon(number, entry["store_id"], entry["config_fingerprint"])
        listen(Path(entry["socket"]), greet(daemon))
    listen(Path(spec["echo"]), lambda peer: _echo(peer, gone))
    # Who started us and was killed has closed it.
    waiting.register(sys.stdin, selectors.EVENT_READ, sys.exit)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        for key, _ in waiting.select():
            key.data()


def _talk(
    peer: socket.socket, daemon: Daemon, gone: Callable[[socket.socket], None]
) -> Callable[[], None]:
    """Return what answers the next messages of a client."""
    reader = FrameReader(_CAP)

    def go_on() -> None:
        try:
            data = peer.recv(262_144)
            for payload in reader.feed(data):
                peer.sendall(daemon.answer(stable_json.loads(payload)))
        except OSError:
            data = b""
        if not data:
            gone(peer)

    return go_on


def _echo(peer: socket.socket, gone: Callable[[socket.socket], None]) -> Callable[[], None]:
    """Return what answers the next echo."""

    def go_on() -> None:
        head = peer.recv(_HEAD_BYTES, socket.MSG_WAITALL)
        if not head:
            gone(peer)
            return
        asked, wanted = (int.from_bytes(head[at : at + 8], "big") for at in (0, 8))
        peer.recv(asked, socket.MSG_WAITALL)
        peer.sendall(bytes(wanted))

    return go_on


if __name__ == "__main__":
    _serve(stable_json.loads(sys.stdin.readline()))
