"""The answer to a search of one repository."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.confidence import Confidence
from ggrep.model.constraints import (
    Count,
    Keywords,
    extends,
    may_grow,
)
from ggrep.model.corpus import Mode
from ggrep.model.hit import Hit
from ggrep.model.request import SnippetMode
from ggrep.model.response import Admitted, Explanation, MatchTotals
from ggrep.model.scan import ScanFacts
from ggrep.model.schemas.answer import AnswerJson


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
