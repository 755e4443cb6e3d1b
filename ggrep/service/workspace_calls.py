"""Queries to a workspace: their options and answers, the request made of them, who answers it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypedDict

from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.config.root import canonical_root
from ggrep.config.settings import LoadedSettings, home_from, load_settings, without_profile
from ggrep.federation.cohort import Policy
from ggrep.federation.federated_names import FederatedReferences, FederatedSymbol
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_expand import FederatedExpansion
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape
from ggrep.model.slate import SessionRequest
from ggrep.service.call_requests import Options, fields_of, made_of, search_request, slate_request
from ggrep.service.calls import (
    AnyPath,
    ExpandOptions,
    Filters,
    HitOptions,
    QueryOptions,
    ShapeOptions,
)
from ggrep.service.federator import Federator
from ggrep.service.repository_handle import LOG, Surroundings
from ggrep.service.searchers import IndexFallback

_MEMBERS: Final = frozenset(
    {
        *("select", "only", "tags", "repo_filter", "include_disabled"),
        *("concurrency", "strict", "include_paths", "stats", "all_repos"),
    }
)


class SelectOptions(TypedDict, total=False):
    """Which repositories of a workspace are asked, and how they are merged.

    See `FederatedRequest`, whose words these are.
    """

    select: Sequence[str]
    only: Sequence[str]
    tags: Sequence[str]
    repo_filter: Sequence[str]
    include_disabled: bool
    merge_strategy: str
    rrf_k: int
    per_repo_top: int
    max_repos: int
    fold: bool
    concurrency: int
    cohort: Sequence[str]
    cohort_policy: Policy
    allow_unsafe_mix: bool
    strict: bool
    snippet_bytes: int
    include_paths: bool
    stats: bool
    all_repos: bool


class MemberOptions(TypedDict, total=False):
    """Which repositories of a workspace are asked about a name or a place.

    See `FederatedRequest`, whose words these are.
    """

    select: Sequence[str]
    only: Sequence[str]
    tags: Sequence[str]
    repo_filter: Sequence[str]
    include_disabled: bool
    concurrency: int
    strict: bool
    include_paths: bool
    stats: bool
    all_repos: bool


class WorkspaceSymbolOptions(MemberOptions, total=False):
    """Of a workspace's `symbol`; see `SymbolRequest`."""

    limit: int
    filters: Filters
    deterministic: bool
    timeout_ms: int
    cursor: str


class WorkspaceReferencesOptions(WorkspaceSymbolOptions, total=False):
    """Of a workspace's `references`; see `ReferencesRequest`."""

    strings: bool
    comments: bool


class WorkspaceExpandOptions(ExpandOptions, MemberOptions, total=False):
    """Of a workspace's `expand`."""


class WorkspaceSearchOptions(HitOptions, SelectOptions, total=False):
    """Of a workspace's `search`."""


class WorkspaceSlateOptions(QueryOptions, ShapeOptions, SelectOptions, total=False):
    """Of a workspace's `slate`."""

    session: SessionRequest


class WorkspaceAnswer(FederatedResponse, frozen=True):
    """The merged hits of a workspace's repositories; `errors` names those that did not answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep search --workspace --json` prints."""
        return dict(self.to_json())


class WorkspaceSlateAnswer(FederatedSlate, frozen=True):
    """One slate over a workspace; `response.errors` names repositories that did not answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep slate --workspace --json` prints."""
        return dict(self.to_json())


class WorkspaceSymbolAnswer(FederatedSymbol, frozen=True):
    """Where a workspace defines a name; `attendance.errors` names who did not answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep symbol --workspace --json` prints."""
        return dict(self.to_json())


class WorkspaceReferencesAnswer(FederatedReferences, frozen=True):
    """Where a workspace uses a name; `attendance.errors` names who did not answer."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep refs --workspace --json` prints."""
        return dict(self.to_json())


class WorkspaceExpandAnswer(FederatedExpansion, frozen=True):
    """The code around a place of a workspace."""

    def to_dict(self) -> dict[str, Any]:
        """Return what `ggrep expand --workspace --json` prints."""
        return dict(self.to_json())


def load(file: AnyPath) -> Workspace:
    """Return the workspace of a file.

    Raises:
        WorkspaceError: the file is wrong; every issue is in it.
    """
    return load_workspace(Path(file), resolve_root=canonical_root)


def federated_request(query: str, given: Options) -> FederatedRequest:
    """Return a query over a workspace; its bounds are checked when it is asked.

    Raises:
        InvalidRequest: a value is of another type or out of range; the message names the option.
    """
    own = fields_of(FederatedRequest, given)
    top = {"top": given["limit"]} if "limit" in given else {}
    search = search_request(query, {name: given[name] for name in given if name != "limit"})
    # Without hits there is still an answer: who was asked, and what became of them.
    asked = {"search": {"query": query}, **own, **top}
    return replace(made_of(FederatedRequest, asked, zeros=("top",)), search=search)


def members_request(given: Options) -> FederatedRequest:
    """Return which repositories are asked about a name or a place; as `federated_request`."""
    own = fields_of(FederatedRequest, {name: given[name] for name in _MEMBERS if name in given})
    timeout_ms = given.get("timeout_ms", 0)
    asked = {"search": {"query": "", "timeout_ms": timeout_ms}, **own}
    return made_of(FederatedRequest, asked)


def of_one(given: Options) -> Options:
    """Return the options that the question to one repository has."""
    return {name: given[name] for name in given if name not in _MEMBERS}


def slate_shape(query: str, given: Options) -> SlateShape:
    """Return what a slate is to look like; errors as `federated_request`."""
    asked = slate_request(query, given)
    return SlateShape(asked.level, asked.budgets, asked.anchors, asked.graph, asked.session)


def configured(
    request: FederatedRequest, environ: Mapping[str, str], file: Workspace
) -> FederatedRequest:
    """Return the request with the user's own settings where it and the file say nothing."""
    loaded = _settings(environ, file)
    strategy = request.merge_strategy
    if _says_merge(loaded) and file.merge.strategy is None:
        strategy = strategy or loaded.settings.merge_strategy
    timeout_ms = request.search.timeout_ms or loaded.settings.query_timeout_ms
    search = replace(request.search, timeout_ms=timeout_ms)
    return replace(request, search=search, merge_strategy=strategy)


def says_merge(environ: Mapping[str, str], file: Workspace) -> bool:
    """Return whether the user's own settings say how lists are merged."""
    return _says_merge(_settings(environ, file))


def _says_merge(loaded: LoadedSettings) -> bool:
    return loaded.sources["merge_strategy"] != "default"


def _settings(environ: Mapping[str, str], file: Workspace) -> LoadedSettings:
    environ = without_profile(environ)
    return load_settings(home_from(environ), file.workspace_dir, environ=environ)


def federator_of(within: Surroundings) -> Federator:
    """Return who asks daemons for a program; where one cannot be had its index is read here.

    Unless daemons are required. It belongs to one event loop, and must be closed.
    """
    fallback = None
    if within.daemon != "require":
        fallback = IndexFallback(within.environ, within.flags, LOG.info)
    return Federator(
        home_from(within.environ),
        within.environ,
        SystemClock(),
        flags=within.flags,
        client_name=within.client_name,
        told=LOG.info,
        fallback=fallback,
        descriptors=False,
    )


def reads_here(within: Surroundings) -> bool:
    """Return whether all indexes of a workspace are read in this process."""
    return within.daemon == "never" or (within.daemon == "auto" and within.is_offline)
