"""Replies to lines that are not messages, so that their sender does not wait forever.

The SDK drops them. A client that spells half of a surrogate pair, as names of files can hold one,
has written JSON by its own lights.
"""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final

import mcp_types as types

from ggrep.base import stable_json

_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
_SHOWN: Final = 200
"""Characters of a reason."""


async def readable(
    lines: AsyncIterator[str], refuse: Callable[[types.JSONRPCError], Awaitable[None]]
) -> AsyncIterator[str]:
    """Yield the lines that are messages; have all others but blank ones refused."""
    async for line in lines:
        if not line.strip():
            continue
        refusal = refusal_of(line)
        if refusal is None:
            yield line
        else:
            await refuse(refusal)


def refusal_of(line: str) -> types.JSONRPCError | None:
    """Return the answer to a line that is no message; None for one that is.

    It bears the id of the request where that can be told, and else null, as JSON-RPC has it.
    """
    try:
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError as error:
        said = _loaded(line)
        code = types.PARSE_ERROR if said is None else types.INVALID_REQUEST
        reason = str(error).partition("\n")[0][:_SHOWN]
        told = types.ErrorData(code=code, message=f"no message: {reason}")
        return types.JSONRPCError(jsonrpc="2.0", id=_id_of(said or _loaded_plain(line)), error=told)
    return None


def _loaded(line: str) -> object:
    try:
        return stable_json.loads(line.encode(errors="replace"))
    except ValueError:
        return None


def _loaded_plain(line: str) -> object:
    """Return what a line says when what no text can hold is taken out of it."""
    return _loaded(_SURROGATE.sub("?", line))


def _id_of(said: object) -> int | str | None:
    found = said.get("id") if isinstance(said, dict) else None
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None
