"""The outcome of replaying a receipt."""

from enum import Enum

from msgspec import Struct

from ggrep.model.hit import Hit
from ggrep.model.receipt import Change, Origin, Receipt, ReceiptHit


class Outcome(Enum):
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


class Place(Struct, frozen=True):
    """Where a chunk stands.

    Attributes:
        name: qualified, empty for what has none.
    """

    row_id: str
    path: str
    start_line: int
    end_line: int
    name: str


class Whereabouts(Struct, frozen=True):
    """What became of a hit, and where; no place for what is gone or unknown."""

    fate: Fate
    place: Place | None


class OldHit(Struct, frozen=True):
    """A hit of the receipt today.

    Attributes:
        rank: its place in the receipt, the first is 0.
        rank_now: that of what became of it in the answer of today; None where it is not in it.
    """

    hit: ReceiptHit
    rank: int
    whereabouts: Whereabouts
    rank_now: int | None


class NewHit(Struct, frozen=True):
    """A hit of the answer of today that is no hit of the receipt, nor what became of one."""

    rank: int
    place: Place


class Difference(Struct, frozen=True):
    """A place at which two JSON documents differ.

    Attributes:
        place: for example `$.results[0].score`.
        was: the value as JSON, cut to a line; None where there was none.
        now: likewise.
    """

    place: str
    was: str | None
    now: str | None


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
    outcome: Outcome
    now: Origin
    changes: tuple[Change, ...]
    differences: tuple[Difference, ...]
    differing: int
    hits: tuple[OldHit, ...]
    new_hits: tuple[NewHit, ...]
    same_hits: bool

    @property
    def is_reproduced(self) -> bool:
        """Return whether the very bytes came again."""
        return self.outcome is Outcome.REPRODUCED


def old_hits(
    hits: tuple[ReceiptHit, ...], found: tuple[Whereabouts, ...], today: tuple[Hit, ...]
) -> tuple[OldHit, ...]:
    """Return the receipt's hits with what became of each and its place in the answer of today."""
    ranks = {hit.row_id: rank for rank, hit in enumerate(today)}
    return tuple(
        OldHit(hit, rank, whereabouts, _rank_of(whereabouts.place, ranks))
        for rank, (hit, whereabouts) in enumerate(zip(hits, found, strict=True))
    )


def new_hits(old: tuple[OldHit, ...], today: tuple[Hit, ...]) -> tuple[NewHit, ...]:
    """Return the hits of today that no hit of the receipt became, best first."""
    known = {item.whereabouts.place.row_id for item in old if item.whereabouts.place}
    return tuple(
        NewHit(rank, place_of(hit)) for rank, hit in enumerate(today) if hit.row_id not in known
    )


def place_of(hit: Hit) -> Place:
    """Return where a hit stands."""
    name = hit.qualified_name or hit.name
    return Place(hit.row_id, hit.path, hit.start_line, hit.end_line, name)


def _rank_of(place: Place | None, ranks: dict[str, int]) -> int | None:
    return None if place is None else ranks.get(place.row_id)
