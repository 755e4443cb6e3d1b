"""Decodes the JSON bodies of requests, the same on every surface.

The Structs of requests declare the keys of a body; the Structs in this module add keys for surfaces
only. Unknown keys are refused.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from msgspec import Struct

from ggrep.base.errors import InvalidRequest, Issue, WorkspaceError
from ggrep.federation.federated_request import FederatedRequest, check_request
from ggrep.federation.validation import kind_of
from ggrep.federation.workspace_slates import SlateShape
from ggrep.interfaces.surfaces.body_shape import INVALID_REQUEST, Fields, Given, Shape
from ggrep.model.field_meta import Field
from ggrep.model.operations import BY_NAME, PUBLIC
from ggrep.model.request import DEFAULT_TIMEOUT_MS, SearchRequest, compacted, with_exact_defaults
from ggrep.model.slate import NEW_SESSION, Budgets, SessionOp, SessionRequest, SlateRequest

Q = TypeVar("Q")


class _Repository(Struct, frozen=True):
    """The repository that a request is about."""

    root: Annotated[
        str | None,
        Field(
            "root",
            "Absolute path of a directory in the repository; default: the server's own.",
            least=1,
        ),
    ] = None


class _Named(Struct, frozen=True):
    """The workspace that a request is about."""

    path: Annotated[str, Field("workspacePath", "Absolute path of the workspace file.", least=1)]
    id: Annotated[
        str | None, Field("workspaceId", "The repoSetId that the workspace must have.")
    ] = None


class _Workspace(_Named, frozen=True):
    """The workspace to search, and the format of the answer."""

    format: Annotated[
        Literal["hits", "slate"],
        Field("format", "Ranked lists of hits (default), or a slate: evidence grouped by file."),
    ] = "hits"


class _Extent(Struct, frozen=True):
    """Fields of a search that are not in `SearchRequest`."""

    compact: Annotated[
        bool, Field("search.compact", "Return only the best hit of each file, without text.")
    ] = False
    stats: Annotated[
        bool, Field("search.stats", "Add times and other values that differ between runs.")
    ] = False


_RANKED: Final = frozenset({SearchRequest, SlateRequest})

REPOSITORY: Final = {
    each.name: Shape(_Repository, each.request, *((_Extent,) if each.request in _RANKED else ()))
    for each in PUBLIC
}
"""Requests to one repository, by operation."""
FEDERATED: Final = Shape(
    _Workspace,
    _Extent,
    FederatedRequest,
    SlateShape,
    without=frozenset({"search.scope"}),
    judged_later=(SearchRequest, FederatedRequest),
)

_OF_LISTS: Final = frozenset(
    {
        *Shape(SearchRequest).leaves,
        *("search.top", "merge.strategy", "merge.rrfK", "merge.fold"),
        *("limits.perRepoTop", "limits.maxRepos", "limits.snippetBytes"),
        *("cohorts.cohort", "cohorts.policy", "cohorts.allowUnsafeMix"),
    }
)
"""Fields of ranked lists, which navigation requests do not have."""
WORKSPACE: Final = {
    each.name: Shape(_Named, FederatedRequest, each.request, without=_OF_LISTS | {"scope"})
    for each in PUBLIC
    if each.workspace
}
"""Navigation requests to a workspace, by operation."""


class FederatedCall(Struct, frozen=True):
    """A decoded search of a workspace.

    Attributes:
        workspace_path: path of the workspace file, as given.
        workspace_id: the `repo_set_id` that the workspace must have; None for any.
        shape: shape of the requested slate; None for lists of hits.
    """

    workspace_path: str
    workspace_id: str | None
    request: FederatedRequest
    shape: SlateShape | None = None


class RepoCall(Struct, Generic[Q], frozen=True):
    """A decoded request to one repository.

    Attributes:
        root: a directory in the repository, as given; None for the default repository.
    """

    root: str | None
    request: Q


def parse_federated_body(body: Mapping[str, object]) -> FederatedCall:
    """Return the workspace search that a body describes.

    Raises:
        WorkspaceError: the body is not valid; the error contains all issues.
    """
    fields = _fields(body)
    parsed = FEDERATED.read(fields)
    fields.finish()
    issues = fields.issues
    if "\0" in str(parsed.of(_Workspace).get("path")):
        fields.add("workspacePath", "invalid", "must be the path of a workspace file")
    if body.get("session") is not None and parsed.make(_Workspace, path="").format != "slate":
        fields.add("session", "invalid", "allowed only with format slate")
    top = parsed.of(FederatedRequest).get("top", SearchRequest("").limit)
    search = _search(parsed, query=parsed.of(SearchRequest).get("query", ""), limit=top)
    request = parsed.make(FederatedRequest, search=search)
    if not issues:
        try:
            check_request(request)
        except WorkspaceError as error:
            issues += error.issues
    if issues:
        raise WorkspaceError(tuple(issues))
    place = parsed.make(_Workspace)
    session = None if body.get("session") is None else _session(parsed)
    shape = parsed.make(SlateShape, budgets=parsed.make(Budgets), session=session)
    return FederatedCall(place.path, place.id, request, shape if place.format == "slate" else None)


class NamedCall(Struct, Generic[Q], frozen=True):
    """A decoded navigation request (a name or a location) to a workspace.

    Attributes:
        workspace_path: path of the workspace file, as given.
        workspace_id: see `FederatedCall`.
        request: selection of repositories, and timeout.
        asked: the request to send to each repository.
    """

    workspace_path: str
    workspace_id: str | None
    request: FederatedRequest
    asked: Q


def parse_workspace_body(operation: str, body: Mapping[str, object]) -> NamedCall[Any]:
    """Return an operation's request to a workspace that a body describes.

    Raises:
        WorkspaceError: the body is not valid; the error contains all issues.
    """
    shape, kind = WORKSPACE[operation], BY_NAME[operation].request
    fields = _fields(body)
    parsed = shape.read(fields)
    fields.finish()
    if "\0" in str(parsed.of(_Named).get("path")):
        fields.add("workspacePath", "invalid", "must be the path of a workspace file")
    if fields.issues:
        raise WorkspaceError(tuple(fields.issues))
    timeout_ms = parsed.of(kind).get("timeout_ms")
    asked = parsed.make(kind, timeout_ms=timeout_ms or DEFAULT_TIMEOUT_MS)
    search = SearchRequest("", timeout_ms=asked.timeout_ms)
    request = parsed.make(FederatedRequest, search=search)
    place = parsed.make(_Named)
    return NamedCall(place.path, place.id, request, asked)


def parse_repo_body(operation: str, body: Mapping[str, object]) -> RepoCall[Any]:
    """Return an operation's request to one repository that a body describes.

    Raises:
        InvalidRequest: the body is not valid; the message names all issues.
    """
    given, kind = _given(REPOSITORY[operation], body), BY_NAME[operation].request
    if kind is SearchRequest:
        return RepoCall(_root(given), _search(given))
    if kind is SlateRequest:
        request = given.make(
            SlateRequest,
            search=_search(given),
            budgets=given.make(Budgets),
            session=None if body.get("session") is None else _session(given),
        )
        return RepoCall(_root(given), request)
    timeout_ms = given.of(kind).get("timeout_ms")
    return RepoCall(_root(given), given.make(kind, timeout_ms=timeout_ms or DEFAULT_TIMEOUT_MS))


def _given(shape: Shape, body: Mapping[str, object]) -> Given:
    """Return the values of a body for one repository; raise if it has issues."""
    fields = _fields(body)
    parsed = shape.read(fields)
    if "\0" in str(_root(parsed)):
        fields.add("root", "invalid", "must be the path of a directory")
    fields.finish()
    if fields.issues:
        raise InvalidRequest("; ".join(issue.message for issue in fields.issues))
    return parsed


def _search(parsed: Given, **more: object) -> SearchRequest:
    # A remote caller cannot request a search without a timeout.
    timeout_ms = parsed.of(SearchRequest).get("timeout_ms") or DEFAULT_TIMEOUT_MS
    request = parsed.make(SearchRequest, timeout_ms=timeout_ms, **more)
    request = with_exact_defaults(request, parsed.of(SearchRequest))
    return compacted(request) if parsed.make(_Extent).compact else request


def _session(parsed: Given) -> SessionRequest:
    """Return the session fields of a slate request.

    Without `op`, a token continues the session, and a token with targets expands the targets.
    """
    request = parsed.make(SessionRequest)
    token = "" if request.token == NEW_SESSION else request.token
    usual: SessionOp = "start" if not token else "expand" if request.targets else "refine"
    return parsed.make(SessionRequest, token=token, op=parsed.of(SessionRequest).get("op", usual))


def _root(parsed: Given) -> str | None:
    return parsed.make(_Repository).root


def _fields(body: object) -> Fields:
    """Return the reader of a body's keys."""
    if isinstance(body, Mapping):
        return Fields(body, "$", [])
    message = f"$: the body must be an object, is {kind_of(body)}"
    raise WorkspaceError((Issue(INVALID_REQUEST, message, field="$", reason="type"),))
