"""Requests to a repository, statistics of terms, and display options."""

from collections.abc import Collection, Iterable
from enum import Enum
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.commands import quoted_whole
from ggrep.base.errors import Incompatible
from ggrep.model.constraints import Count, Later
from ggrep.model.corpus import CORPORA, Corpus, Mode
from ggrep.model.field_meta import (
    MAX_INTEGER,
    MOST_BYTES,
    MOST_CANDIDATES,
    MOST_COUNT,
    MOST_FILTERS,
    MOST_ITEMS,
    MOST_MS,
    MOST_PATH_BYTES,
    MOST_QUERY_BYTES,
    MOST_SCOPE_BYTES,
    Field,
    WireBounds,
)
from ggrep.model.filters import Filter, named_filters

R = TypeVar("R")


class Request(Struct, Generic[R], frozen=True):
    """A request to a repository; its answer has the type `R`."""


class TermFrequency(Struct, frozen=True):
    """Numbers of visible chunks and files that contain a term in any field."""

    term: Annotated[str, WireBounds(MOST_QUERY_BYTES)]
    chunks: Annotated[int, WireBounds(MOST_COUNT)]
    files: Annotated[int, WireBounds(MOST_COUNT)]


class CollectionStatistics(Struct, frozen=True):
    """The statistics that scoring needs, for a collection of chunks.

    Attributes:
        layout: revision of the lexical layout; statistics of different layouts cannot be added.
        chunks: number of visible chunks, including anchors (the first lines of each file).
        files: number of visible files, including empty files.
        lengths: total weighted length of all visible rows, for each field of the layout.
        terms: an entry for each query term, sorted by the bytes of the term.
    """

    layout: Annotated[str, WireBounds(128)]
    chunks: Annotated[int, WireBounds(MOST_COUNT)]
    files: Annotated[int, WireBounds(MOST_COUNT)]
    lengths: Annotated[tuple[int, ...], WireBounds(64, each=(0, MOST_COUNT))]
    terms: Annotated[tuple[TermFrequency, ...], WireBounds(1024)]

    def frequency(self, term: str) -> TermFrequency:
        """Return the statistics of `term`; zeros if there is no such term."""
        for entry in self.terms:
            if entry.term == term:
                return entry
        return TermFrequency(term, 0, 0)


def sum_statistics(parts: Iterable[CollectionStatistics]) -> CollectionStatistics:
    """Return the statistics of the union of disjoint collections.

    Raises:
        Incompatible: the parts have different lexical layouts.
    """
    items = list(parts)
    layouts = {(part.layout, len(part.lengths)) for part in items}
    if len(layouts) != 1:
        raise Incompatible(f"statistics have different lexical layouts: {sorted(layouts)}")
    totals: dict[str, tuple[int, int]] = {}
    for part in items:
        for entry in part.terms:
            chunks, files = totals.get(entry.term, (0, 0))
            totals[entry.term] = (chunks + entry.chunks, files + entry.files)
    return CollectionStatistics(
        layout=items[0].layout,
        chunks=sum(part.chunks for part in items),
        files=sum(part.files for part in items),
        lengths=tuple(sum(column) for column in zip(*(p.lengths for p in items), strict=True)),
        terms=tuple(
            TermFrequency(term, *totals[term])
            for term in sorted(totals, key=lambda term: term.encode())
        ),
    )


MAX_TOP: Final = 500
"""Maximum number of hits of a list that a remote caller can request."""
MAX_PER_FILE: Final = 1000
MAX_CONTEXT: Final = 50
"""Maximum number of context lines before, and after, a matching line."""
DEFAULT_TIMEOUT_MS: Final = 60_000


class SnippetMode(Enum):
    """Amount of each hit's text to return."""

    NONE = "none"
    SHORT = "short"
    DEFAULT = "default"
    LONG = "long"
    FULL = "full"

    @property
    def lines(self) -> int | None:
        """Return the maximum number of shown lines; None for the whole chunk."""
        return {"none": 0, "short": 8, "default": 12, "long": 24, "full": None}[self.value]


class Backend(Enum):
    """Method of scoring vectors; both values score every vector exactly."""

    AUTO = "auto"
    EXACT = "exact"


class Find(Enum):
    """Interpretation of a query.

    `AUTO` decides by the form of the query. `DEFINITION` and `USAGE` treat the query as a name,
    `CONCEPT` as a description. `EXACT_TEXT` and `REGEX` return only chunks that match the query.
    `SIMILAR_CODE` treats the query as code, or as a location of code.
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
    Field("query", "Text to search for: words, a name or code.", least=1),
    WireBounds(MOST_QUERY_BYTES),
]
SCOPE: Final = "Search only this directory or file below the root."
FILTERS: Final = f"Filters as `key:value`, negated with a leading `-`: {named_filters()}."
DETERMINISTIC: Final = "Return the same bytes whenever the index is the same."
TIMEOUT: Final = f"End-to-end timeout; 0 for the default of {DEFAULT_TIMEOUT_MS}."

Deterministic: TypeAlias = Annotated[bool, Field("deterministic", DETERMINISTIC)]
TimeoutMs: TypeAlias = Annotated[int, Field("timeoutMs", TIMEOUT, most=MOST_MS)]
MaxBytes: TypeAlias = Annotated[
    int,
    Field("maxBytes", "Maximum bytes of the text.", least=1, most=MOST_BYTES),
    WireBounds(MOST_BYTES),
]


class SearchRequest(Request[Any], frozen=True):
    """A search of a repository."""

    query: Query
    """Text of the query."""
    limit: Annotated[
        Count,
        Field(
            "search.top",
            "Maximum number of hits of each list; 10 by default.",
            least=1,
            most=MAX_TOP,
        ),
        WireBounds(MOST_ITEMS),
    ] = 10
    """Maximum number of hits."""
    per_file: Annotated[
        Count,
        Field(
            "search.perFile", "Maximum number of hits per file; 0 for no limit.", most=MAX_PER_FILE
        ),
        WireBounds(MOST_ITEMS),
    ] = 3
    """Maximum number of hits in a file; 0 for as many as the settings allow."""
    mode: Annotated[
        Mode,
        Field("search.intent", "The intent of the query; it affects the ranking and the quotas."),
    ] = Mode.BALANCED
    """Intent of the query."""
    corpora: Annotated[
        tuple[Corpus, ...],
        Field("search.mode", "Corpora to search; all by default.", least=1),
        WireBounds(16),
    ] = CORPORA
    """Corpora that were searched."""
    scope: Annotated[str, Field("search.scope", SCOPE), WireBounds(MOST_SCOPE_BYTES)] = ""
    """Path to which the answer is restricted; empty for all."""
    filters: Annotated[
        tuple[Filter, ...], Field("search.filter", FILTERS), WireBounds(MOST_FILTERS)
    ] = ()
    """Filters that restrict the answer."""
    snippet: Annotated[
        SnippetMode, Field("search.snippet", "Amount of text to return for each hit.")
    ] = SnippetMode.DEFAULT
    """Amount of text that each hit shows."""
    backend: Annotated[
        Backend, Field("search.backend", "Vector backend; all values have the same effect.")
    ] = Backend.AUTO
    """Backend that scores vectors."""
    include_anchors: Annotated[
        bool, Field("search.anchors", "Include header chunks among the hits.")
    ] = False
    """Whether header chunks of files are also hits."""
    deterministic: Annotated[bool, Field("search.deterministic", DETERMINISTIC)] = False
    """Whether equal states give equal bytes."""
    explain: Annotated[bool, Field("search.explain", "Add an explanation of each score.")] = False
    """Whether scores are explained."""
    keep_weak: Annotated[
        bool,
        Field("search.keepWeak", "Return all hits, even if they are unlikely to answer the query."),
    ] = False
    """Whether all hits of a weak answer are shown."""
    find: Annotated[Find, Field("search.find", "How to interpret the query.")] = Find.AUTO
    """Interpretation of the query."""
    vectors: Annotated[
        bool, Field("search.vectors", "Also rank by vector similarity; true by default.")
    ] = True
    """Whether vector similarity counts."""
    ignore_case: Later[
        Annotated[
            bool, Field("search.ignoreCase", "Match a text or expression in any letter case.")
        ]
    ] = False
    """Whether a text or expression matches in any letter case; receipts of earlier builds lack the
    keys from this one to `list_files`.
    """
    whole_words: Later[
        Annotated[
            bool, Field("search.wholeWords", "Match a text or expression only as whole words.")
        ]
    ] = False
    """Whether a text or expression matches only whole words."""
    lines_before: Later[
        Annotated[
            Count,
            Field(
                "search.linesBefore", "Lines of context before a matching line.", most=MAX_CONTEXT
            ),
            WireBounds(MOST_ITEMS),
        ]
    ] = 0
    """Lines of context before a matching line."""
    lines_after: Later[
        Annotated[
            Count,
            Field("search.linesAfter", "Lines of context after a matching line.", most=MAX_CONTEXT),
            WireBounds(MOST_ITEMS),
        ]
    ] = 0
    """Lines of context after a matching line."""
    list_files: Later[
        Annotated[
            bool,
            Field(
                "search.listFiles",
                "List every file with matching lines, and the number of these lines.",
            ),
        ]
    ] = False
    """Whether all files with matching lines are listed."""
    within: Annotated[tuple[Filter, ...], WireBounds(8 * MOST_FILTERS)] = ()
    """Filters of a profile's view, which also restrict the answer."""
    timeout_ms: Annotated[Count, Field("search.timeoutMs", TIMEOUT, most=MOST_MS)] = (
        DEFAULT_TIMEOUT_MS
    )
    """Timeout in milliseconds; 0 for the configured timeout."""

    @property
    def is_exact(self) -> bool:
        """Return whether the query matches exact lines instead of words or meaning."""
        is_literal = self.find in {Find.EXACT_TEXT, Find.REGEX}
        return is_literal or (self.find is Find.AUTO and bool(quoted_whole(self.query)))


def can_scan(request: SearchRequest) -> bool:
    """Return whether a scan of the work tree can answer while there is no index.

    Deterministic answers and searches for similar code need a snapshot.
    """
    return not request.deterministic and request.find is not Find.SIMILAR_CODE


def with_exact_defaults(request: SearchRequest, given: Collection[str]) -> SearchRequest:
    """Return the request with the defaults for exact text, except in the fields named in `given`.

    By default, a search for exact text does not limit the number of hits per file.
    """
    return replace(request, per_file=0) if request.is_exact and "per_file" not in given else request


def compacted(request: SearchRequest) -> SearchRequest:
    """Return the request, limited to the best hit of each file, without its text."""
    return replace(request, per_file=1, snippet=SnippetMode.NONE)


class EncodedQuery(Struct, frozen=True):
    """The vector of a query, quantised to int8 like stored vectors."""

    values: Annotated[tuple[int, ...], WireBounds(4096, each=(-127, 127))]
    scale: Annotated[float, WireBounds(MAX_INTEGER)]


class EncodeRequest(Request["EncodeResponse"], frozen=True):
    """Request for the vector of a query, for all repositories with the same encoder."""

    text: Annotated[str, WireBounds(MOST_QUERY_BYTES)]
    timeout_ms: Annotated[int, WireBounds(MOST_MS)] = 0


class EncodeResponse(Struct, frozen=True):
    """A query's vector; None without an encoder."""

    vector: EncodedQuery | None


class StatisticsRequest(Request["RepoStatistics"], frozen=True):
    """Request for the collection statistics of a query's terms.

    Attributes:
        snapshot_id: the snapshot that a session retains; None for the active snapshot.
    """

    search: SearchRequest
    snapshot_id: Annotated[str | None, WireBounds(26)] = None


class RepoStatistics(Struct, frozen=True):
    """A repository's statistics, and the snapshot that was counted."""

    snapshot_id: str
    statistics: CollectionStatistics


class PoolRequest(Request[Any], frozen=True):
    """A coordinator's request to a repository for ranked lists to merge.

    Attributes:
        search: the search; `per_list` replaces its `limit`.
        per_list: maximum number of hits in the blended list and in the list of each corpus.
        statistics: statistics for scoring; None for the repository's own statistics.
        snapshot_id: the snapshot of `statistics`; None without statistics.
        vector: vector of the query by the same encoder; None to let the repository encode the
            query.
        session: token of a session; its snapshot is searched, and its lease is renewed.
    """

    search: SearchRequest
    per_list: Annotated[int, WireBounds(MOST_CANDIDATES, 1)]
    statistics: CollectionStatistics | None = None
    snapshot_id: Annotated[str | None, WireBounds(26)] = None
    vector: EncodedQuery | None = None
    session: Annotated[str, WireBounds(8_192, form="secret")] = ""


_MOST_LINK_BYTES: Final = 512


class ViewOptions(Struct, frozen=True):
    """Options for the display of an answer.

    Attributes:
        json: whether to print a JSON document instead of text.
        columns: maximum width of a line; 0 for no bound.
        cwd: absolute directory to which shown paths are relative; empty for the root.
        compact: whether to show only paths, each once.
        explain: whether to print explanations of scores.
        whole: whether to show whole chunks, without cutting lines to `columns`.
        chunks: whether to show chunks instead of lines for exact text.
        counts: whether to show the number of matching lines of each listed file.
        links: template of link targets, see `ggrep.base.terminal`; empty for no links.
    """

    json: bool = False
    columns: Annotated[int, WireBounds(100_000)] = 0
    colour: bool = False
    notes_colour: bool = False
    cwd: Annotated[str, WireBounds(MOST_PATH_BYTES, form="path")] = ""
    scores: bool = False
    compact: bool = False
    explain: bool = False
    whole: bool = False
    chunks: bool = False
    counts: bool = False
    links: Annotated[str, WireBounds(_MOST_LINK_BYTES)] = ""

    @property
    def line_columns(self) -> int:
        """Return the maximum width of a source line; 0 for no bound."""
        return 0 if self.whole else self.columns

    @property
    def shows_lines(self) -> bool:
        """Return whether an answer about exact text is shown as lines or files instead of hits."""
        return not (self.chunks or self.compact or self.scores or self.explain)
