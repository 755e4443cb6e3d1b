"""The list of tools: what every client can read, in as few bytes as it takes."""

from collections.abc import Iterator

import jsonschema_rs
import pytest
from mcp import Client

from ggrep import stable_json
from ggrep.domain.corpus import CORPUS_WORDS, Mode
from ggrep.domain.request import SnippetMode
from ggrep.federation.cohort import POLICIES
from ggrep.federation.strategies import STRATEGIES
from ggrep.mcp.tools import BY_NAME, TOOLS, Tool

EVERY = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def nodes(value: object) -> Iterator[dict[str, object]]:
    """Yield every object within a document."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from nodes(item)


@EVERY
def test_schemas_are_flat(tool: Tool) -> None:
    """Some clients refuse a tool, or all of them, when they meet a union or a reference."""
    banned = {"anyOf", "oneOf", "allOf", "not", "$ref", "$defs", "if", "patternProperties"}

    for schema in (tool.takes, tool.returns):
        for node in nodes(schema):
            assert not banned & node.keys()
            assert isinstance(node.get("type", ""), str | dict)


@EVERY
def test_schemas_are_schemas(tool: Tool) -> None:
    """A client that checks them must be able to."""
    for schema in (tool.takes, tool.returns):
        jsonschema_rs.meta.validate(schema)


@EVERY
def test_every_tool_takes_its_own_arguments_alone(tool: Tool) -> None:
    """A model that makes an argument up has to hear of it."""
    assert tool.takes["additionalProperties"] is False


@EVERY
def test_defaults_and_required_arguments_fit_the_schema(tool: Tool) -> None:
    """The least that can be sent must be right."""
    least = {argument.name: "x" for argument in tool.arguments if argument.required}
    usual = {a.name: a.default for a in tool.arguments if a.default is not None}

    jsonschema_rs.validate(tool.takes, least | usual)


def test_every_tool_says_when_to_use_it() -> None:
    """An agent picks by the description; one that only says what it is loses to grep."""
    assert all("Use" in tool.says for tool in TOOLS)
    assert "eprecated" in BY_NAME["good_search"].says


def test_good_search_takes_what_search_takes() -> None:
    """It is the same tool under its old name."""
    named = [argument.name for argument in BY_NAME["search"].arguments]
    places = [argument.place for argument in BY_NAME["search"].arguments]

    assert [argument.name for argument in BY_NAME["good_search"].arguments] == named
    assert [argument.place for argument in BY_NAME["good_search"].arguments] == places


def test_a_snippet_is_short_unless_asked_for() -> None:
    """Full content by default would drown the agent."""
    for name in ("search", "search_workspace", "good_search"):
        takes = BY_NAME[name].takes["properties"]
        assert takes["snippet"]["default"] == "short"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mode", [mode.value for mode in Mode]),
        ("snippet", [mode.value for mode in SnippetMode]),
        ("merge", list(STRATEGIES)),
        ("cohort_policy", list(POLICIES)),
        ("corpus", ["all", *CORPUS_WORDS]),
    ],
)
def test_the_words_of_an_argument_are_those_that_requests_know(name: str, words: list[str]) -> None:
    """They are written down twice so that listing tools loads nothing; they must not part."""
    found = next(a for a in BY_NAME["search_workspace"].arguments if a.name == name)

    assert list(found.words) == words


async def test_the_whole_list_is_small(connect: object) -> None:
    """It is part of every conversation, whether a tool is called or not."""
    async with connect() as client:
        listed = await client.list_tools()

    data = [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in listed.tools]
    assert len(stable_json.dumps(data)) < 6_000


async def test_tools_are_listed_with_titles_and_as_reading_only(connect: object) -> None:
    """Clients ask before a tool that might change something, every time."""
    async with connect() as client:
        assert isinstance(client, Client)
        listed = await client.list_tools()

    assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]
    for tool in listed.tools:
        assert tool.title
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.open_world_hint is False
