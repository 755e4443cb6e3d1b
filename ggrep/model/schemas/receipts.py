"""Receipts of answers, for one repository and for a workspace."""

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
    StoreId,
)
from ggrep.model.corpus import Corpus, Mode
from ggrep.model.request import SnippetMode
from ggrep.model.schemas.federated import FederatedJson, RepoStatus
from ggrep.model.schemas.search import SearchJson


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


class OriginJson(TypedDict):
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


class PlaceJson(TypedDict):
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


class ReceiptHitJson(PlaceJson):
    """One hit."""

    chunk_id: Sha256
    """Digest of the whole chunk's text as it was indexed."""
    is_anchor: bool
    """It is a file's header."""
    score: float
    """What the list is ordered by."""
    snippet_sha256: Sha256
    """Digest of the text that was shown."""


class ReceiptJson(DocumentJson):
    """What `ggrep search --receipt` writes and `ggrep replay` reads."""

    kind: Literal["repository"]
    """What was asked: one repository."""
    question: ReceiptQuestionJson
    budgets: BudgetsJson
    origin: OriginJson
    hits: Sequence[ReceiptHitJson]
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
    hit: ReceiptHitJson
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
