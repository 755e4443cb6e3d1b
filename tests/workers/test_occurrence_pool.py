"""Processes that look for names answer in order, and none of them can hold a request up."""

import io
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from threading import Event

import pytest

from ggrep.base.clock import Deadline, Stop, SystemClock
from ggrep.base.errors import Busy, Cancelled, DeadlineExceeded
from ggrep.parse.chunking.file_outline import outline_file
from ggrep.parse.languages.chunk_limits import Allowance
from ggrep.parse.occurrences.occurrences import mentions
from ggrep.parse.workers.jobs import (
    HEADER_BYTES,
    HELLO,
    OccurrenceRequest,
    body_length,
    decode_occurrences,
    decode_request,
    encode_request,
    frame,
)
from ggrep.parse.workers.occurrence_pool import (
    FileOccurrences,
    OccurrencePool,
)
from ggrep.parse.workers.pool import PoolStatistics
from ggrep.parse.workers.worker import serve
from tests.fakes.clocks import ManualClock
from tests.fakes.parsers import (
    ABSENT,
    BROKEN,
    KILLED,
    LATE,
    SLOW_START,
    SPINNING_READER,
    Command,
    children,
)

CLOCK = SystemClock()
NEVER = Deadline.never(CLOCK)
TEXT = b"def run():\n    return run\n"


def question(path: str = "a.py", data: bytes = TEXT) -> OccurrenceRequest:
    return OccurrenceRequest(path, data, "run")


def kinds(answer: FileOccurrences) -> list[str]:
    return [mention.kind for mention in answer.occurrences]


@pytest.mark.slow
def test_answers_come_in_the_order_of_the_questions_and_no_process_is_left() -> None:
    """Who asked about a file has to get that file's answer."""
    before = children()
    with OccurrencePool(2, CLOCK) as pool:
        asked = [question(f"a{n}.py", b"\n" * n + TEXT) for n in range(12)] + [question("a.md")]
        reports = list(pool.find(asked, NEVER))
        again = list(pool.find([question()], NEVER))
        done = pool.statistics()
        during = children()

    assert [each.path_key for each, _ in reports] == [each.path_key for each in asked]
    assert [answer.occurrences[0].line for _, answer in reports] == [*range(1, 13), 1]
    assert kinds(reports[0][1]) == ["definition", "usage"]
    assert kinds(reports[-1][1]) == ["comment", "comment"]
    assert kinds(again[0][1]) == ["definition", "usage"]
    assert (done.parsed, done.killed, done.crashed) == (13, 0, 0)
    assert 1 <= done.spawned <= 2
    assert len(during - before) == done.spawned
    assert children() == before


@pytest.mark.slow
def test_a_worker_outlines_files_between_names() -> None:
    """One pool serves both, and the answers are those of this process."""
    with OccurrencePool(1) as pool:
        ((_, named),) = pool.find([question()], NEVER)
        outlined = pool.outline("a.py", TEXT, NEVER)
        spawned = pool.statistics().spawned

    assert kinds(named) == ["definition", "usage"]
    assert outlined == outline_file("a.py", TEXT)
    assert spawned == 1


@pytest.mark.slow
def test_a_file_that_ends_its_reader_has_no_outline() -> None:
    """Whoever asked tells what its chunks do, and says so."""
    with OccurrencePool(1, command=BROKEN) as pool:
        assert pool.outline("a.py", TEXT, NEVER) == "parse_crashed"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "path", "problem"),
    [(SPINNING_READER, "hangs.py", "parse_exhausted"), (BROKEN, "a.py", "parse_crashed")],
)
def test_a_file_whose_reader_fails_is_looked_at_by_its_words(
    command: Command, path: str, problem: str
) -> None:
    """Some grammars hang on some inputs for ever, and some crash."""
    before = children()
    with OccurrencePool(1, CLOCK, command=command, allowance=Allowance(base_ms=100)) as pool:
        ((_, answer),) = pool.find([question(path)], NEVER)
        done = pool.statistics()

    assert (kinds(answer), answer.problem) == (["usage", "usage"], problem)
    assert done == PoolStatistics(spawned=1, crashed=1)
    assert children() == before


@pytest.mark.slow
def test_the_start_of_a_reader_is_no_fault_of_the_first_file() -> None:
    """On a busy machine it takes seconds; the answer must not be one by words for that."""
    with OccurrencePool(1, CLOCK, command=SLOW_START) as pool:
        ((_, answer),) = pool.find([question()], NEVER)

    assert (kinds(answer), answer.problem) == (["definition", "usage"], "")


@pytest.mark.parametrize("command", [KILLED, ABSENT, ("/bin/true",)])
def test_a_machine_without_room_for_a_reader_makes_no_answer_by_words(command: Command) -> None:
    """The same question must not have two answers."""
    with OccurrencePool(1, CLOCK, command=command) as pool, pytest.raises(Busy):
        list(pool.find([question()], NEVER))


@pytest.mark.slow
def test_a_reader_that_ended_meanwhile_is_replaced() -> None:
    """Children end by themselves when idle; the next question may not pay for it."""
    with OccurrencePool(1, CLOCK) as pool:
        list(pool.find([question()], NEVER))
        for child in pool._children:
            child.kill()
        ((_, answer),) = pool.find([question()], NEVER)
        done = pool.statistics()

    assert (kinds(answer), answer.problem) == (["definition", "usage"], "")
    assert done == PoolStatistics(spawned=2, crashed=1, parsed=2)


def test_a_request_out_of_time_does_not_wait_for_a_file() -> None:
    """The end of a request comes before the end of a file's time."""
    with OccurrencePool(1, CLOCK, command=LATE) as pool:
        with pytest.raises(DeadlineExceeded):
            list(pool.find([question()], Deadline.after(CLOCK, 20)))
        with pytest.raises(DeadlineExceeded):
            list(pool.find([], Deadline.after(CLOCK, 0)))

        done = pool.statistics()
        assert done.killed + done.crashed == done.spawned


def test_a_closed_pool_and_an_ended_request_are_cancelled() -> None:
    """Nothing may be started behind somebody's back."""
    stop = Stop()
    stop.set("nobody waits")
    pool = OccurrencePool(1, CLOCK)
    with pytest.raises(Cancelled, match="nobody waits"):
        list(pool.find([question()], Deadline.after(CLOCK, 1000, stop)))
    pool.close()

    with pytest.raises(Cancelled):
        list(pool.find([question()], NEVER))
    assert pool.statistics() == PoolStatistics()


def test_closing_calls_off_what_waits_for_a_thread() -> None:
    """Whoever waits hears that the request was ended, not of a future inside of the pool."""
    begun, go = Event(), Event()

    def work(number: int) -> int:
        begun.set()
        go.wait()
        return number

    pool = OccurrencePool(1)
    with ThreadPoolExecutor(2) as threads:
        asked = threads.submit(list, pool.in_order(range(2), work))
        begun.wait()
        closing = threads.submit(pool.close)
        while not pool._closed:
            pass
        pool._threads.shutdown(wait=False, cancel_futures=True)
        go.set()
        closing.result()

        with pytest.raises(Cancelled):
            asked.result()


@pytest.mark.slow
def test_processes_end_with_the_last_who_holds_their_pool() -> None:
    """An engine that is closed leaves its pool to whom it still answers."""
    before = children()
    kept = [OccurrencePool()]
    (((_, answer),)) = kept[0].find([question()], NEVER)
    during = children()
    kept.clear()

    assert kinds(answer) == ["definition", "usage"]
    assert during > before
    assert children() == before


@pytest.mark.slow
def test_a_deadline_counts_on_its_own_clock() -> None:
    """A pool serves requests whose clocks started at another moment than its own."""
    distant = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    with OccurrencePool() as pool:
        results = list(pool.find([question()], Deadline.after(distant, 60_000)))

    assert [(answer.problem, len(answer.occurrences)) for _, answer in results] == [("", 2)]


def test_a_question_survives_the_pipe() -> None:
    """Names and paths may hold any character; data may hold line ends."""
    asked = OccurrenceRequest('a "b"\u2028.py', b"x\n\ny", "né?", any_case=True)

    assert decode_request(encode_request(asked, 7)) == (asked, 7)


def pipe(data: bytes) -> io.FileIO:
    """Return a stream that ends behind `data`."""
    reading, writing = os.pipe()
    os.write(writing, data)
    os.close(writing)
    return os.fdopen(reading, "rb", buffering=0)


def test_a_worker_answers_what_it_is_asked_until_the_end() -> None:
    """Several questions may lie in the pipe at once."""
    answers = io.BytesIO()
    with pipe(2 * frame(encode_request(question(), 1000)) + b"\0\0") as questions:
        serve(questions, answers)

    output, data = answers.getvalue()[:HEADER_BYTES], answers.getvalue()[HEADER_BYTES:]
    assert output == HELLO
    size = body_length(data[:HEADER_BYTES])
    assert len(data) == 2 * (HEADER_BYTES + size)
    assert decode_occurrences(data[HEADER_BYTES : HEADER_BYTES + size]) == mentions(
        "a.py", TEXT, "run"
    )


def test_an_idle_worker_ends_by_itself() -> None:
    """A process that nobody asks is not to hold memory for days."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb", buffering=0) as questions:
        serve(questions, io.BytesIO(), idle_seconds=0.001)
    os.close(writing)


@pytest.mark.slow
def test_no_child_outlives_a_process_that_ends() -> None:
    """Whoever leaves without closing anything leaves nothing behind."""
    program = (
        "from ggrep.parse.workers.occurrence_pool import OccurrencePool\n"
        "from ggrep.parse.workers.jobs import OccurrenceRequest\n"
        "from ggrep.base.clock import SystemClock\n"
        "from ggrep.base.clock import Deadline\n"
        "clock = SystemClock()\n"
        "pool = OccurrencePool()\n"
        "asked = [OccurrenceRequest('a.py', b'def run(): pass', 'run')]\n"
        "print(list(pool.find(asked, Deadline.never(clock)))[0][1].occurrences[0].kind)\n"
        "print(*[child._process.pid for child in pool._children])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    kind, pids = done.stdout.decode().splitlines()

    assert kind == "definition"
    assert pids
    assert not any(Path("/proc", pid).exists() for pid in pids.split())
