"""A receipt: a query, the snapshot that answered it, and the answer."""

from hashlib import sha256
from typing import Final

from msgspec import Struct

from ggrep.model.constraints import (
    Count,
    RootId,
    Sha256,
    SnapshotId,
    StoreId,
)
from ggrep.model.hit import Hit
from ggrep.model.request import SearchRequest

RECEIPT_KIND: Final = "repository"
"""What the receipt of one repository's answer calls itself."""

WORKSPACE_KIND: Final = "workspace"
"""What that of a workspace's does."""


class Origin(Struct, frozen=True):
    """All that an answer hangs on beside the words of the question."""

    version: str
    """Version of the program."""
    build: str
    """The installation: version and time."""
    repo_id: RootId
    store_id: StoreId
    """The store that answered."""
    snapshot_id: SnapshotId
    """The one snapshot that was asked."""
    config_fingerprint: Sha256
    """Identity of the settings the index was built under (SHA-256, hex)."""
    ignore_fingerprint: Sha256
    """Identity of the ignore rules (SHA-256, hex)."""
    embed_config_fingerprint: Sha256
    """Identity of what is embedded and by what (SHA-256, hex)."""
    query_fingerprint: Sha256
    """Identity of the question, its output budgets and the ranking (SHA-256, hex)."""
    encoder: str
    """Key of the encoder; equal ones make comparable vectors."""
    git_head: str | None
    """Commit that was checked out when the files were indexed; null outside git."""
    answer_sha256: Sha256
    """Digest of the bytes that `--json --deterministic` prints, the newline too."""


class Place(Struct, frozen=True):
    """A chunk of a snapshot."""

    row_id: Sha256
    """Equal wherever the same text stands at the same place."""
    path: str
    """Path below the root."""
    start_line: Count
    """First line of the chunk, 1-based."""
    end_line: Count
    """Its last line."""
    name: str
    """Qualified name; empty for what has none."""


class ReceiptHit(Place, frozen=True):
    """One hit."""

    chunk_id: Sha256
    """Digest of the whole chunk's text as it was indexed."""
    is_anchor: bool
    """It is a file's header."""
    score: float
    """What the list is ordered by."""
    snippet_sha256: Sha256
    """Digest of the text that was shown."""


class Receipt(Struct, frozen=True):
    """A question that was answered, so that it can be asked again.

    Attributes:
        budgets: the output budgets in force, by name.
        hits: best first.
        answer: the bytes that were printed; None where they were too many to keep.
    """

    question: SearchRequest
    budgets: tuple[tuple[str, int], ...]
    origin: Origin
    hits: tuple[ReceiptHit, ...]
    answer: bytes | None


class ReplayChange(Struct, frozen=True):
    """One key of two origins that differ."""

    what: str
    """Key of the origin."""
    was: str | None
    """In the receipt."""
    now: str | None
    """Now."""


def changes(was: Origin, now: Origin) -> tuple[ReplayChange, ...]:
    """Return what differs of two origins, in the order of the fields; the answers aside."""
    found = []
    for name in Origin.__struct_fields__:
        old, new = getattr(was, name), getattr(now, name)
        if old != new and name != "answer_sha256":
            found.append(ReplayChange(name, old, new))
    return tuple(found)


def receipt_hit(hit: Hit) -> ReceiptHit:
    """Return what a receipt keeps of a hit."""
    return ReceiptHit(
        row_id=hit.row_id,
        chunk_id=hit.chunk_id,
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        name=hit.qualified_name or hit.name,
        is_anchor=hit.is_anchor,
        score=hit.score,
        snippet_sha256=sha256(hit.content.encode()).hexdigest(),
    )
