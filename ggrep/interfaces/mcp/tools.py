"""The tools: their names, descriptions, arguments, results and text budgets."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Document, Json
from ggrep.interfaces.mcp.arguments import OPTIONS, Argument, schema_of, snake_case
from ggrep.interfaces.surfaces import body
from ggrep.interfaces.surfaces.body_shape import Shape
from ggrep.model.filters import named_filters


class TextBudget(Struct, frozen=True):
    """The maximum size of a result's text.

    Attributes:
        most_bytes: maximum bytes of UTF-8, including the line about the cut.
        rest: text about how to get the rest.
    """

    most_bytes: int
    rest: str


MORE: Final = "options text_bytes={}"
"""The option that returns the cut lines of a text."""


def text_bytes_of(values: Mapping[str, object]) -> int:
    """Return the maximum bytes of an answer's text from a call's arguments; 0 for the default."""
    value = values.get("text_bytes", 0)
    if not isinstance(value, int) or value < 0:
        raise InvalidRequest(f"text_bytes: must be 0 or more, is {value!a:.80}")
    return value


_LEAST: Final = 1_024
"""Minimum budget, so that warnings always fit."""
_OF: Final[Mapping[str, TextBudget]] = MappingProxyType(
    {
        "search": TextBudget(32 << 10, "lower `top`, a shorter `snippet`, or `expand` a place"),
        "good_search": TextBudget(32 << 10, "call `search` with a lower `top`"),
        "context": TextBudget(0, "a larger `max_bytes`, or `expand` a place"),
        "search_workspace": TextBudget(32 << 10, "lower `top`, or name repositories in `only`"),
        "symbol": TextBudget(16 << 10, "a `filter`, or a lower `limit`"),
        "references": TextBudget(32 << 10, "a `filter`, or a lower `limit`"),
        "outline": TextBudget(8 << 10, "a larger `max_bytes`, a deeper `path`, or another `depth`"),
        "expand": TextBudget(0, "a larger `max_bytes`, or `path:line-line`"),
        "ggrep_status": TextBudget(8 << 10, "`structured: true`"),
        "ggrep_health": TextBudget(16 << 10, "`structured: true`"),
    }
)
_MOST_OF_SEVERAL: Final = 64 << 10
"""Maximum bytes of several answers in one result."""
_FAILURE: Final = TextBudget(4 << 10, "`structured: true`")


def budget_of(tool: str, document: Mapping[str, Any]) -> TextBudget:
    """Return the text budget of an answer; byte limits in `document` replace the default."""
    if "code" in document and "message" in document:
        return _FAILURE
    usual = _OF[tool]
    if answers := document.get("answers"):
        most = sum(budget_of(tool, each).most_bytes for each in answers)
        return TextBudget(min(most, _MOST_OF_SEVERAL), usual.rest)
    slate, limits = document.get("slate"), document.get("limits")
    if isinstance(slate, Mapping) and isinstance(slate.get("limits"), Mapping):
        most = slate["limits"].get("max_slate_bytes", 0)
    elif isinstance(limits, Mapping) and "max_expand_bytes" in limits:
        most = limits["max_expand_bytes"] * 3 // 2  # line numbers precede the lines
    else:
        most = usual.most_bytes
    return TextBudget(max(_LEAST, most), usual.rest)


def within_budget(tool: str, document: Mapping[str, Any], text: str) -> str:
    """Return the text of a result, cut at the end of a line if it is too long."""
    budget, data = budget_of(tool, document), text.encode()
    most = budget.most_bytes
    if len(data) <= most:
        return text
    notice = f"cut: text {most} of {len(data)} bytes; for the rest: {budget.rest}"
    room = most - len(notice.encode()) - 1
    kept = data[: data.rfind(b"\n", 0, room + 1)] if b"\n" in data[: room + 1] else data[:room]
    return f"{kept.decode(errors='ignore')}\n{notice}"


INSTRUCTIONS: Final = (
    "ggrep searches code by meaning and by name, locally. Prefer it to grep when you know what"
    " code does but not how it is spelled. To understand how something works, call `context`"
    " first: it returns code, docs, config and tests. `search` finds places. In a workspace, call"
    " `search_workspace` instead of these two; its `format: slate` returns what `context` does."
    " `symbol` and `references` follow a name; `expand` shows the code"
    " around `path:line`. These three tools accept `workspace`; `expand` then takes"
    " `alias:path:line`."
    " `expand` folds lists, tests and long comments; `path:line-line` shows them."
    " `outline` lists the definitions of a file, a folder or the repository. In a workspace, a path"
    " is relative to the root of its repository; the resource ggrep://workspace lists the roots."
    " An answer is text: warnings, then `strong`, `weak` or `none` for how well it fits, then"
    " `path:lines`, then what was cut and how to get it. `structured: true` returns JSON"
    " instead. An argument has the same meaning in every tool."
)


class Tool(Struct, frozen=True):
    """A tool of the MCP server.

    Attributes:
        says: description of the tool: its effect, and when to use it.
        rare: rarely used arguments, given by name or as `key=value` in the argument `options`;
            the list of tools omits them, because every conversation contains this list.
        contract: arguments for whole objects of the HTTP request, in addition to the arguments for
            fields of these objects.
        legacy: the tool has an old name; it works, but is listed only on demand.
    """

    name: str
    says: str
    arguments: tuple[Argument, ...]
    rare: tuple[Argument, ...] = ()
    contract: tuple[Argument, ...] = ()
    legacy: bool = False

    @property
    def every(self) -> tuple[Argument, ...]:
        """Return all arguments, including rare arguments and `options`."""
        more = (Argument(OPTIONS, "array"),) if self.rare else ()
        listed = tuple(each for each in self.arguments if each.name != OPTIONS)
        return (*listed, *self.rare, *more)

    @property
    def takes(self) -> dict[str, Json]:
        """Return the JSON Schema of the arguments; it allows all that the server accepts."""
        parts = {each.place[0] for each in self.every if len(each.place) > 1}
        either = parts & {each.name for each in self.every}
        return schema_of((*self.arguments, *self.contract), either)

    @property
    def returns(self) -> dict[str, Json]:
        """Return the JSON Schema of a structured result, which is a document or a failure.

        This schema is short; the schemas that ship with ggrep describe documents in full.
        """
        return _returned().get(self.name, {"type": "object"})


class ToolResult(Struct, frozen=True):
    """The result of a call, and whether it failed.

    Attributes:
        notes: notes that only the text contains.
        text: text of the result; if empty, it is rendered from the document and the notes.
    """

    document: Document
    failed: bool = False
    notes: tuple[str, ...] = ()
    text: str = ""


@cache
def _returned() -> dict[str, dict[str, Json]]:
    schemas: dict[str, dict[str, Json]] = stable_json.loads(
        (files("ggrep") / "model" / "schemas" / "tool_outputs.json").read_bytes()
    )
    return schemas


_LEAVES: Final = {
    place: leaf
    for shape in (*body.REPOSITORY.values(), body.FEDERATED)
    for place, leaf in shape.leaves.items()
}


_NAMES: Final = {
    "cohorts.policy": "cohort_policy",
    "merge.strategy": "merge",
    "search.intent": "mode",
    "search.mode": "corpus",
    "select.repos": "select",
    "session.token": "session",
    "slate.maxEvidencePerFile": "evidence",
    "workspacePath": "workspace",
}
"""Arguments whose name is not the last key of their place in a body, by place."""

_SET_BY_SERVER: Final = frozenset({"debug.includePaths", "scope", "search.scope", "slate.ofText"})
"""Fields of requests that no tool has as an argument."""


def _argument(
    place: str, says: str = "", *, default: Json = None, required: bool | None = None
) -> Argument:
    """Return the argument for a place in request bodies; `says` describes a listed argument."""
    leaf = _LEAVES[place]
    return Argument(
        _NAMES.get(place) or snake_case(place.rpartition(".")[2]),
        leaf.json_type,
        tuple(place.split(".")),
        says,
        leaf.words,
        default,
        leaf.required if required is None else required,
        tuple(also for also in leaf.says.also if "." in also),
    )


def _rest(
    listed: tuple[Argument, ...], *shapes: Shape, without: frozenset[str] = frozenset()
) -> tuple[Argument, ...]:
    """Return an argument for each field of the request that no listed argument sets."""
    known = {".".join(each.place) for each in listed} | _SET_BY_SERVER | without
    places = dict.fromkeys(place for shape in shapes for place in shape.leaves)
    return tuple(_argument(place) for place in places if place not in known)


def _tool(
    name: str,
    says: str,
    arguments: tuple[Argument, ...],
    rare: tuple[Argument, ...],
    keys: str,
    contract: tuple[Argument, ...] = (),
) -> Tool:
    """Return a tool with the argument `options`; `keys` describes the keys of these options."""
    options = Argument(OPTIONS, "array", says=f"key=value: {keys}")
    return Tool(name, says, (*arguments, options, STRUCTURED), rare, contract)


def _names(arguments: Iterable[Argument]) -> str:
    return ", ".join(argument.name for argument in arguments)


STRUCTURED: Final = Argument("structured", "boolean", says="JSON instead of text")
_QUERY = _argument("query", "Description of the code, or names")
_ROOT = _argument("root", "A repository, or a path in it")
_FILTER: Final = _argument("search.filter", f"{named_filters()}; a leading - negates")
_FILTER_TOO: Final = replace(_FILTER, says="As in search")
_TOP: Final = _argument("search.top", "Maximum number of hits", default=10)
_SNIPPET: Final = _argument("search.snippet", "Amount of text per hit", default="short")
_WORKSPACE: Final = _argument("workspacePath", "Workspace file or id", required=False)
_TEXT_BYTES: Final = Argument("text_bytes", "integer")
"""Maximum bytes of the text; a structured document is always complete."""
_CONTRACT: Final = (
    Argument("workspacePath", "string", says="Same as workspace"),
    Argument("search", "object", says="As in HTTP requests: top, mode, filter..."),
    Argument("select", "object", says="As in HTTP requests: repos, tags..."),
    Argument("merge", "object", says="As in HTTP requests: strategy, fold..."),
    Argument("limits", "object", says="As in HTTP requests: maxRepos..."),
)
"""Objects of the HTTP request, listed beside the flat arguments for their fields."""

_SEARCH: Final = (
    _QUERY,
    _ROOT,
    _TOP,
    _SNIPPET,
    _FILTER,
    _argument("search.find", "How to interpret the query"),
)
_EXACT_PLACES: Final = (
    "search.ignoreCase",
    "search.wholeWords",
    "search.linesBefore",
    "search.linesAfter",
    "search.listFiles",
)
_EXACT: Final = tuple(map(_argument, _EXACT_PLACES))
"""The options `-i -w -B -A -l` of the command line; listed files have counts."""
_SEARCH_RARE: Final = (
    Argument("body", "integer"),
    _TEXT_BYTES,
    *_rest((*_SEARCH, *_EXACT), body.REPOSITORY["search"], without=frozenset({"search.stats"})),
)
_OF_HITS: Final = frozenset(
    {
        *_EXACT_PLACES,
        *("search.top", "search.perFile", "search.snippet", "search.anchors"),
        *("search.explain", "search.compact", "search.stats"),
    }
)
"""Fields of a search that a slate ignores."""
_CONTEXT: Final = (
    _QUERY,
    _ROOT,
    _argument("slate.level", "0 (paths) to 3 (whole chunks)", default=1),
    _argument("slate.maxBytes", "Maximum bytes"),
    _FILTER_TOO,
    _argument("session.token", "new, or the token of a session to continue"),
    _argument("session.targets", "In a session: places to show more of"),
    _argument("session.deltaOnly", "In a session: omit files that it returned before"),
)
_CONTEXT_RARE: Final = _rest(_CONTEXT, body.REPOSITORY["slate"], without=_OF_HITS)
_FEDERATED: Final = (
    _QUERY,
    _WORKSPACE,
    _argument("select.only", "Search only these repositories (alias, id or path)"),
    _argument("format", "hits, or a slate as in context"),
    replace(_TOP, default=None),
    _FILTER_TOO,
)
_NAMING: Final = (
    _argument("name", "Name, or Container.name", required=False),
    Argument("names", "array", says="Several names"),
    _ROOT,
    _WORKSPACE,
)
_EXPAND: Final = (
    _argument("target", "path:line, path:line-line, name, row_id or path", required=False),
    Argument("targets", "array", says="Several targets"),
    _ROOT,
    _argument("boundary", "Amount of code"),
    _argument("focus", "Words; show only lines relevant to them"),
    _argument("maxBytes", "Maximum bytes"),
    _WORKSPACE,
)
_OUTLINE: Final = (_argument("path", "Files, folders or path:line", required=False), _ROOT)


def _of_names(operation: str, listed: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """Return the unlisted arguments of a navigation tool."""
    shapes = body.REPOSITORY[operation], body.WORKSPACE[operation]
    return _rest(listed, *shapes, without=frozenset({"workspaceId", "limits.allRepos"}))


TOOLS: Final = (
    _tool(
        "search",
        "Find code and docs by meaning or name. Use when you cannot spell what you look for.",
        _SEARCH,
        (*_SEARCH_RARE, *_EXACT),
        f"only for exact-text and regex: {_names(_EXACT)}; {_names(_SEARCH_RARE)}",
    ),
    _tool(
        "context",
        "Code, docs, config and tests for a question. Use before editing.",
        _CONTEXT,
        _CONTEXT_RARE,
        f"{_names([each for each in _CONTEXT_RARE if each.place[0] == 'slate'])}; as in search",
    ),
    _tool(
        "search_workspace",
        "Search several repositories. Use when the code may be in another repository.",
        _FEDERATED,
        (
            replace(_SNIPPET, says=""),
            *_rest((*_FEDERATED, _SNIPPET), body.FEDERATED, without=frozenset({"slate.anchors"})),
        ),
        "tags, select, repo_filter, merge, fold, strict and more; as in search and context",
        _CONTRACT,
    ),
    Tool(
        "symbol",
        "Definitions and implementations of a name. Use for exact names.",
        (*_NAMING, STRUCTURED),
        (*_of_names("symbol", _NAMING), _TEXT_BYTES),
    ),
    _tool(
        "references",
        "Usages and handlers of a name or a /route. Use before changing it.",
        _NAMING,
        (*_of_names("references", _NAMING), _TEXT_BYTES),
        "strings, comments, filter, limit",
    ),
    Tool(
        "expand",
        "Code around a place or of a name. Use instead of reading a file.",
        (*_EXPAND, STRUCTURED),
        (*_of_names("expand", _EXPAND), Argument("comments", "boolean")),
    ),
    Tool(
        "outline",
        "Definitions in files or folders; without path, a tour of the repository. Use first.",
        (*_OUTLINE, STRUCTURED),
        _rest(_OUTLINE, body.REPOSITORY["outline"]),
    ),
    Tool(
        "ggrep_status",
        "State of an index. Use when answers look old.",
        (_ROOT, Argument("sync", "boolean", says="Index all changes first"), STRUCTURED),
        (Argument("timeout_ms", "integer"),),
    ),
    Tool(
        "ggrep_health",
        "Check an index. Use when searches fail.",
        (_ROOT, Argument("deep", "boolean", says="Verify every file; slow"), STRUCTURED),
    ),
    Tool(
        "good_search",
        "Deprecated. Use search.",
        (_QUERY, _ROOT, STRUCTURED),
        (_SNIPPET,),
        legacy=True,
    ),
)
"""Tools in the order of the list."""


def listed(*, legacy: bool = False) -> tuple[Tool, ...]:
    """Return the tools of `tools/list`; with `legacy`, also tools with old names."""
    return tuple(tool for tool in TOOLS if legacy or not tool.legacy)


SEVERAL: Final = {
    "symbol": ("name", "names"),
    "references": ("name", "names"),
    "expand": ("target", "targets"),
}
"""Arguments for one name or place, and for several, by tool."""

BY_NAME: Final = {tool.name: tool for tool in TOOLS}

ELSEWHERE: Final = {
    argument.name: ", ".join(
        tool.name for tool in listed() if argument.name in {each.name for each in tool.every}
    )
    for tool in TOOLS
    for argument in tool.every
}
"""The tools that take an argument, by its name."""
