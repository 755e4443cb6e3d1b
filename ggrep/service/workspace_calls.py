"""Queries to a workspace: keyword options, requests, answers and the client that sends them."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.config.root import canonical_root
from ggrep.config.settings import LoadedSettings, home_from, load_settings, without_profile
from ggrep.federation.cohort import Policy
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.federation.workspace_expand import FederatedExpansion
from ggrep.federation.workspace_names import FederatedReferences, FederatedSymbol
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape
from ggrep.model.slate import SessionRequest
from ggrep.service.calls import (
    AnyPath,
    ExpandOptions,
    Filters,
    HitOptions,
    Options,
    QueryOptions,
    ShapeOptions,
    TimedOptions,
    fields_of,
    made_of,
    search_request,
    slate_request,
)
from ggrep.service.federator import Federator
from ggrep.service.repository_handle import LOG, Surroundings
from ggrep.service.searchers import IndexFallback, engine_searchers


class MemberOptions(TypedDict, total=False):
    """Options that select repositories of a workspace; fields of `FederatedRequest`."""

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


class SelectOptions(MemberOptions, total=False):
    """Options that select repositories and merge their lists; fields of `FederatedRequest`."""

    merge_strategy: str
    rrf_k: int
    per_repo_top: int
    max_repos: int
    fold: bool
    cohort: Sequence[str]
    cohort_policy: Policy
    allow_unsafe_mix: bool
    snippet_bytes: int


class WorkspaceSymbolOptions(TimedOptions, MemberOptions, total=False):
    """Options of a workspace's `symbol`; see `SymbolRequest`."""

    limit: int
    filters: Filters
    cursor: str


class WorkspaceReferencesOptions(WorkspaceSymbolOptions, total=False):
    """Options of a workspace's `references`; see `ReferencesRequest`."""

    strings: bool
    comments: bool


class WorkspaceExpandOptions(ExpandOptions, MemberOptions, total=False):
    """Options of a workspace's `expand`."""


class WorkspaceSearchOptions(HitOptions, SelectOptions, total=False):
    """Options of a workspace's `search`."""


class WorkspaceSlateOptions(QueryOptions, ShapeOptions, SelectOptions, total=False):
    """Options of a workspace's `slate`."""

    session: SessionRequest


class _Answer:
    """The answer of a workspace, with its JSON document."""

    __slots__ = ()

    def to_dict(self: Any) -> dict[str, Any]:
        """Return the document that the command line prints with `--workspace --json`."""
        return dict(self.to_json())


class WorkspaceAnswer(FederatedResponse, _Answer, frozen=True):
    """The merged hits of a workspace's repositories; `errors` lists failed repositories."""


class WorkspaceSlateAnswer(FederatedSlate, _Answer, frozen=True):
    """A slate over a workspace; `errors` lists failed repositories."""


class WorkspaceSymbolAnswer(FederatedSymbol, _Answer, frozen=True):
    """Definitions of a name in a workspace; `errors` lists failed repositories."""


class WorkspaceReferencesAnswer(FederatedReferences, _Answer, frozen=True):
    """Usages of a name in a workspace; `errors` lists failed repositories."""


class WorkspaceExpandAnswer(FederatedExpansion, _Answer, frozen=True):
    """The code around a location of a workspace."""


def load(file: AnyPath) -> Workspace:
    """Load a workspace file."""
    return load_workspace(Path(file), resolve_root=canonical_root)


def federated_request(query: str, options: Options) -> FederatedRequest:
    """Return the workspace request for keyword options; limits are checked when the query runs."""
    fields = fields_of(FederatedRequest, options)
    top = {"top": options["limit"]} if "limit" in options else {}
    search = search_request(query, {name: options[name] for name in options if name != "limit"})
    # With a limit of 0, the answer contains the outcomes of the repositories but no hits.
    asked = {"search": {"query": query}, **fields, **top}
    return replace(made_of(FederatedRequest, asked, zeros=("top",)), search=search)


def members_request(options: Options) -> FederatedRequest:
    """Return the workspace request for a query about a name or a location."""
    fields = fields_of(
        FederatedRequest,
        {name: options[name] for name in MemberOptions.__annotations__ if name in options},
    )
    timeout_ms = options.get("timeout_ms", 0)
    asked = {"search": {"query": "", "timeout_ms": timeout_ms}, **fields}
    return made_of(FederatedRequest, asked)


def of_one(options: Options) -> Options:
    """Return the options of the query to each repository."""
    return {name: options[name] for name in options if name not in MemberOptions.__annotations__}


def slate_shape(query: str, options: Options) -> SlateShape:
    """Return the level, budgets and parts of a slate; raises as `federated_request`."""
    asked = slate_request(query, options)
    return SlateShape(asked.level, asked.budgets, asked.anchors, asked.graph, asked.session)


def configured(
    request: FederatedRequest, environ: Mapping[str, str], file: Workspace
) -> FederatedRequest:
    """Return the request; the user's settings replace options that request and file do not set."""
    loaded = _settings(environ, file)
    strategy = request.merge_strategy
    if _says_merge(loaded) and file.merge.strategy is None:
        strategy = strategy or loaded.settings.merge_strategy
    timeout_ms = request.search.timeout_ms or loaded.settings.query_timeout_ms
    search = replace(request.search, timeout_ms=timeout_ms)
    return replace(request, search=search, merge_strategy=strategy)


def says_merge(environ: Mapping[str, str], file: Workspace) -> bool:
    """Return whether the user's settings define the merge strategy."""
    return _says_merge(_settings(environ, file))


def _says_merge(loaded: LoadedSettings) -> bool:
    return loaded.sources["merge_strategy"] != "default"


def _settings(environ: Mapping[str, str], file: Workspace) -> LoadedSettings:
    environ = without_profile(environ)
    return load_settings(home_from(environ), file.workspace_dir, environ=environ)


def federator_of(within: Surroundings) -> Federator:
    """Return a client for all daemons; not thread-safe.

    With `daemon` `never`, this process reads the indexes. With `auto`, this process reads the index
    of a repository whose daemon is not available.
    """
    reads_here = within.daemon == "never" or (within.daemon == "auto" and within.is_offline)
    falls_back = within.daemon != "require" and not reads_here
    here = partial(engine_searchers, within.environ, within.flags)
    return Federator(
        home_from(within.environ),
        within.environ,
        SystemClock(),
        flags=within.flags,
        client_name=within.client_name,
        notify=LOG.info,
        through=lambda daemons: here() if reads_here else daemons,
        fallback=IndexFallback(within.environ, within.flags, LOG.info) if falls_back else None,
        descriptors=False,
    )
