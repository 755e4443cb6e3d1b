"""Every vector compared against LanceDB's approximate indexes: recall, time, disk.

The rows are drawn around centres, or (`real`) around the shipped encoder's vectors of Python
source. Exact is the product over a memory-mapped int8 image, as a query does it, in one thread;
an index is asked for all its partitions and for a few, and refined by the stored vectors. Recall
is of the 50 nearest by float32. In turns, so that all meet the same machine.
"""

import resource
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import Struct

from ggrep.config.settings import compute_in_one_thread
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.embedding.quantise import cosines, quantise
from ggrep.index.store.disk import store_bytes

_Vectors = npt.NDArray[np.float32]
_DIMENSION = 256
_BATCH = 50_000
_NEAREST = 50
_QUESTIONS = 30
_FEW = 20
"""Partitions that LanceDB looks into unless it is told otherwise."""
_PARTITION_ROWS = 4096
_REFINED = 5
_WINDOW_LINES = 40


def measure(  # noqa: PLR0915 - one way after another
    work: Path, rows: int, *, real: bool = False
) -> list[str]:
    """Return one line for each way to the nearest rows."""
    compute_in_one_thread()
    rng = np.random.default_rng(48)
    centres = _real() if real else _unit(rng.standard_normal((max(rows // 100, 100), _DIMENSION)))
    rng.shuffle(centres)
    # Questions lie near rows and are none: a quarter of the way off.
    questions = _around(rng, centres[:_QUESTIONS], 0.5)
    exact = _Exact(work / "image", rows)
    truth = _Truth(questions)

    def batches() -> Iterator[pa.RecordBatch]:
        for first in range(0, rows, _BATCH):
            size = min(_BATCH, rows - first)
            block = _around(rng, centres[rng.integers(0, len(centres), size)], 0.35)
            exact.write(first, block)
            truth.take(first, block)
            yield _batch(first, block)

    schema = _batch(0, questions).schema
    database = lancedb.connect(work / "lance")
    table = database.create_table("rows", data=batches(), schema=schema)
    exact.flush()
    plain = store_bytes(work / "lance")
    kind = "real" if real else "clustered"
    head = f"approximate: {rows:,} rows, {kind}"
    said = [f"{head}: table {plain / 1e6:.0f} MB, int8 image {exact.size / 1e6:.0f} MB"]
    said.append(f"{head}: exact int8 product {_timed(exact.nearest, questions, truth)}")
    partitions = max(rows // _PARTITION_ROWS, _FEW)
    ways = _Ways(table, partitions, exact, questions, truth)
    for index in ("IVF_SQ", "IVF_RQ"):
        began = time.perf_counter(), _cpu()
        table.create_index(
            metric="dot", vector_column_name="v", index_type=index, num_partitions=partitions
        )
        spent = time.perf_counter() - began[0], _cpu() - began[1]
        size = (store_bytes(work / "lance") - plain) / 1e6
        said.append(
            f"{head}: {index} built in {spent[0]:.0f} s ({spent[1]:.0f} CPU-s), {size:.0f} MB"
        )
        said += [f"{head}: {index}, {line}" for line in ways.asked()]
        table.drop_index(table.list_indices()[0].name)
        shutil.rmtree(work / "lance" / "rows.lance" / "_indices", ignore_errors=True)
    return said


class _Ways(Struct, frozen=True):
    """An index and the exact product, asked in turns."""

    table: Any
    partitions: int
    exact: "_Exact"
    questions: _Vectors
    truth: "_Truth"

    def asked(self) -> Iterator[str]:
        for probes in (self.partitions, _FEW):
            figures = _timed(_asking(self.table, probes), self.questions, self.truth)
            yield f"{probes} of {self.partitions} partitions, {figures}"
            yield f"exact again {_timed(self.exact.nearest, self.questions, self.truth)}"


class _Exact:
    """Rows as an image holds them, and the product with a question."""

    def __init__(self, file: Path, rows: int) -> None:
        self.size = rows * (_DIMENSION + 8)
        self._rows: npt.NDArray[np.int8] = np.memmap(file, np.int8, "w+", shape=(rows, _DIMENSION))
        self._scales = np.empty(rows)

    def write(self, first: int, block: _Vectors) -> None:
        whole, scales = quantise(block)
        self._rows[first : first + len(block)] = whole
        self._scales[first : first + len(block)] = scales

    def flush(self) -> None:
        assert isinstance(self._rows, np.memmap)
        self._rows.flush()

    def nearest(self, question: _Vectors) -> set[int]:
        whole, scales = quantise(question[None])
        found = cosines(self._rows, self._scales, whole[0], float(scales[0]))
        return set(np.argpartition(found, -_NEAREST)[-_NEAREST:].tolist())


class _Truth:
    """The nearest rows by float32, kept while rows go by."""

    def __init__(self, questions: _Vectors) -> None:
        self._questions = questions
        self._best = np.full((len(questions), _NEAREST), -2.0, dtype=np.float32)
        self._rows = np.full((len(questions), _NEAREST), -1)

    def take(self, first: int, block: _Vectors) -> None:
        near = np.hstack([self._best, self._questions @ block.T])
        numbers = np.arange(first, first + len(block))
        rows = np.hstack([self._rows, np.tile(numbers, (len(self._questions), 1))])
        places = np.argpartition(near, -_NEAREST, axis=1)[:, -_NEAREST:]
        self._best = np.take_along_axis(near, places, 1)
        self._rows = np.take_along_axis(rows, places, 1)

    def recall(self, found: list[set[int]]) -> float:
        hits = (
            len(each & set(rows.tolist())) for each, rows in zip(found, self._rows, strict=True)
        )
        return sum(hits) / (_NEAREST * len(found))


def _timed(ask: Callable[[_Vectors], set[int]], questions: _Vectors, truth: _Truth) -> str:
    ask(questions[0])
    found, spent = [], []
    cpu = _cpu()
    for question in questions:
        began = time.perf_counter()
        found.append(ask(question))
        spent.append((time.perf_counter() - began) * 1000)
    cpu_ms = (_cpu() - cpu) * 1000 / len(questions)
    return (
        f"p50 {statistics.median(spent):.1f} ms, {cpu_ms:.1f} CPU-ms, "
        f"recall@{_NEAREST} {truth.recall(found):.3f}"
    )


def _asking(table: Any, probes: int) -> Callable[[_Vectors], set[int]]:
    def ask(question: _Vectors) -> set[int]:
        search = table.search(question).distance_type("dot").nprobes(probes)
        found = (
            search.refine_factor(_REFINED).limit(_NEAREST).select(["row", "_distance"]).to_arrow()
        )
        return set(found["row"].to_pylist())

    return ask


def _batch(first: int, block: _Vectors) -> pa.RecordBatch:
    values = pa.array(block.ravel())
    vectors = pa.FixedSizeListArray.from_arrays(values, _DIMENSION)
    return pa.record_batch(
        {"row": pa.array(range(first, first + len(block)), pa.int64()), "v": vectors}
    )


def _around(rng: np.random.Generator, centres: _Vectors, spread: float) -> _Vectors:
    noise = rng.standard_normal(centres.shape, dtype=np.float32) / np.sqrt(_DIMENSION)
    return _unit(centres + np.float32(spread) * noise)


def _unit(rows: npt.NDArray[Any]) -> _Vectors:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1)).astype(np.float32)


def _real() -> _Vectors:
    """Return the shipped encoder's vectors of windows of the libraries that are installed."""
    encoder = open_encoder("static")
    assert encoder is not None
    texts: list[str] = []
    for root in sorted({Path(np.__file__).parents[1], Path(shutil.__file__).parent}):
        for path in sorted(root.rglob("*.py")):
            lines = path.read_text(errors="replace").splitlines()
            texts += [
                "\n".join(lines[at : at + _WINDOW_LINES])
                for at in range(0, len(lines), _WINDOW_LINES)
            ]
    return encoder.encode_documents(texts[:100_000])


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
