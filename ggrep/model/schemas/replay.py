"""The outcome of replaying a receipt."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from ggrep.model.constraints import Count, DocumentJson, RootId, extends
from ggrep.model.receipt import Origin, ReplayChange
from ggrep.model.replay import Fate, HitNow, NewHit, Outcome, ReplayDifference, ReplayedHit
from ggrep.model.schemas.receipts import WorkspaceOriginJson


class ReplayJson(DocumentJson):
    """What became of a receipt whose question was asked again."""

    reproduced: bool
    """The same bytes came from the same snapshot."""
    outcome: Annotated[str, Outcome]
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


@extends(ReplayChange)
class RepoChangeJson(TypedDict):
    """One key of two origins that differ; `asked` where only one of the answers asked it."""

    repo_id: str | None
    """The repository; null for the workspace's own."""


@extends(HitNow)
class ReplayedRepoHitJson(TypedDict):
    """What became of a hit of a repository."""

    repo_id: RootId
    fate: Annotated[str, Fate]
    """As in the replay of one repository; `unknown`: it could not be looked into."""


@extends(NewHit)
class NewRepoHitJson(TypedDict):
    """A hit of now, of one repository, that is none of the receipt's."""

    repo_id: RootId


class WorkspaceReplayJson(DocumentJson):
    """What became of a workspace's receipt whose question was asked again."""

    reproduced: bool
    """The same bytes came again."""
    query: str
    """The words of the question."""
    receipt: WorkspaceOriginJson
    """What the receipt's answer hangs on."""
    now: WorkspaceOriginJson
    """What the answer of now hangs on."""
    changes: Sequence[RepoChangeJson]
    """What differs of the two."""
    hits: Sequence[ReplayedRepoHitJson]
    """The receipt's hits, best first."""
    new_hits: Sequence[NewRepoHitJson]
    """Hits of now that none of the receipt's became."""
