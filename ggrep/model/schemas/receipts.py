"""Receipts of answers and the results of replaying them, for one repository and for a workspace."""

from collections.abc import Sequence
from typing import Annotated, Literal, NotRequired, TypedDict

from ggrep.model.constraints import (
    Count,
    DocumentJson,
    Held,
    Positive,
    RootId,
    Sha256,
    SnapshotId,
    extends,
)
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.receipt import (
    Fate,
    HitNow,
    NewHit,
    Origin,
    ReceiptHit,
    ReplayChange,
    ReplayDifference,
    ReplayedHit,
    ReplayResult,
)
from ggrep.model.request import SnippetMode
from ggrep.model.schemas.answers import SearchJson
from ggrep.model.schemas.federated import FederatedJson, RepoStatus


class ReceiptFilterJson(TypedDict):
    """One filter."""

    key: str
    """What is compared."""
    value: str
    """With what."""
    negated: bool
    """Hits must not match."""


class ReceiptQuestionJson(TypedDict):
    """The request as it was asked; `ggrep replay` asks it again."""

    query: str
    """The words."""
    limit: Count
    """Most hits."""
    per_file: Count
    """Most hits of one file; 0 for as many as the settings allow."""
    mode: Annotated[str, Mode]
    """The intent."""
    corpora: Sequence[Annotated[str, Corpus]]
    """Corpora that were searched."""
    scope: str
    """Path that the answer is narrowed to; empty for all."""
    filters: Sequence[ReceiptFilterJson]
    """What narrows the answer further."""
    within: Sequence[ReceiptFilterJson]
    """Filters of a profile's view, which narrow the answer too."""
    snippet: Annotated[str, SnippetMode]
    """How much text is shown."""
    backend: Literal["auto", "exact"]
    """How vectors are scored."""
    include_anchors: bool
    """Headers of files are hits too."""
    deterministic: Literal[True]
    """Equal bytes for equal state."""
    explain: bool
    """How scores came about is told."""
    keep_weak: bool
    """All hits of a weak answer are shown."""
    find: Literal["auto", "definition", "usage", "concept", "exact-text", "regex", "similar-code"]
    """What the query is looked for as."""
    vectors: bool
    """Likeness of meaning counts."""
    ignore_case: NotRequired[bool]
    """A text or expression matches in any letter case; receipts of earlier builds have none of the
    following keys.
    """
    whole_words: NotRequired[bool]
    """A text or expression matches only whole words."""
    lines_before: NotRequired[Count]
    """Lines of context before a matching line."""
    lines_after: NotRequired[Count]
    """Lines of context after a matching line."""
    list_files: NotRequired[bool]
    """All files with matching lines are listed."""
    timeout_ms: Count
    """Deadline; 0 for the configured one."""


class BudgetsJson(TypedDict):
    """Output budgets in force."""

    max_candidates: Count
    """Rows kept after scoring."""
    max_query_results: Count
    """Most hits of an answer."""
    max_query_per_file: Count
    """Most hits of one file."""
    max_snippet_bytes_per_result: Count
    """Snippet bytes of one hit."""
    max_total_snippet_bytes: Count
    """Snippet bytes of the answer."""


class ReceiptJson(DocumentJson):
    """What `ggrep search --receipt` writes and `ggrep replay` reads."""

    kind: Literal["repository"]
    """What was asked: one repository."""
    question: ReceiptQuestionJson
    budgets: BudgetsJson
    origin: Origin
    hits: Sequence[ReceiptHit]
    """The hits, best first."""
    answer: SearchJson | None
    """The answer itself; null where it is too long to keep."""
    sha256: Sha256
    """Digest of the canonical bytes of all other keys."""


class WorkspaceQuestionJson(TypedDict):
    """The request as it was asked; `ggrep replay` asks it again."""

    search: ReceiptQuestionJson
    """The query; `top` stands in place of its limit."""
    top: Count
    """Most hits of each list."""
    select: Sequence[str]
    """Repositories that were added, by alias or id."""
    tags: Sequence[str]
    """Tags that repositories were chosen by."""
    repo_filter: Sequence[str]
    """Globs that repositories were chosen by."""
    include_disabled: bool
    """Disabled repositories take part."""
    only: Sequence[str]
    """Repositories that alone were kept, by alias or id."""
    merge_strategy: str | None
    """How lists were merged; null for the workspace's own way."""
    rrf_k: Count | None
    """Damping of the rrf merge; null for the workspace's."""
    per_repo_top: Count | None
    """Hits asked of each repository; null for the usual."""
    max_repos: Count
    """Most repositories searched; 0 for all."""
    fold: bool | None
    """Copies of one text are shown once; null for the strategy's own way."""
    concurrency: Positive
    """Repositories asked at once."""
    cohort: Sequence[str]
    """Cohorts that were asked."""
    cohort_policy: Literal["default", "strict", "priority"]
    """How a cohort was chosen."""
    allow_unsafe_mix: bool
    """Lists that do not compare were merged."""
    strict: bool
    """The first failure of a repository is the answer's."""
    snippet_bytes: Count
    """Most snippet text of the answer."""
    all_repos: NotRequired[bool]
    """All repositories are listed, not only those that matter; false where it is missing."""


class RepoOriginJson(TypedDict):
    """What one repository's part of the answer hangs on."""

    repo_id: RootId
    alias: str | None
    """Its name in the workspace; null for none."""
    status: RepoStatus
    """What became of it."""
    store_id: Annotated[str, Held(pattern=r"^([a-z0-9-]{1,24}-[0-9a-f]{12}-[0-9a-f]{12})?$")]
    """Its store; empty when unknown."""
    snapshot_id: SnapshotId | None
    """The snapshot that was asked; null when unknown."""
    config_fingerprint: Annotated[str, Held(pattern=r"^([0-9a-f]{64})?$")]
    """Identity of the settings the index was built under; empty when unknown."""
    ignore_fingerprint: Annotated[str, Held(pattern=r"^([0-9a-f]{64})?$")]
    """Identity of the ignore rules; empty when unknown."""
    encoder: str
    """Key of the encoder; equal ones make comparable vectors."""
    answers_key: str
    """Identity of the settings and the ranking that shape answers and no index."""


class WorkspaceOriginJson(TypedDict):
    """What the answer hangs on beside the words of the question."""

    version: str
    """Version of the program."""
    build: str
    """The installation: version and time."""
    repo_set_id: str
    """Identity of the workspace's set of repositories."""
    answer_sha256: Sha256
    """Digest of the bytes that `--json --deterministic` prints, the newline too."""
    repos: Sequence[RepoOriginJson]
    """The selected repositories, by id."""


class RepoHitJson(TypedDict):
    """One hit of one repository."""

    repo_id: RootId
    hit: ReceiptHit
    """The hit."""


class WorkspaceReceiptJson(DocumentJson):
    """What `ggrep search --workspace --receipt` writes and `ggrep replay --workspace` reads."""

    kind: Literal["workspace"]
    """What was asked: a workspace."""
    question: WorkspaceQuestionJson
    origin: WorkspaceOriginJson
    hits: Sequence[RepoHitJson]
    """The hits of the blended list, best first."""
    answer: FederatedJson | None
    """The answer itself; null where it is too long to keep."""
    sha256: Sha256
    """Digest of the canonical bytes of all other keys."""


class ReplayJson(DocumentJson):
    """What became of a receipt whose question was asked again."""

    reproduced: bool
    """The same bytes came from the same snapshot."""
    outcome: Annotated[str, ReplayResult]
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
