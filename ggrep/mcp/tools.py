"""The tools: what each is called, when to use it, what it takes and what it returns.

The whole list is read by an agent before it does anything, so every byte of it counts.
"""

from dataclasses import dataclass, replace
from typing import Final

from ggrep.mcp.arguments import Argument, schema_of
from ggrep.stable_json import Json

_INTENTS: Final = ("balanced", "discovery", "implementation", "planning", "debug")
_CORPORA: Final = ("all", "code", "prose", "extracted-prose", "records")
_SNIPPETS: Final = ("none", "short", "default", "long", "full")
_STRATEGIES: Final = ("rrf", "global", "evidence", "global-rrf", "weighted-rrf")
_POLICIES: Final = ("default", "strict", "priority")

INSTRUCTIONS: Final = (
    "ggrep searches code by meaning and by name, locally. Prefer it to grep when you know what"
    " code does but not how it is spelled; use grep for exact strings. Start with `search` in one"
    " repository, `search_workspace` across several. Hits give path, lines and a short snippet:"
    " read the file there for more. In a workspace `file` is relative to the root of its"
    " repository; the resource ggrep://workspace tells the roots. `confidence` says whether the"
    " hits fit; `warnings` and `limits_hit` say what is missing from an answer."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Attributes:
        says: what it does and when to use it.
        returns: the JSON Schema of what it returns; a failure is an object of it too.
    """

    name: str
    title: str
    says: str
    arguments: tuple[Argument, ...]
    returns: dict[str, Json]

    @property
    def takes(self) -> dict[str, Json]:
        """Return the JSON Schema of the arguments."""
        return schema_of(self.arguments)


def _returned(**kinds: str) -> dict[str, Json]:
    """Return a schema that names the usual keys; none is required, as a failure has others."""
    return {"type": "object", "properties": {key: {"type": kind} for key, kind in kinds.items()}}


_QUERY = Argument("query", "string", ("query",), "What the code does, or names.", required=True)
_ROOT = Argument("root", "string", ("root",), "Repository, or a path in it. Default: the server's.")
_SETTINGS: Final = (
    Argument("top", "integer", ("search", "top"), default=10),
    Argument("per_file", "integer", ("search", "perFile"), "Most hits of a file; 0: no bound"),
    Argument("mode", "string", ("search", "intent"), "Intent", words=_INTENTS),
    Argument("corpus", "array", ("search", "mode"), words=_CORPORA),
    Argument(
        "filter", "array", ("search", "filter"), "lang:, path:, kind:, ext:, test:; - negates"
    ),
    Argument("snippet", "string", ("search", "snippet"), words=_SNIPPETS, default="short"),
    Argument("anchors", "boolean", ("search", "anchors"), "File headers too"),
    Argument("keep_weak", "boolean", ("search", "keepWeak"), "Also hits beside the point"),
    Argument("explain", "boolean", ("search", "explain")),
    Argument("deterministic", "boolean", ("search", "deterministic")),
    Argument("timeout_ms", "integer", ("search", "timeoutMs")),
)
_OF_WORKSPACE: Final = (
    Argument("workspace", "string", ("workspacePath",), "File or id. Default: the server's only."),
    Argument("select", "array", ("select", "repos"), "Also these, though disabled"),
    Argument("only", "array", ("select", "only"), "None but these: alias, id or path"),
    Argument("tags", "array", ("select", "tags")),
    Argument("repo_filter", "array", ("select", "repoFilter"), "Globs"),
    Argument("include_disabled", "boolean", ("select", "includeDisabled")),
    Argument("merge", "string", ("merge", "strategy"), words=_STRATEGIES),
    Argument("rrf_k", "integer", ("merge", "rrfK")),
    Argument("fold", "boolean", ("merge", "fold"), "Equal texts once"),
    Argument("per_repo_top", "integer", ("limits", "perRepoTop")),
    Argument("max_repos", "integer", ("limits", "maxRepos"), "Ask only the likeliest; 0: all"),
    Argument("concurrency", "integer", ("limits", "concurrency")),
    Argument("cohort", "array", ("cohorts", "cohort")),
    Argument("cohort_policy", "string", ("cohorts", "policy"), words=_POLICIES),
    Argument("allow_unsafe_mix", "boolean", ("cohorts", "allowUnsafeMix")),
    Argument("strict", "boolean", ("strict",), "Fail when any repo fails"),
    Argument("stats", "boolean", ("search", "stats")),
)

_SEARCH = Tool(
    "search",
    "Search a repository",
    "Find code and docs of one repository by meaning or name. Use when you look for where"
    " something is done and cannot spell it.",
    (_QUERY, _ROOT, *_SETTINGS),
    _returned(results="array", confidence="string", warnings="array", error="object"),
)
_BARE: Final = tuple(replace(argument, says="") for argument in _SEARCH.arguments)

TOOLS: Final = (
    _SEARCH,
    Tool(
        "search_workspace",
        "Search a workspace",
        "Search several repositories at once; each hit names its repository. Use when the answer"
        " may lie in another repository.",
        (_QUERY, *_OF_WORKSPACE, *_SETTINGS),
        _returned(
            ok="boolean", results="array", repos="array", diagnostics="object", error="object"
        ),
    ),
    Tool(
        "ggrep_status",
        "Index status",
        "State of a repository's index and daemon. Use when answers look old or empty.",
        (_ROOT,),
        _returned(running="boolean", error="object"),
    ),
    Tool(
        "ggrep_health",
        "Index health",
        "Check a repository's index for damage. Use when searches fail.",
        (_ROOT, Argument("deep", "boolean", says="Read every byte; slow")),
        _returned(ok="boolean", error="object"),
    ),
    Tool(
        "good_search",
        "Search (deprecated)",
        "Deprecated: the same as search. Use search.",
        _BARE,
        _SEARCH.returns,
    ),
)
"""In the order that they are listed in."""

BY_NAME: Final = {tool.name: tool for tool in TOOLS}
