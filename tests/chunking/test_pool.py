"""Workers parse in order, and none of them can hold the pool up or outlive it."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ggrep.chunking.child import Child, WorkerCrashed
from ggrep.chunking.chunker import chunk_file
from ggrep.chunking.frames import decode_request, encode_answer
from ggrep.chunking.limits import ChunkLimits
from ggrep.chunking.pool import IN_PROCESS_BYTES, ParsePool
from ggrep.chunking.unparsed import Reading
from ggrep.clock import ManualClock, SystemClock
from ggrep.domain.ids import PathKey
from ggrep.domain.source import FileText, SourceFile

CLOCK = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
QUICK = ChunkLimits(parse_timeout_ms=20)


def text_file(path: str, text: str) -> FileText:
    key, data = PathKey(path), text.encode()
    return FileText(key, data, text, "0" * 64, SourceFile(key, len(data), 0, 0, 0))


def children() -> set[str]:
    """Return the processes that any thread of this one has started and not reaped."""
    found: set[str] = set()
    for task in Path(f"/proc/{os.getpid()}/task").iterdir():
        # A thread may end between being listed and being read.
        with suppress(FileNotFoundError):
            found |= set((task / "children").read_text().split())
    return found


def many(count: int) -> Iterator[FileText]:
    for number in range(count):
        yield text_file(f"a{number}.py", f"def f{number}():\n    return {number}\n")


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
    assert (done.parsed, done.in_process, done.killed) == (20, 1, 0)
    assert children() == before


@pytest.mark.parametrize("command", [("/bin/sleep", "1000"), ("/bin/cat", "/dev/zero")])
def test_a_worker_that_does_not_answer_is_killed(command: tuple[str, ...]) -> None:
    """Some grammars hang on some inputs for ever."""
    before = children()
    with ParsePool(1, QUICK, CLOCK, command=command) as pool:
        ((_, chunked),) = pool.chunk_all(many(1))
        done = pool.statistics()

    assert (chunked.method, chunked.problem) in {
        ("lines", "parse_timeout"),
        ("lines", "parse_crashed"),
    }
    assert chunked.chunks[1].text == "def f0():\n    return 0"
    assert done.spawned == done.killed + done.crashed == 1
    assert children() == before


def test_a_large_request_to_a_deaf_worker_times_out_as_well() -> None:
    """The pipe fills up before anybody reads."""
    file = text_file("a.py", "x = 1\n" * 50_000)
    with ParsePool(1, QUICK, CLOCK, command=("/bin/sleep", "1000")) as pool:
        ((_, chunked),) = pool.chunk_all([file])

    assert chunked.problem == "parse_timeout"


def test_a_worker_that_exits_costs_its_file_the_structure_only() -> None:
    """A crash is just a crash."""
    before = children()
    with ParsePool(2, ChunkLimits(), CLOCK, command=("/bin/true",)) as pool:
        answers = list(pool.chunk_all(many(3)))

    assert [chunked.problem for _, chunked in answers] == ["parse_crashed"] * 3
    assert children() == before


@pytest.mark.slow
def test_a_file_that_kills_workers_costs_two_of_them(tmp_path: Path) -> None:
    """A used worker may be worn out, so one more is asked, but not all that are idle."""
    script = tmp_path / "worker.py"
    script.write_text(
        "import os, sys\n"
        "from ggrep.chunking import frames, worker\n"
        "serve = worker.chunk_file\n"
        "def fragile(path, data, limits):\n"
        "    return os._exit(1) if path == 'bad.py' else serve(path, data, limits)\n"
        "worker.chunk_file = fragile\n"
        "worker.serve(sys.stdin.buffer, sys.stdout.buffer)\n"
    )
    files = [*many(40), text_file("bad.py", "x = 1\n")]
    with ParsePool(3, ChunkLimits(), CLOCK, command=(sys.executable, str(script))) as pool:
        answers = list(pool.chunk_all(files))

    assert [chunked.problem for _, chunked in answers] == [*[None] * 40, "parse_crashed"]
    assert pool.statistics().crashed <= 2


def test_files_without_grammar_start_no_worker() -> None:
    """Indexing documents needs no process."""
    with ParsePool(1, QUICK, CLOCK, command=("/nonexistent",)) as pool:
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

    with ParsePool(1, QUICK, CLOCK) as pool:
        next(pool.chunk_all(source()))

    assert len(taken) == 4


def test_leaving_early_leaves_no_child_behind() -> None:
    """A failed sync must not leave parsers running."""
    before = children()

    def leave() -> None:
        with ParsePool(2, ChunkLimits(), CLOCK, command=("/bin/sleep", "1000")) as pool:
            pool.chunk_all(many(9))
            pool._submit(next(many(1)))
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        leave()
    assert children() == before


@pytest.mark.slow
def test_the_worker_loads_no_database_and_no_numbers() -> None:
    """Each worker costs its imports again, in time and in memory."""
    code = (
        "import sys, ggrep.chunking.worker, ggrep.chunking.syntax;"
        "print(sorted({'lancedb', 'numpy', 'pyarrow', 'torch', 'typer'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


@pytest.mark.slow
def test_the_worker_ends_with_its_input() -> None:
    """When the parent dies, its pipes close."""
    command = [sys.executable, "-m", "ggrep.chunking.worker"]

    done = subprocess.run(command, input=b"", capture_output=True, timeout=60, check=False)

    assert (done.returncode, done.stdout) == (0, b"")


def test_a_large_file_without_grammar_is_read_by_a_worker() -> None:
    """Ten megabytes of headings take seconds, in which the parent could do nothing else."""
    small = text_file("small.md", "# T\n" * (IN_PROCESS_BYTES // 4))
    large = text_file("large.md", "# T\n" * (IN_PROCESS_BYTES // 4 + 1))
    with ParsePool(1, QUICK, CLOCK, command=("/bin/sleep", "1000")) as pool:
        answers = list(pool.chunk_all([small, large]))
        done = pool.statistics()

    assert [chunked.problem for _, chunked in answers] == [None, "parse_timeout"]
    assert (done.in_process, done.killed) == (1, 1)


def test_a_large_file_that_was_cut_off_is_cut_by_lines_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What took a worker's whole time must not take the parent's as well."""
    monkeypatch.setattr(Reading, "structured", lambda *_: pytest.fail("looked for structure"))
    file = text_file("a.graphql", "type T { a: Int }\n" * (IN_PROCESS_BYTES // 18 + 1))
    with ParsePool(1, QUICK, CLOCK, command=("/bin/sleep", "1000")) as pool:
        ((_, chunked),) = pool.chunk_all([file])

    assert (chunked.method, chunked.problem) == ("lines", "parse_timeout")
    assert chunked.chunks[1].text.startswith("type T")


def test_the_second_try_of_a_file_has_the_rest_of_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a hostile file takes twice as long as files may take."""
    given: list[float] = []
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))

    class Worn(Child):
        def ask(self, body: bytes, timeout_ms: float) -> bytes:
            given.append(timeout_ms)
            self.served += 1
            if len(given) == 1:
                return encode_answer(chunk_file(*decode_request(body)))
            clock.advance(4000)
            raise WorkerCrashed

    monkeypatch.setattr("ggrep.chunking.pool.Child", Worn)
    limits = ChunkLimits(parse_timeout_ms=5000)
    with ParsePool(1, limits, clock, command=("/bin/sleep", "1000")) as pool:
        answers = list(pool.chunk_all(many(2)))

    assert [chunked.problem for _, chunked in answers] == [None, "parse_crashed"]
    assert given == [5000, 5000, 1000]
