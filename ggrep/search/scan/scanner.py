"""Answers a query before there is an index.

The whole tree is searched for the query's words, and the most promising files are cut into chunks.
The chunks form a snapshot in memory, which is ranked like any other, with statistics of all scanned
files. Text outside of the most promising files is not found; the answer reports how much was
scanned.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Clock, Deadline
from ggrep.base.ids import PathKey, SegmentName
from ggrep.config.fingerprints import ignore_fingerprint
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.embedding.encoder import Encoder
from ggrep.index.store.unwritten import Origin, unwritten_snapshot
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.segment_builder import SegmentBuilder, file_rows
from ggrep.model.files import ChunkedFile, FileText, SkippedFile
from ggrep.model.request import CollectionStatistics, SearchRequest, TermFrequency
from ggrep.model.response import ScanFacts
from ggrep.parse.chunking.chunker import chunk_by_lines
from ggrep.parse.chunking.spans import to_chunks
from ggrep.parse.languages.registry import corpus_of
from ggrep.parse.source.read import read_file
from ggrep.parse.workers.parse_pool import PATIENCE_MS, ParsePool
from ggrep.search.query.own_statistics import collection_statistics
from ggrep.search.query.segments import open_segments
from ggrep.search.scan.prefetch_listing import Prefetch, limits_of
from ggrep.search.scan.scan_files import Tree, scan_tree
from ggrep.search.scan.scan_patterns import FileCounts, ScanCounts

WHOLE_MS: Final = 1_500.0
"""Time after the query at which the cutting of files by their structure ends."""
LEAST_CUT_BYTES: Final = 1 << 19
"""Bytes of the best files that are always cut by structure; further files can be cut by lines."""
MOST_FILES: Final = 48
"""Maximum number of files that are cut into chunks."""
MOST_NAMED: Final = 256
"""Maximum number of files that the answer lists as the best."""
MOST_BYTES: Final = 3 << 19
"""Maximum total bytes of the files that are cut; a file that exceeds the rest is skipped."""


class ScanTarget(Struct, frozen=True):
    """The repository to scan.

    Attributes:
        encoder: encodes the chunks of the best files; None to rank them by their words.
        prefetch: the steps of the scan that were started in advance.
        new_id: a unique id for the segment's name.
        asked_ms: monotonic time of `clock` at which the query was sent.
    """

    origin: Origin
    settings: Settings
    encoder: Encoder | None
    clock: Clock
    prefetch: Prefetch
    new_id: str
    asked_ms: float


class Scanned(Struct, frozen=True):
    """The result of a scan, to be ranked.

    Attributes:
        view: a snapshot of the best files.
        statistics: the statistics of all scanned files.
        rare_files: for each rare word of the query, the files that contain the word; the rarest
            word is first.
    """

    view: SnapshotView
    statistics: CollectionStatistics
    facts: ScanFacts
    rare_files: Sequence[frozenset[PathKey]]


def scanned(target: ScanTarget, request: SearchRequest, deadline: Deadline) -> Scanned:
    """Scan a tree for a query.

    Raises:
        InvalidRequest: the query is invalid, or the root cannot be read.
        Cancelled, DeadlineExceeded: the scan was cancelled, or time ran out.
    """
    origin = target.origin
    apart = Home.of_store(origin.store).own_directories
    with target.prefetch.pool as pool:
        tree = Tree(origin.root, target.settings, apart, target.prefetch.listing)
        scanned_files = scan_tree(tree, request, deadline, target.asked_ms)
        deadline.check("the scan")
        texts = _texts(scanned_files.best, target)
        builder, whole = SegmentBuilder(target.encoder, for_table=False), True
        time = Deadline(target.clock, target.asked_ms + WHOLE_MS)
        for text, chunked in _cut([text for _, text in texts], pool, deadline, time):
            whole &= chunked is not None
            builder.add(file_rows(text, chunked or _by_lines(text, target.settings)))
    ranked = [candidate for candidate, _ in texts]
    facts = ScanFacts(
        files=scanned_files.seen.files,
        listed_files=scanned_files.listed_files,
        bytes_read=scanned_files.seen.bytes_read,
        matching_files=len(scanned_files.best),
        ranked_files=len(ranked),
        complete=scanned_files.complete and whole,
        best=tuple(candidate.file.path_key for candidate in scanned_files.best[:MOST_NAMED]),
    )
    origin = replace(
        origin,
        ignore_fingerprint=ignore_fingerprint(scanned_files.ignore_files),
        eligible_files=scanned_files.seen.files,
    )
    segment = SegmentName(f"scan-{target.new_id}")
    view = unwritten_snapshot(origin, segment, builder.finish())
    counted = collection_statistics(view, open_segments(view), scanned_files.query, deadline)
    figures = estimated(counted, scanned_files.seen, ranked)
    return Scanned(view, figures, facts, scanned_files.seen.rare_files())


def _texts(best: Sequence[FileCounts], target: ScanTarget) -> list[tuple[FileCounts, FileText]]:
    """Return the texts of the best files, up to MOST_FILES and MOST_BYTES."""
    texts: list[tuple[FileCounts, FileText]] = []
    left = MOST_BYTES
    for candidate in best:
        if len(texts) == MOST_FILES or left <= 0:
            break
        if candidate.file.size_bytes > left:
            continue
        read = read_file(
            target.origin.root,
            candidate.file,
            max_bytes=target.settings.max_file_size_bytes,
            max_bulk_bytes=target.settings.max_bulk_bytes,
        )
        if not isinstance(read, SkippedFile):
            texts.append((candidate, read))
            left -= len(read.data)
    return texts


def _cut(
    texts: Sequence[FileText], pool: ParsePool, deadline: Deadline, time: Deadline
) -> Iterator[tuple[FileText, ChunkedFile | None]]:
    """Yield the files with their chunks; after `time`, with None instead of chunks.

    The first LEAST_CUT_BYTES of the files are cut into chunks even after `time`.
    """
    pool.hurry(min(PATIENCE_MS, deadline.remaining_ms() / 2))
    done = cut_bytes = 0
    for text, chunked in pool.chunk_all(texts):
        deadline.check("the scan")
        done += 1
        cut_bytes += len(text.data)
        yield text, chunked
        if cut_bytes >= LEAST_CUT_BYTES:
            pool.hurry(time.remaining_ms())
            if time.remaining_ms() <= 0.0:
                break
    for text in texts[done:]:
        yield text, None


def _by_lines(text: FileText, settings: Settings) -> ChunkedFile:
    plan = chunk_by_lines(text.path_key, text.data, limits_of(settings))
    return to_chunks(text.path_key, text.data, plan, corpus_of(text.path_key, text.data))


def estimated(
    counted: CollectionStatistics, seen: ScanCounts, ranked: list[FileCounts]
) -> CollectionStatistics:
    """Return the estimated statistics of all scanned files.

    Args:
        counted: the statistics of the files that were cut into chunks.
        seen: the counts of all scanned files.
        ranked: the files that were cut into chunks.
    """
    own_bytes = sum(candidate.file.size_bytes for candidate in ranked)
    places = range(len(seen.needles))
    own_counts = [sum(candidate.counts[place] for candidate in ranked) for place in places]
    own_holding = [sum(1 for candidate in ranked if candidate.counts[place]) for place in places]
    chunks = max(counted.chunks, _scaled(counted.chunks, seen.bytes_read, own_bytes))
    frequencies: dict[str, TermFrequency] = {}
    for place, needle in enumerate(seen.needles):
        for term in needle.terms:
            part = counted.frequency(term)
            more = _scaled(
                part.chunks, seen.totals[place] - own_counts[place], own_counts[place]
            ) or (seen.holding[place] - own_holding[place])
            frequencies[term] = TermFrequency(
                term, min(chunks, part.chunks + more), max(part.files, seen.paths[place])
            )
    return CollectionStatistics(
        layout=counted.layout,
        chunks=chunks,
        files=max(counted.files, seen.files),
        lengths=tuple(_scaled(total, seen.bytes_read, own_bytes) for total in counted.lengths),
        terms=tuple(frequencies.get(entry.term, entry) for entry in counted.terms),
    )


def _scaled(figure: int, whole: int, part: int) -> int:
    """Return `figure` times `whole / part`, rounded up; 0 if `part` is 0."""
    return -(-figure * whole // part) if part else 0
