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
"""Repositories of one question."""
MOST_TEXTS: Final = 1 << 20
"""Hits of repositories that are asked by themselves."""


class Member(Struct, frozen=True):
    """A repository as its daemon is known.

    Attributes:
        root: absolute.
    """

    store_id: Annotated[str, WireBounds(128, 1, form="shown")]
    config_fingerprint: Annotated[str, WireBounds(128, 1, form="shown")]
    root: Annotated[str, WireBounds(MOST_PATH_BYTES, 1, form="path")]


def members_key(places: Sequence[Member]) -> str:
    """Return the name of a list of repositories, by which it need be said only once."""
    digest = hashlib.sha256()
    for place in places:
        for text in (place.store_id, place.config_fingerprint, place.root):
            data = text.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(4, "big") + data)
    return digest.hexdigest()


class BatchedDescription(Struct, frozen=True):
    """What repositories of one process are, at one moment.

    Attributes:
        epoch: stands for all of it, the snapshots too; empty where the list of members is unknown.
        descriptions: by member, None for one that must be asked by itself; None where they are
            those that the caller knows.
    """

    epoch: str
    descriptions: tuple[RepoDescription | None, ...] | None


class BatchedQuery(Struct, frozen=True):
    """What several repositories are asked as one collection.

    Attributes:
        search: as of a `PoolRequest`.
        top: hits of each merged list that are shown.
        per_list: hits of a repository's list that take part.
        folds: copies of one text are shown once, and each is to be named.
        counting: only statistics are asked for.
        vector: the query's; None to encode it there.
        silent: places, among the members, of those that are counted and show nothing, ascending.
        others: statistics of repositories that are asked by themselves: scores are measured
            against the sum of all.
        texts: chunk ids of their hits, whose copies are to be named too.
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


class BatchedPoolRequest(Struct, frozen=True):
    """A question to repositories that were described.

    Attributes:
        epoch: of the description that names them and their snapshots. Their order breaks ties
            between equal hits.
        members: places of those that are asked, ascending.
    """

    question: BatchedQuery
    epoch: Annotated[str, WireBounds(64, 1, form="shown")]
    members: Annotated[tuple[int, ...], WireBounds(MOST_MEMBERS, 1, each=(0, MOST_MEMBERS))]


class BatchedFigures(Struct, frozen=True):
    """The statistics of many repositories, by column; each column is in the members' order.

    Attributes:
        lengths: of each field a column.
        terms: by their bytes; `held` has of each a column of chunks, `named` one of files.
    """

    layout: str
    chunks: tuple[int, ...]
    files: tuple[int, ...]
    lengths: tuple[tuple[int, ...], ...]
    terms: tuple[str, ...]
    held: tuple[tuple[int, ...], ...]
    named: tuple[tuple[int, ...], ...]

    def of(self, place: int) -> CollectionStatistics:
        """Return one member's."""
        columns = zip(self.terms, self.held, self.named, strict=True)
        return CollectionStatistics(
            self.layout,
            self.chunks[place],
            self.files[place],
            tuple(column[place] for column in self.lengths),
            tuple(TermFrequency(term, held[place], named[place]) for term, held, named in columns),
        )

    def total(self) -> CollectionStatistics:
        """Return the sum over all members."""
        columns = zip(self.terms, self.held, self.named, strict=True)
        return CollectionStatistics(
            self.layout,
            sum(self.chunks),
            sum(self.files),
            tuple(map(sum, self.lengths)),
            tuple(TermFrequency(term, sum(held), sum(named)) for term, held, named in columns),
        )


class FiguresByMember(Mapping[K, CollectionStatistics], Generic[K]):
    """Statistics of many repositories under their keys; each is made when it is asked for."""

    def __init__(self, keys: Sequence[K], figures: BatchedFigures) -> None:
        self._places = {key: place for place, key in enumerate(keys)}
        self.figures = figures

    def __getitem__(self, key: K) -> CollectionStatistics:
        """Return one's figures."""
        return self.figures.of(self._places[key])

    def __iter__(self) -> Iterator[K]:
        """Iterate over the keys, in the members' order."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)


class MemberLists(Struct, frozen=True):
    """The beginnings of one repository's lists.

    Attributes:
        member: its place among those that were asked.
        corpora: one list for each requested corpus.
    """

    member: int
    corpora: tuple[tuple[Corpus, tuple[Hit, ...]], ...]


class MemberNotice(Struct, frozen=True):
    """What is to be said of one repository's snapshot, whatever was asked."""

    member: int
    notice: Notice


class MemberLimit(Struct, frozen=True):
    """A cut of one repository's list over all corpora."""

    member: int
    limit: LimitHit


class BatchedPoolResponse(Struct, frozen=True):
    """The answer to a `JointPoolRequest`.

    Attributes:
        lists: of the repositories that may have a place in the answer, by member.
        leading: as of a `PoolResponse`, of all members together.
        limits_hit: cuts of the query itself, the same for all.
        limits: cuts of the lists of those that are not silent.
        partial: members of which the first index is being built.
        reaching: places of the silent members without whom the answer may be another one. Of the
            others that is proven: no hit of theirs would be in it, nor move anything of it.
    """

    figures: BatchedFigures
    lists: tuple[MemberLists, ...]
    leading: TopFiles
    limits_hit: tuple[LimitHit, ...]
    notices: tuple[MemberNotice, ...]
    partial: tuple[int, ...]
    reaching: tuple[int, ...] = ()
    limits: tuple[MemberLimit, ...] = ()
