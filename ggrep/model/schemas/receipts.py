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
    """Output budgets of the answer."""

    max_candidates: Count
    """Rows kept after scoring."""
    max_query_results: Count
    """Maximum number of hits of an answer."""
    max_query_per_file: Count
    """Maximum number of hits in a file."""
    max_snippet_bytes_per_result: Count
    """Snippet bytes of one hit."""
    max_total_snippet_bytes: Count
    """Snippet bytes of the answer."""


class ReceiptJson(DocumentJson):
    """The receipt that `ggrep search --receipt` writes and `ggrep replay` reads."""

    kind: Literal["repository"]
    """Kind of the receipt: for a repository."""
    question: ReceiptQuestion
    budgets: BudgetsJson
    origin: Origin
    hits: Sequence[ReceiptHit]
    """The hits, best first."""
    answer: SearchJson | None
    """The answer; null if it was too long to store."""
    sha256: Sha256
    """Digest of the canonical bytes of all other keys."""


class ReplayJson(DocumentJson):
    """The result of replaying a receipt."""

    reproduced: bool
    """Whether the same bytes came from the same snapshot."""
    outcome: Annotated[str, ReplayResult]
    """Result: the same bytes, other bytes of the same snapshot, or the reason why another snapshot
    was queried.
    """
    query: str
    """Text of the query."""
    receipt: Origin
    """Origin of the receipt's answer."""
    now: Origin
    """Origin of the new answer."""
    changes: Sequence[ReplayChange]
    """Differences between the two origins."""
    differing: Count
    """Number of values that differ between answers over one snapshot; 0 for another snapshot or if
    the receipt does not contain its answer.
    """
    differences: Sequence[ReplayDifference]
    """The first values that differ."""
    same_hits: bool
    """Whether both answers contain the same chunks at the same places in the same order."""
    hits: Sequence[ReplayedHit]
    """The receipt's hits, best first."""
    new_hits: Sequence[NewHit]
    """Hits of the new answer that the receipt lacks."""
