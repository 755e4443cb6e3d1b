"""What is told while a call goes on."""

from collections.abc import Callable

import anyio
import pytest

from ggrep.base.errors import NoIndex
from ggrep.base.ids import RepoId
from ggrep.federation.fanout_session import RepoDone
from ggrep.interfaces.mcp.progress import RisingProgress, read_arrival, telling
from ggrep.protocol.client.daemon_client import IndexingProgress


def arrival(done: int, *, alias: str | None = "a", count: int = 2) -> RepoDone:
    return RepoDone(RepoId("r-1"), alias, "ok", count, done, 3)


async def test_everything_is_told_in_order_before_the_answer() -> None:
    """A client closes its bar when the answer comes."""
    reports: list[float] = []

    async def tell(done: float, total: float, message: str) -> None:
        await anyio.lowlevel.checkpoint()
        reports.append(done)

    async def ask(arrived: Callable[[RepoDone], None]) -> str:
        for done in (1, 2, 3):
            arrived(arrival(done))
        return "answer"

    assert await telling(ask, tell, read_arrival) == "answer"
    assert reports == [1, 2, 3]


async def test_a_failure_comes_out_as_it_is() -> None:
    """Wrapped in a group it would count as a bug."""

    async def tell(done: float, total: float, message: str) -> None:
        raise AssertionError

    async def ask(arrived: Callable[[RepoDone], None]) -> str:
        raise NoIndex("none")

    with pytest.raises(NoIndex, match=r"^none$"):
        await telling(ask, tell, read_arrival)


def test_a_line_names_the_repository_its_status_and_its_hits() -> None:
    """Without an alias its id is what there is."""
    assert read_arrival(arrival(1))[2] == "a: ok, 2 hits"
    assert read_arrival(arrival(1, alias=None, count=1))[2] == "r-1: ok, 1 hit"
    assert read_arrival(arrival(1, count=0))[2] == "a: ok, 0 hits"


async def test_what_takes_long_to_tell_is_still_told_first() -> None:
    """A client would otherwise see a bar that goes back."""
    reports: list[float] = []

    async def tell(done: float, _total: float, _line: str) -> None:
        for _ in range(9 if done == 1 else 0):
            await anyio.lowlevel.checkpoint()
        reports.append(done)

    async def ask(arrived: Callable[[RepoDone], None]) -> str:
        for done in (1, 2):
            arrived(arrival(done))
        return "answer"

    assert await telling(ask, tell, read_arrival) == "answer"
    assert reports == [1, 2]


def test_what_is_told_of_indexing_rises_whatever_stage_begins_anew() -> None:
    """Clients drop a notification that does not go on, and some give up a call without any."""
    reading = RisingProgress()
    steps = [("scan", 0, 0), ("index", 0, 9), ("index", 4, 9), ("index", 4, 9), ("publish", 0, 9)]

    reports = [reading(IndexingProgress(*step)) for step in steps]

    figures = [done for done, _, _ in reports]
    assert figures == sorted(set(figures))
    assert figures[2] == 4.0
    assert [total for _, total, _ in reports] == [None, 9.0, 9.0, 9.0, 9.0]
    assert [output for _, _, output in reports] == [
        "scan",
        "index, 0 of 9 files",
        "index, 4 of 9 files",
        "index, 4 of 9 files",
        "publish, 0 of 9 files",
    ]
