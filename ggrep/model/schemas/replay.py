"""The outcome of replaying a receipt."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from ggrep.model.constraints import Count, DocumentJson, RootId, Sha256
from ggrep.model.replay import Fate, Outcome
from ggrep.model.schemas.receipts import OriginJson, PlaceJson, WorkspaceOriginJson


class ReplayChangeJson(TypedDict):
    """One key of two origins that differ."""

    what: str
    """Key of the origin."""
    was: str | None
    """In the receipt."""
    now: str | None
    """Now."""


class ReplayDifferenceJson(TypedDict):
    """One place at which two answers differ."""

    place: str
    """Where, as `$.results[0].score`."""
    was: str | None
    """The receipt's value as JSON, cut to a line; null where there was none."""
    now: str | None
    """The value of now, likewise."""


class HitNowJson(PlaceJson):
    """A hit of the receipt, and where its chunk is now."""

    rank: Count
    """Place in the receipt, the first is 0."""
    chunk_id: Sha256
    """Digest of the whole chunk's text as it was indexed."""
    rank_now: Count | None
    """Place in the answer of now; null when it is not in it."""
    place_now: PlaceJson | None
    """Where it stands now; null when it is gone, or its repository could not be looked into."""


class ReplayedHitJson(HitNowJson):
    """What became of a hit."""

    fate: Annotated[str, tuple(fate.value for fate in Fate if fate is not Fate.UNKNOWN)]
    """`same`: same text, same lines; `moved`: same text elsewhere; `edited`: other text under the
    same name or at the same lines of the same file; `gone`: none of these.
    """


class NewHitJson(PlaceJson):
    """A hit of now that is none of the receipt's."""

    rank_now: Count
    """Place in the answer of now, the first is 0."""


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
    receipt: OriginJson
    """Where the receipt's answer came from."""
    now: OriginJson
    """Where the answer of now came from."""
    changes: Sequence[ReplayChangeJson]
    """What differs of the two origins."""
    differing: Count
    """Places at which two answers over one snapshot differ; 0 where another one was asked, or the
    receipt does not hold its answer.
    """
    differences: Sequence[ReplayDifferenceJson]
    """The first of those places."""
    same_hits: bool
    """Both answers hold the same chunks at the same places in the same order."""
    hits: Sequence[ReplayedHitJson]
    """The receipt's hits, best first."""
    new_hits: Sequence[NewHitJson]
    """Hits of now that none of the receipt's became."""


class RepoChangeJson(ReplayChangeJson):
    """One key of two origins that differ; `asked` where only one of the answers asked it."""

    repo_id: str | None
    """The repository; null for the workspace's own."""


class ReplayedRepoHitJson(HitNowJson):
    """What became of a hit of a repository."""

    repo_id: RootId
    fate: Annotated[str, Fate]
    """As in the replay of one repository; `unknown`: it could not be looked into."""


class NewRepoHitJson(NewHitJson):
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
