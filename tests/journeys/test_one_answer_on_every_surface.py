"""A name of a workspace has the same answer on the terminal, over HTTP and over MCP."""

from collections.abc import Iterator

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from ggrep.base import stable_json
from tests.journeys.command import Command
from tests.mcp.processes import Settled, http, settled

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    """Return an indexed workspace whose daemons end with the module."""
    with settled() as result:
        yield result


@pytest.fixture
def ggrep(
    place: Settled, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Return the command in this process, over the home that the daemons serve."""
    return place.command(monkeypatch, capsys)


NAMED = {
    "symbol": ("settle_invoice", "/symbol/federated", "symbol"),
    "references": ("settle_invoice", "/references/federated", "refs"),
    "expand": ("pay:src/pay.py:1", "/expand/federated", "expand"),
}


async def call_named(place: Settled) -> dict[str, bytes]:
    """Return what each tool says of the server's own workspace, chosen by a selection."""
    answers = {}
    async with Client(stdio_client(place.server("--structured"))) as client:
        for tool, (asked, _, _) in NAMED.items():
            given = {"target" if tool == "expand" else "name": asked}
            options = ["only=mail", "only=pay", "deterministic=true"]
            result = await client.call_tool(tool, {**given, "options": options})
            answers[tool] = stable_json.dumps(result.structured_content) + b"\n"
    return answers


@pytest.mark.deep
def test_names_have_the_same_bytes_everywhere(place: Settled, ggrep: Command) -> None:
    called = anyio.run(call_named, place)
    typed, read, posted = {}, {}, {}
    chosen = ("--only", "mail", "--only", "pay")
    flags = ("--workspace", place.workspace, "--json", "--deterministic", *chosen)
    with http(place) as web:
        for tool, (asked, route, command) in NAMED.items():
            typed[tool] = ggrep(command, asked, *flags).out.encode()
            read[tool] = ggrep(command, asked, *flags, "--offline").out.encode()
            body = {
                "workspacePath": str(place.workspace),
                "target" if tool == "expand" else "name": asked,
                "select": {"only": ["mail", "pay"]},
                "deterministic": True,
            }
            posted[tool] = web.post(route, json=body).content

    assert typed == read == posted == called
    answers = {tool: stable_json.loads(answer) for tool, answer in typed.items()}
    assert [answer["ok"] for answer in answers.values()] == [True] * 3
    assert answers["symbol"]["definitions"]
