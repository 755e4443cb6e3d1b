"""Answers a query before there is an index.

The whole tree is looked through for the question's words, and the files that promise most are cut
into chunks: a snapshot in memory, which is ranked as any other is, against figures of all that was
seen. What is not in the best files is not found, and the answer says how much was seen.
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
from ggrep.search.scan.ahead import Ahead, limits_of
from ggrep.search.scan.looking import Tree, look_through
from ggrep.search.scan.sighting import Sighted, Sightings

WHOLE_MS: Final = 1_500.0
"""Time after the question at which the cutting of files by their structure ends."""
LEAST_CUT_BYTES: Final = 1 << 19
"""So much of the best files is cut by structure in any case; the others may be cut by lines."""
MOST_FILES: Final = 48
"""Files that are cut."""
MOST_NAMED: Final = 256
"""Files that are named as the best ones."""
MOST_BYTES: Final = 3 << 19
"""Of them all; a file that does not fit in is passed over."""


class ScanTarget(Struct, frozen=True):
    """The repository to scan.

    Attributes:
        encoder: for the chunks of the best files; None to rank them by their words.
        ahead: what of the scan has begun.
        new_id: a name that nothing else has.
        asked_ms: when the question was put, on the clock.
    """

    origin: Origin
    settings: Settings
    encoder: Encoder | None
    clock: Clock
    ahead: Ahead
    new_id: str
    asked_ms: float


class Scanned(Struct, frozen=True):
    """What a scan has to rank.

    Attributes:
        view: the best files.
        statistics: of all that was seen.
        rare_files: files of each rare word of the question, the rarest word first.
    """

    view: SnapshotView
    statistics: CollectionStatistics
    facts: ScanFacts
    rare_files: Sequence[frozenset[PathKey]]


def scanned(target: ScanTarget, request: SearchRequest, deadline: Deadline) -> Scanned:
    """Look through a tree for a question.

    Raises:
        InvalidRequest: the question cannot be understood, or the root cannot be read.
        Cancelled, DeadlineExceeded: the request ended first.
    """
    origin = target.origin
    apart = Home.of_store(origin.store).own_directories
    with target.ahead.pool as pool:
        tree = Tree(origin.root, target.settings, apart, target.ahead.listing)
        looked = look_through(tree, request, deadline, target.asked_ms)
        deadline.check("the scan")
        texts = _texts(looked.best, target)
        builder, whole = SegmentBuilder(target.encoder, for_table=False), True
        time = Deadline(target.clock, target.asked_ms + WHOLE_MS)
        for text, chunked in _cut([text for _, text in texts], pool, deadline, time):
            whole &= chunked is not None
            builder.add(file_rows(text, chunked or _by_lines(text, target.settings)))
    ranked = [one for one, _ in texts]
    facts = ScanFacts(
        files=looked.seen.files,
        listed_files=looked.listed_files,
        bytes_read=looked.seen.bytes_read,
        matching_files=len(looked.best),
        ranked_files=len(ranked),
        complete=looked.complete and whole,
        best=tuple(one.file.path_key for one in looked.best[:MOST_NAMED]),
    )
    origin = replace(
        origin,
        ignore_fingerprint=ignore_fingerprint(looked.ignore_files),
        eligible_files=looked.seen.files,
    )
    segment = SegmentName(f"scan-{target.new_id}")
    view = unwritten_snapshot(origin, segment, builder.finish())
    counted = collection_statistics(view, open_segments(view), looked.query, deadline)
    figures = estimated(counted, looked.seen, ranked)
    return Scanned(view, figures, facts, looked.seen.rare_files())


def _texts(best: Sequence[Sighted], target: ScanTarget) -> list[tuple[Sighted, FileText]]:
    """Return the first files that may be shown."""
    found: list[tuple[Sighted, FileText]] = []
    left = MOST_BYTES
    for one in best:
        if len(found) == MOST_FILES or left <= 0:
            break
        if one.file.size_bytes > left:
            continue
        read = read_file(
            target.origin.root,
            one.file,
            max_bytes=target.settings.max_file_size_bytes,
            max_bulk_bytes=target.settings.max_bulk_bytes,
        )
        if not isinstance(read, SkippedFile):
            found.append((one, read))
            left -= len(read.data)
    return found


def _cut(
    texts: Sequence[FileText], pool: ParsePool, deadline: Deadline, time: Deadline
) -> Iterator[tuple[FileText, ChunkedFile | None]]:
    """Yield the files with their chunks; None once the minimum is cut and `time` is over."""
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
    counted: CollectionStatistics, seen: Sightings, ranked: list[Sighted]
) -> CollectionStatistics:
    """Return the figures of all that was seen.

    Args:
        counted: those of the files that were cut.
        seen: everything.
        ranked: the files that were cut.
    """
    own_bytes = sum(one.file.size_bytes for one in ranked)
    places = range(len(seen.needles))
    own_counts = [sum(one.counts[place] for one in ranked) for place in places]
    own_holding = [sum(1 for one in ranked if one.counts[place]) for place in places]
    chunks = max(counted.chunks, _scaled(counted.chunks, seen.bytes_read, own_bytes))
    found: dict[str, TermFrequency] = {}
    for place, needle in enumerate(seen.needles):
        for term in needle.terms:
            held = counted.frequency(term)
            more = _scaled(
                held.chunks, seen.totals[place] - own_counts[place], own_counts[place]
            ) or (seen.holding[place] - own_holding[place])
            found[term] = TermFrequency(
                term, min(chunks, held.chunks + more), max(held.files, seen.paths[place])
            )
    return CollectionStatistics(
        layout=counted.layout,
        chunks=chunks,
        files=max(counted.files, seen.files),
        lengths=tuple(_scaled(total, seen.bytes_read, own_bytes) for total in counted.lengths),
        terms=tuple(found.get(entry.term, entry) for entry in counted.terms),
    )


def _scaled(figure: int, whole: int, part: int) -> int:
    """Return what a figure of a part comes to in the whole, rounded up."""
    return -(-figure * whole // part) if part else 0
