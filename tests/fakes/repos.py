"""Small trees, engines over them, and their answers as comparable bytes."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.config.home import Home
from ggrep.index.sync.index_pool import IndexedRun, runs_of
from ggrep.index.sync.index_worker import Cut
from ggrep.index.sync.segment_builder import file_rows
from ggrep.model.files import ChunkedFile, FileText
from ggrep.model.request import SearchRequest
from ggrep.parse.chunking.chunker import chunk_file, chunk_without_grammar, needs_grammar
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.languages.registry import corpus_of
from ggrep.parse.workers.kept import KeptWorkers
from ggrep.parse.workers.parse_pool import TERMS, Terms
from ggrep.render.answer_json import answer_json
from ggrep.search.engine.engine import Engine


class InProcessPool:
    """A parse pool without processes: the same chunks, at a fraction of the start-up time."""

    def __init__(
        self,
        workers: int,
        limits: ChunkLimits,
        clock: object,
        *,
        encoder: str = "none",
        terms: Terms = TERMS,
        kept: KeptWorkers | None = None,
    ) -> None:
        self._limits = limits
        self._encoder = encoder

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """There is nothing to stop."""

    def start(self) -> None:
        """There is nothing to start."""

    def hurry(self, patience_ms: float) -> None:
        """Nothing is waited for."""

    def chunk_all(self, files: Iterable[FileText]) -> Iterator[tuple[FileText, ChunkedFile | None]]:
        """Yield each file with its chunks."""
        for file in files:
            yield file, self.chunk(file)

    def index_all(self, files: Iterable[FileText]) -> Iterator[IndexedRun]:
        """Yield the runs of the files."""
        from ggrep.index.sync.part_maker import PartMaker  # loads pyarrow

        maker = PartMaker(self._encoder)
        for run in runs_of(files):
            every = list(self.chunk_all(run))
            rows = [file_rows(file, chunked) for file, chunked in every if chunked]
            yield IndexedRun(
                [(file, Cut(c.method, c.problem) if c else None) for file, c in every],
                maker.make(rows) if rows else None,
            )

    def chunk(self, file: FileText) -> ChunkedFile | None:
        """Return the chunks of one file."""
        plan = chunk_file(file.path_key, file.data, self._limits.of_file(file.traits))
        return to_chunks(file.path_key, file.data, plan, corpus_of(file.path_key, file.data))


class StalledPool(InProcessPool):
    """A pool on a machine so busy that no parser gets a turn."""

    def chunk(self, file: FileText) -> ChunkedFile | None:
        return None if needs_grammar(file.path_key, file.data) else super().chunk(file)


class HangingPool(InProcessPool):
    """A pool whose parser hangs over every file."""

    def chunk(self, file: FileText) -> ChunkedFile | None:
        """Cut without a parser, as once a file's processor time is used up."""
        plan = chunk_without_grammar(file.path_key, file.data, self._limits, "parse_exhausted")
        return to_chunks(file.path_key, file.data, plan, corpus_of(file.path_key, file.data))


class AheadClock(SystemClock):
    """The system's clock, an hour ahead of the file system's.

    Every file looks settled to the stat cache, so that unchanged files are really not read again.
    """

    def __init__(self) -> None:
        self._ahead = timedelta(hours=1)

    def now(self) -> datetime:
        """Return the moment an hour from now, or more."""
        return datetime.now(UTC) + self._ahead

    def advance(self, milliseconds: float) -> None:
        self._ahead += timedelta(milliseconds=milliseconds)


class LaterClock(AheadClock):
    """A clock two days from now: every snapshot is old."""

    def now(self) -> datetime:
        """Return the moment two days after that of `AheadClock`."""
        return super().now() + timedelta(days=2)


class WokenClock(AheadClock):
    """To a process that was asleep meanwhile an hour has passed."""

    def monotonic_ms(self) -> float:
        """Return what the machine counts an hour later."""
        return super().monotonic_ms() + 3_600_000


def write_tree(root: Path, files: Mapping[str, str | bytes | None]) -> None:
    """Write files below `root`; None deletes one."""
    for name, content in files.items():
        path = root / name
        if content is None:
            path.unlink(missing_ok=True)
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def open_engine(
    root: Path, home: Path, *, clock: AheadClock | None = None, **flags: object
) -> Engine:
    chosen = {"encoder": "hashed", "parse_workers": 1} | flags
    return Engine(root, Home(home), flags=chosen, clock=clock or AheadClock())


IndexOf = Callable[..., Engine]
"""Takes files and flags; returns an engine over an index of them. See `conftest.index_of`."""


def indexed(root: Path, home: Path, files: Mapping[str, str | bytes], **flags: object) -> Engine:
    """Return an engine over files that are written and indexed."""
    root.mkdir(exist_ok=True)
    write_tree(root, files)
    engine = open_engine(root, home, **flags)
    engine.sync()
    return engine


def answer(engine: Engine, request: SearchRequest) -> dict[str, Any]:
    """Return the answer's JSON without what may differ between equal stores."""
    document: dict[str, Any] = answer_json(engine.search(request))
    for key in ("snapshot_id", "request_id", "git"):
        document.pop(key)
    if "explain" in document:
        document["explain"].pop("segments")
    return document


def answer_bytes(engine: Engine, request: SearchRequest) -> bytes:
    return stable_json.dumps(answer(engine, request))


def paths(engine: Engine, query: str, **wanted: Any) -> list[str]:
    """Return the paths of a deterministic answer's hits, in order."""
    request = SearchRequest(query, **({"deterministic": True} | wanted))
    return [hit.path for hit in engine.search(request).hits]
