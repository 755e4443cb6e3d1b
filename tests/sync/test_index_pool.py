"""Workers make the parts of a segment, and none of them decides how a file is cut."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.ids import PathKey
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.features import MAX_WORDS
from ggrep.index.store.segment import SegmentContent
from ggrep.index.sync import index_pool
from ggrep.index.sync.index_pool import RUN_BYTES, RUN_FILES, IndexedRun, IndexPool, runs_of
from ggrep.index.sync.segment_builder import SegmentBuilder, file_rows
from ggrep.model.files import FileText, SourceFile
from ggrep.parse.languages.chunk_limits import Allowance, ChunkLimits
from ggrep.parse.workers.parse_pool import Terms
from tests.fakes.clocks import ManualClock
from tests.fakes.effort import examples
from tests.fakes.parsers import (
    ABSENT,
    BROKEN,
    DEAF,
    KILLED,
    LATE,
    SHORT,
    SPINNING_INDEXER,
    Command,
)
from tests.fakes.repos import InProcessPool

CLOCK = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
LIMITS = ChunkLimits()
ALONE = replace(SHORT, alone=True)


def text_file(path: str, text: str) -> FileText:
    key, data = PathKey(path), text.encode()
    return FileText(key, data, "0" * 64, SourceFile(key, len(data), 0, 0, 0))


def many(count: int) -> Iterator[FileText]:
    for number in range(count):
        yield text_file(f"a{number}.py", f"def f{number}():\n    return {number}\n")


def verdicts(runs: list[IndexedRun]) -> list[tuple[str, str | None]]:
    """Return each file with its problem; `put off` where it is."""
    return [
        (file.path_key, cut.problem if cut else "put off")
        for run in runs
        for file, cut in run.files
    ]


def content(runs: list[IndexedRun], encoder: str) -> SegmentContent:
    """Return the segment of these parts."""
    builder = SegmentBuilder(open_encoder(encoder))
    for run in runs:
        if run.part is not None:
            builder.take(run.part)
    return builder.finish()


def assert_equal(ours: SegmentContent, theirs: SegmentContent) -> None:
    """Compare two segments byte by byte."""
    assert ours.meta == theirs.meta
    assert ours.arrays.keys() == theirs.arrays.keys()
    for name, values in ours.arrays.items():
        assert np.array_equal(values, theirs.arrays[name]), name
        assert values.dtype == theirs.arrays[name].dtype, name
    rows = [[row for batch in each.batches for row in batch.to_pylist()] for each in (ours, theirs)]
    assert rows[0] == rows[1]


SOURCES = [
    *(text for text in Path(__file__).parent.glob("test_*.py")),
    *(text for text in (Path(__file__).parents[2] / "docs").rglob("*.md")),
]


def real_files() -> list[FileText]:
    """Return real sources and documents, and one with more words than an encoder reads."""
    some = sorted(SOURCES)[:: examples(8, 1)]
    files = [text_file(path.name, path.read_text()) for path in some]
    long = text_file("long.csv", ",".join(f"wörd{number % 700}" for number in range(9_000)))
    return [*files, text_file("日本.md", "# 日本語の検索\n\n全文を検索する。\n"), long]


@pytest.mark.slow
@pytest.mark.parametrize(("encoder", "workers"), [("static", 3), ("hashed", 1), ("none", 1)])
def test_a_segment_of_parts_is_one_of_rows(
    encoder: str, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for bound in ("RUN_BYTES", "IN_PROCESS_BYTES"):
        monkeypatch.setattr(index_pool, bound, 64 * 1024)
    files = real_files()
    builder = SegmentBuilder(open_encoder(encoder))
    for text, chunked in InProcessPool(1, LIMITS, CLOCK).chunk_all(files):
        assert chunked is not None
        builder.add(file_rows(text, chunked))
    whole = builder.finish()
    with IndexPool(workers, LIMITS, SystemClock(), encoder=encoder) as pool:
        runs = list(pool.index_all(files))
        done = pool.statistics()

    assert len(runs) > 2
    assert done.parsed == len(files)
    assert_equal(content(runs, encoder), whole)


def test_words_beyond_those_that_an_encoder_reads_do_not_count() -> None:
    """A part counts words itself, where an encoder gets whole texts."""
    wide = ChunkLimits(max_lines=20_000, max_bytes=200_000)
    long = text_file("long.txt", "open a file\n" * 2_000 + "query the database\n" * 2_000)
    ((_, chunked),) = InProcessPool(1, wide, CLOCK).chunk_all([long])
    assert chunked is not None
    builder = SegmentBuilder(open_encoder("static"))
    builder.add(file_rows(long, chunked))
    with IndexPool(1, wide, CLOCK, encoder="static", command=ABSENT) as pool:
        runs = list(pool.index_all([long]))

    assert max(chunk.text.count(" ") for chunk in chunked.chunks) > 2 * MAX_WORDS // 3
    assert_equal(content(runs, "static"), builder.finish())


def test_runs_depend_on_sizes_alone() -> None:
    """A run is as large as its parts are worth the trip, and a huge file has its own end."""
    small = list(many(RUN_FILES + 1))
    large = text_file("large.py", "x" * RUN_BYTES)

    assert [len(run) for run in runs_of(small)] == [RUN_FILES, 1]
    assert [len(run) for run in runs_of([*small[:2], large, *small[:3]])] == [3, 3]
    assert [len(run) for run in runs_of(small[:3], alone=True)] == [1, 1, 1]


@pytest.mark.parametrize("command", [LATE, DEAF, ABSENT, KILLED])
@pytest.mark.parametrize("alone", [False, True])
def test_a_file_that_no_worker_had_time_for_is_put_off(command: Command, alone: bool) -> None:
    """Time on the wall says how busy the machine is; it may not decide how a file is cut."""
    no_time = Allowance(base_ms=0, mib_ms=0)
    terms = Terms(no_time, patience_ms=20, start_ms=20, alone=alone)
    with IndexPool(1, LIMITS, CLOCK, terms=terms, command=command) as pool:
        runs = list(pool.index_all(many(2)))
        done = pool.statistics()

    assert verdicts(runs) == [("a0.py", "put off"), ("a1.py", "put off")]
    assert [run.part for run in runs] == [None] * len(runs)
    assert done.spawned == done.killed + done.crashed


@pytest.mark.parametrize("command", [DEAF, ABSENT])
def test_where_no_worker_starts_documents_are_indexed(command: Command) -> None:
    """Only parsers need to be killable, and nothing waits twice for a start."""
    files = [*many(2), text_file("b.txt", "words\n"), *many(1)]
    with IndexPool(1, LIMITS, CLOCK, terms=Terms(start_ms=20), command=command) as pool:
        runs = list(pool.index_all(files))

    assert [problem for _, problem in verdicts(runs)] == ["put off", "put off", None, "put off"]
    assert content(runs, "none").files == 1
    assert pool.statistics().spawned <= 1


def test_a_few_documents_start_no_worker() -> None:
    """Starting one takes longer than reading them."""
    with IndexPool(1, LIMITS, CLOCK, command=ABSENT) as pool:
        (run,) = pool.index_all([text_file("a.txt", "words\n"), text_file("b.md", "# T\n")])

    assert verdicts([run]) == [("a.txt", None), ("b.md", None)]
    assert pool.statistics().spawned == 0


@pytest.mark.slow
def test_a_file_that_hangs_its_parser_is_cut_without_it_and_costs_its_run_nothing() -> None:
    """Some grammars hang on some inputs for ever; that costs one file, and a bounded time."""
    files = [*many(2), text_file("hangs.py", "def f0():\n    return 0\n"), *many(2)]
    terms = Terms(allowance=Allowance(base_ms=100))
    with IndexPool(1, LIMITS, SystemClock(), terms=terms, command=SPINNING_INDEXER) as pool:
        (run,) = pool.index_all(files)
        done = pool.statistics()

    assert [cut and (cut.method, cut.problem) for _, cut in run.files] == [
        *[("tree-sitter", None)] * 2,
        ("lines", "parse_exhausted"),
        *[("tree-sitter", None)] * 2,
    ]
    assert content([run], "none").files == 5
    assert (done.spawned, done.killed) == (2, 0)


@pytest.mark.slow
@pytest.mark.parametrize(("alone", "verdict"), [(False, "put off"), (True, "parse_crashed")])
def test_a_crash_is_a_verdict_only_alone_and_costs_two_workers(alone: bool, verdict: str) -> None:
    """In company all of them together may have wanted more memory than there is."""
    files = [*many(3), text_file("crashes.py", "x = 1\n"), *many(2)]
    terms = Terms(alone=alone)
    with IndexPool(1, LIMITS, SystemClock(), terms=terms, command=SPINNING_INDEXER) as pool:
        runs = list(pool.index_all(files))
        done = pool.statistics()

    problems = [problem for _, problem in verdicts(runs)]
    assert problems == [None, None, None, verdict, None, None]
    assert content(runs, "none").files == (6 if alone else 5)
    assert done.crashed == 2


def test_a_file_that_ends_workers_without_its_parser_too_is_put_off() -> None:
    """Nothing is asked for ever."""
    with IndexPool(1, LIMITS, CLOCK, terms=ALONE, command=BROKEN) as pool:
        runs = list(pool.index_all(many(2)))

    assert [problem for _, problem in verdicts(runs)] == ["put off", "put off"]
