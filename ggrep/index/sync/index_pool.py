"""Converts files to parts of a segment in worker processes, a batch (run) of files at a time.

A worker cuts the files of its run into chunks one by one, so each file has its own time limit, and
the file that caused a crash is known. On a busy machine the parsing of a file can be put off, but
its chunks do not depend on the load. Runs depend only on the sizes of the files.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from threading import Lock
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Clock
from ggrep.index.sync.index_worker import Cut, CutFile, FinishRun, RunMaker, encode
from ggrep.index.sync.segment_builder import Part
from ggrep.model.files import FileText
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.workers.child import WorkerCrashed, WorkerExhausted, WorkerLost, WorkerTimeout
from ggrep.parse.workers.kept import KeptWorkers
from ggrep.parse.workers.parse_pool import (
    ALONE_FACTOR,
    IN_PROCESS_BYTES,
    TERMS,
    Terms,
    needs_worker,
)
from ggrep.parse.workers.pool import WorkerNotStarted, WorkerPool, decoded

INDEX_COMMAND: Final = (sys.executable, "-m", "ggrep.index.sync.index_worker")
RUN_BYTES: Final = 256 * 1024
RUN_FILES: Final = 64
"""A run ends with the file that reaches one of these limits."""
_read_cut: Final = msgspec.msgpack.Decoder(Cut).decode
_read_part: Final = msgspec.msgpack.Decoder(Part).decode


class IndexedRun(Struct, frozen=True):
    """The result of a run: a batch of consecutive files.

    Attributes:
        files: each file with the way it was cut into chunks; None if its parsing was put off.
        part: the part of a segment with these files, in order; None if no file was cut.
    """

    files: Sequence[tuple[FileText, Cut | None]]
    part: Part | None


def runs_of(files: Iterable[FileText], *, alone: bool = False) -> Iterator[list[FileText]]:
    """Yield the files in runs; with `alone`, each file is a run."""
    run: list[FileText] = []
    size = 0
    for file in files:
        run.append(file)
        size += len(file.data)
        if alone or size >= RUN_BYTES or len(run) == RUN_FILES:
            yield run
            run, size = [], 0
    if run:
        yield run


class IndexPool(WorkerPool):
    """Worker processes that make parts of segments; they start when they are first needed."""

    def __init__(  # noqa: PLR0913 - what a sync decides about its workers
        self,
        workers: int,
        limits: ChunkLimits,
        clock: Clock,
        *,
        encoder: str = "none",
        terms: Terms = TERMS,
        command: tuple[str, ...] = INDEX_COMMAND,
        kept: KeptWorkers | None = None,
    ) -> None:
        """Set up the pool without workers. If `encoder` is static, workers compute vectors."""
        window = workers + 2
        super().__init__(
            workers, clock, command, purpose="indexing", window=window, gives_up=True, kept=kept
        )
        self._limits = limits
        self._terms = terms
        self._encoder = encoder
        self._here = RunMaker()
        self._here_lock = Lock()

    def index_all(self, files: Iterable[FileText]) -> Iterator[IndexedRun]:
        """Yield the results of the runs, in the order of the files.

        Raises:
            Cancelled: the pool was closed meanwhile.
        """
        runs = runs_of(files, alone=self._terms.alone)
        return (done for _, done in self.in_order(runs, self._index))

    def _index(self, run: list[FileText]) -> IndexedRun:
        work = _Work(
            {
                place: CutFile(
                    file,
                    self._limits.of_file(file.traits),
                    place,
                    begins=False,
                    cpu_ms=self._terms.allowance.cpu_ms(len(file.data)),
                    problem="",
                )
                for place, file in enumerate(run)
            }
        )
        cuts, part = self._result(work)
        return IndexedRun([(file, cuts.get(place)) for place, file in enumerate(run)], part)

    def _result(self, work: "_Work") -> tuple[dict[int, Cut], Part | None]:
        small = sum(len(ask.text.data) for ask in work.files.values()) < IN_PROCESS_BYTES
        if small and not any(map(_needs_worker, work.files.values())):
            return self._result_here(work)
        while work.files:
            try:
                return self._ask(work)
            except WorkerNotStarted:
                for place in [p for p, ask in work.files.items() if _needs_worker(ask)]:
                    del work.files[place]
                return self._result_here(work)
            except (WorkerTimeout, WorkerExhausted, WorkerCrashed, WorkerLost) as error:
                work.blame(error, alone=self._terms.alone)
        return {}, None

    def _result_here(self, work: "_Work") -> tuple[dict[int, Cut], Part | None]:
        """Cut a few files that need no parser in this process, without a worker."""
        with self._here_lock:
            cuts = {place: self._here.cut(ask) for place, ask in work.in_turn()}
            return cuts, self._here.finish(self._encoder) if cuts else None

    def _ask(self, work: "_Work") -> tuple[dict[int, Cut], Part]:
        """Return a worker's result; after a failure, `work.place` is the file that caused it."""
        cuts: dict[int, Cut] = {}
        with self.borrowed(self._terms.start_ms, fresh=work.fresh) as child:
            for place, ask in work.in_turn():
                work.place, work.is_used = place, child.served > 0
                answer = child.ask(encode(ask), self._terms.wait_ms(ask.cpu_ms))
                cuts[place] = decoded(answer, _read_cut)
                self.count_answer()
            work.place, work.is_used = None, child.served > len(cuts)
            cpu_ms = sum(ask.cpu_ms for ask in work.files.values())
            answer = child.ask(encode(FinishRun(self._encoder)), ALONE_FACTOR * cpu_ms)
            return cuts, decoded(answer, _read_part)


class _Work:
    """The files of a run that remain to be cut, and the file at which a worker failed.

    Attributes:
        fresh: whether to use a new worker, because other files may have used up the old one's
            memory.
        place: index of the file that is being cut; None if all files are cut.
        is_used: whether the worker had cut other files before.
    """

    def __init__(self, files: dict[int, CutFile]) -> None:
        self.files = files
        self.fresh = False
        self.place: int | None = None
        self.is_used = False
        self._suspects: set[int | None] = set()

    def in_turn(self) -> Iterator[tuple[int, CutFile]]:
        """Yield the files in the order of cutting: files that crashed a worker first."""
        order = sorted(self.files, key=lambda place: place not in self._suspects)
        for number, place in enumerate(order):
            yield place, replace(self.files[place], begins=number == 0)

    def blame(self, error: Exception, *, alone: bool) -> None:
        """Decide how to continue with the file at which a worker failed.

        A file that crashed a used worker is tried in a new worker. A crash over several files
        proves nothing about one file, because the files together may need too much memory.
        """
        place = self.place
        crashed = isinstance(error, WorkerCrashed)
        self.fresh = crashed and self.is_used and place not in self._suspects
        if self.fresh:
            self._suspects.add(place)
            return
        guilty = isinstance(error, WorkerExhausted) or (crashed and alone)
        for each in [*self.files] if place is None else [place]:
            ask = self.files[each]
            if guilty and not ask.problem:
                self.files[each] = _without_parser(ask, "crashed" if crashed else "exhausted")
            else:
                del self.files[each]


def _needs_worker(ask: CutFile) -> bool:
    return not ask.problem and needs_worker(ask.text, ask.limits)


def _without_parser(ask: CutFile, verdict: str) -> CutFile:
    large = len(ask.text.data) > IN_PROCESS_BYTES
    limits = replace(ask.limits, structure=ask.limits.structure and not large)
    return replace(ask, limits=limits, problem=f"parse_{verdict}")
