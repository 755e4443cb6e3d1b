"""A receipt: a query, the snapshot that answered it, and the answer."""

from hashlib import sha256
from typing import Final

from msgspec import Struct

from ggrep.model.hit import Hit
from ggrep.model.request import SearchRequest

RECEIPT_KIND: Final = "repository"
"""What the receipt of one repository's answer calls itself."""

WORKSPACE_KIND: Final = "workspace"
"""What that of a workspace's does."""


class Origin(Struct, frozen=True):
    """All that an answer hangs on beside the words of the question.

    Attributes:
        version: of the program.
        build: of the installation, see `ggrep.base.build`.
        encoder: its key; equal ones make comparable vectors.
        git_head: the commit that was checked out when the files were indexed; None outside git.
        answer_sha256: digest of the bytes that `--json --deterministic` prints, the newline too.
    """

    version: str
    build: str
    repo_id: str
    store_id: str
    snapshot_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    embed_config_fingerprint: str
    query_fingerprint: str
    encoder: str
    git_head: str | None
    answer_sha256: str


class ReceiptHit(Struct, frozen=True):
    """One hit of a receipt.

    Attributes:
        chunk_id: the digest of the whole chunk's text as it was indexed.
        name: qualified, empty for what has none.
        snippet_sha256: digest of the text that was shown.
    """

    row_id: str
    chunk_id: str
    path: str
    start_line: int
    end_line: int
    name: str
    is_anchor: bool
    score: float
    snippet_sha256: str


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


class Change(Struct, frozen=True):
    """Something an answer hangs on that is not as it was."""

    what: str
    was: str | None
    now: str | None


def changes(was: Origin, now: Origin) -> tuple[Change, ...]:
    """Return what differs of two origins, in the order of the fields; the answers aside."""
    found = []
    for name in Origin.__struct_fields__:
        old, new = getattr(was, name), getattr(now, name)
        if old != new and name != "answer_sha256":
            found.append(Change(name, old, new))
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
