"""Receipts of answers, and results of replaying a receipt."""

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
    named,
)
from ggrep.model.request import SearchRequest
from ggrep.model.response import Hit

RECEIPT_KIND: Final = "repository"
"""The `kind` of a receipt of a repository's answer."""

WORKSPACE_KIND: Final = "workspace"
"""The `kind` of a receipt of a workspace's answer."""


class Origin(Struct, frozen=True):
    """Everything that determines an answer apart from the query."""

    version: str
    """Version of the program."""
    build: str
    """Installation of the program: version and time."""
    repo_id: RootId
    store_id: StoreId
    """The store that answered."""
    snapshot_id: SnapshotId
    """The snapshot that was queried."""
    config_fingerprint: Sha256
    """Identity of the settings that shape the index (SHA-256, hex)."""
    ignore_fingerprint: Sha256
    """Identity of the ignore rules (SHA-256, hex)."""
    embed_config_fingerprint: Sha256
    """Identity of the embedded texts and their encoder (SHA-256, hex)."""
    query_fingerprint: Sha256
    """Identity of the request and of the settings that shape its answer (SHA-256, hex)."""
    encoder: str
    """Key of the encoder; vectors of equal encoders are comparable."""
    git_head: str | None
    """Commit that was checked out when the files were indexed; null outside git."""
    answer_sha256: Sha256
    """Digest of the bytes that `--json --deterministic` prints, including the newline."""


@named("place")
class HitPlace(Struct, frozen=True):
    """The location of a chunk in a snapshot, and its name."""

    row_id: Sha256
    """Id of the chunk; equal for the same text at the same position in the same path."""
    path: str
    """Path below the root."""
    start_line: Count
    """First line of the chunk, 1-based."""
    end_line: Count
    """Last line of the chunk, 1-based, inclusive."""
    name: str
    """Qualified name; empty for none."""


class ReceiptHit(HitPlace, frozen=True):
    """A hit, as a receipt records it."""

    chunk_id: Sha256
    """Digest of the chunk's whole indexed text."""
    is_anchor: bool
    """Whether the chunk is the file's header chunk."""
    score: float
    """Score that orders the list; comparable only within an answer."""
    snippet_sha256: Sha256
    """Digest of the text that was shown."""


class ReceiptQuestion(SearchRequest, frozen=True):
    """The request of the receipt; `ggrep replay` repeats it."""

    deterministic: Literal[True] = True


class Receipt(Struct, frozen=True):
    """An answered request with its origin, to replay the request.

    Attributes:
        budgets: the effective output budgets, by name.
        hits: the hits, best first.
        answer: the printed bytes; None if they were too long to store.
    """

    question: SearchRequest
    budgets: tuple[tuple[str, int], ...]
    origin: Origin
    hits: tuple[ReceiptHit, ...]
    answer: bytes | None


class ReplayChange(Struct, frozen=True):
    """A key with different values in two origins."""

    what: str
    """Key of the origin."""
    was: str | None
    """Value in the receipt."""
    now: str | None
    """Value in the new answer."""


def changes(was: Origin, now: Origin) -> tuple[ReplayChange, ...]:
    """Return the differences between two origins, except in the digests of the answers."""
    changed = []
    for name in Origin.__struct_fields__:
        old, new = getattr(was, name), getattr(now, name)
        if old != new and name != "answer_sha256":
            changed.append(ReplayChange(name, old, new))
    return tuple(changed)


def receipt_hit(hit: Hit) -> ReceiptHit:
    """Return the part of a hit that a receipt stores."""
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
    """The result of a replay.

    `REPRODUCED`: the same bytes from the same snapshot. `DIFFERS`: other bytes from the same
    snapshot. The other values are reasons why another snapshot was queried: a newer snapshot was
    requested, the snapshot was deleted, the present settings select another store, or another
    repository was queried.
    """

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NEWER_SNAPSHOT = "newer_snapshot"
    SNAPSHOT_GONE = "snapshot_gone"
    OTHER_STORE = "other_store"
    OTHER_REPOSITORY = "other_repository"


class Fate(Enum):
    """The state of a receipt's hit.

    `SAME`: the same text at the same lines of the same file. `MOVED`: the same text elsewhere.
    `EDITED`: other text with the same name, or at the same lines, in the same file. `GONE`: none of
    these. `UNKNOWN`: the repository could not be queried.
    """

    SAME = "same"
    MOVED = "moved"
    EDITED = "edited"
    GONE = "gone"
    UNKNOWN = "unknown"


class HitFate(Struct, frozen=True):
    """The state of a receipt's hit and its new location; None if it is gone or unknown."""

    fate: Fate
    place: HitPlace | None


class HitNow(HitPlace, frozen=True):
    """A hit of the receipt, and the new location of its chunk."""

    rank: Count
    """Rank in the receipt, from 0."""
    chunk_id: Sha256
    """Digest of the chunk's whole indexed text."""
    rank_now: Count | None
    """Rank in the new answer, from 0; null when the hit is missing."""
    place_now: HitPlace | None
    """New place of the chunk; null when it is gone, or its repository could not be read."""


class ReplayedHit(HitNow, frozen=True):
    """A hit of the receipt and its state."""

    fate: Annotated[Fate, tuple(fate.value for fate in Fate if fate is not Fate.UNKNOWN)]
    """`same`: same text, same lines; `moved`: same text elsewhere; `edited`: other text under the
    same name or at the same lines of the same file; `gone`: none of these.
    """


class NewHit(HitPlace, frozen=True):
    """A hit of the new answer that the receipt lacks."""

    rank_now: Count
    """Rank in the new answer, from 0."""


class ReplayDifference(Struct, frozen=True):
    """A difference between two answers."""

    place: str
    """JSON path of the value, such as `$.results[0].score`."""
    was: str | None
    """Value in the receipt as JSON, cut to a line; null for none."""
    now: str | None
    """Value in the new answer as JSON, cut to a line; null for none."""


class Replay(Struct, frozen=True):
    """The result of replaying a receipt.

    Attributes:
        now: origin of the new answer.
        changes: differences between the two origins.
        differences: the first differences between the two answers from the same snapshot.
        differing: number of all differences; `differences` can be shorter.
        same_hits: whether both answers contain the same chunks at the same locations in the same
            order.
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
        """Return whether the new answer has the same bytes."""
        return self.outcome is ReplayResult.REPRODUCED


def replayed_hits(
    hits: tuple[ReceiptHit, ...], fates: tuple[HitFate, ...], today: tuple[Hit, ...]
) -> tuple[ReplayedHit, ...]:
    """Return the receipt's hits with their states and their ranks in the new answer."""
    ranks = {hit.row_id: rank for rank, hit in enumerate(today)}
    return tuple(
        replayed_hit(hit, rank, whereabouts, _rank_of(whereabouts.place, ranks))
        for rank, (hit, whereabouts) in enumerate(zip(hits, fates, strict=True))
    )


def replayed_hit(
    hit: ReceiptHit, rank: int, whereabouts: HitFate, rank_now: int | None
) -> ReplayedHit:
    """Return a hit of a receipt with its state."""
    return ReplayedHit(
        **asdict(original_place(hit)),
        rank=rank,
        chunk_id=hit.chunk_id,
        rank_now=rank_now,
        place_now=whereabouts.place,
        fate=whereabouts.fate,
    )


def new_hits(old: tuple[ReplayedHit, ...], today: tuple[Hit, ...]) -> tuple[NewHit, ...]:
    """Return the hits of the new answer that the receipt lacks, best first."""
    known = {item.place_now.row_id for item in old if item.place_now}
    return tuple(new_hit(hit, rank) for rank, hit in enumerate(today) if hit.row_id not in known)


def new_hit(hit: Hit, rank: int) -> NewHit:
    """Return a hit of the new answer with its rank."""
    name = hit.qualified_name or hit.name
    return NewHit(hit.row_id, hit.path, hit.start_line, hit.end_line, name, rank)


def original_place(hit: ReceiptHit) -> HitPlace:
    """Return the recorded location of a receipt's hit."""
    return HitPlace(hit.row_id, hit.path, hit.start_line, hit.end_line, hit.name)


def _rank_of(place: HitPlace | None, ranks: dict[str, int]) -> int | None:
    return None if place is None else ranks.get(place.row_id)
