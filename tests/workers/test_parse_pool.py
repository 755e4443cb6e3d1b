"""Workers parse in order, and none of them can hold the pool up or outlive it."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.ids import PathKey
from ggrep.model.files import FileText, SourceFile
from ggrep.parse.chunking.unparsed import Reading
from ggrep.parse.languages.chunk_limits import Allowance, ChunkLimits
from ggrep.parse.workers.jobs import PlanRequest, encode_request, frame
from ggrep.parse.workers.kept import KeptWorkers
from ggrep.parse.workers.parse_pool import IN_PROCESS_BYTES, ParsePool, Terms
from tests.fakes.clocks import ManualClock
from tests.fakes.parsers import (
    ABSENT,
    BROKEN,
    DEAF,
    KILLED,
    LATE,
    SHORT,
    SLOW_START,
    SPINNING,
    Command,
    children,
)

CLOCK = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
LIMITS = ChunkLimits()
ALONE = replace(SHORT, alone=True)


def text_file(path: str, text: str) -> FileText:
    key, data = PathKey(path), text.encode()
    return FileText(key, data, "0" * 64, SourceFile(key, len(data), 0, 0, 0))


def many(count: int) -> Iterator[FileText]:
    for number in range(count):
        yield text_file(f"a{number}.py", f"def f{number}():\n    return {number}\n")


@pytest.mark.slow
def test_workers_can_be_started_before_there_is_work() -> None:
    """They load while something else is done, and are what the first files go to."""
    with ParsePool(2, ChunkLimits(), SystemClock()) as pool:
        pool.start()
        pool.hurry(600_000.0)
        answers = list(pool.chunk_all(many(4)))
        done = pool.statistics()

    assert [chunked is not None for _, chunked in answers] == [True] * 4
    assert (done.spawned, done.parsed) == (2, 4)


@pytest.mark.slow
def test_files_come_back_in_the_order_they_went_in() -> None:
    """The order of rows in a segment may not depend on which worker was quicker."""
    before = children()
    with ParsePool(2, ChunkLimits(), SystemClock()) as pool:
        answers = list(pool.chunk_all([*many(20), text_file("b.md", "# T\n")]))
        done = pool.statistics()

    assert [file.path_key for file, _ in answers] == [*(f"a{i}.py" for i in range(20)), "b.md"]
    assert [chunked.chunks[1].name for _, chunked in answers] == [
        *(f"f{i}" for i in range(20)),
        "T",
    ]
    assert {chunked.method for _, chunked in answers} == {"tree-sitter", "markdown"}
    assert (done.parsed, done.killed) == (20, 0)
    assert children() == before


@pytest.mark.parametrize("command", [LATE, DEAF, ABSENT, KILLED])
@pytest.mark.parametrize("alone", [False, True])
def test_a_file_that_no_worker_had_time_for_is_put_off(command: Command, alone: bool) -> None:
    """Time on the wall says how busy the machine is; it may not decide how a file is cut."""
    before = children()
    no_time = Allowance(base_ms=0, mib_ms=0)
    terms = Terms(no_time, patience_ms=20, start_ms=20, alone=alone)
    with ParsePool(1, LIMITS, CLOCK, terms=terms, command=command) as pool:
        answers = list(pool.chunk_all(many(2)))
        done = pool.statistics()

    assert [chunked for _, chunked in answers] == [None, None]
    assert done.spawned == done.killed + done.crashed
    assert children() == before


@pytest.mark.parametrize("command", [DEAF, ABSENT])
def test_where_one_worker_does_not_start_no_other_is_waited_for(command: Command) -> None:
    """A thousand files would each wait as long."""
    with ParsePool(1, LIMITS, CLOCK, terms=Terms(start_ms=20), command=command) as pool:
        list(pool.chunk_all(many(9)))

    assert pool.statistics().spawned <= 1


@pytest.mark.slow
def test_the_start_of_a_worker_does_not_count() -> None:
    """On a busy machine it takes seconds, in which nothing is parsed."""
    terms = replace(SHORT, patience_ms=60_000)
    with ParsePool(1, LIMITS, SystemClock(), terms=terms, command=SLOW_START) as pool:
        ((_, chunked),) = pool.chunk_all(many(1))

    assert chunked is not None
    assert (chunked.method, chunked.problem) == ("tree-sitter", None)


@pytest.mark.slow
def test_a_file_that_hangs_its_parser_is_cut_without_it_once_its_time_is_used_up() -> None:
    """Some grammars hang on some inputs for ever; that costs one file, and a bounded time."""
    before = children()
    files = [text_file("hangs.py", "def f0():\n    return 0\n"), *many(1)]
    terms = Terms(allowance=Allowance(base_ms=100))
    with ParsePool(1, LIMITS, SystemClock(), terms=terms, command=SPINNING) as pool:
        (_, hung), (_, other) = pool.chunk_all(files)
        done = pool.statistics()

    assert hung is not None
    assert other is not None
    assert (hung.method, hung.problem) == ("lines", "parse_exhausted")
    assert hung.chunks[1].text == "def f0():\n    return 0"
    assert (other.method, other.problem) == ("tree-sitter", None)
    assert (done.spawned, done.killed) == (2, 0)
    assert children() == before


def test_more_bytes_may_take_more_time() -> None:
    """Ten megabytes of ordinary code must not look like a parser that hangs."""
    allowance = Allowance()

    assert allowance.cpu_ms(0) == 10_000
    assert allowance.cpu_ms(10 * 2**20) == 50_000


def test_a_large_request_to_a_late_worker_is_put_off_as_well() -> None:
    """The pipe fills up before anybody reads."""
    file = text_file("a.py", "x = 1\n" * 50_000)
    with ParsePool(1, LIMITS, CLOCK, terms=SHORT, command=LATE) as pool:
        ((_, chunked),) = pool.chunk_all([file])

    assert chunked is None


def test_a_worker_that_crashes_alone_costs_its_file_the_structure_only() -> None:
    """A crash is just a crash."""
    before = children()
    with ParsePool(2, LIMITS, CLOCK, terms=ALONE, command=BROKEN) as pool:
        answers = list(pool.chunk_all(many(3)))

    assert [chunked and chunked.problem for _, chunked in answers] == ["parse_crashed"] * 3
    assert children() == before


def test_a_worker_that_crashes_in_company_is_no_verdict() -> None:
    """All of them together may have wanted more memory than there is."""
    with ParsePool(2, LIMITS, CLOCK, terms=SHORT, command=BROKEN) as pool:
        answers = list(pool.chunk_all(many(3)))

    assert [chunked for _, chunked in answers] == [None] * 3


@pytest.mark.slow
def test_a_file_that_kills_workers_costs_two_of_them(tmp_path: Path) -> None:
    """A used worker may be worn out, so one more is asked, but not all that are idle."""
    script = tmp_path / "worker.py"
    script.write_text(
        "import os\n"
        "from ggrep.parse.workers import worker\n"
        "serve = worker.chunk_file\n"
        "def fragile(path, data, limits):\n"
        "    return os._exit(1) if path == 'bad.py' else serve(path, data, limits)\n"
        "worker.chunk_file = fragile\n"
        "worker.main()\n"
    )
    files = [*many(40), text_file("bad.py", "x = 1\n")]
    command = (sys.executable, str(script))
    with ParsePool(3, LIMITS, CLOCK, terms=Terms(alone=True), command=command) as pool:
        answers = list(pool.chunk_all(files))

    problems = [chunked and chunked.problem for _, chunked in answers]
    assert problems == [*[None] * 40, "parse_crashed"]
    assert pool.statistics().crashed <= 2


def test_files_without_grammar_start_no_worker() -> None:
    """Indexing documents needs no process."""
    with ParsePool(1, LIMITS, CLOCK, command=("/nonexistent",)) as pool:
        ((_, chunked),) = pool.chunk_all([text_file("a.txt", "words\n")])

    assert chunked.method == "lines"
    assert pool.statistics().spawned == 0


def test_the_input_is_taken_in_bit_by_bit() -> None:
    """A million files must not lie in memory at once."""
    taken: list[int] = []

    def source() -> Iterator[FileText]:
        for number in range(100):
            taken.append(number)
            yield text_file(f"{number}.txt", "x\n")

    with ParsePool(1, LIMITS, CLOCK) as pool:
        next(pool.chunk_all(source()))

    assert len(taken) == 4


def test_leaving_early_leaves_no_child_behind() -> None:
    """A failed sync must not leave parsers running."""
    before = children()

    def leave() -> None:
        with ParsePool(2, ChunkLimits(), CLOCK, command=("/bin/sleep", "1000")) as pool:
            pool.chunk_all(many(9))
            pool._submit(pool._chunk, next(many(1)))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        leave()
    assert children() == before


@pytest.mark.slow
def test_the_next_pool_goes_on_with_kept_workers() -> None:
    """Starting one takes longer than the index of a tiny repository."""
    others = children()
    kept = KeptWorkers(1)
    with ParsePool(2, LIMITS, SystemClock(), kept=kept) as first:
        list(first.chunk_all(many(8)))
    before = children() - others
    with ParsePool(2, LIMITS, SystemClock(), kept=kept) as second:
        ((_, chunked),) = second.chunk_all(many(1))
    after = children() - others
    kept.close()

    assert len(before) == 1, "no more than there is room for"
    assert before == after
    assert (second.statistics().spawned, second.statistics().parsed) == (0, 1)
    assert chunked is not None
    assert children() == others


@pytest.mark.slow
def test_a_kept_worker_that_ended_costs_no_file_its_structure() -> None:
    """It did nothing for long, and the machine may have been short of memory."""
    others = children()
    kept = KeptWorkers(1)
    with ParsePool(1, LIMITS, SystemClock(), kept=kept) as first:
        list(first.chunk_all(many(1)))
    for pid in children() - others:
        os.kill(int(pid), signal.SIGTERM)
    with ParsePool(1, LIMITS, SystemClock(), kept=kept) as second:
        ((_, chunked),) = second.chunk_all(many(1))
    kept.close()

    assert chunked is not None
    assert chunked.problem is None


def test_the_worker_loads_no_database_and_no_numbers() -> None:
    """Each worker costs its imports again, in time and in memory."""
    code = (
        "import sys, ggrep.parse.workers.worker, ggrep.parse.languages.syntax;"
        "print(sorted({'lancedb', 'numpy', 'pyarrow', 'torch', 'typer'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_a_large_file_without_grammar_is_read_by_a_worker() -> None:
    """Ten megabytes of headings take seconds, in which the parent could do nothing else."""
    small = text_file("small.md", "# T\n" * (IN_PROCESS_BYTES // 4))
    large = text_file("large.md", "# T\n" * (IN_PROCESS_BYTES // 4 + 1))
    with ParsePool(1, LIMITS, CLOCK, terms=SHORT, command=LATE) as pool:
        answers = list(pool.chunk_all([small, large]))
        done = pool.statistics()

    assert [chunked is None for _, chunked in answers] == [False, True]
    assert (done.spawned, done.killed) == (1, 1)


def test_a_large_file_without_a_verdict_of_its_parser_is_cut_by_lines_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What took a worker's whole time must not take the parent's as well."""
    monkeypatch.setattr(Reading, "structured", lambda *_: pytest.fail("looked for structure"))
    file = text_file("a.graphql", "type T { a: Int }\n" * (IN_PROCESS_BYTES // 18 + 1))
    with ParsePool(1, LIMITS, CLOCK, terms=ALONE, command=BROKEN) as pool:
        ((_, chunked),) = pool.chunk_all([file])

    assert chunked is not None
    assert (chunked.method, chunked.problem) == ("lines", "parse_crashed")
    assert chunked.chunks[1].text.startswith("type T")


@pytest.mark.slow
def test_a_worker_whose_parent_died_ends_by_itself_though_its_parser_hangs(tmp_path: Path) -> None:
    """Nobody is left to kill it, and a hanging parser never sees the end of its input."""
    request = frame(encode_request(PlanRequest("hangs.py", b"x = 1\n", LIMITS), 200))
    given = tmp_path / "request"
    given.write_bytes(request)
    # The parent leaves its worker at work and is gone.
    program = (
        "import subprocess, sys\n"
        "worker = subprocess.Popen(sys.argv[2:], stdin=open(sys.argv[1], 'rb'),"
        " stdout=subprocess.DEVNULL)\n"
        "print(worker.pid)\n"
    )
    command = [sys.executable, "-c", program, str(given), *SPINNING]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    with suppress(psutil.NoSuchProcess):
        assert psutil.wait_procs([psutil.Process(int(done.stdout))], timeout=600)[1] == []
