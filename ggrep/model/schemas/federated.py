"""The outcome of a workspace search: lists, a slate or a failure."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NotRequired, TypeAlias, TypedDict

from ggrep.model.confidence import Confidence
from ggrep.model.constraints import (
    Count,
    DocumentJson,
    FailureCode,
    Figure,
    Held,
    ManifestHash,
    Positive,
    RepoId,
    RepoName,
    RepoSetId,
    RequestId,
    Sha256,
    SnapshotId,
    extends,
    held_to,
    may_grow,
)
from ggrep.model.corpus import Corpus
from ggrep.model.limits import LimitHit
from ggrep.model.response import Freshness, Hit, federated_key
from ggrep.model.schemas.failure import HintJson, IssueJson
from ggrep.model.schemas.slate import ContinuedJson, SlateJson

RepoStatus: TypeAlias = Literal[
    "ok",
    "partial",
    "missing_root",
    "missing_index",
    "incompatible",
    "error",
    "timeout",
    "skipped",
]
"""What became of a repository."""


class NamedWorkspaceJson(TypedDict):
    """The workspace."""

    name: str
    """Its name; may be empty."""
    workspaceId: str
    """The same as repoSetId."""
    workspacePath: NotRequired[str]
    """Absolute path of its file; present only when paths were asked for."""


class SelectedRepoJson(TypedDict):
    """One repository that was meant."""

    repoId: RepoName
    alias: str | None
    """Its short name in the workspace; null when it has none."""
    priority: int
    """Higher wins ties under rrf."""
    enabled: bool
    """Searched when nothing is said."""


class SelectionJson(TypedDict):
    """Which repositories the request meant."""

    selectedRepoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Their ids, in order."""
    selectedRepos: Sequence[SelectedRepoJson]
    """By priority, highest first, then alias, then id."""
    explicitSelects: Sequence[str]
    """Tokens of --select as read."""
    tags: Sequence[str]
    """Tags asked for, lower-case, sorted."""
    repoFilter: Sequence[str]
    """Globs asked for."""
    only: Sequence[str]
    """Tokens of --only as read."""
    includeDisabled: bool
    """Disabled repositories were asked as well."""


Strategy: TypeAlias = Annotated[str, ("rrf", "global")]


class MergeJson(TypedDict):
    """How lists became one."""

    strategy: Strategy
    """The strategy that was used."""
    rrfK: Positive
    """Damping of the strategies that go by ranks."""
    requested: NotRequired[Strategy]
    """The strategy that was asked for; present when it could not be used."""
    fold: bool
    """Copies of one text in several repositories are shown once, under `alsoIn`."""


class FederatedLimitsJson(TypedDict):
    """Bounds in force."""

    top: Count
    """Most hits of each list."""
    perRepoTop: Count
    """Most hits taken of one repository."""
    concurrency: Positive
    """Most repositories asked at once."""
    maxRepos: Count
    """Most repositories searched, those that fit the query best; 0 for all."""


class CorpusCohortJson(TypedDict):
    """Who was asked for one corpus."""

    cohortKey: str | None
    """Equal keys mean comparable indexes; null when several were mixed or none is there."""
    repoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Asked."""
    excludedRepoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Not asked, because their index does not compare."""


class CohortsJson(TypedDict):
    """Whose indexes were compared."""

    policy: Annotated[str, ("default", "strict", "priority", "unsafe-mix")]
    """How one of several cohorts is chosen."""
    byMode: Mapping[Annotated[str, Corpus], CorpusCohortJson]
    """By requested corpus."""


class StatisticsReposJson(TypedDict):
    """What scores were measured against."""

    repoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Repositories whose figures were summed; empty but under global."""


class WorkspaceMetaJson(TypedDict):
    """Which workspace was asked, and which of its repositories."""

    repoSetId: RepoSetId
    """Identity of the workspace's set of repositories."""
    manifestHash: ManifestHash
    """Identity of the index state of the selected repositories."""
    workspace: NamedWorkspaceJson
    selection: SelectionJson
    snapshots: Mapping[RepoId, SnapshotId]
    """The snapshot of each repository of `repos` that has one."""
    ruledOut: NotRequired[int]
    """Repositories that were selected, asked and well, and that nothing comes of: not in `repos`.

    Wherever this object names repositories, it leaves them out."""


class MergeRulesJson(TypedDict):
    """By which rules lists were made."""

    merge: MergeJson
    limits: FederatedLimitsJson
    cohort: CohortsJson
    statistics: StatisticsReposJson


class FederatedMetaJson(WorkspaceMetaJson, MergeRulesJson):
    """What was asked of whom, and by which rules."""


class RepoFailureJson(TypedDict):
    """A failure."""

    code: FailureCode
    """Stable name of the failure; NO_INDEX when nothing was published."""
    message: str
    """One line for people."""


class CorpusResultJson(TypedDict):
    """What became of one corpus of a repository."""

    status: RepoStatus
    count: Count
    """Hits it gave for the merge."""
    error: NotRequired[RepoFailureJson]


class CouldChangeJson(TypedDict):
    """Present when it gave no lists: whether the answer could be another one with them."""

    verdict: Literal["no", "yes", "unknown"]
    """unknown when its content is unknown."""
    reason: str
    """Why, in one of a few fixed texts."""


class FederatedRepoJson(TypedDict):
    """What became of one selected repository."""

    repoId: RepoName
    alias: str | None
    """Its short name in the workspace; null when it has none."""
    status: RepoStatus
    """partial when its corpora came to different ends."""
    perMode: Mapping[Annotated[str, Corpus], CorpusResultJson]
    """By requested corpus."""
    snapshotId: SnapshotId | None
    """The snapshot that answered, or that it spoke of; null when unknown."""
    degraded: bool | None
    """The snapshot left files out; null when unknown."""
    partialIndex: bool | None
    """Its first index is still being built; null when unknown."""
    error: NotRequired[RepoFailureJson]
    compatibilityKey: str | None
    """Repositories with equal keys hold comparable indexes; null when unknown."""
    profile: NotRequired[str]
    """The profile whose view narrows its hits and slates; present when one does."""
    couldChange: NotRequired[CouldChangeJson]
    repoRootCanonical: NotRequired[str]
    """Where its files are; present only when absolute paths are asked for."""


class DiagnosticJson(TypedDict):
    """Something the caller should know."""

    code: FailureCode
    """Stable name."""
    message: str
    """One line for people; absolute paths are redacted unless asked for."""
    repoId: NotRequired[RepoName]
    mode: NotRequired[Annotated[str, Corpus]]
    """The corpus it concerns; absent when all."""
    file: NotRequired[str]
    """Path below the repository's root, with forward slashes."""


class DiagnosticsJson(TypedDict):
    """Sorted by repository, corpus and code."""

    warnings: Sequence[DiagnosticJson]
    errors: Sequence[DiagnosticJson]


@extends(LimitHit)
class FederatedLimitJson(TypedDict):
    """A bound that changed the answer."""

    repoId: NotRequired[RepoId]
    """The repository that met it; absent for the coordinator's own."""


@may_grow
class RepoStatsJson(TypedDict):
    """Figures of one repository."""

    elapsedMs: Figure
    """Sum of its calls, milliseconds."""
    freshness: NotRequired[Freshness]
    """Whether its index holds the work tree as it was at that moment, as far as is known."""


@may_grow
class FederatedStatsJson(TypedDict):
    """Figures that differ from run to run; present with --stats. Open: more may be told later."""

    elapsedMs: Figure
    """From request to answer, milliseconds."""
    repos: Mapping[RepoId, RepoStatsJson]
    """By repository."""
    fromMemory: bool
    """The repositories gave their lists to an earlier question, over the same snapshots."""


class StatedJson(TypedDict):
    """Figures, where they were asked for."""

    stats: NotRequired[FederatedStatsJson]


class FailureDetailsJson(TypedDict):
    """Figures that go with the code."""

    retry_after_ms: NotRequired[Count]
    """Milliseconds to wait before trying again."""


class DetailedFailureJson(TypedDict):
    """The failure."""

    code: FailureCode
    """Stable name of the failure."""
    message: str
    """One line for people."""
    request_id: NotRequired[RequestId]
    """The request that failed, when it had a name."""
    snapshot_id: NotRequired[SnapshotId]
    """The snapshot that was in use, when one was."""
    details: FailureDetailsJson
    issues: NotRequired[Annotated[Sequence[IssueJson], Held(least=1)]]
    """All that was found wrong with the workspace file or the request."""


@held_to(dependentRequired={"meta": ["repos", "limits_hit"], "repos": ["meta"]})
class FederatedErrorJson(DocumentJson, StatedJson):
    """What a search of a workspace returns when there is no answer.

    `meta`, `repos` and `limits_hit` are there once repositories were asked.
    """

    ok: Literal[False]
    """Whether there is an answer."""
    backend: Literal["federated", "repository"]
    """The part that failed: a workspace, or over HTTP one repository."""
    meta: NotRequired[FederatedMetaJson | WorkspaceMetaJson]
    """Without rules of merging where no lists were asked for."""
    repos: NotRequired[Sequence[FederatedRepoJson]]
    """Every selected repository, by id."""
    diagnostics: DiagnosticsJson
    limits_hit: NotRequired[Sequence[FederatedLimitJson]]
    """Cuts that were made."""
    code: FailureCode
    """Stable name of the failure; the same as error.code."""
    message: str
    """The same as error.message."""
    error: DetailedFailureJson


class ToolWorkspaceFailureJson(FederatedErrorJson, HintJson):
    """What the tool that searches workspaces returns when it fails."""


class AttendedJson(StatedJson):
    """What every answer about names says of the repositories."""

    backend: Literal["federated"]
    meta: WorkspaceMetaJson
    repos: Sequence[FederatedRepoJson]
    """Every selected repository, by id."""
    diagnostics: DiagnosticsJson
    limits_hit: Sequence[FederatedLimitJson]
    """Cuts that were made."""


class AskedJson(DocumentJson, StatedJson):
    """What is said once repositories were asked."""

    backend: Literal["federated"]
    meta: FederatedMetaJson
    repos: Sequence[FederatedRepoJson]
    """The selected repositories that matter to the answer, by id: all of a few."""
    diagnostics: DiagnosticsJson
    limits_hit: Sequence[FederatedLimitJson]
    """Cuts that were made."""


class FederatedAnswerJson(AskedJson):
    """What the answers of a workspace have in common."""

    ok: Literal[True]
    """Whether there is an answer."""
    confidence: Annotated[str, Confidence]
    """How well the best hits of all repositories fit the query: `weak` answers have their
    lists shortened, and one without any strong match has three hits in each at most; a weak slate
    is shorter.
    """


class FederatedSlateJson(FederatedAnswerJson, ContinuedJson):
    """What a question needs from the repositories of a workspace.

    The answer of a search of it, with a slate in the place of its lists.
    """

    format: Literal["slate"]
    """What stands in the place of the lists."""
    slate: SlateJson
    """Files of all repositories, each under the name that the workspace gives its own."""


class RepoPlaceJson(TypedDict):
    """Where a chunk stands."""

    repoId: RepoName
    repoAlias: str | None
    """Its short name in the workspace; null when it has none."""
    file: str
    """Path below the repository's root, with forward slashes."""
    start: Positive
    """First line of the chunk, 1-based."""
    end: Positive
    """Last line of the chunk, 1-based, inclusive."""
    id: Sha256
    """Equal wherever the same text stands at the same place of the same path."""


class RepoFileMatchesJson(TypedDict):
    """A file of a repository with lines that match."""

    repoId: str
    """The repository that holds the file."""
    repoAlias: str | None
    """The repository's alias, if it has one."""
    file: str
    """Path below the repository's root."""
    lines: Count
    """How many match."""


class FederatedMatchesJson(TypedDict):
    """Everything that matches a text or expression, shown or not."""

    lines: Count
    """Lines that match."""
    files: Count
    """Files that have any."""
    byFile: NotRequired[Sequence[RepoFileMatchesJson]]
    """All of these files, where the request lists them."""


@extends(Hit, federated_key)
class FederatedHitJson(RepoPlaceJson):
    """One chunk of one repository."""

    globalId: str
    """repoId, a colon and id: a name no other hit of the answer has."""
    score: float
    """What the merged list is ordered by, with the ties the strategy defines."""
    localScore: float
    """The repository's own score; with strategy global it is measured against all repositories."""
    localRank: Count
    """Place in the repository's own list, 0-based."""
    explain: NotRequired[Mapping[str, float]]
    """Parts of the score by name; present when the request asked to explain."""
    alsoIn: NotRequired[Annotated[Sequence[RepoPlaceJson], Held(least=1)]]
    """Where other repositories hold the same text; present when there are such."""


class FederatedMoreJson(TypedDict):
    """Keys that only some searches of a workspace have."""

    matches: NotRequired[FederatedMatchesJson]
    """Present where lines are matched, for a text or an expression."""


class FederatedJson(FederatedAnswerJson, FederatedMoreJson):
    """What a search of a workspace returns, with a row for each selected repository."""

    results: Sequence[FederatedHitJson]
    """Hits of all requested corpora in one list, best first."""
    code: Sequence[FederatedHitJson]
    """Hits of the corpus code, best first; empty when it was not asked for."""
    prose: Sequence[FederatedHitJson]
    """Hits of the corpus prose, best first; empty when it was not asked for."""
    extractedProse: Sequence[FederatedHitJson]
    """Hits of the corpus extractedProse, best first; empty when it was not asked for."""
    records: Sequence[FederatedHitJson]
    """Hits of the corpus records, best first; empty when it was not asked for."""
