"""Receipts of answers, and the result of replaying one."""

from enum import Enum
from hashlib import sha256
from typing import Annotated, Final, Literal

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.model.constraints import (
    Count,
    RootId,
    Sha256,
    SnapshotId,
    StoreId,
)
from ggrep.model.request import SearchRequest
from ggrep.model.response import Hit

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


class ReceiptQuestion(SearchRequest, frozen=True):
    """The request as it was asked; `ggrep replay` asks it again."""

    deterministic: Literal[True] = True


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
    changed = []
    for name in Origin.__struct_fields__:
        old, new = getattr(was, name), getattr(now, name)
        if old != new and name != "answer_sha256":
            changed.append(ReplayChange(name, old, new))
    return tuple(changed)


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


class ReplayResult(Enum):
    """How asking again went.

    `REPRODUCED`: the same bytes over the same snapshot. `DIFFERS`: other bytes over it. The others
    say why another snapshot was asked: there is a newer one, which was wanted; the receipt's own
    is gone; the repository has another store under present settings; it is another repository.
    """

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NEWER_SNAPSHOT = "newer_snapshot"
    SNAPSHOT_GONE = "snapshot_gone"
    OTHER_STORE = "other_store"
    OTHER_REPOSITORY = "other_repository"


class Fate(Enum):
    """What became of a hit.

    `SAME`: the same text at the same lines of the same file. `MOVED`: the same text elsewhere.
    `EDITED`: other text under the same name, or at the same lines, of the same file. `GONE`: none
    of these. `UNKNOWN`: its repository could not be looked into.
    """

    SAME = "same"
    MOVED = "moved"
    EDITED = "edited"
    GONE = "gone"
    UNKNOWN = "unknown"


class HitFate(Struct, frozen=True):
    """What became of a hit, and where; no place for what is gone or unknown."""

    fate: Fate
    place: Place | None


class HitNow(Place, frozen=True):
    """A hit of the receipt, and where its chunk is now."""

    rank: Count
    """Place in the receipt, the first is 0."""
    chunk_id: Sha256
    """Digest of the whole chunk's text as it was indexed."""
    rank_now: Count | None
    """Place in the answer of now; null when it is not in it."""
    place_now: Place | None
    """Where it stands now; null when it is gone, or its repository could not be looked into."""


class ReplayedHit(HitNow, frozen=True):
    """What became of a hit."""

    fate: Annotated[Fate, tuple(fate.value for fate in Fate if fate is not Fate.UNKNOWN)]
    """`same`: same text, same lines; `moved`: same text elsewhere; `edited`: other text under the
    same name or at the same lines of the same file; `gone`: none of these.
    """


class NewHit(Place, frozen=True):
    """A hit of now that is none of the receipt's."""

    rank_now: Count
    """Place in the answer of now, the first is 0."""


class ReplayDifference(Struct, frozen=True):
    """One place at which two answers differ."""

    place: str
    """Where, as `$.results[0].score`."""
    was: str | None
    """The receipt's value as JSON, cut to a line; null where there was none."""
    now: str | None
    """The value of now, likewise."""


class Replay(Struct, frozen=True):
    """What became of a receipt.

    Attributes:
        now: where the question was answered from this time.
        changes: what differs of the two origins.
        differences: the first places at which the two answers over one snapshot differ.
        differing: how many such places there are; more than `differences` where those are cut.
        same_hits: both answers hold the same chunks at the same places, in the same order.
    """

    receipt: Receipt
    outcome: ReplayResult
    now: Origin
    changes: tuple[ReplayChange, ...]
    differences: tuple[ReplayDifference, ...]
    differing: int
    hits: tuple[ReplayedHit, ...]
    new_hits: tuple[NewHit, ...]
    same_hits: bool

    @property
    def is_reproduced(self) -> bool:
        """Return whether the very bytes came again."""
        return self.outcome is ReplayResult.REPRODUCED


def replayed_hits(
    hits: tuple[ReceiptHit, ...], fates: tuple[HitFate, ...], today: tuple[Hit, ...]
) -> tuple[ReplayedHit, ...]:
    """Return the receipt's hits with what became of each and its place in the answer of today."""
    ranks = {hit.row_id: rank for rank, hit in enumerate(today)}
    return tuple(
        replayed_hit(hit, rank, whereabouts, _rank_of(whereabouts.place, ranks))
        for rank, (hit, whereabouts) in enumerate(zip(hits, fates, strict=True))
    )


def replayed_hit(
    hit: ReceiptHit, rank: int, whereabouts: HitFate, rank_now: int | None
) -> ReplayedHit:
    """Return a hit of a receipt with what became of it."""
    return ReplayedHit(
        **asdict(original_place(hit)),
        rank=rank,
        chunk_id=hit.chunk_id,
        rank_now=rank_now,
        place_now=whereabouts.place,
        fate=whereabouts.fate,
    )


def new_hits(old: tuple[ReplayedHit, ...], today: tuple[Hit, ...]) -> tuple[NewHit, ...]:
    """Return the hits of today that no hit of the receipt became, best first."""
    known = {item.place_now.row_id for item in old if item.place_now}
    return tuple(new_hit(hit, rank) for rank, hit in enumerate(today) if hit.row_id not in known)


def new_hit(hit: Hit, rank: int) -> NewHit:
    """Return a hit of today at its rank."""
    name = hit.qualified_name or hit.name
    return NewHit(hit.row_id, hit.path, hit.start_line, hit.end_line, name, rank)


def original_place(hit: ReceiptHit) -> Place:
    """Return where a hit of a receipt stood."""
    return Place(hit.row_id, hit.path, hit.start_line, hit.end_line, hit.name)


def _rank_of(place: Place | None, ranks: dict[str, int]) -> int | None:
    return None if place is None else ranks.get(place.row_id)
