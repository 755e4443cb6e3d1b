"""The tools: name, when to use it, arguments, result and text budget of each."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import Document, Json
from ggrep.interfaces.mcp.arguments import OPTIONS, Argument, schema_of
from ggrep.interfaces.surfaces import body
from ggrep.model.filters import keys_told


class TextBudget(Struct, frozen=True):
    """How much text a result may have.

    Attributes:
        most_bytes: of UTF-8, with the line that says that it was cut.
        rest: how to get what was cut.
    """

    most_bytes: int
    rest: str


MORE: Final = "options text_bytes={}"
"""What to give for lines of a text that were cut."""


def text_bytes_of(values: Mapping[str, object]) -> int:
    """Return most bytes of the text of an answer; 0 for what is usual.

    Raises:
        InvalidRequest: that is less than nothing.
    """
    given = values.get("text_bytes", 0)
    if not isinstance(given, int) or given < 0:
        raise InvalidRequest(f"text_bytes: must be 0 or more, is {given!a:.80}")
    return given


_LEAST: Final = 1_024
"""However little was asked for, there is room for what is wrong with an answer."""
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
"""Of the answers to several questions together."""
_FAILURE: Final = TextBudget(4 << 10, "`structured: true`")


def budget_of(tool: str, document: Mapping[str, Any]) -> TextBudget:
    """Return the budget of a tool's answer: its own bounds, where it has some."""
    if _fails(document):
        return _FAILURE
    usual = _OF[tool]
    if answers := document.get("answers"):
        most = sum(budget_of(tool, each).most_bytes for each in answers)
        return TextBudget(min(most, _MOST_OF_SEVERAL), usual.rest)
    slate, limits = document.get("slate"), document.get("limits")
    if isinstance(slate, Mapping) and isinstance(slate.get("limits"), Mapping):
        most = slate["limits"].get("max_slate_bytes", 0)
    elif isinstance(limits, Mapping) and "max_expand_bytes" in limits:
        most = limits["max_expand_bytes"] * 3 // 2  # each line has its number in front of it
    else:
        most = usual.most_bytes
    return TextBudget(max(_LEAST, most), usual.rest)


def within_budget(tool: str, document: Mapping[str, Any], text: str) -> str:
    """Return the text of a result, cut at the end of a line where it is too long."""
    budget = budget_of(tool, document)
    most = budget.most_bytes
    data = text.encode()
    if len(data) <= most:
        return text
    told = f"cut: text {budget.most_bytes} of {len(data)} bytes; for the rest: {budget.rest}"
    room = most - len(told.encode()) - 1
    kept = data[: data.rfind(b"\n", 0, room + 1)] if b"\n" in data[: room + 1] else data[:room]
    return f"{kept.decode(errors='ignore')}\n{told}"


def _fails(document: Mapping[str, Any]) -> bool:
    return "code" in document and "message" in document


INSTRUCTIONS: Final = (
    "ggrep searches code by meaning and by name, locally. Prefer it to grep when you know what"
    " code does but not how it is spelled. To understand how something works, call `context`"
    " first: one pack of code, docs, config and tests. `search` finds places, `search_workspace`"
    " across repositories; `symbol` and `references` follow a name, `expand` shows what stands"
    " around `path:line`; these three take `workspace` too, and `expand` then `alias:path:line`."
    ' Its text leaves long comments out; `options: ["comments=true"]` shows them.'
    " `outline` says what a file, a folder or the whole repository holds. In a workspace a path is"
    " relative to the root of its repository; the resource ggrep://workspace names the roots."
    " An answer is text: warnings, then `strong`, `weak` or `none` for how well it fits, then"
    " `path:lines`, then what was cut and what to type for it. `structured: true` returns JSON"
    " instead. Arguments mean the same in every tool."
)


class Tool(Struct, frozen=True):
    """One tool.

    Attributes:
        says: what it does and when to use it.
        rare: what is seldom given, as an argument or as `key=value` in the argument `options`;
            listed one by one they would cost every conversation more than they are worth.
        contract: listed beside the arguments that they stand for (`spellings.py`).
        legacy: an old name, which is answered but listed only on demand.
    """

    name: str
    says: str
    arguments: tuple[Argument, ...]
    rare: tuple[Argument, ...] = ()
    contract: tuple[Argument, ...] = ()
    legacy: bool = False

    @property
    def every(self) -> tuple[Argument, ...]:
        """Return all arguments: the rare ones too, and `options`, listed or not."""
        more = (Argument(OPTIONS, "array"),) if self.rare else ()
        listed = tuple(one for one in self.arguments if one.name != OPTIONS)
        return (*listed, *self.rare, *more)

    @property
    def takes(self) -> dict[str, Json]:
        """Return the JSON Schema of the arguments; it is never narrower than the server."""
        parts = {each.place[0] for each in self.every if len(each.place) > 1}
        either = parts & {each.name for each in self.every}
        return schema_of((*self.arguments, *self.contract), either)

    @property
    def returns(self) -> dict[str, Json]:
        """Return the JSON Schema of a structured result: a document, or a failure's.

        The schemas that ship with ggrep describe documents in full.
        """
        return _returned().get(self.name, {"type": "object"})


class ToolResult(Struct, frozen=True):
    """What a call returns, and whether it failed.

    Attributes:
        notes: stand in its text alone.
        text: what is read of it; empty for what the document and the notes say.
    """

    document: Document
    failed: bool = False
    notes: tuple[str, ...] = ()
    text: str = ""


@cache
def _returned() -> dict[str, dict[str, Json]]:
    found: dict[str, dict[str, Json]] = stable_json.loads(
        (files("ggrep") / "model" / "schemas" / "tool_outputs.json").read_bytes()
    )
    return found


_LEAVES: Final = {
    place: leaf
    for shape in (*body.REPOSITORY.values(), body.FEDERATED)
    for place, leaf in shape.leaves.items()
}


def _argument(
    name: str, place: str, says: str = "", *, default: Json = None, required: bool | None = None
) -> Argument:
    """Return the argument that has a place in the bodies of requests.

    Args:
        name: what agents call it.
        place: as the bodies have it.
        says: its description; empty for what is said in `options` alone.
        default: what is in force where it is not given.
        required: None for what the bodies say.
    """
    leaf = _LEAVES[place]
    return Argument(
        name,
        leaf.json_type,
        tuple(place.split(".")),
        says,
        leaf.words,
        default,
        leaf.required if required is None else required,
        tuple(also for also in leaf.says.also if "." in also),
    )


def _tool(
    name: str,
    says: str,
    arguments: tuple[Argument, ...],
    rare: tuple[Argument, ...],
    told: str,
    contract: tuple[Argument, ...] = (),
) -> Tool:
    """Return a tool that takes `options`; `told` is what is said of the keys in it."""
    options = Argument(OPTIONS, "array", says=f"key=value: {told}")
    return Tool(name, says, (*arguments, options, STRUCTURED), rare, contract)


def _names(arguments: tuple[Argument, ...]) -> str:
    return ", ".join(argument.name for argument in arguments)


STRUCTURED: Final = Argument("structured", "boolean", says="JSON instead of text")
_QUERY = _argument("query", "query", "What the code does, or names")
_ROOT = _argument("root", "root", "Repository or path in it")
_FILTER: Final = _argument("filter", "search.filter", f"{keys_told()}; - negates")
_TOP: Final = _argument("top", "search.top", "Most hits", default=10)
_SNIPPET: Final = _argument("snippet", "search.snippet", "Text of a hit", default="short")
_TEXT_BYTES: Final = Argument("text_bytes", "integer")
"""Most bytes of the text that is read; the structured document is whole anyhow."""
_WORKSPACE: Final = _argument("workspace", "workspacePath", "Its file or id", required=False)
_OF_TEXT: Final = (Argument("body", "integer"), _TEXT_BYTES)
"""How many of the best hits are opened in the text, and its bytes."""
_OF_ANY: Final = (
    _argument("deterministic", "deterministic"),
    _argument("timeout_ms", "timeoutMs"),
)
_OF_SEARCHES: Final = (
    _argument("corpus", "search.mode"),
    _argument("keep_weak", "search.keepWeak"),
    _argument("vectors", "search.vectors"),
    _argument("backend", "search.backend"),
    _argument("deterministic", "search.deterministic"),
    _argument("timeout_ms", "search.timeoutMs"),
)
_OF_EXACT_TEXT: Final = (
    _argument("ignore_case", "search.ignoreCase"),
    _argument("whole_words", "search.wholeWords"),
    _argument("lines_before", "search.linesBefore"),
    _argument("lines_after", "search.linesAfter"),
    _argument("list_files", "search.listFiles"),
)
"""The letters `-i -w -B -A -l` of the command line; a list of files has a count for each."""
_OF_HITS: Final = (
    _argument("per_file", "search.perFile"),
    _argument("anchors", "search.anchors"),
    _argument("explain", "search.explain"),
    _argument("compact", "search.compact"),
)
_FIND: Final = _argument("find", "search.find", "Take the query as")
_RARELY_ASKING: Final = (_argument("mode", "search.intent"), replace(_FIND, says=""))
_LEVEL: Final = _argument("level", "slate.level", "0 paths to 3 whole", default=1)
_MAX_BYTES: Final = _argument("max_bytes", "slate.maxBytes", "Most bytes")
_OF_SLATES: Final = (
    _argument("max_file_bytes", "slate.maxFileBytes"),
    _argument("max_files", "slate.maxFiles"),
    _argument("evidence", "slate.maxEvidencePerFile"),
    _argument("graph", "slate.graph"),
)
_OF_SESSIONS: Final = (
    _argument("session", "session.token", "new, or a token to go on"),
    _argument("targets", "session.targets", "Places to open in a session"),
    _argument("delta_only", "session.deltaOnly", "Only files new to the session"),
)
_OP: Final = _argument("op", "session.op")
_OF_WORKSPACES: Final = (
    _argument("tags", "select.tags"),
    _argument("select", "select.repos"),
    _argument("repo_filter", "select.repoFilter"),
    _argument("merge", "merge.strategy"),
    _argument("fold", "merge.fold"),
    _argument("strict", "strict"),
    _argument("include_disabled", "select.includeDisabled"),
    _argument("max_repos", "limits.maxRepos"),
    _argument("rrf_k", "merge.rrfK"),
    _argument("per_repo_top", "limits.perRepoTop"),
    _argument("snippet_bytes", "limits.snippetBytes"),
    _argument("all_repos", "limits.allRepos"),
    _argument("concurrency", "limits.concurrency"),
    _argument("cohort", "cohorts.cohort"),
    _argument("cohort_policy", "cohorts.policy"),
    _argument("allow_unsafe_mix", "cohorts.allowUnsafeMix"),
    _argument("stats", "search.stats"),
)
"""The most frequent ones come first: the list of tools names the first six."""
_CONTRACT: Final = (
    Argument("workspacePath", "string", says="As workspace"),
    Argument("search", "object", says="Of the HTTP request: top, mode, filter..."),
    Argument("select", "object", says="As there: repos, tags, repoFilter..."),
    Argument("merge", "object", says="As there: strategy, rrfK, fold"),
    Argument("limits", "object", says="As there: maxRepos, perRepoTop..."),
)
"""The contract's request, which is listed beside the flat arguments that it stands for."""
_LEVEL_OF_SEVERAL: Final = replace(_LEVEL, says="", default=None)
_NAMING: Final = (
    _argument("name", "name", "Name, or Container.name", required=False),
    Argument("names", "array", says="Several at once"),
    _ROOT,
)
_OF_MENTIONS: Final = (_argument("strings", "strings"), _argument("comments", "comments"))
_OF_NAMES: Final = (
    _argument("filter", "filter"),
    _argument("limit", "limit"),
    _argument("cursor", "cursor"),
    *_OF_ANY,
    _TEXT_BYTES,
)
_OF_MEMBERS: Final = (
    _argument("select", "select.repos"),
    _argument("only", "select.only"),
    _argument("tags", "select.tags"),
    _argument("repo_filter", "select.repoFilter"),
    _argument("include_disabled", "select.includeDisabled"),
    _argument("concurrency", "limits.concurrency"),
    _argument("strict", "strict"),
    _argument("stats", "search.stats"),
)
"""Which repositories of a workspace are asked about a name or a place."""

TOOLS: Final = (
    _tool(
        "search",
        "Find code and docs by meaning or name. Use when you cannot spell what you look for.",
        (_QUERY, _ROOT, _TOP, _SNIPPET, _FILTER, _FIND),
        (*_OF_TEXT, *_OF_EXACT_TEXT, _RARELY_ASKING[0], *_OF_HITS, *_OF_SEARCHES),
        f"of exact-text and regex {_names(_OF_EXACT_TEXT)};"
        f" {_names((*_OF_TEXT, _RARELY_ASKING[0], *_OF_HITS, *_OF_SEARCHES))}",
    ),
    _tool(
        "context",
        "What a question needs: code, docs, config, tests. Use before editing.",
        (
            _QUERY,
            _ROOT,
            _LEVEL,
            _MAX_BYTES,
            replace(_FILTER, says="As in search"),
            *_OF_SESSIONS,
        ),
        (
            *_OF_SLATES,
            _argument("anchors", "slate.anchors"),
            _OP,
            *_RARELY_ASKING,
            *_OF_SEARCHES,
        ),
        f"{_names(_OF_SLATES)}, anchors; as in search",
    ),
    _tool(
        "search_workspace",
        "Search several repositories. Use when the answer may lie elsewhere.",
        (
            _QUERY,
            _WORKSPACE,
            _argument("only", "select.only", "Repositories: alias, id or path"),
            _argument("format", "format", "Hits, or as context"),
            replace(_TOP, default=None),
            replace(_FILTER, says="As in search"),
        ),
        (
            _argument("workspace_id", "workspaceId"),
            *_OF_WORKSPACES,
            _LEVEL_OF_SEVERAL,
            replace(_MAX_BYTES, says=""),
            *_OF_SLATES,
            *(replace(each, says="") for each in _OF_SESSIONS),
            _OP,
            replace(_SNIPPET, says=""),
            *_OF_EXACT_TEXT,
            *_OF_HITS,
            *_RARELY_ASKING,
            *_OF_SEARCHES,
        ),
        f"{_names(_OF_WORKSPACES[:6])} and more; as in search and context",
        _CONTRACT,
    ),
    Tool(
        "symbol",
        "Where a name is defined. Use for exact names.",
        (*_NAMING, _WORKSPACE, STRUCTURED),
        (*_OF_NAMES, *_OF_MEMBERS),
    ),
    _tool(
        "references",
        "Where a name is used. Use before changing it.",
        (*_NAMING, _WORKSPACE),
        (*_OF_MENTIONS, *_OF_NAMES, *_OF_MEMBERS),
        _names((*_OF_MENTIONS, *_OF_NAMES[:2])),
    ),
    Tool(
        "expand",
        "Whole code around a place. Use instead of reading a file.",
        (
            _argument(
                "target",
                "target",
                "path:line, path:line-line, name, row_id or path",
                required=False,
            ),
            Argument("targets", "array", says="Several at once"),
            _ROOT,
            _argument("boundary", "boundary", "How much"),
            _argument("max_bytes", "maxBytes", "Most bytes"),
            _WORKSPACE,
            STRUCTURED,
        ),
        (*_OF_ANY, *_OF_MEMBERS, Argument("comments", "boolean")),
    ),
    Tool(
        "outline",
        "What files or folders define; without path, what the repository is. Use first.",
        (
            _argument("path", "path", "Files, folders or path:line", required=False),
            _ROOT,
            STRUCTURED,
        ),
        (_argument("depth", "depth"), _argument("max_bytes", "maxBytes"), *_OF_ANY),
    ),
    Tool(
        "ggrep_status",
        "State of an index. Use when answers look old.",
        (_ROOT, Argument("sync", "boolean", says="First take in all changes"), STRUCTURED),
        (Argument("timeout_ms", "integer"),),
    ),
    Tool(
        "ggrep_health",
        "Check an index. Use when searches fail.",
        (_ROOT, Argument("deep", "boolean", says="Read all of it; slow"), STRUCTURED),
    ),
    Tool(
        "good_search",
        "Deprecated. Use search.",
        (_QUERY, _ROOT, STRUCTURED),
        (_SNIPPET,),
        legacy=True,
    ),
)
"""In the order that they are listed in."""


def listed(*, legacy: bool = False) -> tuple[Tool, ...]:
    """Return the tools of `tools/list`; old names only for `legacy`."""
    return tuple(tool for tool in TOOLS if legacy or not tool.legacy)


SEVERAL: Final = {
    "symbol": ("name", "names"),
    "references": ("name", "names"),
    "expand": ("target", "targets"),
}
"""Arguments that hold one thing to ask about, or several, by tool."""

BY_NAME: Final = {tool.name: tool for tool in TOOLS}

ELSEWHERE: Final = {
    argument.name: ", ".join(
        tool.name for tool in listed() if argument.name in {one.name for one in tool.every}
    )
    for tool in TOOLS
    for argument in tool.every
}
"""The tools that take an argument, by its name."""
