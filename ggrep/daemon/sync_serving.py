"""The main loop of the sync worker, from its first line to its end."""

import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import BinaryIO, Final, NoReturn

from ggrep.base import stable_json
from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.ids import PathKey
from ggrep.base.stable_json import Json
from ggrep.daemon.sync_work import Worker
from ggrep.daemon.throttle import Throttle, cpu_ms, step_back
from ggrep.index.store.lean_import import leave_out_remote_client
from ggrep.model.sync_jobs import (
    LOW_IMPACT_FLAG,
    error_json,
    job_from,
    outcome_json,
    wish_from,
)

_PROGRESS_MS: Final = 100.0
"""Progress within one stage is told this often at most."""

_PULSE_S: Final = 5.0
"""How often a stage that tells nothing shows that it works on."""

_PULSE_CPU_MS: Final = 20.0
"""What the pulse itself cannot have used meanwhile."""


class Telling:
    """Writes answers: whole lines, from any thread, and none of a job that has ended."""

    def __init__(self, answers: BinaryIO, clock: Clock, cpu_ms: Callable[[], float]) -> None:
        self._answers = answers
        self._clock = clock
        self._cpu_ms = cpu_ms
        self._lock = threading.Lock()
        self._job_id = ""
        self._last: tuple[str, int, int] = ("", 0, 0)
        self._told_ms = self._told_cpu_ms = self._begun_cpu_ms = 0.0

    def begin(self, job_id: str) -> None:
        """Start a job's messages; `scan` is the first stage."""
        with self._lock:
            self._begun_cpu_ms = self._cpu_ms()
            self._job_id = job_id
            self._tell_progress("scan", 0, 0)

    def progress(self, stage: str, done: int, total: int) -> None:
        """Tell how far the job is, unless that was told just now."""
        with self._lock:
            soon = self._clock.monotonic_ms() - self._told_ms < _PROGRESS_MS
            if soon and stage == self._last[0]:
                self._last = (stage, done, total)
            else:
                self._tell_progress(stage, done, total)

    def pulse(self) -> None:
        """Repeat the last progress if the job has used CPU time since."""
        with self._lock:
            if self._job_id and self._cpu_ms() - self._told_cpu_ms >= _PULSE_CPU_MS:
                self._tell_progress(*self._last)

    def end(self, **said: Json) -> None:
        """Tell what came of the job."""
        with self._lock:
            job_id, self._job_id = self._job_id, ""
            self._write({"job_id": job_id, **said})

    def used_ms(self) -> int:
        """Return the CPU time since the job began."""
        return max(0, round(self._cpu_ms() - self._begun_cpu_ms))

    def _tell_progress(self, stage: str, done: int, total: int) -> None:
        self._last = (stage, done, total)
        self._told_ms, self._told_cpu_ms = self._clock.monotonic_ms(), self._cpu_ms()
        said: Json = {
            "stage": stage,
            "done_files": done,
            "total_files": total,
            "cpu_ms": max(0, round(self._told_cpu_ms - self._begun_cpu_ms)),
        }
        self._write({"job_id": self._job_id, "progress": said})

    def _write(self, document: Json) -> None:
        self._answers.write(stable_json.dumps(document) + b"\n")
        self._answers.flush()


def main(arguments: Sequence[str]) -> NoReturn:
    """Serve jobs until standard input ends, or none came for `arguments[0]` milliseconds."""
    idle_s = float(arguments[0]) / 1000 if arguments else 30.0
    with suppress(PermissionError):  # we lead a group already
        os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if LOW_IMPACT_FLAG in arguments:
        step_back()
    leave_out_remote_client()
    clock = SystemClock()
    telling = Telling(_take_standard_output(), clock, cpu_ms)
    lines: queue.Queue[bytes] = queue.Queue()
    wishes: dict[str, Sequence[PathKey]] = {}
    threading.Thread(target=_read, args=(lines, wishes), daemon=True).start()
    threading.Thread(target=_pulse, args=(telling,), daemon=True).start()
    worker = Worker(
        telling, lambda: Throttle(clock, _rest, cpu_ms), lambda store_id: wishes.get(store_id, ())
    )
    with suppress(queue.Empty):
        while True:
            _serve(lines.get(timeout=idle_s), worker, telling)
    os._exit(0)  # the reading thread does not end by itself


def _serve(line: bytes, worker: Worker, telling: Telling) -> None:
    document = stable_json.loads(line)
    telling.begin(str(document["job_id"]))
    try:
        outcome = worker.do(job_from(document))
    except GgrepError as error:
        telling.end(error=error_json(error))
    except Exception as error:  # noqa: BLE001 - the host has to hear of every failure
        traceback.print_exc()
        telling.end(error=error_json(error))
    else:
        telling.end(report=outcome_json(outcome))


def _read(lines: "queue.Queue[bytes]", wishes: dict[str, Sequence[PathKey]]) -> None:
    """Pass on jobs, and accept wishes, which may arrive while a job runs.

    When the lines end the host is gone, and so is everything we started, at once.
    """
    for line in sys.stdin.buffer:
        wish = wish_from(line)
        if wish is None:
            lines.put(line)
        else:
            wishes[wish[0]] = wish[1]
    os.killpg(0, signal.SIGKILL)


def _pulse(telling: Telling) -> None:
    while True:
        time.sleep(_PULSE_S)
        telling.pulse()


def _rest(milliseconds: float) -> None:
    time.sleep(milliseconds / 1000)


def _take_standard_output() -> BinaryIO:
    """Return what leads to the host; whatever is printed goes to standard error from now on."""
    taken = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(taken, "wb")
