"""The oracle of promise P4: one store over the files of several roots, for tests only.

Paths stay relative to their own root, in features and in embedded text alike. The repository
enters through the place of a file in the segment alone: files of equal paths lie by repository
id, which is the last tie-break there is.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from ggrep.base import durable
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.identifiers import IdSource
from ggrep.base.lease import acquire
from ggrep.base.locks import Patience
from ggrep.config import store_files
from ggrep.config.fingerprints import repo_id, store_id
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.index.embedding.encoder_choice import open_encoder
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.publication import Publication, publish_changes
from ggrep.index.sync.segment_builder import FileRows, SegmentBuilder, file_rows
from ggrep.index.sync.snapshot_assembly import Facts
from ggrep.index.sync.target import SyncTarget
from ggrep.model.confidence import Confidence, confidence_of
from ggrep.model.corpus import Corpus
from ggrep.model.files import FileText
from ggrep.model.index_freshness import IndexFreshness
from ggrep.model.navigation import (
    ReferencesRequest,
    ReferencesResponse,
    SymbolRequest,
    SymbolResponse,
)
from ggrep.model.request import SearchRequest
from ggrep.model.response import Hit
from ggrep.parse.languages.chunk_limits import ChunkLimits
from ggrep.parse.source.read import read_file
from ggrep.parse.source.walk import walk
from ggrep.search.navigation import name_answers
from ggrep.search.navigation.definitions import find_definitions
from ggrep.search.navigation.mentions import Mentions
from ggrep.search.navigation.name_candidates import mentioning_files, split_name
from ggrep.search.navigation.name_reading import Place
from ggrep.search.query.context import Context
from ggrep.search.query.fetch import Caps, show
from ggrep.search.query.pipeline import Ranked, leading, rank
from ggrep.search.query.quota_choice import choose
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import InProcessPool

CLOCK = SystemClock()


class UnionStore(Struct, frozen=True):
    """A published union, and which repository each file of its one segment came from."""

    view: SnapshotView
    repos: tuple[str, ...]
    encoder: str

    def search(
        self, request: SearchRequest, corpora: Sequence[Corpus] | None = None
    ) -> list[tuple[str, Hit]]:
        ranked = self._rank(request)
        chosen = choose(
            ranked,
            corpora or request.corpora,
            request.limit,
            most=Settings().max_candidates,
            deadline=Deadline.never(CLOCK),
            by_mode=corpora is None,
        )
        hits, _ = show(ranked, chosen.dealt, Caps(1 << 20, 1 << 30), Deadline.never(CLOCK))
        places = chosen.candidates
        return [(self.repos[place.file], hit) for place, hit in zip(places, hits, strict=True)]

    def confidence(self, request: SearchRequest) -> Confidence:
        """Return how well the best hits fit."""
        return confidence_of(leading(self._rank(request), Deadline.never(CLOCK)))

    def _rank(self, request: SearchRequest) -> Ranked:
        return rank(
            self.view,
            request,
            encoder=open_encoder(self.encoder),
            statistics=None,
            deadline=Deadline.never(CLOCK),
            files=request.limit,
        )


class NamesOfUnion(Struct, frozen=True):
    """What the one store answers about a name, each place with its repository.

    Attributes:
        answer: as a caller of one repository has it.
        repos: of each place that it shows.
    """

    answer: SymbolResponse | ReferencesResponse
    repos: tuple[str, ...]


def symbol_of(union: UnionStore, request: SymbolRequest) -> NamesOfUnion:
    """Return where the union defines a name."""
    context = _context(union)
    answer = name_answers.symbol(context, request)
    reading = name_answers.reading_of(context, request, words_do=False)
    places = find_definitions(reading, split_name(request.name)).places
    return NamesOfUnion(answer, _repos(union, places[: len(answer.definitions)]))


def references_of(union: UnionStore, request: ReferencesRequest) -> NamesOfUnion:
    """Return where the union uses a name."""
    context = _context(union)
    answer = name_answers.references(context, request)
    reading = name_answers.reading_of(context, request, words_do=True)
    asked = split_name(request.name)
    files = mentioning_files(reading.content, asked, Deadline.never(CLOCK))
    reported = Mentions(answer.request, asked)
    for any_case in (False, True):
        for file in reading.read(files, asked.typed, any_case=any_case):
            reported.take(reading.content, file.text, file.places)
        if reported.totals:
            break
    shown = reported.answer().without_doubts().shown
    assert tuple(item for _, item in shown) == answer.references
    return NamesOfUnion(answer, _repos(union, [place for place, _ in shown]))


def _repos(union: UnionStore, places: Sequence[Place]) -> tuple[str, ...]:
    return tuple(union.repos[place.file.file] for place in places)


def _context(union: UnionStore) -> Context:
    return Context(
        occurrences=InProcessMentions(),
        view=union.view,
        home=Home(union.view.store),
        root=union.view.store,
        deadline=Deadline.never(CLOCK),
        settings=Settings(),
        encoder=None,
        clock=CLOCK,
        new_id=IdSource(CLOCK),
        standing=IndexFreshness,
    )


def build_union(home: Path, roots: Sequence[Path], encoder: str) -> UnionStore:
    """Read all roots and publish them as one store below `home`."""
    gathered = [(repo_id(root), file) for root in roots for file in _rows_of(root)]
    gathered.sort(key=lambda pair: (pair[1].path_key.encode(), pair[0]))
    builder = SegmentBuilder(open_encoder(encoder))
    for _, file in gathered:
        builder.add(file)
    name = store_id(home, "union")
    target = SyncTarget(
        root=home,
        store=home / "stores" / "union",
        store_id=name,
        config_fingerprint="",
        embed_config_fingerprint="",
        settings=Settings(),
        encoder=open_encoder(encoder),
        clock=CLOCK,
        new_id=IdSource(CLOCK),
        wait=lambda _: None,
        parse_workers=1,
    )
    durable.make_directory(target.store)
    publication = Publication(
        builder=builder,
        indexed=list(dict.fromkeys(file.path_key for _, file in gathered)),
        gone=(),
        facts=Facts("", None, (), 0, eligible_files=len(gathered), partial=False),
    )
    with acquire(
        store_files.lease_files(target.store),
        owner_id="union",
        clock=CLOCK,
        patience=Patience(Deadline.after(CLOCK, 1000), target.wait),
        ttl_ms=1000,
    ) as lease:
        view = publish_changes(target, lease, None, publication).view
    return UnionStore(view, tuple(repo for repo, _ in gathered), encoder)


def _rows_of(root: Path) -> list[FileRows]:
    ours = Settings()
    most, bulk = ours.max_file_size_bytes, ours.max_bulk_bytes
    read = (
        read_file(root, file, max_bytes=most, max_bulk_bytes=bulk)
        for file in walk(root, ours).files
    )
    texts = [text for text in read if isinstance(text, FileText)]
    with InProcessPool(1, ChunkLimits(), CLOCK) as pool:
        return [file_rows(text, chunked) for text, chunked in pool.chunk_all(texts) if chunked]
