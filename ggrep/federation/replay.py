"""Replays a workspace's receipt: runs its query again and compares the answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from ggrep.federation.receipt import RepoOrigin, WorkspaceOrigin, WorkspaceReceipt
from ggrep.federation.response import FederatedResponse
from ggrep.model.receipt import Change, ReceiptHit
from ggrep.model.replay import Fate, NewHit, OldHit, Place, Whereabouts, place_of

_UNKNOWN: Final = Whereabouts(Fate.UNKNOWN, None)


@dataclass(frozen=True, slots=True)
class RepoChange:
    """A difference from the receipt; `repo_id` is None for the workspace itself."""

    repo_id: str | None
    change: Change


@dataclass(frozen=True, slots=True)
class RepoOldHit:
    """A hit of the receipt today; ranks are those of the blended list."""

    repo_id: str
    item: OldHit


@dataclass(frozen=True, slots=True)
class RepoNewHit:
    """A hit of today that matches none of the receipt."""

    repo_id: str
    item: NewHit


@dataclass(frozen=True, slots=True)
class WorkspaceReplay:
    """The outcome of replaying a workspace's receipt."""

    receipt: WorkspaceReceipt
    now: WorkspaceOrigin
    changes: tuple[RepoChange, ...]
    hits: tuple[RepoOldHit, ...]
    new_hits: tuple[RepoNewHit, ...]

    @property
    def is_reproduced(self) -> bool:
        """Return whether the answer has the same bytes again."""
        return self.now.answer_sha256 == self.receipt.origin.answer_sha256


def replay_of(
    receipt: WorkspaceReceipt,
    now: WorkspaceOrigin,
    today: FederatedResponse,
    found: Mapping[str, Sequence[Whereabouts]],
) -> WorkspaceReplay:
    """Return the outcome of replaying a receipt.

    Args:
        receipt: what was answered then.
        now: what the answer of now hangs on.
        today: the answer of now.
        found: what became of each repository's hits, in their order; a repository that could not
            be looked into is not among them.
    """
    ranks = {(str(m.repo_id), m.hit.row_id): rank for rank, m in enumerate(today.hits)}
    left = {repo_id: iter(places) for repo_id, places in found.items()}
    old, known = [], set[tuple[str, str]]()
    for rank, held in enumerate(receipt.hits):
        whereabouts = next(left.get(held.repo_id, iter(())), _UNKNOWN)
        rank_now = None
        if whereabouts.place is not None:
            key = held.repo_id, whereabouts.place.row_id
            known.add(key)
            rank_now = ranks.get(key)
        old.append(RepoOldHit(held.repo_id, OldHit(held.hit, rank, whereabouts, rank_now)))
    new = [
        RepoNewHit(m.repo_id, NewHit(rank, place_of(m.hit)))
        for rank, m in enumerate(today.hits)
        if (m.repo_id, m.hit.row_id) not in known
    ]
    return WorkspaceReplay(receipt, now, _changes(receipt.origin, now), tuple(old), tuple(new))


def standing(hits: Sequence[ReceiptHit]) -> tuple[Whereabouts, ...]:
    """Return each hit at its old rank, as is known when the same bytes came again."""
    return tuple(
        Whereabouts(Fate.SAME, Place(hit.row_id, hit.path, hit.start_line, hit.end_line, hit.name))
        for hit in hits
    )


def _changes(was: WorkspaceOrigin, now: WorkspaceOrigin) -> tuple[RepoChange, ...]:
    """Return the differences: of the workspace first, then by repository."""
    found = [
        RepoChange(None, Change(key, getattr(was, key), getattr(now, key)))
        for key in ("version", "build", "repo_set_id")
        if getattr(was, key) != getattr(now, key)
    ]
    before = {repo.repo_id: repo for repo in was.repos}
    after = {repo.repo_id: repo for repo in now.repos}
    for repo_id in sorted({*before, *after}):
        old, new = before.get(repo_id), after.get(repo_id)
        if old is None or new is None:
            asked = Change("asked", _yes(old), _yes(new))
            found.append(RepoChange(repo_id, asked))
            continue
        for field in fields(RepoOrigin):
            values = getattr(old, field.name), getattr(new, field.name)
            if values[0] != values[1]:
                found.append(RepoChange(repo_id, Change(field.name, *values)))
    return tuple(found)


def _yes(repo: RepoOrigin | None) -> str | None:
    return None if repo is None else "yes"
