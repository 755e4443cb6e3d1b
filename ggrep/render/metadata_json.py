"""The JSON that all answers share: their origin."""

from typing import TYPE_CHECKING, Any, Literal, Protocol

from msgspec import Struct

from ggrep.base.stable_json import plain
from ggrep.model.constraints import HIDDEN
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.response import Provenance

if TYPE_CHECKING:
    from ggrep.model.schemas.answer import (
        AnswerJson,
        PagedJson,
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
        "git": plain(origin.git),
        "limits_hit": plain(answer.limits_hit),
        "warnings": plain(answer.warnings),
    }


def timed_json(answer: Answer) -> "TimedJson":
    """Return how long each stage took, where that may be said."""
    return {"timings_ms": dict(answer.timings_ms)} if answer.timings_ms else {}


def paged_json(next_cursor: str) -> "PagedJson":
    """Return where the next page begins; nothing on the last."""
    return {"next_cursor": next_cursor} if next_cursor else {}


def document_of(value: Struct) -> Any:  # noqa: ANN401 - an object of whatever fields it has
    """Return a Struct as a document shows it: without its hidden fields, at every depth."""
    document = plain(value)
    for name in value.__struct_fields__:
        each = getattr(value, name)
        if name in HIDDEN.get(type(value), ()):
            document.pop(name, None)
        elif isinstance(each, tuple) and each and type(each[0]) in HIDDEN:
            document[name] = [document_of(item) for item in each]
    return document
