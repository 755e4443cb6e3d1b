"""Work ends with the client that wanted it, and with nothing else that it does."""

from collections.abc import Iterator

import anyio
import pytest

from ggrep.interfaces.api.http_messages import ClientGone
from ggrep.interfaces.api.http_requests import while_present


class Client:
    """Says some things, then nothing."""

    def __init__(self, *said: str) -> None:
        self._said: Iterator[str] = iter(said)

    async def receive(self) -> dict[str, str]:
        for kind in self._said:
            return {"type": kind}
        await anyio.sleep_forever()
        raise AssertionError


async def test_a_client_that_says_more_has_not_left() -> None:
    """Only its leaving ends the work."""

    async def work() -> str:
        await anyio.wait_all_tasks_blocked()
        return "done"

    assert await while_present(Client("http.request").receive, work) == "done"


async def test_a_client_that_leaves_ends_the_work() -> None:
    """Whatever it said before."""
    with pytest.raises(ClientGone):
        await while_present(Client("http.request", "http.disconnect").receive, anyio.sleep_forever)


async def test_what_the_work_raises_comes_out_as_it_is() -> None:
    """Not in a group of exceptions."""

    async def work() -> None:
        raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        await while_present(Client().receive, work)
