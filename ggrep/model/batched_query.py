"""One query to many repositories that one process answers together."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Generic, TypeVar

from msgspec import Struct

from ggrep.model.confidence import TopFiles
from ggrep.model.corpus import Corpus
from ggrep.model.field_meta import MOST_CANDIDATES, MOST_PATH_BYTES, WireBounds
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.request import CollectionStatistics, EncodedQuery, SearchRequest, TermFrequency
from ggrep.model.response import Hit, RepoDescription

K = TypeVar("K")

MOST_MEMBERS: Final = 16_384
"""Most repositories of one query."""
MOST_TEXTS: Final = 1 << 20
"""Most hits of repositories that are queried alone."""


class Member(Struct, frozen=True):
    """A repository and its absolute root, as its daemon is known."""

    store_id: Annotated[str, WireBounds(128, 1, form="shown")]
    config_fingerprint: Annotated[str, WireBounds(128, 1, form="shown")]
    root: Annotated[str, WireBounds(MOST_PATH_BYTES, 1, form="path")]


def members_key(places: Sequence[Member]) -> str:
    """Return the cache key of a list of repositories, so that it is sent only once."""
    digest = hashlib.sha256()
    for place in places:
        for text in (place.store_id, place.config_fingerprint, place.root):
            data = text.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(4, "big") + data)
    return digest.hexdigest()


class BatchedDescription(Struct, frozen=True):
    """The state of the repositories of one process.

    Attributes:
        epoch: names this state, snapshots included; empty if the list of members is unknown.
        descriptions: one for each member, None if it must be queried alone; None if unchanged.
    """

    epoch: str
    descriptions: tuple[RepoDescription | None, ...] | None


class BatchedQuery(Struct, frozen=True):
    """One query to several repositories as one collection.

    Attributes:
        top: hits of each merged list that are shown.
        per_list: hits of a repository's list that take part.
        folds: copies of one text are shown once, and each is to be named.
        counting: only statistics are wanted.
        vector: vector of the query; None to encode it there.
        silent: places of members that are counted and show nothing, ascending.
        others: statistics of repositories that are queried alone; scores use the sum of all.
        texts: chunk ids of their hits, whose copies are to be named too.
        by_rank: places of all members in the order of their hits of equal rank: each is scored by
            its own statistics. Empty to score all as one collection.
    """

    search: SearchRequest
    top: Annotated[int, WireBounds(MOST_CANDIDATES, 1)]
    per_list: Annotated[int, WireBounds(MOST_CANDIDATES, 1)]
    folds: bool
    counting: bool = False
    vector: EncodedQuery | None = None
    silent: Annotated[tuple[int, ...], WireBounds(MOST_MEMBERS, each=(0, MOST_MEMBERS))] = ()
    others: Annotated[tuple[CollectionStatistics, ...], WireBounds(MOST_MEMBERS)] = ()
    texts: Annotated[tuple[str, ...], WireBounds(MOST_TEXTS, each=(1, 64))] = ()
    by_rank: Annotated[tuple[int, ...], WireBounds(MOST_MEMBERS, each=(0, MOST_MEMBERS))] = ()


class BatchedPoolRequest(Struct, frozen=True):
    """A query to repositories that were described.

    Attributes:
        epoch: names the description with members and snapshots; their order breaks ties.
        members: places of the queried members, ascending.
    """

    question: BatchedQuery
    epoch: Annotated[str, WireBounds(64, 1, form="shown")]
    members: Annotated[tuple[int, ...], WireBounds(MOST_MEMBERS, 1, each=(0, MOST_MEMBERS))]


class BatchedFigures(Struct, frozen=True):
    """The statistics of many repositories by column, each in the members' order.

    Attributes:
        lengths: a column for each field.
        terms: in order of their bytes; `held` has a column of chunks for each, `named` of files.
    """

    layout: str
    chunks: tuple[int, ...]
    files: tuple[int, ...]
    lengths: tuple[tuple[int, ...], ...]
    terms: tuple[str, ...]
    held: tuple[tuple[int, ...], ...]
    named: tuple[tuple[int, ...], ...]

    def of(self, place: int) -> CollectionStatistics:
        """Return the statistics of one member."""
        columns = zip(self.terms, self.held, self.named, strict=True)
        return CollectionStatistics(
            self.layout,
            self.chunks[place],
            self.files[place],
            tuple(column[place] for column in self.lengths),
            tuple(
                TermFrequency(term, counts[place], named[place]) for term, counts, named in columns
            ),
        )

    def total(self) -> CollectionStatistics:
        """Return the sum over all members."""
        columns = zip(self.terms, self.held, self.named, strict=True)
        return CollectionStatistics(
            self.layout,
            sum(self.chunks),
            sum(self.files),
            tuple(map(sum, self.lengths)),
            tuple(TermFrequency(term, sum(chunks), sum(named)) for term, chunks, named in columns),
        )


class FiguresByMember(Mapping[K, CollectionStatistics], Generic[K]):
    """Statistics of many repositories by key; each is made when it is read."""

    def __init__(self, keys: Sequence[K], figures: BatchedFigures) -> None:
        self._places = {key: place for place, key in enumerate(keys)}
        self.figures = figures

    def __getitem__(self, key: K) -> CollectionStatistics:
        """Return the statistics of one member."""
        return self.figures.of(self._places[key])

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys in the members' order."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self._places)


class MemberLists(Struct, frozen=True):
    """The beginnings of one repository's lists.

    Attributes:
        corpora: a list for each requested corpus.
        blended: the list over all of them; only for lists merged by rank.
    """

    member: int
    corpora: tuple[tuple[Corpus, tuple[Hit, ...]], ...]
    blended: tuple[Hit, ...] = ()


class MemberNotice(Struct, frozen=True):
    """A warning about one repository's snapshot, whatever the query."""

    member: int
    notice: Notice


class MemberLimit(Struct, frozen=True):
    """A cut of one repository's list over all corpora."""

    member: int
    limit: LimitHit


class BatchedPoolResponse(Struct, frozen=True):
    """The answer to a `BatchedPoolRequest`.

    Attributes:
        lists: repositories that may have a place in the answer, by member.
        leading: top files of all members together, as in a `PoolResponse`.
        limits_hit: cuts of the query itself, the same for all.
        limits: cuts of the lists of members that are not silent.
        partial: members whose first index is being built.
        reaching: silent members that could change the answer; for the others that is ruled out.
    """

    figures: BatchedFigures
    lists: tuple[MemberLists, ...]
    leading: TopFiles
    limits_hit: tuple[LimitHit, ...]
    notices: tuple[MemberNotice, ...]
    partial: tuple[int, ...]
    reaching: tuple[int, ...] = ()
    limits: tuple[MemberLimit, ...] = ()
