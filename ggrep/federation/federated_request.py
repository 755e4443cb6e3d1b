"""A search of a workspace, its defaults, and its validation."""

from pathlib import Path
from typing import Annotated, Final, TypeAlias

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.errors import Issue, WorkspaceError
from ggrep.federation.cohort import POLICIES, Policy, parse_selectors
from ggrep.federation.workspace import Workspace
from ggrep.federation.workspace_draft import GLOBAL, RRF, STRATEGIES
from ggrep.model.constraints import Count, Later, Positive
from ggrep.model.field_meta import MOST_MS, Field
from ggrep.model.request import MAX_PER_FILE, MAX_TOP, SearchRequest

DEFAULT_TOP: Final = 10

DEFAULT_PER_REPO_TOP: Final = 50
"""Default maximum of hits requested from a repository."""
MAX_PER_REPO_TOP: Final = MAX_PER_FILE

DEFAULT_CONCURRENCY: Final = 4
MAX_CONCURRENCY: Final = 32
"""Maximum number of repositories queried concurrently."""

DEFAULT_RRF_K: Final = 60
MAX_RRF_K: Final = 1_000_000

MAX_TOKENS: Final = 256
"""Maximum number of values of a repeatable selection flag."""
MAX_TOKEN_LENGTH: Final = 4096

DEFAULT_SNIPPET_BYTES: Final = 1024 * 1024
"""Default maximum bytes of snippet text in an answer."""

SNIPPET_BYTES_PER_HIT: Final = 32_768
"""Maximum bytes of snippet text in a hit. Repositories return more, so that cuts are reported only
for shown hits."""

MERGE_RESERVE_MS: Final = 50
"""Time before the deadline that is reserved for merging; a tenth of the remaining time if less."""

Texts: TypeAlias = tuple[str, ...]

_INVALID_LIMIT: Final = "ERR_FEDERATED_INVALID_LIMIT"


class FederatedRequest(Struct, frozen=True):
    """A search of a workspace.

    Attributes:
        search: the search; its `timeout_ms` is for the whole request.
        select: adds repositories to the selection; `only` removes all repositories that `only` does
            not name.
        merge_strategy: None for the strategy of the workspace file, or `rrf` if it has none.
        rrf_k: None for the constant of the workspace file, or 60 if it has none.
        deadline: takes precedence over `search.timeout_ms`.
        base_dirs: directories for resolving relative paths, after the workspace's directory.
    """

    search: SearchRequest
    top: Annotated[
        Count,
        Field("search.top", "Maximum number of hits of each list; 10 by default.", most=MAX_TOP),
    ] = DEFAULT_TOP
    """Maximum number of hits of each list."""
    select: Annotated[
        Texts,
        Field(
            "select.repos",
            "Also search these repositories, by alias, id or path.",
            also=("select.select", "select"),
            most=MAX_TOKENS,
        ),
    ] = ()
    """Repositories that were added, by alias or id."""
    tags: Annotated[
        Texts,
        Field(
            "select.tags",
            "Search only repositories with any of these tags.",
            also=("select.tag", "tags", "tag"),
            most=MAX_TOKENS,
        ),
    ] = ()
    """Tags that selected repositories."""
    repo_filter: Annotated[
        Texts,
        Field(
            "select.repoFilter",
            "Search only repositories that match any of these globs.",
            also=("select.repo-filter", "repoFilter", "repo-filter"),
            most=MAX_TOKENS,
        ),
    ] = ()
    """Globs that selected repositories."""
    include_disabled: Annotated[
        bool,
        Field(
            "select.includeDisabled",
            "Also search disabled repositories.",
            also=("includeDisabled",),
        ),
    ] = False
    """Whether disabled repositories were selected."""
    only: Annotated[
        Texts,
        Field(
            "select.only",
            "Search only these repositories, by alias, id or path.",
            also=("only",),
            most=MAX_TOKENS,
        ),
    ] = ()
    """The only selected repositories, by alias or id."""
    merge_strategy: Annotated[
        str | None,
        Field(
            "merge.strategy",
            "How to merge the hits of the repositories.",
            also=("merge",),
            words=STRATEGIES,
        ),
    ] = None
    """Merge strategy; null for that of the workspace."""
    rrf_k: Annotated[
        Count | None,
        Field(
            "merge.rrfK",
            "Rank constant k of reciprocal rank fusion.",
            least=1,
            most=MAX_RRF_K,
        ),
    ] = None
    """Rank constant of the rrf merge; null for that of the workspace."""
    per_repo_top: Annotated[
        Count | None,
        Field(
            "limits.perRepoTop",
            "Maximum number of hits taken from each repository.",
            most=MAX_PER_REPO_TOP,
        ),
    ] = None
    """Maximum number of hits per repository; null for the default."""
    max_repos: Annotated[
        Count,
        Field(
            "limits.maxRepos",
            "Search only the N repositories that fit the query best; 0 for all.",
        ),
    ] = 0
    """Maximum number of repositories searched; 0 for all."""
    fold: Annotated[
        bool | None, Field("merge.fold", "Show identical text of several repositories only once.")
    ] = None
    """Whether identical texts are shown once; null for the default of the strategy."""
    concurrency: Annotated[
        Positive,
        Field(
            "limits.concurrency",
            "Maximum number of repositories queried in parallel.",
            least=1,
            most=MAX_CONCURRENCY,
        ),
    ] = DEFAULT_CONCURRENCY
    """Maximum number of repositories queried in parallel."""
    cohort: Annotated[
        Texts,
        Field(
            "cohorts.cohort",
            "Search only this cohort: `KEY` or `CORPUS:KEY`.",
            also=("cohort",),
            most=MAX_TOKENS,
        ),
    ] = ()
    """Requested cohorts."""
    cohort_policy: Annotated[
        Policy, Field("cohorts.policy", "How to choose between several cohorts.")
    ] = "default"
    """How a cohort was chosen."""
    allow_unsafe_mix: Annotated[
        bool,
        Field(
            "cohorts.allowUnsafeMix",
            "Merge hit lists of repositories even if their scores are not comparable.",
            also=("allowUnsafeMix",),
        ),
    ] = False
    """Whether lists with incomparable scores were merged."""
    strict: Annotated[bool, Field("strict", "Fail when any repository fails.")] = False
    """Whether the failure of a repository failed the request."""
    deadline: Deadline | None = None
    base_dirs: tuple[Path, ...] = ()
    snippet_bytes: Annotated[
        Count, Field("limits.snippetBytes", "Maximum bytes of snippet text in the whole answer.")
    ] = DEFAULT_SNIPPET_BYTES
    """Maximum bytes of snippet text in the answer."""
    include_paths: Annotated[
        bool, Field("debug.includePaths", "Include absolute paths; requires the token.")
    ] = False
    stats: Annotated[
        bool, Field("search.stats", "Add times and other values that differ between runs.")
    ] = False
    all_repos: Later[
        Annotated[
            bool,
            Field(
                "limits.allRepos",
                "List all selected repositories in the answer, even those without hits.",
            ),
        ]
    ] = False
    """Whether all repositories are listed, not only those that affect the answer; else absent."""


class EffectiveSettings(Struct, frozen=True):
    """Limits and strategy of one request over one workspace."""

    top: int
    per_repo_top: int
    concurrency: int
    strategy: str
    rrf_k: int
    max_repos: int
    fold: bool


def check_request(request: FederatedRequest) -> None:
    """Check that the request is valid.

    Raises:
        WorkspaceError: the request is invalid; the error lists all issues.
    """
    issues = [*_search_issues(request), *_limit_issues(request), *_token_issues(request)]
    if request.merge_strategy is not None and request.merge_strategy not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        message = f"merge strategy {request.merge_strategy!r} is not one of {known}"
        issues.append(_issue("ERR_FEDERATED_INVALID_MERGE_STRATEGY", "$.merge.strategy", message))
    if request.cohort_policy not in POLICIES:
        message = f"cohort policy {request.cohort_policy!r} is not one of {', '.join(POLICIES)}"
        issues.append(_issue("ERR_FEDERATED_INVALID_COHORT_POLICY", "$.cohorts.policy", message))
    try:
        parse_selectors(request.cohort)
    except WorkspaceError as error:
        issues += error.issues
    if issues:
        raise WorkspaceError(tuple(issues))


def effective_settings(request: FederatedRequest, workspace: Workspace) -> EffectiveSettings:
    """Return the limits and the strategy that apply.

    Requires: `check_request` raised no error.
    """
    strategy = request.merge_strategy or workspace.merge.strategy or RRF
    usual = min(max(2 * request.top, request.top), DEFAULT_PER_REPO_TOP)
    if strategy == GLOBAL:
        # With fewer hits, the merged list could differ from the list of a single store over all
        # files.
        usual = max(usual, request.top)
    return EffectiveSettings(
        top=request.top,
        per_repo_top=usual if request.per_repo_top is None else request.per_repo_top,
        concurrency=request.concurrency,
        strategy=strategy,
        rrf_k=request.rrf_k or workspace.merge.rrf_k or DEFAULT_RRF_K,
        max_repos=request.max_repos,
        fold=strategy == GLOBAL if request.fold is None else request.fold,
    )


def _search_issues(request: FederatedRequest) -> list[Issue]:
    issues = []
    search = request.search
    if not search.query.strip():
        issues.append(_issue("ERR_FEDERATED_INVALID_QUERY", "$.query", "the query is empty"))
    if not search.corpora:
        issues.append(
            _issue("ERR_FEDERATED_INVALID_MODE", "$.search.mode", "must name at least one corpus")
        )
    if search.scope:
        message = f"a query of a workspace cannot have a path, but found {search.scope!r}"
        issues.append(_issue("ERR_FEDERATED_SCOPE_NOT_ALLOWED", "$.search.scope", message))
    return issues


def _limit_issues(request: FederatedRequest) -> list[Issue]:
    bounds: tuple[tuple[str, object, int, int], ...] = (
        ("$.search.top", request.top, 0, MAX_TOP),
        ("$.search.perFile", request.search.per_file, 0, MAX_PER_REPO_TOP),
        ("$.search.timeoutMs", request.search.timeout_ms, 0, MOST_MS),
        ("$.limits.perRepoTop", request.per_repo_top or 0, 0, MAX_PER_REPO_TOP),
        ("$.limits.maxRepos", request.max_repos, 0, 2**53),
        ("$.limits.concurrency", request.concurrency, 1, MAX_CONCURRENCY),
        ("$.limits.snippetBytes", request.snippet_bytes, 0, 2**53),
        ("$.merge.rrfK", 1 if request.rrf_k is None else request.rrf_k, 1, MAX_RRF_K),
    )
    return [
        _issue(_INVALID_LIMIT, field, f"must be an integer from {least} to {most}, is {value!r}")
        for field, value, least, most in bounds
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most
    ]


def _token_issues(request: FederatedRequest) -> list[Issue]:
    issues = []
    flags = {
        "$.select.repos": request.select,
        "$.select.tags": request.tags,
        "$.select.repoFilter": request.repo_filter,
        "$.select.only": request.only,
        "$.cohorts.cohort": request.cohort,
    }
    for field, values in flags.items():
        if len(values) > MAX_TOKENS:
            message = f"has {len(values)} values; the maximum is {MAX_TOKENS}"
            issues.append(_issue(_INVALID_LIMIT, field, message))
        issues += [
            _issue(_INVALID_LIMIT, field, f"a value has {len(value)} characters")
            for value in values
            if len(value) > MAX_TOKEN_LENGTH
        ]
    return issues


def _issue(code: str, field: str, message: str) -> Issue:
    return Issue(code, f"{field}: {message}", field=field, reason="invalid")
