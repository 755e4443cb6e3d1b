"""Messages of a query over many repositories that one host process answers."""

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
"""Maximum number of repositories in a query."""
MOST_TEXTS: Final = 1 << 20
"""Maximum number of hits of separately queried repositories."""


class Member(Struct, frozen=True):
    """A repository of a query: the identity of its daemon, and its absolute root."""

    store_id: Annotated[str, WireBounds(128, 1, form="shown")]
    config_fingerprint: Annotated[str, WireBounds(128, 1, form="shown")]
    root: Annotated[str, WireBounds(MOST_PATH_BYTES, 1, form="path")]


def members_key(places: Sequence[Member]) -> str:
    """Return the cache key of a list of repositories, so that a client sends the list only once."""
    digest = hashlib.sha256()
    for place in places:
        for text in (place.store_id, place.config_fingerprint, place.root):
            data = text.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(4, "big") + data)
    return digest.hexdigest()


class BatchedDescription(Struct, frozen=True):
    """The state of the repositories in a host process.

    Attributes:
        epoch: id of this state and its snapshots; empty if the process does not know the list of
            members.
        descriptions: for each member its description, or None if it must be queried separately. The
            whole value is None if the client's epoch is still current.
    """

    epoch: str
    descriptions: tuple[RepoDescription | None, ...] | None


class BatchedQuery(Struct, frozen=True):
    """A query over several repositories, searched as a single collection.

    Attributes:
        top: number of shown hits in each merged list.
        per_list: maximum number of hits from a repository's list.
        folds: whether copies of a text are returned as one hit, with the locations of the copies.
        counting: whether to return only statistics, no hits.
        vector: vector of the query; None to let the host encode the query.
        silent: ascending indexes of members whose statistics count but whose hits are not returned.
        others: statistics of separately queried repositories; scores use the sum of all statistics.
        texts: chunk ids of hits in separately queried repositories, whose copies are returned too.
        by_rank: for scores by each member's own statistics, the indexes of all members, in the
            order for hits of equal rank; empty to score all members as a single collection.
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
    """A query to repositories of an earlier description.

    Attributes:
        epoch: id of a `BatchedDescription`, which determines members and snapshots; hits with
            equal scores are in the order of its members.
        members: ascending indexes of the queried members.
    """

    question: BatchedQuery
    epoch: Annotated[str, WireBounds(64, 1, form="shown")]
    members: Annotated[tuple[int, ...], WireBounds(MOST_MEMBERS, 1, each=(0, MOST_MEMBERS))]


class BatchedFigures(Struct, frozen=True):
    """The statistics of many repositories, in columns with one value for each member.

    Attributes:
        lengths: a column for each field of the lexical layout.
        terms: the terms in the order of their bytes; for each term, `held` has a column of chunk
            counts and `named` a column of file counts.
    """

    layout: str
    chunks: tuple[int, ...]
    files: tuple[int, ...]
    lengths: tuple[tuple[int, ...], ...]
    terms: tuple[str, ...]
    held: tuple[tuple[int, ...], ...]
    named: tuple[tuple[int, ...], ...]

    def of(self, place: int) -> CollectionStatistics:
        """Return the statistics of a member."""
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
        """Return the sum of the statistics of all members."""
        columns = zip(self.terms, self.held, self.named, strict=True)
        return CollectionStatistics(
            self.layout,
            sum(self.chunks),
            sum(self.files),
            tuple(map(sum, self.lengths)),
            tuple(TermFrequency(term, sum(chunks), sum(named)) for term, chunks, named in columns),
        )


class FiguresByMember(Mapping[K, CollectionStatistics], Generic[K]):
    """Statistics of many repositories by key, computed on access."""

    def __init__(self, keys: Sequence[K], figures: BatchedFigures) -> None:
        self._places = {key: place for place, key in enumerate(keys)}
        self.figures = figures

    def __getitem__(self, key: K) -> CollectionStatistics:
        """Return the statistics of a member."""
        return self.figures.of(self._places[key])

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys in the members' order."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return the number of members."""
        return len(self._places)


class MemberLists(Struct, frozen=True):
    """The first hits of a repository: of each requested corpus, or of all together.

    Attributes:
        corpora: a list for each requested corpus.
        blended: one list of all corpora; only for a merge by rank.
    """

    member: int
    corpora: tuple[tuple[Corpus, tuple[Hit, ...]], ...]
    blended: tuple[Hit, ...] = ()


class MemberNotice(Struct, frozen=True):
    """A warning about a repository's snapshot, independent of the query."""

    member: int
    notice: Notice


class MemberLimit(Struct, frozen=True):
    """A limit that shortened the list of hits of a repository, over all its corpora."""

    member: int
    limit: LimitHit


class BatchedPoolResponse(Struct, frozen=True):
    """The answer to a `BatchedPoolRequest`.

    Attributes:
        lists: for each member, the hits that can appear in the answer.
        leading: top files over all members, as in a `PoolResponse`.
        limits_hit: limits that cut the query itself, equal for all members.
        limits: limits that cut the lists of members outside of `silent`.
        partial: members whose first index is still being built.
        reaching: members of `silent` whose hits could change the answer.
    """

    figures: BatchedFigures
    lists: tuple[MemberLists, ...]
    leading: TopFiles
    limits_hit: tuple[LimitHit, ...]
    notices: tuple[MemberNotice, ...]
    partial: tuple[int, ...]
    reaching: tuple[int, ...] = ()
    limits: tuple[MemberLimit, ...] = ()
