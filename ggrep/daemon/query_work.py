"""The query worker: its main loop, its open stores, and their answers."""

import os
import select
import signal
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from msgspec import to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.build import build_id
from ggrep.base.clock import Clock, Deadline, Stop, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.linux import share_one_heap
from ggrep.base.processes import take_standard_output
from ggrep.base.stable_json import Document, decode
from ggrep.config.home import Home
from ggrep.config.settings import Settings, compute_in_one_thread
from ggrep.daemon.qos.permits import HandleBudget
from ggrep.daemon.query_job import (
    QueryJob,
    StoreToOpen,
    query_answer,
    with_notices,
)
from ggrep.index.store.lean_import import leave_out_remote_client
from ggrep.model.index_freshness import UP_TO_DATE
from ggrep.model.operations import BY_NAME, loaded
from ggrep.protocol.wire.messages import Search, parse_message
from ggrep.protocol.wire.replies import error_json
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.repo_index import Hosted

_PIECE_BYTES: Final = 65_536
_MOST_STORES: Final = 8


class JobLines(Stop):
    """The lines that the host sends. A line during a query, or the end of input, ends the query."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor
        self._data = b""

    @property
    def reason(self) -> str | None:
        """Return the reason to end the running query."""
        return "the request was cancelled" if self._data or self._is_readable(0.0) else None

    def next(self, idle_s: float) -> bytes:
        """Return the next non-empty line; empty at the end of input or after `idle_s` seconds."""
        while True:
            line, end, rest = self._data.partition(b"\n")
            if end:
                self._data = rest
                if line:
                    return line
            elif not self._is_readable(idle_s) or not (piece := self._piece()):
                return b""
            else:
                self._data += piece

    def _piece(self) -> bytes:
        return os.read(self._descriptor, _PIECE_BYTES)

    def _is_readable(self, seconds: float) -> bool:
        return bool(select.select([self._descriptor], [], [], seconds)[0])


class QueryWork:
    """The open stores of a worker; answers jobs."""

    def __init__(self, lines: Stop, clock: Clock) -> None:
        """Start without open stores; `lines` ends the running query."""
        self._lines = lines
        self._clock = clock
        self._engines: dict[str, Engine] = {}  # the least recently used first
        self._standing = UP_TO_DATE
        self._damaged = False

    def reply(self, document: Any) -> tuple[Document, bytes]:  # noqa: ANN401 - JSON of the host
        """Return the reply to a line of the host, and the bytes to send after the reply."""
        try:
            if "open" in document:
                self._open(decode(StoreToOpen, document["open"]))
                return {}, b""
            return self._answer(decode(QueryJob, document))
        except GgrepError as error:
            return error_json(error.request_id, error), b""
        except Exception as error:  # noqa: BLE001 - the host answers, and reports the bug
            return error_json("", GgrepError(type(error).__name__)), b""

    def _open(self, store: StoreToOpen) -> None:
        if store.key in self._engines:
            self._engines[store.key].warm()
            return
        root, home = store.paths()
        settings = decode(Settings, store.settings)
        hosted = Hosted(
            handles=HandleBudget(settings.max_open_segments_global).reserve,
            on_damage=self._note_damage,
            standing=lambda: self._standing,
        )
        engine = Engine(root, Home(home), settings=settings, clock=self._clock, hosted=hosted)
        engine.warm()
        loaded(BY_NAME["slate"].answerer)
        self._engines[store.key] = engine
        while len(self._engines) > _MOST_STORES:
            self._engines.pop(next(iter(self._engines))).close()

    def _answer(self, job: QueryJob) -> tuple[Document, bytes]:
        engine = self._engines.pop(job.store, None)
        if engine is None:
            return {"closed": job.store}, b""
        self._engines[job.store] = engine
        at_ms = float("inf")
        if job.remaining_ms is not None:
            at_ms = self._clock.monotonic_ms() + job.remaining_ms
        deadline = Deadline(self._clock, at_ms, self._lines)
        message = parse_message(job.message).message
        self._standing, self._damaged = job.standing, False
        ask: Any = engine.ask
        more = {}
        if isinstance(message, Search):
            ask, more = engine.search, {"budgets": message.budgets}
        request: Any = getattr(message, "request", None)
        answer = ask(request, deadline, request_id=job.request_id, admitted=job.admitted, **more)
        answer = with_notices(answer, job.notices)
        whole = query_answer(answer, message, engine.identity.root)  # type: ignore[arg-type]
        if self._damaged:
            raise GgrepError("the index is damaged")  # only the host starts a rebuild
        ((name, body),) = whole.body.items()
        data = stable_json.dumps(body)  # type: ignore[arg-type]
        return to_builtins(replace(whole, body={name: len(data)})), data

    def _note_damage(self) -> bool:
        self._damaged = True
        return False


def main(arguments: Sequence[str]) -> None:
    """Answer jobs until standard input ends or no job arrives for `arguments[0]` milliseconds."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    compute_in_one_thread()
    share_one_heap()
    leave_out_remote_client()
    lines = JobLines(0)
    work = QueryWork(lines, SystemClock())
    with take_standard_output() as answers:
        answers.write(stable_json.dumps({"build": build_id()}) + b"\n")
        answers.flush()
        while line := lines.next(float(arguments[0]) / 1000):
            head, data = work.reply(stable_json.loads(line))
            with suppress(BrokenPipeError):
                answers.write(stable_json.dumps(head) + b"\n" + data)
                answers.flush()
