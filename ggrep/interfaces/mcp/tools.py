"""The tools: name, when to use it, arguments and result of each.

The whole list is read by an agent before it does anything, so every byte of it counts.
"""

from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final

from ggrep.base import stable_json
from ggrep.base.stable_json import Document, Json
from ggrep.interfaces.mcp.arguments import OPTIONS, Argument, schema_of
from ggrep.interfaces.surfaces import body
from ggrep.model.filters import keys_told

INSTRUCTIONS: Final = (
    "ggrep searches code by meaning and by name, locally. Prefer it to grep when you know what"
    " code does but not how it is spelled. To understand how something works, call `context`"
    " first: one pack of code, docs, config and tests. `search` finds places, `search_workspace`"
    " across repositories; `symbol` and `references` follow a name, `expand` shows what stands"
    " around `path:line`, `outline` what a file, a folder or the whole repository holds. In a"
    " workspace `file` is relative to the root of its repository; the resource ggrep://workspace"
    " tells the roots. `confidence` says whether an answer fits; `warnings` and `limits_hit` say"
    " what is missing from it. In `next_actions` `refs` is `references`; `level` and `refine` are"
    " `context` again, with that level, or with a session and `delta_only`. Arguments mean the"
    " same in every tool; `search` describes them."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        says: what it does and when to use it.
        rare: what is seldom given, and then as `key=value` in the argument `options`: listed one by
            one they would cost every conversation more than they are worth.
    """

    name: str
    says: str
    arguments: tuple[Argument, ...]
    rare: tuple[Argument, ...] = ()

    @property
    def every(self) -> tuple[Argument, ...]:
        """Return all arguments, the rare ones too."""
        return (*self.arguments, *self.rare)

    @property
    def takes(self) -> dict[str, Json]:
        """Return the JSON Schema of the arguments."""
        return schema_of(self.arguments)

    @property
    def returns(self) -> dict[str, Json]:
        """Return the JSON Schema of what it returns: a document, or a failure's.

        What stands in one in full say the schemas that ship with ggrep; here every byte counts.
        """
        return _returned().get(self.name, {"type": "object"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call returns, and whether it failed."""

    document: Document
    failed: bool = False


@cache
def _returned() -> dict[str, dict[str, Json]]:
    found: dict[str, dict[str, Json]] = stable_json.loads(
        (files("ggrep") / "model" / "schemas" / "tool_outputs.json").read_bytes()
    )
    return found


def _bare(arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """Return the arguments without what `search` says of them already."""
    return tuple(replace(argument, says="", words=(), default=None) for argument in arguments)


_LEAVES: Final = {
    place: leaf
    for shape in (
        body.SEARCH,
        body.SLATE,
        body.SYMBOL,
        body.REFERENCES,
        body.EXPAND,
        body.OUTLINE,
        body.FEDERATED,
    )
    for place, leaf in shape.leaves.items()
}


def _argument(
    name: str,
    place: str,
    says: str = "",
    *,
    words: bool = False,
    default: Json = None,
    required: bool | None = None,
) -> Argument:
    """Return the argument that has a place in the bodies of requests.

    Args:
        name: what agents call it.
        place: as the bodies have it.
        says: its description; empty where the name says it all.
        words: list the values that it may have.
        default: what is in force where it is not given.
        required: None for what the bodies say.
    """
    leaf = _LEAVES[place]
    return Argument(
        name,
        leaf.json_type,
        tuple(place.split(".")),
        says,
        leaf.words if words else (),
        default,
        leaf.required if required is None else required,
    )


_QUERY = _argument("query", "query", "What the code does, or names")
_ROOT = _argument("root", "root", "Repository, or a path in it")
_BARE_QUERY, _BARE_ROOT = replace(_QUERY, says=""), replace(_ROOT, says="")
_OPTIONS: Final = Argument(OPTIONS, "array")
_NARROWING: Final = (
    _argument("mode", "search.intent", words=True),
    _argument("corpus", "search.mode", words=True),
    _argument("filter", "search.filter", f"{keys_told()}; - negates"),
)
_ASKING: Final = (
    _argument("find", "search.find", words=True),
    _argument("keep_weak", "search.keepWeak", "Also what is beside the point"),
    replace(_OPTIONS, says="key=value, rarely needed"),
)
_RARE: Final = (
    _argument("vectors", "search.vectors"),
    _argument("explain", "search.explain"),
    _argument("deterministic", "search.deterministic"),
    _argument("timeout_ms", "search.timeoutMs"),
)
_RARELY: Final = (
    _argument("deterministic", "deterministic"),
    _argument("timeout_ms", "timeoutMs"),
)
_SHOWING: Final = (
    _argument("top", "search.top", default=10),
    _argument("per_file", "search.perFile"),
    _argument("snippet", "search.snippet", words=True, default="short"),
    _argument("anchors", "search.anchors", "File headers too"),
)
_SHAPE: Final = (
    _argument("level", "slate.level", "0 paths to 3 whole", default=1),
    _argument("max_bytes", "slate.maxBytes"),
    _argument("max_file_bytes", "slate.maxFileBytes"),
    _argument("max_files", "slate.maxFiles"),
    _argument("evidence", "slate.maxEvidencePerFile"),
    _argument("graph", "slate.graph"),
)
_SESSION: Final = (
    _argument("session", "session.token", "new or token"),
    _argument("op", "session.op", "start, refine or expand"),
    _argument("targets", "session.targets", "For expand: path or path:line"),
    _argument("delta_only", "session.deltaOnly"),
)
_OF_NAME: Final = (
    _argument("name", "name"),
    _BARE_ROOT,
    _argument("filter", "filter"),
    _argument("limit", "limit"),
    _OPTIONS,
)
_OF_WORKSPACE: Final = (
    _argument("workspace", "workspacePath", "File or id", required=False),
    _argument("select", "select.repos", "Also these"),
    _argument("only", "select.only", "Alias, id or path"),
    _argument("tags", "select.tags"),
    _argument("repo_filter", "select.repoFilter", "Globs"),
    _argument("merge", "merge.strategy"),
    _argument("strict", "strict"),
)
_RARE_OF_WORKSPACE: Final = (
    *_RARE,
    _argument("fold", "merge.fold"),
    _argument("max_repos", "limits.maxRepos"),
    _argument("include_disabled", "select.includeDisabled"),
    _argument("rrf_k", "merge.rrfK"),
    _argument("per_repo_top", "limits.perRepoTop"),
    _argument("concurrency", "limits.concurrency"),
    _argument("cohort", "cohorts.cohort"),
    _argument("cohort_policy", "cohorts.policy"),
    _argument("allow_unsafe_mix", "cohorts.allowUnsafeMix"),
    _argument("stats", "search.stats"),
)
_FORMAT: Final = _argument("format", "format", words=True)
_SHORT: Final = _argument("snippet", "search.snippet", default="short")
"""As `search` has it: what no tool may leave out is that its default is short."""

_SEARCH = Tool(
    "search",
    "Find code and docs by meaning or name. Use when you cannot spell what you look for.",
    (_QUERY, _ROOT, *_SHOWING, *_NARROWING, *_ASKING),
    _RARE,
)

TOOLS: Final = (
    _SEARCH,
    Tool(
        "context",
        "What a question needs: code, docs, config, tests, how they join. Use before editing.",
        (
            _BARE_QUERY,
            _BARE_ROOT,
            *_SHAPE,
            _argument("anchors", "slate.anchors"),
            *_SESSION,
            *_bare((*_NARROWING, *_ASKING)),
        ),
        tuple(argument for argument in _RARE if argument.name != "explain"),
    ),
    Tool(
        "search_workspace",
        "Search several repositories. Use when the answer may lie in another one.",
        (
            _BARE_QUERY,
            *_OF_WORKSPACE,
            _FORMAT,
            *_bare((*_SHAPE, *_SHOWING[:2])),
            _SHORT,
            *_bare((*_SHOWING[3:], *_NARROWING, *_ASKING)),
        ),
        _RARE_OF_WORKSPACE,
    ),
    Tool("symbol", "Where a name is defined. Use for exact names.", _OF_NAME, _RARELY),
    Tool(
        "references",
        "Where a name is used. Use before changing it.",
        (
            *_OF_NAME,
            _argument("strings", "strings", "Also in strings"),
            _argument("comments", "comments"),
        ),
        _RARELY,
    ),
    Tool(
        "expand",
        "Whole code around a place. Use instead of reading a file.",
        (
            _argument("target", "target", "path:line, row_id or path"),
            _BARE_ROOT,
            _argument("boundary", "boundary", "chunk, definition, container, file"),
            _argument("max_bytes", "maxBytes"),
            _OPTIONS,
        ),
        _RARELY,
    ),
    Tool(
        "outline",
        "What files or folders define; without path, what the repository is. Use first.",
        (_argument("path", "path", "Files, folders, path:line"), _BARE_ROOT, _OPTIONS),
        (_argument("depth", "depth"), _argument("max_bytes", "maxBytes"), *_RARELY),
    ),
    Tool("ggrep_status", "State of an index. Use when answers look old.", (_BARE_ROOT,)),
    Tool(
        "ggrep_health",
        "Check an index. Use when searches fail.",
        (_BARE_ROOT, Argument("deep", "boolean", says="Slow")),
    ),
    Tool("good_search", "Deprecated. Use search.", (_BARE_QUERY, _BARE_ROOT, _SHORT)),
)
"""In the order that they are listed in."""

BY_NAME: Final = {tool.name: tool for tool in TOOLS}
