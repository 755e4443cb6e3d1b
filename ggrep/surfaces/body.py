"""The JSON body of a search becomes a request, the same on every surface that takes one.

Shapes are judged here, and all that is wrong is said at once; whether a value is in range is
said by the request itself. Nothing that is not understood is passed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Generic, TypeAlias, TypeVar, cast

from ggrep.domain.request import SearchRequest
from ggrep.errors import InvalidRequest, Issue, WorkspaceError
from ggrep.federation import limits
from ggrep.federation.cohort import Policy
from ggrep.federation.fields import kind_of
from ggrep.federation.request import FederatedRequest, check_request
from ggrep.federation.slating import SlateShape
from ggrep.surfaces.fields import INVALID_REQUEST, Fields, one_of
from ggrep.surfaces.search_fields import read_search
from ggrep.surfaces.slate_fields import read_format

Q = TypeVar("Q")

_SCOPE_NOT_ALLOWED: Final = "ERR_FEDERATED_SCOPE_NOT_ALLOWED"


@dataclass(frozen=True, slots=True)
class FederatedCall:
    """A search of a workspace, as asked.

    Attributes:
        workspace_path: of its file, as written.
        workspace_id: the `repo_set_id` that the caller expects of it; None for any.
        shape: of the slate that is wanted; None for lists of hits.
    """

    workspace_path: str
    workspace_id: str | None
    request: FederatedRequest
    shape: SlateShape | None = None


@dataclass(frozen=True, slots=True)
class RepoCall(Generic[Q]):
    """A question to one repository, as asked.

    Attributes:
        root: a directory in it, as written; None for the surface's own.
    """

    root: str | None
    request: Q


SearchCall: TypeAlias = RepoCall[SearchRequest]


def parse_federated_body(body: Mapping[str, object]) -> FederatedCall:
    """Return the search that a body asks for.

    Raises:
        WorkspaceError: it asks for none; every issue is in it.
    """
    issues: list[Issue] = []
    fields = Fields(_object(body), "$", issues)
    path = fields.text("workspacePath", required=True)
    workspace_id = fields.text("workspaceId")
    query = fields.text("query", required=True) or ""
    request = _request(fields, query)
    shape = read_format(fields)
    fields.finish()
    if path is not None and not _is_path(path):
        fields.add("workspacePath", "invalid", "must be the path of a workspace file")
    if not issues:
        try:
            check_request(request)
        except WorkspaceError as error:
            issues += error.issues
    if issues:
        raise WorkspaceError(tuple(issues))
    return FederatedCall(path or "", workspace_id, request, shape)


def parse_search_body(body: Mapping[str, object]) -> SearchCall:
    """Return the search of one repository that a body asks for.

    Raises:
        InvalidRequest: it asks for none; the message names every issue.
    """
    fields = body_fields(body)
    root = read_root(fields)
    query = read_query(fields)
    # `stats` changes nothing here: an answer that is not deterministic holds its timings anyhow.
    request = read_settings(fields, query)
    return finished(fields, root, request)


def body_fields(body: Mapping[str, object]) -> Fields:
    """Return the keys of a body, to be read one by one.

    Raises:
        InvalidRequest: it is no object.
    """
    return Fields(_object(body), "$", [])


def read_root(fields: Fields) -> str | None:
    """Return the directory that a body names; None for the surface's own."""
    root = fields.text("root")
    if root is not None and not _is_path(root):
        fields.add("root", "invalid", "must be the path of a directory")
    return root


def read_query(fields: Fields) -> str:
    """Return the words that are looked for."""
    query = fields.text("query", required=True)
    if query is not None and not query.strip():
        fields.add("query", "invalid", "the query is empty")
    return query or ""


def read_settings(fields: Fields, query: str) -> SearchRequest:
    """Return the query with what the key `search` says."""
    settings = fields.child("search")
    request = read_search(settings, query).request
    settings.finish()
    for key, value, least in (
        ("top", request.limit, 1),
        ("perFile", request.per_file, 0),
        ("timeoutMs", request.timeout_ms, 0),
    ):
        if value < least:
            settings.add(key, "range", f"must be {least} or more, is {value}")
    return request


def finished(fields: Fields, root: str | None, request: Q) -> RepoCall[Q]:
    """Return the call, once every key was read.

    Raises:
        InvalidRequest: something was wrong, or a key is not known; the message names every issue.
    """
    fields.finish()
    if fields.issues:
        raise InvalidRequest("; ".join(issue.message for issue in fields.issues))
    return RepoCall(root, request)


def _object(body: object) -> Mapping[str, object]:
    if isinstance(body, Mapping):
        return body
    message = f"$: the body must be an object, is {kind_of(body)}"
    raise WorkspaceError((Issue(INVALID_REQUEST, message, field="$", reason="type"),))


def _is_path(text: str) -> bool:
    return bool(text.strip()) and "\0" not in text


@dataclass(frozen=True, slots=True)
class _Selected:
    repos: tuple[str, ...]
    tags: tuple[str, ...]
    repo_filter: tuple[str, ...]
    only: tuple[str, ...]
    include_disabled: bool


def _request(fields: Fields, query: str) -> FederatedRequest:
    settings = fields.child("search")
    search = read_search(settings, query)
    if search.request.scope:
        settings.add("scope", "invalid", "no path may be given", code=_SCOPE_NOT_ALLOWED)
    settings.finish()
    selected = _selected(fields)
    strategy, rrf_k, fold = _merge(fields)
    bounds = fields.child("limits")
    concurrency, snippet_bytes = bounds.integer("concurrency"), bounds.integer("snippetBytes")
    per_repo_top, max_repos = bounds.integer("perRepoTop"), bounds.integer("maxRepos")
    bounds.finish()
    cohort, policy, mix = _cohorts(fields)
    debug = fields.child("debug")
    include_paths = debug.flag("includePaths") or False
    debug.finish()
    return FederatedRequest(
        search=search.request,
        top=limits.DEFAULT_TOP if search.top is None else search.top,
        select=selected.repos,
        tags=selected.tags,
        repo_filter=selected.repo_filter,
        include_disabled=selected.include_disabled,
        only=selected.only,
        merge_strategy=strategy,
        rrf_k=rrf_k,
        per_repo_top=per_repo_top,
        concurrency=limits.DEFAULT_CONCURRENCY if concurrency is None else concurrency,
        cohort=cohort,
        # What is no policy is refused by the request's own check.
        cohort_policy=cast(Policy, policy),
        allow_unsafe_mix=mix,
        strict=fields.flag("strict") or False,
        snippet_bytes=limits.DEFAULT_SNIPPET_BYTES if snippet_bytes is None else snippet_bytes,
        include_paths=include_paths,
        stats=search.stats,
        max_repos=max_repos or 0,
        fold=fold,
    )


def _selected(fields: Fields) -> _Selected:
    """Return the selection, from the object, from its shorter forms, or from beside it."""
    value = fields.take("select")
    if isinstance(value, Mapping):
        inner, alone = fields.child("select"), None
    else:
        inner, alone = Fields({}, "$.select", fields.issues), fields.texts("select")
    tags = [(of, key, of.texts(key)) for of in (inner, fields) for key in ("tags", "tag")]
    globs = [
        (of, key, of.texts(key)) for of in (inner, fields) for key in ("repoFilter", "repo-filter")
    ]
    repos = [(inner, key, inner.texts(key)) for key in ("repos", "select")]
    only = [(of, "only", of.texts("only")) for of in (inner, fields)]
    disabled = [(of, "includeDisabled", of.flag("includeDisabled")) for of in (inner, fields)]
    inner.finish()
    return _Selected(
        repos=one_of((fields, "select", alone), *repos) or (),
        tags=one_of(*tags) or (),
        repo_filter=one_of(*globs) or (),
        only=one_of(*only) or (),
        include_disabled=one_of(*disabled) or False,
    )


def _merge(fields: Fields) -> tuple[str | None, int | None, bool | None]:
    """Return strategy, k and whether equal texts are folded."""
    if isinstance(fields.take("merge"), str):
        return fields.text("merge"), None, None
    merge = fields.child("merge")
    found = merge.text("strategy"), merge.integer("rrfK"), merge.flag("fold")
    merge.finish()
    return found


def _cohorts(fields: Fields) -> tuple[tuple[str, ...], str, bool]:
    """Return keys, policy and whether what does not compare may be mixed."""
    inner = fields.child("cohorts")
    policy = inner.text("policy")
    both = (inner, fields)
    keys = one_of(*((of, "cohort", of.texts("cohort")) for of in both))
    mix = one_of(*((of, "allowUnsafeMix", of.flag("allowUnsafeMix")) for of in both))
    inner.finish()
    return keys or (), "default" if policy is None else policy, mix or False
