"""One question, one coordinator, the same bytes: on the terminal, over HTTP and over MCP."""

from collections.abc import Iterator, Mapping
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from ggrep.base import stable_json
from ggrep.federation.validation import STRATEGIES
from tests.journeys.command import Command
from tests.journeys.household import eventually
from tests.mcp.processes import Settled, http, settled

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    """Return an indexed workspace whose daemons end with the module."""
    with settled() as found:
        yield found


@pytest.fixture
def ggrep(
    place: Settled, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Return the command in this process, over the home that the daemons serve."""
    return place.command(monkeypatch, capsys)


async def over_mcp(client: Client, **asked: object) -> bytes:
    result = await client.call_tool("search_workspace", asked)
    return stable_json.dumps(result.structured_content) + b"\n"


def over_http(client: httpx.Client, place: Settled, **body: object) -> bytes:
    asked = {"workspacePath": str(place.workspace), **body}
    return client.post("/search/federated", json=asked).content


async def call_all(place: Settled, asked: Mapping[str, dict[str, Any]]) -> dict[str, bytes]:
    async with Client(stdio_client(place.server("--structured"))) as client:
        return {name: await over_mcp(client, top=3, **given) for name, given in asked.items()}


def test_every_surface_gives_the_same_bytes(place: Settled, ggrep: Command) -> None:
    """Agents and people who compare what they see must see the same, diagnostics included."""
    flags = ("--workspace", place.workspace, "--json", "--short-snippet", "-m", "3")
    search = {"top": 3, "snippet": "short"}
    settle, chosen = "settle invoice", ["mail", "nobody"]
    asked = {merge: {"query": settle, "merge": merge} for merge in STRATEGIES}
    narrowed = ("--only", "mail", "--only", "nobody")

    eventually(lambda: "index_behind" not in ggrep("search", settle, *flags).out)
    typed = {merge: ggrep("search", settle, *flags, "--merge", merge) for merge in STRATEGIES}
    typed["only"] = ggrep("search", "invoice", *flags, *narrowed)
    called = anyio.run(call_all, place, {**asked, "only": {"query": "invoice", "only": chosen}})
    with http(place) as web:
        posted = {
            merge: over_http(web, place, search=search, **given) for merge, given in asked.items()
        }
        posted["only"] = over_http(
            web, place, query="invoice", search=search, select={"only": chosen}
        )
        posted["again"] = over_http(web, place, search=search, **asked["rrf"])

    assert posted.pop("again") == posted["rrf"]
    assert {name: shown.out.encode() for name, shown in typed.items()} == called == posted
    answers = {name: stable_json.loads(answer) for name, answer in called.items()}
    assert all(answer["results"] for answer in answers.values())
    assert {answers[name]["meta"]["merge"]["strategy"] for name in STRATEGIES} == set(STRATEGIES)
    codes = [item["code"] for item in answers["only"]["diagnostics"]["warnings"]]
    assert "WARN_FEDERATED_SELECT_UNMATCHED" in codes


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


def test_reading_without_daemons_gives_the_same_bytes(place: Settled, ggrep: Command) -> None:
    """A script that runs offline must not see another answer."""
    flags = ("--workspace", place.workspace, "--json", "--merge", "global")

    asked = ggrep("search", "settle invoice", *flags)
    read = ggrep("search", "settle invoice", *flags, "--offline")

    assert asked.status == 0
    assert asked == read
