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
    """How much of the repository can be found."""

    files: Count
    """Files in the snapshot."""
    eligible: Count
    """Files there were to index; more than `files` while a first index is built."""


class PagedJson(TypedDict):
    """Where an answer goes on."""

    next_cursor: NotRequired[Named]
    """What the next page is asked for by; absent on the last."""


class AnswerJson(DocumentJson):
    """What answers to all questions about one repository have in common."""

    request_id: RequestId
    """Names this answer: chosen by the client, else a ULID; derived from the request in
    deterministic mode.
    """
    store_id: StoreId
    """The store that answered."""
    config_fingerprint: Sha256
    """Identity of the settings the index was built under (SHA-256, hex)."""
    ignore_fingerprint: Sha256
    """Identity of the ignore rules (SHA-256, hex)."""
    query_fingerprint: Sha256
    """Identity of the question and of what shapes its answer (SHA-256, hex)."""
    embed_config_fingerprint: Sha256
    """Identity of what is embedded and by what (SHA-256, hex)."""
    snapshot_id: SnapshotId | None
    """The one snapshot that everything in this answer was read from; null for a scan."""
    degraded: bool
    """The snapshot left out files that could not be indexed."""
    indexed: IndexedJson
    git: GitState | None
    limits_hit: Sequence[LimitHit]
    """Cuts that were made."""
    warnings: Sequence[Notice]
    """What the reader should know before trusting the answer."""


class TimedJson(TypedDict):
    """How long it took, where that may be said."""

    timings_ms: NotRequired[Mapping[str, Count]]
    """Milliseconds of each stage; absent in deterministic mode. Stages may be added."""


class SearchLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_results: Count
    """Most hits."""
    per_file: Count
    """Most hits of one file; 0 for no bound."""
    snippet: Annotated[str, SnippetMode]
    """How much text each hit carries."""


class SearchTimingsJson(TypedDict):
    """Milliseconds of each stage; absent in deterministic mode."""

    admission: Count
    """Waiting to be let in."""
    snapshot_read: Count
    """Pinning the snapshot."""
    retrieve: Count
    """Scoring."""
    rank: Count
    """Ordering and cutting."""
    format: Count
    """Reading the snippets."""


@extends(Explanation)
@may_grow
class ExplainJson(TypedDict):
    """How the answer came about; present when the request asked to explain.

    Open: more may be told later.
    """

    admission: NotRequired[Admitted]
    """How a daemon let the question in; absent without one."""


@extends(Hit)
class HitJson(TypedDict):
    """One chunk."""

    explain: NotRequired[
        Annotated[
            Mapping[str, float | str],
            Keywords(
                {
                    "additionalProperties": {"type": "number"},
                    "properties": {
                        "rule": {
                            "description": "By the list's order, by a place dealt to its bucket, or"
                            " by one that no bucket used.",
                            "enum": ["best", "quota", "fill"],
                        }
                    },
                    "required": ["rule"],
                }
            ),
        ]
    ]
    """Parts of the score by name, and the `rule` that chose the hit; present when the request asked
    to explain.
    """


class SearchMoreJson(TypedDict):
    """What not every answer to a search says."""

    matches: NotRequired[MatchTotals]
    """Present where lines are matched, for a text or an expression."""
    partial: NotRequired[Literal["scan"]]
    """Present where the first index is not there yet and a quick scan of the work tree answered."""
    scan: NotRequired[ScanFacts]
    timings_ms: NotRequired[SearchTimingsJson]
    explain: NotRequired[ExplainJson]


class SearchJson(AnswerJson, SearchMoreJson):
    """What a search of one repository returns."""

    mode: Annotated[str, Mode]
    """The intent that hits were shared out by."""
    confidence: Annotated[str, Confidence]
    """How well the best hits fit the query: `weak` answers are shortened, and one without any
    strong match shows three hits at most.
    """
    limits: SearchLimitsJson
    results: Sequence[HitJson]
    """Hits, best first."""


class ExpandLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    boundary: Boundary
    """How far to go; `auto` is the definition around a place, or a whole file, if it fits."""
    max_expand_bytes: Count
    """Most bytes of the text."""


class ExpansionJson(TypedDict):
    """The place whose surroundings are shown."""

    target: str
    """The place that was asked for."""
    limits: ExpandLimitsJson


@extends(ExpandResponse, own_field)
class ExpandJson(AnswerJson, TimedJson, ExpansionJson):
    """What stands around a place of one repository, as it was indexed."""


class ReferencesLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_references: Count
    """Most mentions; 0 for as many as the caps allow."""
    strings: bool
    """Mentions inside of string literals are shown too."""
    comments: bool
    """Mentions inside of comments and documents are shown too."""


@extends(ReferencesResponse, own_field)
class ReferencesJson(AnswerJson, TimedJson, PagedJson):
    """Where a name is mentioned without being defined, in one repository."""

    name: str
    """The name that was looked for."""
    limits: ReferencesLimitsJson


class SymbolLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_symbols: Count
    """Most definitions; 0 for as many as the caps allow."""


@extends(SymbolResponse, own_field)
class SymbolJson(AnswerJson, TimedJson, PagedJson):
    """Where a name is defined in one repository."""

    name: str
    """The name that was looked for."""
    limits: SymbolLimitsJson


class AnswersJson(TypedDict):
    """Answers to several questions of one kind, in the order they were asked in."""

    schema_version: Literal[1]
    """Version of this document."""
    answers: Sequence[SymbolJson | ReferencesJson | ExpandJson | FailureJson]
    """One each; a failure where a question has none."""


class OutlineLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    depth: Count
    """Levels that are shown; 0 for as many as fit."""
    max_outline_bytes: Count
    """Most bytes of the text."""


@extends(OutlineResponse, own_field)
class OutlineJson(AnswerJson, TimedJson):
    """What files and folders of one repository define, as they were indexed."""

    targets: Sequence[str]
    """What was asked for."""
    limits: OutlineLimitsJson


class TourLimitsJson(TypedDict):
    """What was asked for, after clamping."""

    max_tour_bytes: Count
    """Most bytes of the text."""


@extends(TourResponse, own_field)
class TourJson(AnswerJson, TimedJson):
    """What a repository is, as its own files say it."""

    limits: TourLimitsJson
