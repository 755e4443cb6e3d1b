"""The tools: what each is called, when to use it, what it takes and what it returns.

The whole list is read by an agent before it does anything, so every byte of it counts.
"""

from dataclasses import dataclass, replace
from typing import Final

from ggrep.domain.filters import keys_told
from ggrep.mcp.arguments import OPTIONS, Argument, schema_of
from ggrep.stable_json import Json

_INTENTS: Final = ("balanced", "discovery", "implementation", "planning", "debug")
_CORPORA: Final = ("all", "code", "prose", "extracted-prose", "records")
_SNIPPETS: Final = ("none", "short", "default", "long", "full")
_FINDS: Final = (
    "auto",
    "definition",
    "usage",
    "concept",
    "exact-text",
    "regex",
    "similar-code",
)

INSTRUCTIONS: Final = (
    "ggrep searches code by meaning and by name, locally. Prefer it to grep when you know what"
    " code does but not how it is spelled. To understand how something works, call `context` first:"
    " one pack of code, docs, config and tests. `search` finds places, `search_workspace` across"
    " repositories; `symbol` and `references` follow a name, `expand` shows what stands around"
    " `path:line` or a row_id. In a workspace `file` is relative to the root of its repository; the"
    " resource ggrep://workspace tells the roots. `confidence` says whether an answer fits;"
    " `warnings` and `limits_hit` say what is missing from it. In `next_actions` `refs` is"
    " `references`; `level` and `refine` are `context` again, with that level, or with a session"
    " and `delta_only`. Arguments mean the same in every tool; `search` describes them."
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

        What stands in one say the schemas that ship with ggrep; here every byte counts.
        """
        return {"type": "object"}


def _bare(arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """Return the arguments without what `search` says of them already."""
    return tuple(replace(argument, says="", words=(), default=None) for argument in arguments)


_QUERY = Argument("query", "string", ("query",), "What the code does, or names", required=True)
_ROOT = Argument("root", "string", ("root",), "Repository, or a path in it")
_BARE_QUERY, _BARE_ROOT = replace(_QUERY, says=""), replace(_ROOT, says="")
_OPTIONS: Final = Argument(OPTIONS, "array")
_NARROWING: Final = (
    Argument("mode", "string", ("search", "intent"), words=_INTENTS),
    Argument("corpus", "array", ("search", "mode"), words=_CORPORA),
    Argument("filter", "array", ("search", "filter"), f"{keys_told()}; - negates"),
)
_ASKING: Final = (
    Argument("find", "string", ("search", "find"), words=_FINDS),
    Argument("keep_weak", "boolean", ("search", "keepWeak"), "Also what is beside the point"),
    replace(_OPTIONS, says="key=value, rarely needed"),
)
_RARE: Final = (
    Argument("vectors", "boolean", ("search", "vectors")),
    Argument("explain", "boolean", ("search", "explain")),
    Argument("deterministic", "boolean", ("search", "deterministic")),
    Argument("timeout_ms", "integer", ("search", "timeoutMs")),
)
_RARELY: Final = (
    Argument("deterministic", "boolean", ("deterministic",)),
    Argument("timeout_ms", "integer", ("timeoutMs",)),
)
_SHOWING: Final = (
    Argument("top", "integer", ("search", "top"), default=10),
    Argument("per_file", "integer", ("search", "perFile")),
    Argument("snippet", "string", ("search", "snippet"), words=_SNIPPETS, default="short"),
    Argument("anchors", "boolean", ("search", "anchors"), "File headers too"),
)
_SHAPE: Final = (
    Argument("level", "integer", ("slate", "level"), "0 paths to 3 whole", default=1),
    Argument("max_bytes", "integer", ("slate", "maxBytes")),
    Argument("max_file_bytes", "integer", ("slate", "maxFileBytes")),
    Argument("max_files", "integer", ("slate", "maxFiles")),
    Argument("evidence", "integer", ("slate", "maxEvidencePerFile")),
    Argument("graph", "boolean", ("slate", "graph")),
)
_SESSION: Final = (
    Argument("session", "string", ("session", "token"), "new or token"),
    Argument("op", "string", ("session", "op"), "start, refine or expand"),
    Argument("targets", "array", ("session", "targets"), "For expand: path or path:line"),
    Argument("delta_only", "boolean", ("session", "deltaOnly")),
)
_OF_NAME: Final = (
    Argument("name", "string", ("name",), required=True),
    _BARE_ROOT,
    Argument("filter", "array", ("filter",)),
    Argument("limit", "integer", ("limit",)),
    _OPTIONS,
)
_OF_WORKSPACE: Final = (
    Argument("workspace", "string", ("workspacePath",), "File or id"),
    Argument("select", "array", ("select", "repos"), "Also these"),
    Argument("only", "array", ("select", "only"), "Alias, id or path"),
    Argument("tags", "array", ("select", "tags")),
    Argument("repo_filter", "array", ("select", "repoFilter"), "Globs"),
    Argument("merge", "string", ("merge", "strategy")),
    Argument("strict", "boolean", ("strict",)),
)
_RARE_OF_WORKSPACE: Final = (
    *_RARE,
    Argument("fold", "boolean", ("merge", "fold")),
    Argument("max_repos", "integer", ("limits", "maxRepos")),
    Argument("include_disabled", "boolean", ("select", "includeDisabled")),
    Argument("rrf_k", "integer", ("merge", "rrfK")),
    Argument("per_repo_top", "integer", ("limits", "perRepoTop")),
    Argument("concurrency", "integer", ("limits", "concurrency")),
    Argument("cohort", "array", ("cohorts", "cohort")),
    Argument("cohort_policy", "string", ("cohorts", "policy")),
    Argument("allow_unsafe_mix", "boolean", ("cohorts", "allowUnsafeMix")),
    Argument("stats", "boolean", ("search", "stats")),
)
_FORMAT: Final = Argument("format", "string", ("format",), words=("hits", "slate"))
_SHORT: Final = Argument("snippet", "string", ("search", "snippet"), default="short")
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
            Argument("anchors", "boolean", ("slate", "anchors")),
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
            Argument("strings", "boolean", ("strings",), "Also in strings"),
            Argument("comments", "boolean", ("comments",)),
        ),
        _RARELY,
    ),
    Tool(
        "expand",
        "Whole code around a place. Use instead of reading a file.",
        (
            Argument("target", "string", ("target",), "path:line, row_id or path", required=True),
            _BARE_ROOT,
            Argument("boundary", "string", ("boundary",), "chunk, definition, container, file"),
            Argument("max_bytes", "integer", ("maxBytes",)),
            _OPTIONS,
        ),
        _RARELY,
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
