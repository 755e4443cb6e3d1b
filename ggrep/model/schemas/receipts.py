"""Receipts of answers and the results of replaying them, for one repository and for a workspace."""

from collections.abc import Sequence
from typing import Annotated, Literal, TypedDict

from ggrep.model.constraints import (
    Count,
    DocumentJson,
    Sha256,
)
from ggrep.model.receipt import (
    NewHit,
    Origin,
    ReceiptHit,
    ReceiptQuestion,
    ReplayChange,
    ReplayDifference,
    ReplayedHit,
    ReplayResult,
)
from ggrep.model.schemas.answers import SearchJson


class BudgetsJson(TypedDict):
    """Output budgets in force."""

    max_candidates: Count
    """Rows kept after scoring."""
    max_query_results: Count
    """Most hits of an answer."""
    max_query_per_file: Count
    """Most hits of one file."""
    max_snippet_bytes_per_result: Count
    """Snippet bytes of one hit."""
    max_total_snippet_bytes: Count
    """Snippet bytes of the answer."""


class ReceiptJson(DocumentJson):
    """What `ggrep search --receipt` writes and `ggrep replay` reads."""

    kind: Literal["repository"]
    """What was asked: one repository."""
    question: ReceiptQuestion
    budgets: BudgetsJson
    origin: Origin
    hits: Sequence[ReceiptHit]
    """The hits, best first."""
    answer: SearchJson | None
    """The answer itself; null where it is too long to keep."""
    sha256: Sha256
    """Digest of the canonical bytes of all other keys."""


class ReplayJson(DocumentJson):
    """What became of a receipt whose question was asked again."""

    reproduced: bool
    """The same bytes came from the same snapshot."""
    outcome: Annotated[str, ReplayResult]
    """How it went: the same bytes, other bytes of the same snapshot, or why another snapshot was
    asked.
    """
    query: str
    """The words of the question."""
    receipt: Origin
    """Where the receipt's answer came from."""
    now: Origin
    """Where the answer of now came from."""
    changes: Sequence[ReplayChange]
    """What differs of the two origins."""
    differing: Count
    """Places at which two answers over one snapshot differ; 0 where another one was asked, or the
    receipt does not hold its answer.
    """
    differences: Sequence[ReplayDifference]
    """The first of those places."""
    same_hits: bool
    """Both answers hold the same chunks at the same places in the same order."""
    hits: Sequence[ReplayedHit]
    """The receipt's hits, best first."""
    new_hits: Sequence[NewHit]
    """Hits of now that none of the receipt's became."""
