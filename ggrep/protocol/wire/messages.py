"""Encodes messages as JSON objects, and decodes them.

A message is `{"message": NAME, "request_id": STR, "caller": STR, ...fields}`. Fields that a
message does not have are passed over, messages that nobody knows are refused.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, cast, get_args

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Json
from ggrep.model.operations import OPERATIONS, has_scope, operation_of
from ggrep.protocol.wire.fields import Fields, misfit
from ggrep.protocol.wire.message_types import (
    Ask,
    Cancel,
    Envelope,
    Fetch,
    Line,
    Message,
    Search,
    Serve,
)
from ggrep.protocol.wire.reading import read
from ggrep.protocol.wire.requests import check_scored

CANCEL_SYNC: Final = "sync"
"""What `Cancel.target` says for the running sync; no request may be called that."""

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_MOST_CALLER: Final = 64


def parse_message(body: Mapping[str, object]) -> Envelope:
    """Return the message that an object spells.

    Raises:
        InvalidRequest: nobody knows it, or a field is malformed or out of bounds; the error can
            be answered under `request_id_of(body)`.
    """
    request_id = _request_id(body)
    name = Fields(body).printable("message", 64)
    if name not in KINDS:
        raise misfit("message", name, f"one of {', '.join(sorted(KINDS))}")
    caller = Fields(body).printable("caller", _MOST_CALLER, default="")
    message = read(KINDS[name], body)
    match message:
        case Ask(request) | Fetch(request):
            check_scored(request, "request")
        case Cancel(target) if target != CANCEL_SYNC and not _is_request_id(target):
            raise misfit("target", target, "a request_id, or sync")
        case _:
            pass
    return Envelope(request_id, name, message, caller)


def message_json(request_id: str, message: Message, caller: str = "") -> dict[str, Json]:
    """Return the object that `parse_message` reads; an empty `request_id` or caller is left out.

    Raises:
        InvalidRequest: a string holds half of a surrogate pair, as names of files can.
    """
    fields: dict[str, Json] = to_builtins(message)
    try:
        stable_json.dumps(fields)
    except TypeError as error:
        raise InvalidRequest("a text holds a lone surrogate, which UTF-8 cannot say") from error
    if isinstance(message, Ask) and not has_scope(message.request):
        del fields["path"]
    if isinstance(message, Search):
        fields["budgets"] = dict(message.budgets)
    if isinstance(message, Search | Line | Serve) and message.claim is not None:
        claim: dict[str, Json] = to_builtins(message.claim)
        fields["claim"] = {**claim, "environ": dict(message.claim.environ)}
    named: dict[str, Json] = {"request_id": request_id} if request_id else {}
    if caller:
        named["caller"] = caller
    return {"message": message_name(message), **named, **fields}


def message_name(message: Message) -> str:
    """Return a message's name on the wire."""
    if isinstance(message, Ask | Fetch):
        return operation_of(message.request).name
    return _name_of(type(message))


def request_id_of(body: Mapping[str, object]) -> str:
    """Return the request's id, whatever else is wrong with it; empty when it has no good one."""
    found = body.get("request_id", "")
    return found if isinstance(found, str) and _is_request_id(found) else ""


def _request_id(body: Mapping[str, object]) -> str:
    if "request_id" not in body:
        return ""
    found = request_id_of(body)
    if not found:
        raise misfit(
            "request_id", body["request_id"], "1 to 64 of A-Z a-z 0-9 . _ : -, and not sync"
        )
    return found


def _is_request_id(text: str) -> bool:
    return _REQUEST_ID.fullmatch(text) is not None and text != CANCEL_SYNC


def _name_of(kind: type[Message]) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", kind.__name__).lower()


KINDS: Final[Mapping[str, type[Message]]] = MappingProxyType(
    {
        **{_name_of(kind): kind for kind in get_args(Message) if not get_args(kind)},
        **{
            each.name: cast(type[Message], (Ask if each.is_public else Fetch)[each.request])
            for each in OPERATIONS
            if each.name != "search"
        },
    }
)
"""Every message by its name on the wire."""
