"""Reads changed files, cuts them into chunks, and adds the chunks to a segment builder."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from msgspec import Struct, field

from ggrep.base.ids import PathKey
from ggrep.index.sync.index_pool import IndexPool
from ggrep.index.sync.segment_builder import SegmentBuilder
from ggrep.index.sync.stat_cache import KnownFile, KnownSkip
from ggrep.model.files import UNSURE, FileText, SkippedFile, SourceFile
from ggrep.model.limits import FileReading
from ggrep.model.sync import DegradedFile

Read = Callable[[SourceFile], FileText | SkippedFile]
Advance = Callable[[int, bool], None]
"""Called with the number of handled files, and whether the last differs from its indexed state."""

_HARD = frozenset({"unstable", "read_failed"})
"""Reasons of skips because of which the content of a file is unknown."""
_LASTING = frozenset({"binary", "secret", "lfs_pointer"})
"""Reasons of skips that remain valid until the file changes."""


class Reading(Struct):
    """The results of reading files that may have changed.

    Attributes:
        known: files whose current content was indexed in this sync or an earlier one.
        indexed: paths that got new rows.
        skipped: files that are not eligible because of their content.
        left_out: skipped files that need not be read again until they change.
        failed: files that could not be read; their former state stays visible.
        put_off: files that were not parsed for lack of time; their former state stays visible.
        problems: files that were cut by a simpler method than usual.
        unsure: files whose encoding was guessed, or that contain bytes that are invalid in their
            encoding.
        handled: number of files processed, with any result.
    """

    known: dict[PathKey, KnownFile] = field(default_factory=dict)
    indexed: list[PathKey] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    left_out: dict[PathKey, KnownSkip] = field(default_factory=dict)
    failed: list[SkippedFile] = field(default_factory=list)
    put_off: dict[PathKey, SourceFile] = field(default_factory=dict)
    problems: list[DegradedFile] = field(default_factory=list)
    unsure: list[FileReading] = field(default_factory=list)
    handled: int = 0

    def take(self, other: "Reading") -> None:
        """Add the results of a further portion."""
        self.known |= other.known
        self.indexed += other.indexed
        self.skipped += other.skipped
        self.left_out |= other.left_out
        self.failed += other.failed
        self.put_off |= other.put_off
        self.problems += other.problems
        self.unsure += other.unsure
        self.handled += other.handled


def index_files(  # noqa: PLR0913 - what is read, by what, and where it goes
    suspects: Iterable[SourceFile],
    live: Mapping[PathKey, str],
    *,
    read: Read,
    pool: IndexPool,
    builder: SegmentBuilder,
    advance: Advance,
    again: Collection[PathKey] = (),
) -> Reading:
    """Read files, cut the changed files into chunks, and add their rows to `builder`.

    Args:
        suspects: files to read.
        live: digests of the visible files.
        read: returns a file's content.
        pool: cuts files.
        builder: the builder to which the rows of changed files are added.
        advance: called after each file.
        again: files to cut again even if they are unchanged.
    """
    reading = Reading()
    changed = _changed(suspects, live, read, reading, advance, again)
    for run in pool.index_all(changed):
        if run.part is not None:
            builder.take(run.part)
        for text, cut in run.files:
            if cut is None:
                reading.put_off[text.path_key] = text.file
                continue
            reading.indexed.append(text.path_key)
            reading.known[text.path_key] = KnownFile(text.file, text.digest)
            if cut.problem is not None:
                message = f"{cut.problem}; the file was cut by {cut.method} instead"
                reading.problems.append(DegradedFile("chunk_failed", message, text.path_key))
    return reading


def changed_since(
    files: Iterable[SourceFile], live: Mapping[PathKey, str], read: Read
) -> Iterator[PathKey]:
    """Yield the visible files whose content on disk differs from the indexed content.

    A file that cannot be read counts as unchanged.
    """
    for file in files:
        if _is_news(read(file), live.get(file.path_key)):
            yield file.path_key


def _changed(
    suspects: Iterable[SourceFile],
    live: Mapping[PathKey, str],
    read: Read,
    reading: Reading,
    advance: Advance,
    again: Collection[PathKey],
) -> Iterator[FileText]:
    for file in suspects:
        outcome = read(file)
        reading.handled += 1
        advance(reading.handled, _is_news(outcome, live.get(file.path_key)))
        if isinstance(outcome, FileText) and outcome.traits & UNSURE:
            reading.unsure.append(FileReading(file.path_key, outcome.encoding, outcome.traits))
        if isinstance(outcome, SkippedFile):
            (reading.failed if outcome.reason in _HARD else reading.skipped).append(outcome)
            if outcome.reason in _LASTING:
                reading.left_out[file.path_key] = KnownSkip(file, outcome)
        elif live.get(file.path_key) == outcome.digest and file.path_key not in again:
            reading.known[outcome.path_key] = KnownFile(outcome.file, outcome.digest)
        else:
            yield outcome


def _is_news(outcome: FileText | SkippedFile, indexed: str | None) -> bool:
    """Return whether a read file differs from its indexed state."""
    if isinstance(outcome, SkippedFile):
        return indexed is not None and outcome.reason not in _HARD
    return outcome.digest != indexed
