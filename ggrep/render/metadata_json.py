"""The JSON that all answers share: their origin."""

from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.model.limits import LimitHit, Notice
from ggrep.model.response import Provenance
from ggrep.model.scan import ScanFacts

if TYPE_CHECKING:
    from ggrep.model.schemas.answer import (
        AnswerJson,
        LimitJson,
        NoticeJson,
        PagedJson,
        ScanJson,
        TimedJson,
    )


class Answer(Protocol):
    """What answers to all questions have in common."""

    @property
    def request_id(self) -> str:
        """Return the answer's name."""
        ...

    @property
    def query_fingerprint(self) -> str:
        """Return the identity of the question."""
        ...

    @property
    def provenance(self) -> Provenance:
        """Return the store and snapshot that were asked."""
        ...

    @property
    def limits_hit(self) -> tuple[LimitHit, ...]:
        """Return the cuts."""
        ...

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Return what the reader should know."""
        ...

    @property
    def timings_ms(self) -> tuple[tuple[str, int], ...]:
        """Return stages and milliseconds."""
        ...


def metadata_json(answer: Answer, schema_version: Literal[1]) -> "AnswerJson":
    """Return the keys of every answer."""
    origin = answer.provenance
    return {
        "schema_version": schema_version,
        "request_id": answer.request_id,
        "store_id": origin.store_id,
        "config_fingerprint": origin.config_fingerprint,
        "ignore_fingerprint": origin.ignore_fingerprint,
        "query_fingerprint": answer.query_fingerprint,
        "embed_config_fingerprint": origin.embed_config_fingerprint,
        "snapshot_id": origin.snapshot_id or None,
        "degraded": origin.degraded,
        "indexed": {"files": origin.indexed_files, "eligible": origin.eligible_files},
        "git": fields_json(origin.git) if origin.git else None,
        "limits_hit": [limit_json(limit) for limit in answer.limits_hit],
        "warnings": [notice_json(notice) for notice in answer.warnings],
    }


def timed_json(answer: Answer) -> "TimedJson":
    """Return how long each stage took, where that may be said."""
    return {"timings_ms": dict(answer.timings_ms)} if answer.timings_ms else {}


def scan_json(facts: ScanFacts) -> "ScanJson":
    """Return how much a scan saw."""
    return {
        "files": facts.files,
        "listed_files": facts.listed_files,
        "bytes": facts.bytes_read,
        "matching_files": facts.matching_files,
        "ranked_files": facts.ranked_files,
        "complete": facts.complete,
    }


def paged_json(next_cursor: str) -> "PagedJson":
    """Return where the next page begins; nothing on the last."""
    return {"next_cursor": next_cursor} if next_cursor else {}


def limit_json(limit: LimitHit) -> "LimitJson":
    """Return one entry of `limits_hit`; keys that say nothing are left out."""
    document: LimitJson = {"code": limit.code, "limit": limit.limit}
    if limit.observed is not None:
        document["observed"] = limit.observed
    if limit.path_key is not None:
        document["path_key"] = limit.path_key
    return document


def notice_json(notice: Notice) -> "NoticeJson":
    """Return one entry of `warnings`."""
    document: NoticeJson = {"code": notice.code, "message": notice.message}
    if notice.path_key is not None:
        document["path_key"] = notice.path_key
    return document


def fields_json(value: Struct) -> Any:  # noqa: ANN401 - an object of whatever fields it has
    """Return a value whose fields are texts, numbers and flags as an object of just these."""
    return asdict(value)
