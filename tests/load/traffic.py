"""Clients that ask and a writer that edits, until they are told to stop."""

import hashlib
import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from zlib import crc32

from msgspec import Struct

from bench.serving import CLOCK, sync
from ggrep.base import stable_json
from ggrep.base.clock import Deadline
from ggrep.base.errors import Busy, DeadlineExceeded
from ggrep.model.request import SearchRequest, SnippetMode
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.messages import Search
from ggrep.protocol.wire.replies import Reply
from tests.load.oracle import Answer, Diary
from tests.load.tree import COMMON, live_path, live_text, live_word, word

_AT_ONCE = 2
"""Requests of one client on their way at once."""

_PATIENCE_MS = 60_000
_SYNC_EVERY = 8
_PAUSE_S = 0.08


@dataclass(slots=True)
class Heard:
    """What one client got.

    Attributes:
        overruns_ms: by how much answers to requests of little time came after that time.
        expired: requests whose time ran out.
        busy: requests that were sent away.
    """

    answers: list[Answer] = field(default_factory=list)
    waits_ms: list[float] = field(default_factory=list)
    overruns_ms: list[float] = field(default_factory=list)
    expired: int = 0
    busy: int = 0
    problems: list[str] = field(default_factory=list)


class _Asked(Struct, frozen=True):
    query: str
    kind: str
    number: int
    timeout_ms: int
    sent_s: float


class Asker(threading.Thread):
    """A client; when it was stopped, every request of its was answered once."""

    def __init__(
        self, link: Link, number: int, words: int, diary: Diary, ended: threading.Event
    ) -> None:
        """Ask nothing yet.

        Args:
            link: a connection of its own.
            number: of the client; what it asks follows from it.
            words: static ones there are.
            diary: the writer's, for the words that are worth asking for.
            ended: stops it.
        """
        super().__init__(name=f"asker-{number}")
        self.heard = Heard()
        self._link = link
        self._number = number
        self._words = words
        self._diary = diary
        self._ended = ended
        self._turn = 0
        self._open: dict[str, _Asked] = {}

    def run(self) -> None:
        """Ask until told to stop."""
        try:
            while not self._ended.is_set():
                while len(self._open) < _AT_ONCE:
                    self._ask()
                self._hear()
            while self._open:
                self._hear()
        except Exception as error:  # noqa: BLE001 - the test's thread reports it
            self.heard.problems.append(f"{type(error).__name__}: {error}")

    def _ask(self) -> None:
        self._turn += 1
        chance = crc32(f"{self._number} {self._turn}".encode())
        query, kind, number = self._query(chance)
        # Most of them have time enough; some get less than an answer under load takes.
        timeout_ms = 2 + chance // 64 % 30 if chance % 10 == 0 else 0
        asked = _Asked(query, kind, number, timeout_ms, time.monotonic())
        request = SearchRequest(
            query, deterministic=True, snippet=SnippetMode.FULL, timeout_ms=timeout_ms or 60_000
        )
        self._open[self._link.send(Search(request), Deadline.never(CLOCK))] = asked

    def _query(self, chance: int) -> tuple[str, str, int]:
        written = len(self._diary.edits)
        kind = ("static", "common", "live", "live")[chance % 4]
        if kind == "live" and written:
            # Mostly the last ones, which are about to come or to go.
            number = max(0, written - 1 - chance // 4 % 20)
            return f"handle {live_word(number)}", kind, number
        if kind == "common":
            return COMMON[chance // 4 % len(COMMON)], kind, 0
        number = chance // 4 % self._words
        return word(number), "static", number

    def _hear(self) -> None:
        reply = self._link.receive(Deadline.after(CLOCK, _PATIENCE_MS))
        received_s = time.monotonic()
        if reply is None or (asked := self._open.pop(reply.request_id, None)) is None:
            self.heard.problems.append("no answer" if reply is None else "another's answer")
            self._ended.set()
            self._open.clear()
            return
        waited_ms = (received_s - asked.sent_s) * 1000.0
        if asked.timeout_ms:
            self.heard.overruns_ms.append(max(0.0, waited_ms - asked.timeout_ms))
        match reply.error:
            case None:
                self.heard.waits_ms.append(waited_ms)
                self.heard.answers.append(_answer(asked, reply, received_s))
            case DeadlineExceeded() if asked.timeout_ms:
                self.heard.expired += 1
            case Busy() as error:
                self.heard.busy += 1
                self._ended.wait(error.retry_after_ms / 1000.0)
            case error:
                self.heard.problems.append(f"{asked.query}: {error}")


def _answer(asked: _Asked, reply: Reply, received_s: float) -> Answer:
    document = reply.body["response"]
    assert isinstance(document, dict)
    hits = document["results"]
    wanted = asked.query.split()[-1] if asked.kind != "common" else "\0"
    return Answer(
        query=asked.query,
        kind=asked.kind,
        number=asked.number,
        snapshot_id=document["snapshot_id"],
        fingerprint=document["query_fingerprint"],
        digest=hashlib.sha256(stable_json.dumps(document)).digest(),
        found=tuple(hit["path"] for hit in hits if wanted in hit["content"]),
        hits=tuple((hit["row_id"], hit["path"], hit["start_line"]) for hit in hits),
        sent_s=asked.sent_s,
        received_s=received_s,
    )


class Writer(threading.Thread):
    """Edits files one upon another; now and then it waits for what comes of them."""

    def __init__(self, root: Path, link: Link, diary: Diary, ended: threading.Event) -> None:
        super().__init__(name="writer")
        self.problems: list[str] = []
        self._root = root
        self._link = link
        self._diary = diary
        self._ended = ended

    def run(self) -> None:
        """Write until told to stop."""
        try:
            number = 0
            while not self._ended.wait(_PAUSE_S):
                self._edit(number)
                number += 1
                if number % _SYNC_EVERY == 0:
                    report = sync(self._link)
                    self._diary.syncs.append((time.monotonic(), number, report["snapshot_id"]))
        except Exception as error:  # noqa: BLE001 - the test's thread reports it
            self.problems.append(f"{type(error).__name__}: {error}")

    def _edit(self, number: int) -> None:
        path = self._root / live_path(number)
        begun_s = time.monotonic()
        apart = path.with_name(f".{path.name}.new")
        apart.write_text(live_text(number))
        os.replace(apart, path)  # noqa: PTH105 - whoever reads it sees one version or the other
        self._diary.edits.append((begun_s, time.monotonic()))
