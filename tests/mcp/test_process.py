"""`ggrep mcp` as clients start it: a process of its own, over standard input and output."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest
from mcp import Client, stdio_client
from mcp.client.streamable_http import streamable_http_client

from ggrep.base import stable_json
from ggrep.interfaces.mcp.tools import listed
from tests.mcp.processes import INITIALIZE, Settled, settled

pytestmark = pytest.mark.slow

_PATIENCE_S = 600


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    with settled() as result:
        yield result


@contextmanager
def started(place: Settled, cwd: Path, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Give a server with nobody but the test at its other end."""
    process = subprocess.Popen(
        [sys.executable, "-m", "ggrep", "mcp", *arguments],
        env=place.environ,
        cwd=cwd,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ask(process: subprocess.Popen[bytes], message: object) -> dict[str, object]:
    process.stdin.write(stable_json.dumps(message) + b"\n")
    process.stdin.flush()
    return stable_json.loads(process.stdout.readline())


@pytest.mark.parametrize("mode", [pytest.param("legacy", marks=pytest.mark.deep), "auto"])
async def test_a_client_lists_and_calls_every_tool(place: Settled, mode: str) -> None:
    reports: list[str | None] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        reports.append(message)

    query = {"query": "settle invoice"}
    async with Client(stdio_client(place.server("--structured")), mode=mode) as client:
        listing = await client.list_tools()
        result = await client.call_tool("search_workspace", query, progress_callback=hear)
        single = await client.call_tool("search", query)
        slate = await client.call_tool("context", query)
        defined = await client.call_tool("symbol", {"name": "settle_invoice"})
        used = await client.call_tool("references", {"name": "settle_invoice"})
        around = await client.call_tool("expand", {"target": "src/pay.py:2"})
        status = await client.call_tool("ggrep_status", {})
        health = await client.call_tool("ggrep_health", {})
        workspace = await client.read_resource("ggrep://workspace")

    assert [tool.name for tool in listing.tools] == [tool.name for tool in listed()]
    assert {hit["repoAlias"] for hit in result.structured_content["results"]} == {"pay", "mail"}
    assert sorted(str(line).partition(":")[0] for line in reports) == ["mail", "pay"]
    assert single.structured_content["results"][0]["path"] == "src/pay.py"
    assert slate.structured_content["slate"]["overview"]["top_paths"] == ["src/pay.py"]
    assert [at["path"] for at in defined.structured_content["definitions"]] == ["src/pay.py"]
    assert used.structured_content["references"] == []
    assert around.structured_content["content"].startswith("def settle_invoice")
    assert status.structured_content["canonical_root"] == str(place.root)
    assert health.structured_content["ok"] is True
    assert str(place.root) in workspace.contents[0].text


def test_a_workspace_file_that_cannot_be_loaded_is_reported_at_the_start(place: Settled) -> None:
    """The first call would be too late: clients show only that the server runs."""
    with started(place, place.base, "--workspace", "missing.jsonc") as server:
        answer = ask(server, INITIALIZE)
        server.terminate()
        reported = server.stderr.read().decode()

    assert "result" in answer
    assert reported == f"warning: workspace file not found: {place.base / 'missing.jsonc'}\n"


async def test_a_repository_without_an_index_is_indexed_by_its_first_question(
    place: Settled,
) -> None:
    """Whoever asks about a fresh clone wants an answer, not an errand."""
    asked = {"query": "settle invoice", "root": str(place.bare)}
    async with Client(
        stdio_client(place.server("--structured", "--allowed-root", str(place.bare)))
    ) as client:
        listing = await client.list_tools()
        result = await client.call_tool("search", asked)

    assert [tool.name for tool in listing.tools] == [tool.name for tool in listed()]
    assert [hit["path"] for hit in result.structured_content["results"]] == ["src/pay.py"]


def test_only_the_end_of_its_input_ends_a_server_without_a_repository(place: Settled) -> None:
    """Some clients start servers in the root directory, and close the pipe when they go.

    A message that is none is answered, and nothing but the protocol is written.
    """
    with started(place, Path("/")) as process:
        process.stdin.write(b"nonsense\n\xff\xfe\n{}\n")
        first = ask(process, INITIALIZE)
        answers = [first, *(stable_json.loads(process.stdout.readline()) for _ in range(3))]
        process.stdin.close()
        process.stdin = None

        out, err = process.communicate(timeout=_PATIENCE_S)

    assert [answer["id"] for answer in answers] == [None, None, None, 1]
    assert [answer["error"]["code"] for answer in answers[:3]] == [-32700, -32700, -32600]
    assert answers[3]["result"]["serverInfo"]["name"] == "ggrep"
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.deep
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_though_its_input_is_open(place: Settled, sent: signal.Signals) -> None:
    """A wait for a line that never comes must not keep it."""
    with started(place, place.root) as process:
        ask(process, INITIALIZE)
        process.send_signal(sent)

        assert process.wait(timeout=_PATIENCE_S) == 0


def test_progress_is_written_in_order_and_before_the_answer(place: Settled) -> None:
    """A count that goes back, or comes after the answer, is worse than none."""
    call = {"name": "search_workspace", "arguments": {"query": "q"}}
    asked = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {**call, "_meta": {"progressToken": "t"}},
    }
    with started(place, place.root, "--workspace", str(place.workspace)) as process:
        ask(process, INITIALIZE)
        process.stdin.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
        lines = [ask(process, asked)]
        lines += [stable_json.loads(process.stdout.readline()) for _ in range(2)]
        process.terminate()  # a wait for a line that never comes must not keep it

        assert process.wait(timeout=_PATIENCE_S) == 0
        assert process.stderr.read() == b""
    first, second, answer = lines
    assert [step["params"]["progress"] for step in (first, second)] == [1, 2]
    assert {step["params"]["progressToken"] for step in (first, second)} == {"t"}
    assert {step["params"]["total"] for step in (first, second)} == {2}
    assert answer["id"] == 2


def token_in(file: str) -> str:
    return Path(file).read_text().strip()


@pytest.mark.parametrize("flag", ["--port=1", "--auth-token-file=t", "--no-token"])
def test_flags_of_http_need_http(
    place: Settled, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], flag: str
) -> None:
    """A flag without effect would be a promise that is not kept."""
    refused = place.command(monkeypatch, capsys)("mcp", flag)

    assert refused.status == 2
    assert "only with --http" in refused.err


async def test_it_serves_http_until_a_signal(place: Settled) -> None:
    ours = ("--path", str(place.root), "--http", "--port=0")
    with started(place, place.root, *ours) as process:
        address, reported = (process.stderr.readline().decode().strip() for _ in range(2))
        address = address.removeprefix("serving MCP at ")
        token = token_in(reported.removeprefix("callers must present the token in "))
        async with (
            httpx2.AsyncClient() as stranger,
            httpx2.AsyncClient(headers={"authorization": f"Bearer {token}"}) as http,
        ):
            refused = await stranger.post(address, json={})
            async with Client(streamable_http_client(address, http_client=http)) as client:
                result = await client.call_tool("search", {"query": "settle invoice"})
        process.terminate()
        out, err = process.communicate(timeout=_PATIENCE_S)

    assert refused.status_code == 401
    assert token not in reported
    assert "\nsrc/pay.py:" in result.content[0].text
    assert (process.returncode, out, err) == (0, b"", b"")
