"""Clients that nobody here wrote: the JavaScript SDK and the inspector, over both transports."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.interfaces.mcp.tools import BY_NAME, SEVERAL, listed
from tests.mcp.processes import Settled, settled

pytestmark = [pytest.mark.deep, pytest.mark.timeout(600)]

_PATIENCE_S = 300
TOOLS = [tool.name for tool in listed()]
GIVEN = {"query": "settle invoice", "name": "settle_invoice", "target": "src/pay.py:2"}


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    with settled() as result:
        yield result


@pytest.fixture(scope="module")
def address(place: Settled) -> Iterator[str]:
    """Return where a server takes HTTP clients."""
    process = subprocess.Popen(
        [sys.executable, *place.arguments("--structured", "--http", "--port=0", "--no-token")],
        env=place.environ,
        cwd=place.base,
        stderr=subprocess.PIPE,
    )
    try:
        line = process.stderr.readline().decode()
        yield line.removeprefix("serving MCP at ").strip()
    finally:
        process.terminate()
        process.communicate(timeout=_PATIENCE_S)
    assert process.returncode == 0


def output_of(place: Settled, node: Path, command: Sequence[str]) -> Any:
    """Return the JSON document that a command of the JavaScript side writes."""
    environ = {**place.environ, "PATH": f"{node}/node_modules/.bin:{os.environ['PATH']}"}
    ran = subprocess.run(
        command, cwd=node, env=environ, capture_output=True, timeout=_PATIENCE_S, check=False
    )
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    return stable_json.loads(ran.stdout)


@pytest.fixture(params=["stdio", "http"])
def server(request: pytest.FixtureRequest, place: Settled) -> list[str]:
    """Return how a client reaches a server: a command, or an address."""
    if request.param == "http":
        return [request.getfixturevalue("address")]
    return [sys.executable, *place.arguments("--structured")]


def test_the_javascript_sdk_lists_and_calls_every_tool(
    place: Settled, node: Path, server: list[str]
) -> None:
    """It checks what comes back against the output schemas, failures included."""
    output = output_of(place, node, ["node", "sdk_client.mjs", *server])

    assert output["server"]["name"] == "ggrep"
    assert output["tools"] == TOOLS
    assert [name for name, call in output["calls"].items() if call["isError"]] == []
    hits = output["calls"]["search_workspace"]["structured"]["results"]
    assert {hit["repoAlias"] for hit in hits} == {"pay", "mail"}
    assert output["calls"]["search"]["structured"]["results"][0]["path"] == "src/pay.py"
    assert output["calls"]["context"]["structured"]["slate"]["level"] == 1
    assert output["calls"]["expand"]["structured"]["path"] == "src/pay.py"
    # This SDK drops a notification that arrives in one piece with the answer after it.
    assert [step[:2] for step in output["progress"]] in ([], [[1, 2]], [[1, 2], [2, 2]])
    assert output["refused"]["isError"] is True
    assert "unknown argument 'nonsense'" in output["refused"]["structured"]["message"]
    assert output["resources"] == ["ggrep://status", "ggrep://health", "ggrep://workspace"]
    assert output["workspace"]["workspaces"][0]["name"] == "both"


def inspected(place: Settled, node: Path, server: list[str], *method: str) -> Any:
    over_http = server[0].startswith("http")
    shown = ("GGREP_HOME", "PYTHONPATH")
    passed = [text for key in shown for text in ("-e", f"{key}={place.environ[key]}")]
    reached = [*server, "--transport", "http"] if over_http else [*passed, *server]
    return output_of(place, node, ["mcp-inspector", "--cli", *reached, *method])


def test_the_inspector_lists_and_calls_every_tool(
    place: Settled, node: Path, server: list[str]
) -> None:
    """It is what people try a server with first."""
    listed = inspected(place, node, server, "--method", "tools/list")
    called = {}
    for name in TOOLS:
        required = [
            argument.name
            for argument in BY_NAME[name].arguments
            if argument.required or argument.name == SEVERAL.get(name, ("",))[0]
        ]
        given = [text for each in required for text in ("--tool-arg", f"{each}={GIVEN[each]}")]
        method = ("--method", "tools/call", "--tool-name", name, *given)
        called[name] = inspected(place, node, server, *method)
    resources = inspected(place, node, server, "--method", "resources/list")

    assert [tool["name"] for tool in listed["tools"]] == TOOLS
    for name, result in called.items():
        assert not result.get("isError"), (name, result)
        text = result["content"][0]["text"]
        assert text
        assert not re.search(r"[0-9a-f]{64}", text)
    assert len(resources["resources"]) == 3
