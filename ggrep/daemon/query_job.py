"""A query as the job of a query worker, and its answer in the requested form."""

import os
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeAlias, TypeVar

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.stable_json import Document
from ggrep.config.home import Home
from ggrep.config.settings import Settings
from ggrep.model.index_freshness import IndexFreshness
from ggrep.model.limits import LimitHit, Notice, sorted_notices
from ggrep.model.operations import Operation, operation_of
from ggrep.model.response import Admitted
from ggrep.protocol.wire.messages import Ask, Search
from ggrep.render.answer_json import answer_json
from ggrep.render.printed import render_answer

R = TypeVar("R")

ReadQuery: TypeAlias = Search | Ask[Any]
"""A query whose answer depends only on the snapshot, the settings and the job."""


class StoreToOpen(Struct, frozen=True):
    """A store for a query worker to open.

    Attributes:
        key: digest of paths and settings.
        root, home: paths, decoded as Latin-1.
        settings: the settings as JSON.
    """

    key: str
    root: str
    home: str
    settings: dict[str, Any]

    @classmethod
    def of(cls, root: Path, home: Home, settings: Settings) -> Self:
        """Return the store of a root and a home under settings."""
        values = (_spelled(root), _spelled(home.base), to_builtins(settings))
        return cls(sha256(stable_json.dumps(values)).hexdigest(), *values)

    def paths(self) -> tuple[Path, Path]:
        """Return the root and the base directory of the home."""
        return _path(self.root), _path(self.home)


class QueryJob(Struct, frozen=True):
    """A query with all facts of its daemon that affect the answer.

    Attributes:
        store: key of a store that the worker has opened.
        message: the message as on the wire, without path and claim.
        remaining_ms: time until the deadline; None without a deadline.
        notices: notices of the daemon to add to the answer.
        standing: the state of index updates.
    """

    store: str
    message: dict[str, Any]
    request_id: str
    remaining_ms: float | None = None
    admitted: Admitted | None = None
    notices: tuple[Notice, ...] = ()
    standing: IndexFreshness = IndexFreshness()


class LoggedAnswer(Struct, frozen=True):
    """The logged part of an answer.

    Attributes:
        hits: number of hits, files, definitions or mentions.
    """

    snapshot_id: str
    hits: int
    limits_hit: tuple[LimitHit, ...]
    warnings: tuple[Notice, ...]
    stages: tuple[tuple[str, int], ...] = ()


class QueryAnswer(Struct, frozen=True):
    """An answer in the requested form, with figures for counters and logs.

    Attributes:
        body: an object with a single field: `rendered`, `value` or `response`. In a message from a
            worker to its host, the field contains the number of bytes that follow.
        best: the best files that a scan found.
    """

    body: Document
    logged: LoggedAnswer
    segments: int = 0
    best: tuple[str, ...] = ()


def logged_answer(answer: R, operation: Operation[Any, R]) -> LoggedAnswer:
    """Return the logged part of an answer."""
    values: Any = answer
    return LoggedAnswer(
        values.provenance.snapshot_id,
        operation.count(answer) if operation.count else 0,
        values.limits_hit,
        values.warnings,
        getattr(answer, "timings_ms", ()),
    )


def query_answer(answer: Any, message: ReadQuery, root: Path) -> QueryAnswer:  # noqa: ANN401 - of any operation
    """Return an answer in the form that the message requests."""
    scan = answer.provenance.scan
    return QueryAnswer(
        _body(answer, message, root),
        logged_answer(answer, operation_of(message.request)),
        getattr(answer, "segments", 0),
        () if scan is None else tuple(scan.best),
    )


def _body(answer: Any, message: ReadQuery, root: Path) -> Document:  # noqa: ANN401 - of any operation
    if isinstance(message, Search) and message.render is not None:
        return {"rendered": render_answer(answer, root, message.render).document()}
    if message.values:
        return {"value": to_builtins(answer)}
    return {"response": answer_json(answer)}


A = TypeVar("A", bound=Any)


def with_notices(answer: A, notices: tuple[Notice, ...]) -> A:
    """Return an answer with further warnings."""
    if not notices:
        return answer
    return replace(answer, warnings=sorted_notices((*answer.warnings, *notices)))


def _spelled(path: Path) -> str:
    return os.fsencode(path).decode("latin-1")


def _path(text: str) -> Path:
    return Path(os.fsdecode(text.encode("latin-1")))
