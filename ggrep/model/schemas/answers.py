"""Answers of one repository: searches, names, surrounding code, outlines and tours."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.confidence import Confidence
from ggrep.model.constraints import (
    Count,
    DocumentJson,
    Keywords,
    Named,
    RequestId,
    Sha256,
    SnapshotId,
    StoreId,
    extends,
    may_grow,
)
from ggrep.model.corpus import Mode
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.navigation import Boundary, ExpandResponse, ReferencesResponse, SymbolResponse
from ggrep.model.outline import OutlineResponse, TourResponse
from ggrep.model.request import SnippetMode
from ggrep.model.response import (
    Admitted,
    Explanation,
    GitState,
    Hit,
    MatchTotals,
    ScanFacts,
    own_field,
)
from ggrep.model.schemas.failure import FailureJson


class IndexedJson(TypedDict):
    """Searchable part of the repository."""

    files: Count
    """Files in the snapshot."""
    eligible: Count
    """Files to index; more than `files` while a first index is built."""


class PagedJson(TypedDict):
    """The cursor of an answer with several pages."""

    next_cursor: NotRequired[Named]
    """Cursor of the next page; absent on the last page."""


class AnswerJson(DocumentJson):
    """The common part of all answers about one repository."""

    request_id: RequestId
    """Id of this answer: chosen by the client, else a ULID; derived from the request in
    deterministic mode.
    """
    store_id: StoreId
    """The store that answered."""
    config_fingerprint: Sha256
    """Identity of the settings that shape the index (SHA-256, hex)."""
    ignore_fingerprint: Sha256
    """Identity of the ignore rules (SHA-256, hex)."""
    query_fingerprint: Sha256
    """Identity of the request and of the settings that shape its answer (SHA-256, hex)."""
    embed_config_fingerprint: Sha256
    """Identity of the embedded texts and their encoder (SHA-256, hex)."""
    snapshot_id: SnapshotId | None
    """The snapshot from which the whole answer was read; null for a scan."""
    degraded: bool
    """Whether the snapshot left out files that could not be indexed."""
    indexed: IndexedJson
    git: GitState | None
    limits_hit: Sequence[LimitHit]
    """Limits that cut the answer."""
    warnings: Sequence[Notice]
    """Warnings to read before trusting the answer."""


class TimedJson(TypedDict):
    """Durations of the stages of an answer."""

    timings_ms: NotRequired[Mapping[str, Count]]
    """Milliseconds of each stage; absent in deterministic mode. Stages may be added."""


class SearchLimitsJson(TypedDict):
    """Effective limits of the request."""

    max_results: Count
    """Maximum number of hits."""
    per_file: Count
    """Maximum number of hits in a file; 0 for no bound."""
    snippet: Annotated[str, SnippetMode]
    """Amount of text that each hit shows."""


class SearchTimingsJson(TypedDict):
    """Milliseconds of each stage; absent in deterministic mode."""

    admission: Count
    """Time spent waiting for admission."""
    snapshot_read: Count
    """Time spent pinning the snapshot."""
    retrieve: Count
    """Time spent scoring rows."""
    rank: Count
    """Time spent ordering and cutting lists."""
    format: Count
    """Time spent reading the snippets."""


@extends(Explanation)
@may_grow
class ExplainJson(TypedDict):
    """Explanation of the answer; present if the request sets `explain`.

    Later versions can add keys.
    """

    admission: NotRequired[Admitted]
    """Admission of the request by a daemon; absent without one."""


@extends(Hit)
class HitJson(TypedDict):
    """A hit: a chunk that matches the query."""

    explain: NotRequired[
        Annotated[
            Mapping[str, float | str],
            Keywords(
                {
                    "additionalProperties": {"type": "number"},
                    "properties": {
                        "rule": {
                            "description": "Rule that chose the hit: the list's order, the"
                            " quota of its bucket, or an unused slot.",
                            "enum": ["best", "quota", "fill"],
                        }
                    },
                    "required": ["rule"],
                }
            ),
        ]
    ]
    """Parts of the score by name, and the `rule` that chose the hit; present if the request sets
    `explain`.
    """


class SearchMoreJson(TypedDict):
    """Keys that are only in the answers to some searches of a repository."""

    matches: NotRequired[MatchTotals]
    """Totals of matches; present for a search by text or regular expression."""
    partial: NotRequired[Literal["scan"]]
    """Present when there is no index yet and a scan of the work tree answered."""
    scan: NotRequired[ScanFacts]
    timings_ms: NotRequired[SearchTimingsJson]
    explain: NotRequired[ExplainJson]


class SearchJson(AnswerJson, SearchMoreJson):
    """The answer to a search of one repository."""

    mode: Annotated[str, Mode]
    """Intent of the query, which divides the hits among buckets."""
    confidence: Annotated[str, Confidence]
    """Fit of the best hits to the query: a `weak` answer is shortened, and an answer without a
    strong match has at most three hits."""
    limits: SearchLimitsJson
    results: Sequence[HitJson]
    """Hits, best first."""


class ExpandLimitsJson(TypedDict):
    """Effective limits of the request."""

    boundary: Boundary
    """Requested extent; `auto` is the definition around a location, or the whole file if it
    fits."""
    max_expand_bytes: Count
    """Maximum bytes of the text."""


class ExpansionJson(TypedDict):
    """The requested location of surrounding code."""

    target: str
    """Requested location."""
    limits: ExpandLimitsJson


@extends(ExpandResponse, own_field)
class ExpandJson(AnswerJson, TimedJson, ExpansionJson):
    """The indexed code around a location of a repository."""


class ReferencesLimitsJson(TypedDict):
    """Effective limits of the request."""

    max_references: Count
    """Maximum number of mentions; 0 for as many as the caps allow."""
    strings: bool
    """Whether mentions in string literals are also shown."""
    comments: bool
    """Whether mentions in comments and documents are also shown."""


@extends(ReferencesResponse, own_field)
class ReferencesJson(AnswerJson, TimedJson, PagedJson):
    """Mentions of a name outside of its definitions, in one repository."""

    name: str
    """Requested name."""
    limits: ReferencesLimitsJson


class SymbolLimitsJson(TypedDict):
    """Effective limits of the request."""

    max_symbols: Count
    """Maximum number of definitions; 0 for as many as the caps allow."""


@extends(SymbolResponse, own_field)
class SymbolJson(AnswerJson, TimedJson, PagedJson):
    """Definitions of a name in one repository."""

    name: str
    """Requested name."""
    limits: SymbolLimitsJson


class AnswersJson(TypedDict):
    """Answers to several requests of one kind, in the order of requests."""

    schema_version: Literal[1]
    """Version of this shape; another number is another shape."""
    answers: Sequence[SymbolJson | ReferencesJson | ExpandJson | FailureJson]
    """An answer or a failure for each request."""


class OutlineLimitsJson(TypedDict):
    """Effective limits of the request."""

    depth: Count
    """Number of levels to show; 0 for as many as fit."""
    max_outline_bytes: Count
    """Maximum bytes of the text."""


@extends(OutlineResponse, own_field)
class OutlineJson(AnswerJson, TimedJson):
    """Indexed definitions in files and folders of a repository."""

    targets: Sequence[str]
    """Requested files and folders."""
    limits: OutlineLimitsJson


class TourLimitsJson(TypedDict):
    """Effective limits of the request."""

    max_tour_bytes: Count
    """Maximum bytes of the text."""


@extends(TourResponse, own_field)
class TourJson(AnswerJson, TimedJson):
    """Summary of a repository from its own files."""

    limits: TourLimitsJson
