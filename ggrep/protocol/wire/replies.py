"""Replies as JSON objects, and their errors as exceptions."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from ggrep.base.errors import (
    BudgetExceeded,
    Busy,
    Cancelled,
    DeadlineExceeded,
    GgrepError,
    Incompatible,
    IndexDamaged,
    InvalidRequest,
    NoIndex,
    SessionExpired,
    SessionFull,
    SnapshotGone,
    SyncRefused,
)
from ggrep.base.stable_json import Document, Json
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.wire.messages import request_id_of

_MOST_RETRY_MS: Final = 3_600_000
_MOST_CODE: Final = 64
_MOST_TEXT: Final = 4_000
"""Maximum number of characters of an error's message."""

_MOST_REASONS: Final = 1_000

_KINDS: Final[tuple[type[GgrepError], ...]] = (
    BudgetExceeded,
    Cancelled,
    DeadlineExceeded,
    Incompatible,
    IndexDamaged,
    InvalidRequest,
    NoIndex,
    SessionExpired,
    SessionFull,
    SnapshotGone,
)
"""Errors with only a code and a message."""


class RemoteError(GgrepError):
    """A daemon's error with a code that this build does not know."""

    def __init__(self, message: str, *, code: str) -> None:
        super().__init__(message)
        self.code = code


class Reply(Struct, frozen=True):
    """The reply to a request.

    Attributes:
        request_id: id of the request; empty if the daemon could not read it.
        name: name of the answered message; empty in some failures.
        body: all other fields of the reply, or the error object of a failure.
    """

    request_id: str
    name: str
    body: Mapping[str, object]
    error: GgrepError | None = None


def reply_json(request_id: str, name: str, body: Document) -> Document:
    """Return an answer as JSON; `body` has no field `request_id`, `message` or `error`."""
    return {**body, "request_id": request_id, "message": name}


def error_json(request_id: str, error: GgrepError) -> dict[str, Json]:
    """Return a failure as JSON (schema `query_error`) with its request id."""
    body: dict[str, Json] = {"code": error.code, "message": _line(str(error))}
    if isinstance(error, Busy):
        body["retry_after_ms"] = error.retry_after_ms
    if isinstance(error, Cancelled):
        body["reason"] = body["message"]
    if isinstance(error, SyncRefused):
        body["reasons"] = [_line(text) for text in error.reasons[:_MOST_REASONS]]
    if error.snapshot_id:
        body["snapshot_id"] = error.snapshot_id
    if request_id:
        body["request_id"] = request_id
        return {"request_id": request_id, "error": body}
    return {"error": body}


def parse_reply(body: Mapping[str, object]) -> Reply:
    """Return the reply in a daemon's JSON object; failures are returned, not raised."""
    name = body.get("message", "")
    if not isinstance(name, str):
        raise InvalidRequest("`message` in the reply must be a string")
    request_id = request_id_of(body)
    if "error" not in body:
        rest = {key: body[key] for key in body if key not in {"request_id", "message"}}
        return Reply(request_id, name, rest)
    failure = body["error"]
    if not isinstance(failure, dict):
        raise InvalidRequest("`error` in the reply must be an object")
    return Reply(request_id or request_id_of(failure), name, failure, error_of(body))


def error_of(body: Mapping[str, object]) -> GgrepError:
    """Return a reply's error as an exception of the class for its code.

    An unknown code becomes a RemoteError with this code.
    """
    failure = body.get("error")
    fields: Mapping[str, object] = failure if isinstance(failure, dict) else {}
    error = _error_of(fields)
    error.request_id = request_id_of(body) or request_id_of(fields)
    error.snapshot_id = sanitise_line(_text(fields, "snapshot_id")[:_MOST_CODE])
    return error


def _error_of(fields: Mapping[str, object]) -> GgrepError:
    code = _text(fields, "code")[:_MOST_CODE] or GgrepError.code
    message = _line(_text(fields, "message")) or f"the daemon failed: {code}"
    if code == Busy.code:
        retry = fields.get("retry_after_ms")
        wait = retry if isinstance(retry, int) and not isinstance(retry, bool) else 0
        wait = min(max(wait, 0), _MOST_RETRY_MS)
        return Busy(message.removesuffix(f", retry after {wait} ms"), retry_after_ms=wait)
    if reasons := _reasons(fields):
        return SyncRefused(reasons)
    for kind in _KINDS:
        if kind.code == code:
            return kind(message)
    return RemoteError(message, code=sanitise_line(code))


def _reasons(fields: Mapping[str, object]) -> tuple[str, ...]:
    reasons = fields.get("reasons")
    if not isinstance(reasons, list):
        return ()
    return tuple(_line(text) for text in reasons[:_MOST_REASONS] if isinstance(text, str))


def _text(fields: Mapping[str, object], key: str) -> str:
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def _line(text: str) -> str:
    return sanitise_line(text[:_MOST_TEXT])
