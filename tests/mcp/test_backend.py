"""Loading on the first call."""

import anyio
import jsonschema_rs
import pytest

from ggrep.interfaces.mcp.access import Access
from ggrep.interfaces.mcp.backend import LazyBackend
from ggrep.interfaces.mcp.resources import ResourceFailed
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.mcp.tool_calls import Calls
from ggrep.interfaces.mcp.tools import BY_NAME
from tests.fakes.federators import FakeFederator


def backend_over(federator: FakeFederator, steps: list[str]) -> LazyBackend:
    """Return a backend that notes what it does."""

    def load() -> tuple[Calls, FakeFederator]:
        steps.append("load")
        return Calls(federator, Access(StartOptions(directory=None)), shows_paths=True), federator

    return LazyBackend(lambda: steps.append("prepare"), load)


async def test_calls_that_come_together_load_once(federator: FakeFederator) -> None:
    """Two federators would hold twice the connections, and one would never be closed."""
    steps: list[str] = []
    backend = backend_over(federator, steps)

    async with anyio.create_task_group() as group:
        for _ in range(3):
            group.start_soon(backend.call, "ggrep_status", {}, None)

    assert steps == ["prepare", "load"]


async def test_a_server_that_was_never_asked_closes_nothing(federator: FakeFederator) -> None:
    steps: list[str] = []

    await backend_over(federator, steps).aclose()

    assert steps == []
    assert federator.closed == 0


async def test_closing_is_done_though_all_is_called_off(federator: FakeFederator) -> None:
    """A signal calls everything off, and connections must be closed all the same."""
    backend = backend_over(federator, [])
    await backend.call("ggrep_status", {}, None)

    with anyio.CancelScope() as scope:
        scope.cancel()
        await backend.aclose()

    assert federator.closed == 1


async def test_a_broken_installation_is_a_failure_that_says_so() -> None:
    """Else the client knows no more than that something is wrong inside."""

    def prepare() -> None:
        raise ImportError("no module named x")

    backend = LazyBackend(prepare, lambda: pytest.fail("was loaded"))

    outcome = await backend.call("search", {"query": "q"}, None)

    assert outcome.failed
    assert outcome.document["code"] == "internal"
    assert outcome.document["message"] == ("ggrep cannot be loaded: ImportError: no module named x")
    federated = await backend.call("search_workspace", {"query": "q"}, None)
    for name, item in (("search", outcome), ("search_workspace", federated)):
        jsonschema_rs.validate(BY_NAME[name].returns, item.document)
    for name in ("status", "workspace"):
        with pytest.raises(ResourceFailed, match="no module named x"):
            await backend.read(name)
