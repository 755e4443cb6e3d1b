"""A search as events: what has arrived, then the answer."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import anyio
import pytest

from ggrep.base import stable_json
from ggrep.base.errors import DeadlineExceeded
from ggrep.federation.fanout_session import Arrived, RepoDone
from ggrep.interfaces.api import routes as events
from ggrep.interfaces.api.routes import Ending, EventStream
from tests.fakes.sites import Site


def parsed(text: str) -> list[tuple[str, str]]:
    """Return name and data of each event."""
    results = []
    for block in text.split("\n\n")[:-1]:
        name, data = block.split("\n")
        results.append((name.removeprefix("event: "), data.removeprefix("data: ")))
    return results


async def stream(site: Site, **fields: object) -> list[tuple[str, str]]:
    response = await site.client.post("/search/federated/stream", json=site.body(**fields))
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-store"
    return parsed(response.text)


async def test_repositories_arrive_and_then_the_answer(site: Site) -> None:
    """The answer's bytes are those of the plain search."""
    plain = await site.federated()

    result = await stream(site)

    assert [name for name, _ in result] == ["repo", "repo", "answer"]
    reports = [stable_json.loads(data) for _, data in result[:2]]
    assert [(each["alias"], each["done"], each["total"]) for each in reports] == [
        ("a", 1, 2),
        ("b", 2, 2),
    ]
    assert result[-1][1].encode() + b"\n" == plain.content


async def test_an_answer_that_failed_is_an_error(site: Site) -> None:
    """Its document is that of the plain search as well."""
    site.service.rows = {}
    plain = await site.federated()

    name, data = (await stream(site))[-1]

    assert (name, data.encode() + b"\n") == ("error", plain.content)


@pytest.mark.parametrize("error", [DeadlineExceeded("too late"), ZeroDivisionError("secret")])
async def test_a_failure_on_the_way_is_an_error(site: Site, error: Exception) -> None:
    site.service.fail.append(error)

    ((name, data),) = await stream(site)

    assert name == "error"
    assert stable_json.loads(data)["ok"] is False
    assert "secret" not in data


async def test_what_is_wrong_with_the_request_is_said_by_status(site: Site) -> None:
    response = await site.client.post("/search/federated/stream", json=site.body(top=1))

    assert response.status_code == 400
    assert response.json()["code"] == "ERR_FEDERATED_INVALID_REQUEST"


class Connection:
    """What the server sends to one client.

    Attributes:
        sent: bodies so far.
        stuck: the client reads nothing.
    """

    def __init__(self) -> None:
        self.sent: list[bytes] = []
        self.gone = anyio.Event()
        self.stuck = False
        self.more = anyio.Event()

    async def receive(self) -> dict[str, Any]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.body":
            if self.stuck:
                await anyio.sleep_forever()
            self.sent.append(message["body"])
            self.more.set()

    async def run(self, work: Callable[[Arrived], Awaitable[Ending]]) -> None:
        await EventStream(work)({"type": "http"}, self.receive, self.send)


class Search:
    """A search that tells of one repository and never ends."""

    def __init__(self) -> None:
        self.cancelled = False

    async def __call__(self, arrived: Arrived) -> Ending:
        arrived(RepoDone("a-000000000000", "a", "ok", 1, 1, 2))
        try:
            await anyio.sleep_forever()
        finally:
            self.cancelled = True
        raise AssertionError


async def test_what_arrives_is_sent_before_the_end() -> None:
    connection, search = Connection(), Search()

    async with anyio.create_task_group() as group:
        group.start_soon(partial(connection.run, search))
        await connection.more.wait()
        assert not search.cancelled
        connection.gone.set()

    assert search.cancelled
    assert parsed(b"".join(connection.sent).decode())[0][0] == "repo"


async def test_a_client_that_reads_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would hold its search for ever."""
    monkeypatch.setattr(events, "SEND_TIMEOUT_S", 0.0)
    connection, search = Connection(), Search()
    connection.stuck = True

    await connection.run(search)

    assert search.cancelled


async def test_a_long_silence_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies close what is silent, and we would not notice a dead client."""
    monkeypatch.setattr(events, "BEAT_S", 0.0)
    connection, search = Connection(), Search()

    async with anyio.create_task_group() as group:
        group.start_soon(partial(connection.run, search))
        while b": wait\n\n" not in connection.sent:
            await anyio.lowlevel.checkpoint()
        connection.gone.set()

    assert search.cancelled


class Talking(Connection):
    """A client that says one thing more, and stays."""

    said = False

    async def receive(self) -> dict[str, Any]:
        if self.said:
            await self.gone.wait()
            return {"type": "http.disconnect"}
        self.said = True
        return {"type": "http.request"}


async def test_a_client_that_says_more_has_not_left() -> None:
    connection = Talking()

    async def work(_: Arrived) -> Ending:
        await anyio.wait_all_tasks_blocked()
        return "answer", {}

    await connection.run(work)

    assert parsed(b"".join(connection.sent).decode()) == [("answer", "{}")]
