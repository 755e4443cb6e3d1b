"""The common part of all answers about one repository."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from ggrep.model.constraints import (
    Count,
    DocumentJson,
    Named,
    RequestId,
    Sha256,
    SnapshotId,
    StoreId,
)
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.response import GitState


class IndexedJson(TypedDict):
    """How much of the repository can be found."""

    files: Count
    """Files in the snapshot."""
    eligible: Count
    """Files there were to index; more than `files` while a first index is built."""


class PagedJson(TypedDict):
    """Where an answer goes on."""

    next_cursor: NotRequired[Named]
    """What the next page is asked for by; absent on the last."""


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
    git: GitState | None
    limits_hit: Sequence[LimitHit]
    """Cuts that were made."""
    warnings: Sequence[Notice]
    """What the reader should know before trusting the answer."""


class TimedJson(TypedDict):
    """How long it took, where that may be said."""

    timings_ms: NotRequired[Mapping[str, Count]]
    """Milliseconds of each stage; absent in deterministic mode. Stages may be added."""
