"""The server as a client sees it, through the SDK's own client."""

from pathlib import Path

import anyio
import jsonschema_rs
import pytest
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult

from ggrep.base import stable_json
from ggrep.base.errors import Busy, NoIndex, Unasked
from ggrep.config.root import canonical_root
from ggrep.federation.workspace import load_workspace
from ggrep.interfaces.mcp.resources import RESOURCES
from ggrep.interfaces.mcp.server import OUTPUT_SCHEMA
from ggrep.interfaces.mcp.start_options import StartOptions
from ggrep.interfaces.mcp.tools import BY_NAME, TOOLS, listed
from ggrep.model.request import SnippetMode
from ggrep.render.agent_text import agent_text
from tests.fakes.federators import FakeFederator, answer_of
from tests.mcp.test_tool_calls import LEAST

MODES = pytest.mark.parametrize("mode", ["legacy", "auto"])


def text_of(result: CallToolResult) -> str:
    """Return the only text of a result."""
    (content,) = result.content
    return content.text


@MODES
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_every_tool_answers_with_one_text_and_nothing_else(
    connect: object, tool: object, mode: str
) -> None:
    """An agent pays for every byte, so nothing is sent twice."""
    async with connect(mode=mode) as client:
        result = await client.call_tool(tool.name, LEAST.get(tool.name, {}))

    assert not result.is_error
    assert text_of(result)
    assert result.structured_content is None
    assert result.meta is None or OUTPUT_SCHEMA not in result.meta


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_a_structured_answer_comes_with_its_schema_and_one_line(
    connect: object, tool: object
) -> None:
    """A call that asks for it needs no list of tools to read it."""
    given = {**LEAST.get(tool.name, {}), "structured": True}
    async with connect() as client:
        result = await client.call_tool(tool.name, given)
        read = await client.call_tool(tool.name, LEAST.get(tool.name, {}))

    line = text_of(result)
    assert line == agent_text(result.structured_content).partition("\n")[0]
    assert text_of(read).startswith(line)
    assert result.meta[OUTPUT_SCHEMA] == tool.returns
    jsonschema_rs.validate(tool.returns, result.structured_content)


async def test_a_server_for_structured_answers_lists_their_schemas(connect: object) -> None:
    """A client holds every result against the schema of the list, failures as well."""
    async with connect(structured=True) as client:
        tools = (await client.list_tools()).tools
        right = await client.call_tool("search", {"query": "q", "structured": False})
        wrong = await client.call_tool("search", {"query": "q", "nonsense": 1})

    assert [tool.output_schema for tool in tools] == [tool.returns for tool in listed()]
    for result in (right, wrong):
        jsonschema_rs.validate(BY_NAME["search"].returns, result.structured_content)
        assert result.meta is None or OUTPUT_SCHEMA not in result.meta
    assert (right.is_error, wrong.is_error) == (False, True)


async def test_a_deprecated_tool_is_answered_and_listed_only_on_demand(connect: object) -> None:
    """Agents that know only the list never learn the old name."""
    async with connect() as client:
        usual = {tool.name for tool in (await client.list_tools()).tools}
        answered = await client.call_tool("good_search", {"query": "q"})
    async with connect(legacy=True) as client:
        every = {tool.name for tool in (await client.list_tools()).tools}

    assert not answered.is_error
    assert every - usual == {"good_search"}


async def test_the_document_is_the_very_bytes_of_the_command_line(
    connect: object, federator: FakeFederator, workspace_file: Path
) -> None:
    """The same question has the same answer on every surface, to the byte."""
    async with connect() as client:
        result = await client.call_tool(
            "search_workspace", {"query": "wie heißt das", "structured": True}
        )

    workspace = load_workspace(workspace_file, resolve_root=canonical_root)
    expected = answer_of(workspace, federator.requests[0]).to_json()
    assert stable_json.dumps(result.structured_content) == stable_json.dumps(expected)


async def test_nothing_is_asked_before_a_tool_is_called(
    connect: object, federator: FakeFederator
) -> None:
    """A server must start where there is no index, no repository and no time."""
    async with connect(StartOptions(directory=None)) as client:
        tools = await client.list_tools()
        resources = await client.list_resources()

    assert len(tools.tools) == len(listed())
    assert [str(each.uri) for each in resources.resources] == [each.uri for each in RESOURCES]
    assert federator.asked == []
    assert federator.closed == 0


async def test_instructions_say_when_to_prefer_it(connect: object) -> None:
    """An agent that is not told keeps to grep."""
    async with connect() as client:
        output = client.instructions or ""

    for name in ("search", "context", "search_workspace", "symbol", "references", "expand"):
        assert f"`{name}`" in output
    assert "good_search" not in output


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("context", {"query": "q"}),
        ("search", {"query": "q"}),
        ("symbol", {"name": "n"}),
        ("symbol", {"names": ["n", "m"]}),
    ],
)
async def test_outside_of_repositories_the_workspace_is_named(
    connect: object, federator: FakeFederator, own: Path, tool: str, arguments: dict[str, object]
) -> None:
    """A server for a workspace is often started in a directory that is no repository."""
    federator.fail = Unasked("own is not a repository")
    alone = StartOptions(directory=own)

    async with connect() as client, connect(alone) as other:
        results = [await each.call_tool(tool, arguments) for each in (client, other)]

    assert ["search_workspace" in text_of(result) for result in results] == [True, False]


async def test_no_index_is_said_as_a_failure_of_the_tool(
    connect: object, federator: FakeFederator
) -> None:
    """A model reads the failures of tools, not those of the protocol."""
    federator.fail = NoIndex("own: no published snapshot yet")

    async with connect() as client:
        result = await client.call_tool("search", {"query": "q"})

    assert result.is_error
    first, hint = text_of(result).split("\n")
    assert first == "no_index: own: no published snapshot yet"
    assert hint.startswith("hint: ")
    assert "ggrep index" in hint


@MODES
@pytest.mark.parametrize(
    ("tool", "given", "lines"),
    [
        ("search_workspace", {"query": "q"}, ["own: ok, 1 hit", "other: ok, 2 hits"]),
        ("ggrep_status", {"sync": True}, ["index, 1 of 2 files", "index, 2 of 2 files"]),
    ],
)
async def test_progress_is_told(
    connect: object, mode: str, tool: str, given: dict[str, object], lines: list[str]
) -> None:
    """A search of many repositories takes longer than an agent likes, a first index minutes."""
    reports: list[tuple[float, float | None, str | None]] = []

    async def hear(done: float, total: float | None, message: str | None) -> None:
        reports.append((done, total, message))

    async with connect(mode=mode) as client:
        await client.call_tool(tool, given, progress_callback=hear)
        await anyio.wait_all_tasks_blocked()

    assert sorted(reports) == [(number, 2, line) for number, line in enumerate(lines, 1)]


@MODES
@pytest.mark.parametrize(
    ("tool", "given", "asked"),
    [("search_workspace", {"query": "q"}, "search"), ("ggrep_status", {"sync": True}, "sync_repo")],
)
async def test_a_call_that_its_client_gives_up_is_called_off_below(
    connect: object,
    federator: FakeFederator,
    mode: str,
    *,
    tool: str,
    given: dict[str, object],
    asked: str,
) -> None:
    """Daemons must not go on with what nobody waits for."""
    federator.gate = anyio.Event()
    async with connect(mode=mode) as client:
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, tool, given)
            await federator.begun.wait()
            group.cancel_scope.cancel()
        with anyio.fail_after(60):
            await federator.cancelled.wait()

    assert [name for name, _ in federator.asked] == [asked]


async def test_a_call_in_flight_holds_up_no_other(
    connect: object, federator: FakeFederator
) -> None:
    gate = federator.gate = anyio.Event()

    async with connect() as client, anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "search", {"query": "slow"})
        await federator.begun.wait()
        federator.gate = None
        with anyio.fail_after(60):
            result = await client.call_tool("ggrep_status", {})
        gate.set()

    assert not result.is_error


async def test_a_bug_is_a_failure_that_says_so(connect: object, federator: FakeFederator) -> None:
    """A server that dies of it would take every other call along."""
    federator.fail = RuntimeError("oops")

    async with connect() as client:
        result = await client.call_tool("search", {"query": "q"})
        federator.fail = None
        again = await client.call_tool("search", {"query": "q"})

    assert text_of(result) == "internal: a bug in ggrep: RuntimeError: oops"
    assert not again.is_error


@pytest.mark.parametrize("name", ["status", "health"])
async def test_a_resource_is_what_its_tool_returns(connect: object, name: str) -> None:
    """Whoever attaches it reads what an agent would have asked for."""
    async with connect() as client:
        read = await client.read_resource(f"ggrep://{name}")
        called = await client.call_tool(f"ggrep_{name}", {"structured": True})

    (contents,) = read.contents
    assert stable_json.loads(contents.text) == called.structured_content
    assert contents.mime_type == "application/json"


async def test_the_workspace_resource_names_ids_and_repositories(
    connect: object, own: Path, workspace_file: Path
) -> None:
    """It is where an agent learns what it may search together, and where the files are."""
    async with connect() as client:
        read = await client.read_resource("ggrep://workspace")

    document = stable_json.loads(read.contents[0].text)
    workspace = load_workspace(workspace_file, resolve_root=canonical_root)
    assert document["schema_version"] == 1
    (result,) = document["workspaces"]
    assert (result["workspaceId"], result["name"]) == (workspace.repo_set_id, "both")
    assert result["repos"][0] == {
        "repoId": workspace.repos[0].repo_id,
        "alias": "own",
        "root": str(own),
        "enabled": True,
        "tags": [],
    }


async def test_an_unknown_tool_or_resource_is_an_error_of_the_protocol(connect: object) -> None:
    """The client learns what it could have asked for; no schema fits a result."""
    async with connect(mode="legacy") as client:
        with pytest.raises(MCPError, match="unknown tool 'grep'; known tools: search, "):
            await client.session.call_tool("grep", {})
        with pytest.raises(MCPError, match="ggrep://status, ggrep://health, ggrep://workspace"):
            await client.read_resource("ggrep://secrets")


async def test_a_resource_that_cannot_be_had_says_why(
    connect: object, federator: FakeFederator, own: Path, broken_file: Path
) -> None:
    """An empty document would be taken for an empty index."""
    federator.fail = Busy(retry_after_ms=10)

    async with connect() as client:
        with pytest.raises(MCPError, match="daemon busy") as refused:
            await client.read_resource("ggrep://status")

    assert refused.value.error.data == {"code": "busy"}

    async with connect(StartOptions(directory=own, workspaces=(broken_file,))) as client:
        with pytest.raises(MCPError) as refused:
            await client.read_resource("ggrep://workspace")

    assert refused.value.error.data["code"].startswith("ERR_WORKSPACE")


async def test_what_was_opened_is_closed_once(connect: object, federator: FakeFederator) -> None:
    """Connections that stay would keep daemons from going to sleep."""
    async with connect() as client:
        await client.call_tool("ggrep_status", {})
        await client.call_tool("ggrep_status", {})

    assert federator.closed == 1


async def test_every_call_of_good_search_is_one_of_search(
    connect: object, federator: FakeFederator, own: Path
) -> None:
    """It is the same tool under its old name, with less to say."""
    given = {"query": "q", "root": str(own / "src"), "snippet": "long"}
    async with connect() as client:
        new, old = [await client.call_tool(name, given) for name in ("search", "good_search")]

    first, second = (asked for asked in federator.asked if asked[0] == "search_repo")
    assert first == second
    assert (first[1][1].scope, first[1][1].snippet) == ("src", SnippetMode.LONG)
    assert text_of(new) == text_of(old)


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_what_fails_below_fails_every_tool_alike(
    connect: object, federator: FakeFederator, tool: object
) -> None:
    """A model that knows one failure knows them all."""
    federator.fail = NoIndex("own: no published snapshot yet")

    async with connect() as client:
        given = {**LEAST.get(tool.name, {}), "structured": True}
        result = await client.call_tool(tool.name, given)
        read = await client.call_tool(tool.name, LEAST.get(tool.name, {}))

    assert result.is_error
    # The federated contract has its codes in capitals.
    assert result.structured_content["code"].lower() == "no_index"
    assert "ggrep index" in result.structured_content["hint"]
    assert text_of(read) == agent_text(result.structured_content)
