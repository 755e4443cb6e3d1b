"""The common part of all answers about one repository."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from ggrep.model.constraints import (
    Code,
    Commit,
    Count,
    DocumentJson,
    Named,
    RequestId,
    Sha256,
    SnapshotId,
    StoreId,
)


class IndexedJson(TypedDict):
    """How much of the repository can be found."""

    files: Count
    """Files in the snapshot."""
    eligible: Count
    """Files there were to index; more than `files` while a first index is built."""


class GitJson(TypedDict):
    """The work tree the snapshot was taken from; null outside git."""

    head_sha: Commit | None
    """Commit of HEAD; null before the first one."""
    dirty: bool | None
    """Tracked files differed from HEAD; null when unknown."""
    untracked_included: bool
    """Files that git does not track are indexed as well."""


class PagedJson(TypedDict):
    """Where an answer goes on."""

    next_cursor: NotRequired[Named]
    """What the next page is asked for by; absent on the last."""


class LimitJson(TypedDict):
    """A bound that changed the answer. Sorted by code, then path; one entry for each pair."""

    code: Code
    """Stable name of the bound."""
    limit: Count
    """The bound that applied, in the unit of its name: a count or bytes."""
    observed: NotRequired[Count]
    """How much there was before the cut; absent when unknown."""
    path_key: NotRequired[str]
    """The file it concerns; absent when it concerns the whole answer."""


class NoticeJson(TypedDict):
    """A warning. Sorted by code, then path; one entry for each pair."""

    code: Code
    """Stable name of the warning."""
    message: str
    """One line for people; holds no file content."""
    path_key: NotRequired[str]
    """The file it concerns; absent when it concerns the whole answer."""


class ScanJson(TypedDict):
    """How much the scan saw; present where `partial` is `scan`."""

    files: Count
    """Files that were looked into."""
    listed_files: Count | None
    """Files there were to look into, at most; null where they were not all listed."""
    bytes: Count
    """Bytes that were looked through."""
    matching_files: Count
    """Files of those that may answer."""
    ranked_files: Count
    """The best of these, which were ranked."""
    complete: bool
    """Time was enough for all of it."""


class AnswerJson(DocumentJson):
    """What answers to all questions about one repository have in common."""

    request_id: RequestId
    """Names this answer: chosen by the client, else a ULID; derived from the request in
    deterministic mode.
    """
    store_id: StoreId
    """The store that answered."""
    config_fingerprint: Sha256
    """Identity of the settings the index was built under (SHA-256, hex)."""
    ignore_fingerprint: Sha256
    """Identity of the ignore rules (SHA-256, hex)."""
    query_fingerprint: Sha256
    """Identity of the question and of what shapes its answer (SHA-256, hex)."""
    embed_config_fingerprint: Sha256
    """Identity of what is embedded and by what (SHA-256, hex)."""
    snapshot_id: SnapshotId | None
    """The one snapshot that everything in this answer was read from; null for a scan."""
    degraded: bool
    """The snapshot left out files that could not be indexed."""
    indexed: IndexedJson
    git: GitJson | None
    limits_hit: Sequence[LimitJson]
    """Cuts that were made."""
    warnings: Sequence[NoticeJson]
    """What the reader should know before trusting the answer."""


class TimedJson(TypedDict):
    """How long it took, where that may be said."""

    timings_ms: NotRequired[Mapping[str, Count]]
    """Milliseconds of each stage; absent in deterministic mode. Stages may be added."""
