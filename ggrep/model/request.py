"""Requests to one repository."""

from collections.abc import Collection
from enum import Enum
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.quoted import quoted_whole
from ggrep.model.answerable import Request
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.filters import Filter, keys_told
from ggrep.model.says import (
    MAX_INTEGER,
    MOST_CANDIDATES,
    MOST_FILTERS,
    MOST_ITEMS,
    MOST_MS,
    MOST_QUERY_BYTES,
    MOST_SCOPE_BYTES,
    Says,
    Sent,
)
from ggrep.model.statistics import CollectionStatistics

MAX_TOP: Final = 500
"""Most hits of one list that a remote caller may request."""
MAX_PER_FILE: Final = 1000
MAX_CONTEXT: Final = 50
"""Most lines shown before, and after, a matching line."""
DEFAULT_TIMEOUT_MS: Final = 60_000


class SnippetMode(Enum):
    """How much of each hit's text to return."""

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
    """How vectors are scored; both values score every vector exactly."""

    AUTO = "auto"
    EXACT = "exact"


class Find(Enum):
    """How a query is interpreted.

    `AUTO` decides by its form. `DEFINITION` and `USAGE` take it for a name; `CONCEPT` for a
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


Query: TypeAlias = Annotated[
    str,
    Says("query", "What to search for: words, a name or code.", least=1),
    Sent(MOST_QUERY_BYTES),
]
SCOPE: Final = "Search only this directory or file below the root."
FILTERS: Final = f"Filters as `key:value`, negated with a leading `-`: {keys_told()}."
DETERMINISTIC: Final = "Return the same bytes whenever the index is the same."
TIMEOUT: Final = f"End-to-end timeout; 0 for the default of {DEFAULT_TIMEOUT_MS}."


class SearchRequest(Request[Any], frozen=True):
    """A query over one repository.

    Attributes:
        per_file: 0 for as many as the settings allow.
        scope: path keys, see `model.scope`; empty for the whole root.
        within: filters of a profile's view, applied in addition to `filters`.
        timeout_ms: 0 for none.
    """

    query: Query
    limit: Annotated[
        int,
        Says("search.top", "Most hits of each list; 10 by default.", least=1, most=MAX_TOP),
        Sent(MOST_ITEMS),
    ] = 10
    per_file: Annotated[
        int,
        Says("search.perFile", "Most hits per file; 0 for no limit.", most=MAX_PER_FILE),
        Sent(MOST_ITEMS),
    ] = 3
    mode: Annotated[
        Mode, Says("search.intent", "The intent of the query, which shapes ranking and quotas.")
    ] = Mode.BALANCED
    corpora: Annotated[
        tuple[Corpus, ...],
        Says("search.mode", "Corpora to search; all by default.", least=1),
        Sent(16),
    ] = CORPORA
    scope: Annotated[str, Says("search.scope", SCOPE), Sent(MOST_SCOPE_BYTES)] = ""
    filters: Annotated[tuple[Filter, ...], Says("search.filter", FILTERS), Sent(MOST_FILTERS)] = ()
    snippet: Annotated[
        SnippetMode, Says("search.snippet", "How much of each hit's text to return.")
    ] = SnippetMode.DEFAULT
    backend: Annotated[
        Backend, Says("search.backend", "Vector backend; all values do the same.")
    ] = Backend.AUTO
    include_anchors: Annotated[
        bool, Says("search.anchors", "Include header chunks among the hits.")
    ] = False
    deterministic: Annotated[bool, Says("search.deterministic", DETERMINISTIC)] = False
    explain: Annotated[bool, Says("search.explain", "Add an explanation of each score.")] = False
    keep_weak: Annotated[
        bool, Says("search.keepWeak", "Return all hits even when the answer is unlikely to fit.")
    ] = False
    find: Annotated[Find, Says("search.find", "How to interpret the query.")] = Find.AUTO
    vectors: Annotated[
        bool, Says("search.vectors", "Also rank by vector similarity; true by default.")
    ] = True
    ignore_case: Annotated[
        bool, Says("search.ignoreCase", "Match a text or expression in any letter case.")
    ] = False
    whole_words: Annotated[
        bool, Says("search.wholeWords", "Match a text or expression only as whole words.")
    ] = False
    lines_before: Annotated[
        int,
        Says("search.linesBefore", "Lines of context before a matching line.", most=MAX_CONTEXT),
        Sent(MOST_ITEMS),
    ] = 0
    lines_after: Annotated[
        int,
        Says("search.linesAfter", "Lines of context after a matching line.", most=MAX_CONTEXT),
        Sent(MOST_ITEMS),
    ] = 0
    list_files: Annotated[
        bool,
        Says("search.listFiles", "List every file with matching lines, and how many it has."),
    ] = False
    within: Annotated[tuple[Filter, ...], Sent(8 * MOST_FILTERS)] = ()
    timeout_ms: Annotated[int, Says("search.timeoutMs", TIMEOUT, most=MOST_MS)] = DEFAULT_TIMEOUT_MS

    @property
    def is_exact(self) -> bool:
        """Return whether lines are matched, and not words or meaning."""
        is_literal = self.find in {Find.EXACT_TEXT, Find.REGEX}
        return is_literal or (self.find is Find.AUTO and bool(quoted_whole(self.query)))


def can_scan(request: SearchRequest) -> bool:
    """Return whether a scan of the work tree may answer while nothing is indexed.

    Deterministic answers and similarity of code need a snapshot.
    """
    return not request.deterministic and request.find is not Find.SIMILAR_CODE


def with_exact_defaults(request: SearchRequest, given: Collection[str]) -> SearchRequest:
    """Return the request with the defaults of exact text for fields that were not given.

    Hits of exact text are spread over files anyway, so that no file is limited.
    """
    return replace(request, per_file=0) if request.is_exact and "per_file" not in given else request


def compacted(request: SearchRequest) -> SearchRequest:
    """Return the request limited to the best hit of each file, without text."""
    return replace(request, per_file=1, snippet=SnippetMode.NONE)


class EncodedQuery(Struct, frozen=True):
    """A query's vector, quantised as stored ones are.

    Attributes:
        values: int8, one for each dimension.
    """

    values: Annotated[tuple[int, ...], Sent(4096, each=(-127, 127))]
    scale: Annotated[float, Sent(MAX_INTEGER)]


class PoolRequest(Request[Any], frozen=True):
    """A coordinator's request to one repository: for ranked lists to merge, not an answer.

    Attributes:
        search: `limit` is ignored; `per_list` replaces it.
        per_list: most hits in the blended list and in each corpus' own.
        statistics: the collection to score against; None for the repository's own.
        snapshot_id: the snapshot that `statistics` came from; None when there are none.
        vector: the query's, of the same encoder; None to encode it here.
        session: token of one that keeps that snapshot: lists are of it, whichever is active, and it
            is kept as long again.
    """

    search: SearchRequest
    per_list: Annotated[int, Sent(MOST_CANDIDATES, 1)]
    statistics: CollectionStatistics | None = None
    snapshot_id: Annotated[str | None, Sent(26)] = None
    vector: EncodedQuery | None = None
    session: Annotated[str, Sent(8_192, form="secret")] = ""
