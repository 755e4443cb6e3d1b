"""One sync worker as the host sees it: a process group that gets jobs and is killed as a whole."""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self, TypeVar

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream

from ggrep.base import stable_json
from ggrep.base.decode import decode
from ggrep.base.errors import GgrepError
from ggrep.model.sync_jobs import (
    LOW_IMPACT_FLAG,
    SyncJob,
    SyncOutcome,
    SyncProgress,
    error_from,
    job_json,
    outcome_from,
    wish_line,
)

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_MODULE: Final = "ggrep.daemon.sync_worker"
_MOST_LINE_BYTES: Final = 8 * 1024**2
_LAST_WORDS_BYTES: Final = 2_000


Answer = TypeVar("Answer")


class WorkerGone(Exception):
    """The worker ended, or sent an invalid answer.

    Attributes:
        begun: it had begun the job.
    """

    def __init__(self, why: str, *, begun: bool) -> None:
        super().__init__(why)
        self.begun = begun


class SyncChild:
    """A running worker.

    Attributes:
        low_impact: it has stepped back behind all others; that cannot be undone.
        served: how many jobs it answered.
    """

    def __init__(self, process: Process, words: int, *, low_impact: bool) -> None:
        assert process.stdin is not None  # noqa: S101 - a pipe was asked for
        assert process.stdout is not None  # noqa: S101 - a pipe was asked for
        self._process = process
        self._words = words
        self._requests = process.stdin
        self._answers = BufferedByteReceiveStream(process.stdout)
        self.low_impact = low_impact
        self.served = 0
        self._asked = False
        self._sending = anyio.Lock()

    @classmethod
    async def start(cls, python: str, idle_ms: int, *, low_impact: bool) -> Self:
        """Start a worker in a session of its own, so that a terminal's interrupt does not hit it.

        Raises:
            OSError: it cannot be started.
        """
        words = os.memfd_create("ggrep-sync-worker")
        command = [python, "-m", _MODULE, str(idle_ms)]
        try:
            process = await anyio.open_process(
                [*command, LOW_IMPACT_FLAG] if low_impact else command,
                stderr=words,
                # Python takes modules from the current directory first.
                cwd=_PACKAGE_ROOT,
                start_new_session=True,
            )
        except BaseException:
            os.close(words)
            raise
        return cls(process, words, low_impact=low_impact)

    @property
    def pid(self) -> int | None:
        """Return its process id; None once it has ended."""
        return self._process.pid if self._process.returncode is None else None

    async def ask(
        self,
        job_id: str,
        job: SyncJob,
        on_progress: Callable[[SyncProgress], None],
        silence_ms: int,
    ) -> SyncOutcome:
        """Return the result of a job.

        Raises:
            WorkerGone: no answer can come any more.
            TimeoutError: it said nothing for too long.
            GgrepError: the sync failed.
        """
        begun, self._asked = False, True
        line = stable_json.dumps({"job_id": job_id, **job_json(job)}) + b"\n"
        try:
            await self._send(line)
            while True:
                with anyio.fail_after(silence_ms / 1000):
                    said = await self._answers.receive_until(b"\n", _MOST_LINE_BYTES)
                begun = True
                outcome = _understood(stable_json.loads(said), job_id, on_progress)
                if outcome is not None:
                    return self._answered(outcome)
        except GgrepError:
            self._answered(None)
            raise
        except (
            anyio.BrokenResourceError,
            anyio.ClosedResourceError,
            anyio.IncompleteRead,
            anyio.DelimiterNotFound,
            OSError,
            ValueError,
        ) as error:
            if isinstance(error, TimeoutError):
                raise
            raise WorkerGone(self._last_words(), begun=begun) from error

    async def wish(self, store_id: str, paths: Sequence[str]) -> None:
        """Tell it which files a store's first index starts with; ignored once it has ended."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            await self._send(wish_line(store_id, paths))

    async def _send(self, line: bytes) -> None:
        async with self._sending:
            await self._requests.send(line)

    async def end(self) -> None:
        """Kill it with all its children, and reap it."""
        # One that ended while it did nothing left no children; its number may be another's now.
        if self._asked or self.pid is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await self._process.aclose()
        os.close(self._words)

    def _answered(self, outcome: Answer) -> Answer:
        self._asked = False
        self.served += 1
        return outcome

    def _last_words(self) -> str:
        size = os.fstat(self._words).st_size
        start = max(0, size - _LAST_WORDS_BYTES)
        said = os.pread(self._words, _LAST_WORDS_BYTES, start).decode("utf-8", "replace")
        last = said.strip().rpartition("\n")[2]
        return f"the sync worker ended: {last}" if last else "the sync worker ended"


def _understood(
    document: Any,  # noqa: ANN401 - whatever the worker said
    job_id: str,
    on_progress: Callable[[SyncProgress], None],
) -> SyncOutcome | None:
    """Return the outcome if this is the last message of a job.

    Raises:
        ValueError: it is no answer to it.
        GgrepError: the sync failed.
    """
    if not isinstance(document, dict) or document.get("job_id") != job_id:
        raise ValueError(f"no answer to job {job_id}")
    if "progress" in document:
        on_progress(decode(SyncProgress, document["progress"]))
        return None
    if "error" in document:
        raise error_from(document["error"])
    return outcome_from(document.get("report"))
