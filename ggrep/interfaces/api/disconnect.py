"""Cancels the work for a client that has disconnected."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from anyio import create_task_group
from starlette.types import Receive

from ggrep.interfaces.api.refusal import ClientGone

T = TypeVar("T")


async def while_present(receive: Receive, work: Callable[[], Awaitable[T]]) -> T:
    """Return what the work returns, which is cancelled once the client leaves.

    Requires: the body was read to its end.

    Raises:
        ClientGone: the client has left.
        Exception: what the work raises.
    """
    returned: list[T] = []
    raised: list[Exception] = []

    async with create_task_group() as group:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(watch)
        try:
            returned.append(await work())
        except Exception as error:  # noqa: BLE001 - raised again outside the group, as it is
            raised.append(error)
        group.cancel_scope.cancel()
    if raised:
        raise raised[0]
    if not returned:
        raise ClientGone("the client left")
    return returned[0]
