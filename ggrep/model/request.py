"""What a caller asks of one repository."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated, Final, TypeAlias

from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.filters import Filter, keys_told
from ggrep.model.says import (
    MAX_INTEGER,
    MOST_CANDIDATES,
    MOST_FILTERS,
    MOST_ITEMS,
    MOST_MS,
    MOST_PATH_BYTES,
    MOST_QUERY_BYTES,
    Says,
    Sent,
)
from ggrep.model.statistics import CollectionStatistics

MAX_TOP: Final = 500
"""Most hits of one list of an answer that a caller from elsewhere may ask for."""
MAX_PER_FILE: Final = 1000
DEFAULT_TIMEOUT_MS: Final = 60_000


class SnippetMode(Enum):
    """How much of a hit's text is returned."""

    NONE = "none"
    SHORT = "short"
    DEFAULT = "default"
    LONG = "long"
    FULL = "full"

    @property
    def lines(self) -> int | None:
        """Return the most lines shown; None for the whole chunk."""
        return {"none": 0, "short": 8, "default": 12, "long": 24, "full": None}[self.value]


class Backend(Enum):
    """How vectors are scored: every one of them, under either word; others are refused."""

    AUTO = "auto"
    EXACT = "exact"


class Find(Enum):
    """What a query is looked for as.

    `AUTO` decides by how it reads. `DEFINITION` and `USAGE` take it for a name; `CONCEPT` for a
    description, whatever it reads like; `EXACT_TEXT` and `REGEX` return only chunks whose text
    holds it; `SIMILAR_CODE` takes it for code, or for a place whose code is meant.
    """

    AUTO = "auto"
    DEFINITION = "definition"
    USAGE = "usage"
    CONCEPT = "concept"
    EXACT_TEXT = "exact-text"
    REGEX = "regex"
    SIMILAR_CODE = "similar-code"

    @property
    def is_literal(self) -> bool:
        """Return whether hits are found by their letters; whole words and meaning find none."""
        return self in {Find.EXACT_TEXT, Find.REGEX}


Query: TypeAlias = Annotated[
    str, Says("query", "What to look for, in words or names.", least=1), Sent(MOST_QUERY_BYTES)
]
SCOPE: Final = "Directory or file below the root that the answer is narrowed to."
FILTERS: Final = f"Filters as `key:value`, negated with a leading `-`: {keys_told()}."
DETERMINISTIC: Final = "Equal bytes for equal state."
TIMEOUT: Final = f"Deadline, end to end; 0 for the default of {DEFAULT_TIMEOUT_MS}."


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A query over one repository.

    Attributes:
        limit: most hits returned.
        per_file: most hits of one file; 0 for as many as the settings allow.
        corpora: chunks of other corpora are not considered.
        scope: path key of a directory or file the answer is narrowed to; empty for the whole
            root.
        within: filters of a profile's view: what passes `filters` has to pass these as well.
        keep_weak: show all hits of an answer that may be beside the point.
        find: what the query is looked for as.
        vectors: score by likeness of meaning too, where the store has vectors.
        timeout_ms: end-to-end, 0 for none.
    """

    query: Query
    limit: Annotated[
        int,
        Says("search.top", "Most hits of each list; 10 by default.", least=1, most=MAX_TOP),
        Sent(MOST_ITEMS),
    ] = 10
    per_file: Annotated[
        int,
        Says("search.perFile", "Most hits of one file; 0 for no bound.", most=MAX_PER_FILE),
        Sent(MOST_ITEMS),
    ] = 3
    mode: Annotated[Mode, Says("search.intent", "What the hits are wanted for.")] = Mode.BALANCED
    corpora: Annotated[
        tuple[Corpus, ...],
        Says("search.mode", "Corpora that are searched; all of them by default.", least=1),
        Sent(16),
    ] = CORPORA
    scope: Annotated[str, Says("search.scope", SCOPE), Sent(MOST_PATH_BYTES)] = ""
    filters: Annotated[tuple[Filter, ...], Says("search.filter", FILTERS), Sent(MOST_FILTERS)] = ()
    snippet: Annotated[
        SnippetMode, Says("search.snippet", "How much of a hit's text is returned.")
    ] = SnippetMode.DEFAULT
    backend: Annotated[Backend, Says("search.backend", "How vectors are scored.")] = Backend.AUTO
    include_anchors: Annotated[bool, Says("search.anchors", "Return header chunks too.")] = False
    deterministic: Annotated[bool, Says("search.deterministic", DETERMINISTIC)] = False
    explain: Annotated[bool, Says("search.explain", "Add how scores came about.")] = False
    keep_weak: Annotated[bool, Says("search.keepWeak", "Return all hits of a weak answer.")] = False
    find: Annotated[Find, Says("search.find", "What the query is looked for as.")] = Find.AUTO
    vectors: Annotated[
        bool, Says("search.vectors", "Score by likeness of meaning too; true by default.")
    ] = True
    within: Annotated[tuple[Filter, ...], Sent(8 * MOST_FILTERS)] = ()
    timeout_ms: Annotated[int, Says("search.timeoutMs", TIMEOUT, most=MOST_MS)] = DEFAULT_TIMEOUT_MS


def can_scan(request: SearchRequest) -> bool:
    """Return whether a look through the work tree may answer where nothing is indexed.

    A deterministic answer is one of a snapshot, and code is like other code within one.
    """
    return not request.deterministic and request.find is not Find.SIMILAR_CODE


def compacted(request: SearchRequest) -> SearchRequest:
    """Return the request for places alone: the best of each file, without text."""
    return replace(request, per_file=1, snippet=SnippetMode.NONE)


@dataclass(frozen=True, slots=True)
class EncodedQuery:
    """A query's vector, quantised as stored ones are.

    Attributes:
        values: int8, one for each dimension.
    """

    values: Annotated[tuple[int, ...], Sent(4096, each=(-127, 127))]
    scale: Annotated[float, Sent(MAX_INTEGER)]


@dataclass(frozen=True, slots=True)
class PoolRequest:
    """What a coordinator asks of one repository: ranked lists to merge, not an answer.

    Attributes:
        search: `limit` is ignored; `per_list` stands in its place.
        per_list: most hits in the blended list and in each corpus' own.
        statistics: the collection to score against; None for the repository's own.
        snapshot_id: the snapshot that `statistics` came from; None when there are none.
        vector: the query's, of the same encoder; None to encode it here.
    """

    search: SearchRequest
    per_list: Annotated[int, Sent(MOST_CANDIDATES, 1)]
    statistics: CollectionStatistics | None = None
    snapshot_id: Annotated[str | None, Sent(26)] = None
    vector: EncodedQuery | None = None
