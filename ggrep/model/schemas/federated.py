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
from ggrep.model.workspace_state import Diagnostics

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
"""Outcome of a repository."""


class NamedWorkspaceJson(TypedDict):
    """The queried workspace."""

    name: str
    """Name of the workspace; may be empty."""
    workspaceId: str
    """The same as repoSetId."""
    workspacePath: NotRequired[str]
    """Absolute path of the workspace file; present only when absolute paths were requested."""


class SelectedRepoJson(TypedDict):
    """A selected repository and its outcome."""

    repoId: RepoName
    alias: str | None
    """Short name of the repository; null for none."""
    priority: int
    """Priority; a higher priority wins ties with `rrf`."""
    enabled: bool
    """Whether the repository is searched by default."""


class SelectionJson(TypedDict):
    """The repositories that the request selects."""

    selectedRepoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Ids of the selected repositories, in order."""
    selectedRepos: Sequence[SelectedRepoJson]
    """Selected repositories by priority, highest first, then alias, then id."""
    explicitSelects: Sequence[str]
    """Values of `--select`."""
    tags: Sequence[str]
    """Requested tags, lower-case, sorted."""
    repoFilter: Sequence[str]
    """Requested globs."""
    only: Sequence[str]
    """Values of `--only`."""
    includeDisabled: bool
    """Whether disabled repositories were also selected."""


Strategy: TypeAlias = Annotated[str, ("rrf", "global")]


class MergeJson(TypedDict):
    """The merge of lists."""

    strategy: Strategy
    """The strategy that was used."""
    rrfK: Positive
    """Rank constant k of rrf."""
    requested: NotRequired[Strategy]
    """Requested strategy; present when it could not be used."""
    fold: bool
    """Whether copies of a text in several repositories are shown once; `alsoIn` lists the
    copies."""


class FederatedLimitsJson(TypedDict):
    """Limits of the search."""

    top: Count
    """Maximum number of hits of each list."""
    perRepoTop: Count
    """Maximum number of hits from a repository."""
    concurrency: Positive
    """Maximum number of concurrently queried repositories."""
    maxRepos: Count
    """Maximum number of searched repositories, those that fit the query best; 0 for all."""


class CorpusCohortJson(TypedDict):
    """The repositories that were queried for one corpus."""

    cohortKey: str | None
    """Key of the cohort; equal keys mean comparable indexes. Null for mixed cohorts or none."""
    repoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Ids of the queried repositories."""
    excludedRepoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Repositories that were not queried because their indexes are not comparable."""


class CohortsJson(TypedDict):
    """Repositories with comparable indexes."""

    policy: Annotated[str, ("default", "strict", "priority", "unsafe-mix")]
    """Rule for choosing a cohort."""
    byMode: Mapping[Annotated[str, Corpus], CorpusCohortJson]
    """Cohorts by requested corpus."""


class StatisticsReposJson(TypedDict):
    """The repositories whose statistics affect scores."""

    repoIds: Annotated[Sequence[RepoId], Held(unique=True)]
    """Repositories whose term statistics were summed; empty unless the strategy is global."""


class WorkspaceMetaJson(TypedDict):
    """The queried workspace and the selected repositories."""

    repoSetId: RepoSetId
    """Identity of the set of repositories, independent of their names and order."""
    manifestHash: ManifestHash
    """Identity of the index state of the selected repositories."""
    workspace: NamedWorkspaceJson
    selection: SelectionJson
    snapshots: Mapping[RepoId, SnapshotId]
    """Snapshots of the repositories in `repos` that have one."""
    ruledOut: NotRequired[int]
    """Number of healthy selected repositories without a hit; they are not in `repos`.

    Other lists of repositories in this object omit them."""


class MergeRulesJson(TypedDict):
    """The settings of merging."""

    merge: MergeJson
    limits: FederatedLimitsJson
    cohort: CohortsJson
    statistics: StatisticsReposJson


class FederatedMetaJson(WorkspaceMetaJson, MergeRulesJson):
    """The queried repositories, and the settings of merging."""


class RepoFailureJson(TypedDict):
    """The failure of a repository."""

    code: FailureCode
    """Stable name of the failure; NO_INDEX when nothing was published."""
    message: str
    """Text on a single line."""


class CorpusResultJson(TypedDict):
    """Outcome of one corpus of a repository."""

    status: RepoStatus
    count: Count
    """Number of hits that the corpus contributed to the merge."""
    error: NotRequired[RepoFailureJson]


class CouldChangeJson(TypedDict):
    """Whether lists of this repository could change the answer; present if it returned no lists."""

    verdict: Literal["no", "yes", "unknown"]
    """`unknown` if the content of the repository is unknown."""
    reason: str
    """Reason, from a fixed set of texts."""


class FederatedRepoJson(TypedDict):
    """Outcome of one selected repository."""

    repoId: RepoName
    alias: str | None
    """Short name of the repository; null for none."""
    status: RepoStatus
    """`partial` when the outcomes of its corpora differ."""
    perMode: Mapping[Annotated[str, Corpus], CorpusResultJson]
    """Outcomes by requested corpus."""
    snapshotId: SnapshotId | None
    """Snapshot that answered, or that the repository reported; null if unknown."""
    degraded: bool | None
    """Whether the snapshot left out files that could not be indexed; null when unknown."""
    partialIndex: bool | None
    """Whether the first index is still being built; null when unknown."""
    error: NotRequired[RepoFailureJson]
    compatibilityKey: str | None
    """Repositories with equal keys have comparable indexes; null when unknown."""
    profile: NotRequired[str]
    """The profile that restricts the repository's hits and slates; absent for none."""
    couldChange: NotRequired[CouldChangeJson]
    repoRootCanonical: NotRequired[str]
    """Absolute path of the repository's files; present only when absolute paths were requested."""


@extends(LimitHit)
class FederatedLimitJson(TypedDict):
    """A bound that changed the answer."""

    repoId: NotRequired[RepoId]
    """The repository that reached the limit; absent for limits of the whole answer."""


@may_grow
class RepoStatsJson(TypedDict):
    """Duration of a repository's calls, and freshness of its index."""

    elapsedMs: Figure
    """Total duration of the calls to the repository, milliseconds."""
    freshness: NotRequired[Freshness]
    """Whether the index is known to match the work tree at that time."""


@may_grow
class FederatedStatsJson(TypedDict):
    """Figures that differ from run to run; present with --stats. Later versions can add keys."""

    elapsedMs: Figure
    """Duration from request to answer, milliseconds."""
    repos: Mapping[RepoId, RepoStatsJson]
    """Figures by repository."""
    fromMemory: bool
    """Whether the lists were cached by an earlier request over the same snapshots."""


class StatedJson(TypedDict):
    """Figures that differ from run to run, if they were requested."""

    stats: NotRequired[FederatedStatsJson]


class FailureDetailsJson(TypedDict):
    """Additional values that depend on the code."""

    retry_after_ms: NotRequired[Count]
    """Milliseconds to wait before a retry."""


class DetailedFailureJson(TypedDict):
    """The failure."""

    code: FailureCode
    """Stable name of the failure."""
    message: str
    """Text on a single line."""
    request_id: NotRequired[RequestId]
    """Id of the failed request; absent if it had none."""
    snapshot_id: NotRequired[SnapshotId]
    """Snapshot that was queried; absent if there was none."""
    details: FailureDetailsJson
    issues: NotRequired[Annotated[Sequence[IssueJson], Held(least=1)]]
    """All mistakes in a workspace file or a workspace request."""


@held_to(dependentRequired={"meta": ["repos", "limits_hit"], "repos": ["meta"]})
class FederatedErrorJson(DocumentJson, StatedJson):
    """Output of a failed search of a workspace.

    `meta`, `repos` and `limits_hit` are present once repositories were queried.
    """

    ok: Literal[False]
    """Whether there is an answer."""
    backend: Literal["federated", "repository"]
    """The failed part: a workspace, or over HTTP a repository."""
    meta: NotRequired[FederatedMetaJson | WorkspaceMetaJson]
    """Workspace and repositories; rules of merging only if lists were requested."""
    repos: NotRequired[Sequence[FederatedRepoJson]]
    """Every selected repository, by id."""
    diagnostics: Diagnostics
    limits_hit: NotRequired[Sequence[FederatedLimitJson]]
    """Limits that cut the answer."""
    code: FailureCode
    """Stable name of the failure; the same as error.code."""
    message: str
    """The same as error.message."""
    error: DetailedFailureJson


class ToolWorkspaceFailureJson(FederatedErrorJson, HintJson):
    """Output of the tool that searches workspaces when it fails."""


class AttendedJson(StatedJson):
    """The state of the repositories in every answer about names."""

    backend: Literal["federated"]
    meta: WorkspaceMetaJson
    repos: Sequence[FederatedRepoJson]
    """Every selected repository, by id."""
    diagnostics: Diagnostics
    limits_hit: Sequence[FederatedLimitJson]
    """Limits that cut the answer."""


class AskedJson(DocumentJson, StatedJson):
    """The common part of answers for which repositories were queried."""

    backend: Literal["federated"]
    meta: FederatedMetaJson
    repos: Sequence[FederatedRepoJson]
    """Selected repositories that affect the answer, by id; all if they are few."""
    diagnostics: Diagnostics
    limits_hit: Sequence[FederatedLimitJson]
    """Limits that cut the answer."""


class FederatedAnswerJson(AskedJson):
    """The common part of all answers of a workspace."""

    ok: Literal[True]
    """Whether there is an answer."""
    confidence: Annotated[str, Confidence]
    """Fit of the best hits of all repositories to the query: a `weak` answer has shortened lists,
    an answer without a strong match has at most three hits in each list, and a weak slate is
    shorter."""


class FederatedSlateJson(FederatedAnswerJson, ContinuedJson):
    """Evidence for a question from the repositories of a workspace.

    The answer of a workspace search with a slate instead of lists.
    """

    format: Literal["slate"]
    """Format of the answer: a slate instead of lists."""
    slate: SlateJson
    """Slate with files of all repositories; each file has the name of its repository."""


class RepoPlaceJson(TypedDict):
    """Location of a chunk in a repository."""

    repoId: RepoName
    repoAlias: str | None
    """Short name of the repository; null for none."""
    file: str
    """Path below the repository's root, with forward slashes."""
    start: Positive
    """First line of the chunk, 1-based."""
    end: Positive
    """Last line of the chunk, 1-based, inclusive."""
    id: Sha256
    """Id of the chunk; equal for the same text at the same position in the same path."""


class RepoFileMatchesJson(TypedDict):
    """A file of a repository with lines that match."""

    repoId: str
    """Repository of the file."""
    repoAlias: str | None
    """Short name of the repository; null for none."""
    file: str
    """Path below the repository's root, with forward slashes."""
    lines: Count
    """Number of matching lines."""


class FederatedMatchesJson(TypedDict):
    """Totals of all matches of a text or expression, shown or not."""

    lines: Count
    """Number of matching lines."""
    files: Count
    """Number of files with matching lines."""
    byFile: NotRequired[Sequence[RepoFileMatchesJson]]
    """All files with matching lines, when the request lists them."""


@extends(Hit, federated_key)
class FederatedHitJson(RepoPlaceJson):
    """A hit of a merged list, with its repository."""

    globalId: str
    """Unique name of the hit in the answer: repoId, a colon and id."""
    score: float
    """Score that orders the merged list; the strategy breaks ties."""
    localScore: float
    """Score in the repository's list; with the strategy `global` it depends on all repositories."""
    localRank: Count
    """Rank in the repository's list, from 0."""
    explain: NotRequired[Mapping[str, float]]
    """Parts of the score by name; present if the request sets `explain`."""
    alsoIn: NotRequired[Annotated[Sequence[RepoPlaceJson], Held(least=1)]]
    """Locations of the same text in other repositories; absent if there are none."""


class FederatedMoreJson(TypedDict):
    """Keys that are only in the answers to some searches of a workspace."""

    matches: NotRequired[FederatedMatchesJson]
    """Totals of matches; present for a search by text or regular expression."""


class FederatedJson(FederatedAnswerJson, FederatedMoreJson):
    """The answer to a search of a workspace, with a row for each selected repository."""

    results: Sequence[FederatedHitJson]
    """Hits of all requested corpora in one list, best first."""
    code: Sequence[FederatedHitJson]
    """Hits of the corpus code, best first; empty when it was not requested."""
    prose: Sequence[FederatedHitJson]
    """Hits of the corpus prose, best first; empty when it was not requested."""
    extractedProse: Sequence[FederatedHitJson]
    """Hits of the corpus extractedProse, best first; empty when it was not requested."""
    records: Sequence[FederatedHitJson]
    """Hits of the corpus records, best first; empty when it was not requested."""
