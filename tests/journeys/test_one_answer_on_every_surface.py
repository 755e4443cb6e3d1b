"""One question, one coordinator, the same bytes: on the terminal, over HTTP and over MCP."""

from collections.abc import Iterator

import httpx
import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from ggrep import stable_json
from tests.mcp.processes import Settled, http, settled

pytestmark = pytest.mark.slow

STRATEGIES = ("rrf", "global", "evidence", "global-rrf", "weighted-rrf")


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    """Return an indexed workspace whose daemons end with the module."""
    with settled() as found:
        yield found


async def over_mcp(client: Client, **asked: object) -> bytes:
    result = await client.call_tool("search_workspace", asked)
    return result.content[0].text.encode() + b"\n"


def over_http(base: str, place: Settled, query: str, **body: object) -> bytes:
    asked = {"workspacePath": str(place.workspace), "query": query, **body}
    return httpx.post(f"{base}/search/federated", json=asked, timeout=1_200).content


async def test_every_surface_gives_the_same_bytes(place: Settled) -> None:
    """Agents and people who compare what they see must see the same, diagnostics included."""
    typed, called, posted = {}, {}, {}
    flags = ("--workspace", str(place.workspace), "--json", "--short-snippet", "-m", "3")
    search = {"top": 3, "snippet": "short"}
    chosen = ["mail", "nobody"]
    with http(place) as base:
        async with Client(stdio_client(place.server())) as client:
            for merge in STRATEGIES:
                typed[merge] = place.run("search", "settle invoice", *flags, "--merge", merge)
                called[merge] = await over_mcp(client, query="settle invoice", top=3, merge=merge)
                posted[merge] = over_http(base, place, "settle invoice", search=search, merge=merge)
            typed["only"] = place.run(
                "search", "invoice", *flags, "--only", "mail", "--only", "nobody"
            )
            called["only"] = await over_mcp(client, query="invoice", top=3, only=chosen)
            posted["only"] = over_http(
                base, place, "invoice", search=search, select={"only": chosen}
            )
            posted["again"] = over_http(base, place, "settle invoice", search=search, merge="rrf")

    assert posted.pop("again") == posted["rrf"]
    assert typed == called == posted
    answers = {name: stable_json.loads(answer) for name, answer in typed.items()}
    assert all(answer["results"] for answer in answers.values())
    assert {answers[name]["meta"]["merge"]["strategy"] for name in STRATEGIES} == set(STRATEGIES)
    codes = [item["code"] for item in answers["only"]["diagnostics"]["warnings"]]
    assert "WARN_FEDERATED_SELECT_UNMATCHED" in codes


def test_reading_without_daemons_gives_the_same_bytes(place: Settled) -> None:
    """A script that runs offline must not see another answer."""
    flags = ("--workspace", str(place.workspace), "--json", "--merge", "global")

    asked = place.run("search", "settle invoice", *flags)
    read = place.run("search", "settle invoice", *flags, "--offline")

    assert asked == read
