"""The list of tools: what every client can read, in as few bytes as it takes."""

from collections.abc import Iterator
from functools import partial

import jsonschema_rs
import pytest
from mcp import Client

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, WorkspaceError
from ggrep.interfaces.mcp.arguments import OPTIONS, Argument, body_of
from ggrep.interfaces.mcp.tool_calls import OF_WORKSPACES
from ggrep.interfaces.mcp.tools import BY_NAME, TOOLS, Tool, listed
from ggrep.interfaces.surfaces.body import (
    parse_federated_body,
    parse_repo_body,
    parse_workspace_body,
)
from ggrep.model.corpus import CORPUS_WORDS, Mode
from ggrep.model.request import Find, SnippetMode
from ggrep.model.slate import MAX_LEVEL, NEW_SESSION

EVERY = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
PARSERS = {
    "search": partial(parse_repo_body, "search"),
    "good_search": partial(parse_repo_body, "search"),
    "context": partial(parse_repo_body, "slate"),
    "search_workspace": parse_federated_body,
    "symbol": partial(parse_repo_body, "symbol"),
    "references": partial(parse_repo_body, "references"),
    "expand": partial(parse_repo_body, "expand"),
    "outline": partial(parse_repo_body, "outline"),
}
OF_KIND = {"string": "x", "integer": 1, "boolean": True, "array": ["x"]}


def argument(tool: str, name: str) -> Argument:
    return next(each for each in BY_NAME[tool].every if each.name == name)


def nodes(value: object) -> Iterator[dict[str, object]]:
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

    for node in nodes(tool.takes):
        assert not banned & node.keys()
        assert isinstance(node.get("type", ""), str | dict)


@EVERY
def test_what_a_tool_returns_has_no_union_but_that_of_its_keys(tool: Tool) -> None:
    """Clients were seen that take `$defs` away and then drop every tool for a dangling reference.

    An answer and a failure differ in their keys; which those are, the one union of the top says.
    """
    banned = {"oneOf", "allOf", "not", "$ref", "$defs", "if", "patternProperties", "$schema"}
    top, *inner = nodes(tool.returns)

    assert top["type"] == "object"
    assert all(each.keys() == {"required"} for each in top["anyOf"])
    for node in (top, *inner):
        assert not banned & node.keys()
    assert not any("anyOf" in node for node in inner)


@EVERY
def test_schemas_are_schemas(tool: Tool) -> None:
    """A client that checks them must be able to."""
    for schema in (tool.takes, tool.returns):
        jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize(
    "given",
    [
        {"workspacePath": "/w.jsonc", "search": {"top": 3, "mode": ["code"]}},
        {"select": {"repos": ["a"], "tags": ["b"]}, "limits": {"maxRepos": 2}},
        {"select": ["a"], "merge": "global"},
        {"merge": {"strategy": "rrf", "rrfK": 60}, "strict": True, "cohorts": {"policy": "x"}},
        {"format": "slate", "session": {"token": "new"}, "perRepoTop": 3, "topK": 9},
        {"options": ["merge=global"], "structured": True},
    ],
)
def test_the_schema_of_a_workspace_search_accepts_the_contracts_request(
    given: dict[str, object],
) -> None:
    """A client that checks its calls must not refuse what the server accepts."""
    request = {"query": "q", **given}

    jsonschema_rs.validate(BY_NAME["search_workspace"].takes, request)


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

    kinds = {(each.name, each.kind) for tool in TOOLS for each in tool.every}

    assert len(kinds) == len({name for name, _ in kinds})
    assert argument("context", "level").says == f"0 (paths) to {MAX_LEVEL} (whole chunks)"
    assert argument("context", "session").says.startswith(f"{NEW_SESSION}, ")


def test_good_search_takes_the_least_of_what_search_takes() -> None:
    """It is the same tool under its old name; whoever wants more calls the new one."""
    taken = [each for each in BY_NAME["good_search"].every if each.name != OPTIONS]

    assert [each.name for each in taken] == ["query", "root", "structured", "snippet"]
    for old in taken:
        new = argument("search", old.name)
        assert (old.kind, old.place, old.default) == (new.kind, new.place, new.default)


def test_a_snippet_is_short_and_a_slate_of_level_1_unless_asked_for() -> None:
    """Full content by default would drown the agent."""
    for name in ("search", "search_workspace", "good_search"):
        assert argument(name, "snippet").default == "short"
    assert BY_NAME["search"].takes["properties"]["snippet"]["default"] == "short"
    assert BY_NAME["context"].takes["properties"]["level"]["default"] == 1


@EVERY
def test_every_argument_is_described_and_every_closed_set_is_told(tool: Tool) -> None:
    named = [each.name for each in tool.every]

    assert len(set(named)) == len(named)

    for name, output in tool.takes["properties"].items():
        assert output.get("description"), name
        if name in {each.name for each in tool.contract}:
            continue
        words = argument(tool.name, name).words
        listed = output.get("enum", output.get("items", {}).get("enum", []))
        assert tuple(listed) == words, name


def test_options_name_what_they_take() -> None:
    """What no schema lists must be found somewhere; the rest a refusal tells."""
    for tool in TOOLS:
        if OPTIONS not in tool.takes["properties"]:
            continue
        output = tool.takes["properties"][OPTIONS]["description"].removeprefix("key=value: ")
        named = [
            name.removeprefix("only for exact-text and regex: ").removesuffix(" and more")
            for part in output.split("; ")
            for name in part.split(", ")
            if not part.startswith("as in ")
        ]
        assert set(named) <= {each.name for each in tool.rare}
        assert len(named) >= 4


OVER_WORKSPACES = {
    "symbol": partial(parse_workspace_body, "symbol"),
    "references": partial(parse_workspace_body, "references"),
    "expand": partial(parse_workspace_body, "expand"),
}


@pytest.mark.parametrize("tool", [BY_NAME[name] for name in PARSERS], ids=lambda tool: tool.name)
def test_every_argument_has_a_place_that_its_body_knows(tool: Tool) -> None:
    """One that stands where nobody reads would be refused, whatever its value."""
    given = {each.name: OF_KIND[each.kind] for each in tool.every if each.place}
    asked = [(PARSERS[tool.name], given)]
    if over := OVER_WORKSPACES.get(tool.name):
        alone = {name: value for name, value in given.items() if name not in OF_WORKSPACES}
        several = {name: value for name, value in given.items() if name != "root"}
        asked = [(PARSERS[tool.name], alone), (over, several)]

    output = ""
    for parse, values in asked:
        try:
            parse(body_of(tool.every, values))
        except WorkspaceError as error:
            output += " ".join(issue.message for issue in error.issues)
        except InvalidRequest as error:
            output += str(error)

    assert "unknown key" not in output
    assert " again " not in output  # two arguments for one setting
    assert " must be a" not in output  # of another type than the body wants


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mode", [mode.value for mode in Mode]),
        ("snippet", [mode.value for mode in SnippetMode]),
        ("corpus", ["all", *CORPUS_WORDS]),
        ("find", [find.value for find in Find]),
    ],
)
def test_the_words_of_an_argument_are_those_that_requests_know(name: str, words: list[str]) -> None:
    """They are written down twice so that listing tools loads nothing; they must not part."""
    assert list(argument("search", name).words) == words


def test_the_formats_of_a_workspace_search_are_those_that_bodies_know() -> None:
    """One that is listed and refused would cost a call."""
    body = {"workspacePath": "w.jsonc", "query": "q"}

    slates = [
        parse_federated_body({**body, "format": word}).shape is not None
        for word in argument("search_workspace", "format").words
    ]

    assert slates == [False, True]


async def test_the_whole_list_is_small(connect: object) -> None:
    """It is part of every conversation, whether a tool is called or not."""
    async with connect() as client:
        listing = await client.list_tools()

    data = listing.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert not any("outputSchema" in tool for tool in data["tools"])
    assert len(stable_json.dumps(data)) < 7_000


async def test_tools_are_listed_in_order_and_as_reading_only(connect: object) -> None:
    """Clients ask before a tool that might change something, every time."""
    async with connect() as client:
        assert isinstance(client, Client)
        listing = await client.list_tools()

    assert [tool.name for tool in listing.tools] == [tool.name for tool in listed()]
    for tool in listing.tools:
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is True
