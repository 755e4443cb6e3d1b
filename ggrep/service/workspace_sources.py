"""The sources of a workspace query: its file, the user's settings, and who answers."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ggrep.base.clock import SystemClock
from ggrep.config.identity.root import canonical_root
from ggrep.config.settings import home_from, load_settings, without_profile
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.searcher import Searchers
from ggrep.federation.workspace import Workspace, load_workspace
from ggrep.service.federator import Federator
from ggrep.service.opened import LOG, Surroundings
from ggrep.service.options import AnyPath
from ggrep.service.searchers import OwnReading, engine_searchers


def load(file: AnyPath) -> Workspace:
    """Return the workspace of a file.

    Raises:
        WorkspaceError: the file is wrong; every issue is in it.
    """
    return load_workspace(Path(file), resolve_root=canonical_root)


def configured(
    request: FederatedRequest, environ: Mapping[str, str], file: Workspace
) -> FederatedRequest:
    """Return the request with the user's own settings where it and the file say nothing."""
    environ = without_profile(environ)
    loaded = load_settings(home_from(environ), file.workspace_dir, environ=environ)
    strategy = request.merge_strategy
    if loaded.sources["merge_strategy"] != "default" and file.merge.strategy is None:
        strategy = strategy or loaded.settings.merge_strategy
    timeout_ms = request.search.timeout_ms or loaded.settings.query_timeout_ms
    search = replace(request.search, timeout_ms=timeout_ms)
    return replace(request, search=search, merge_strategy=strategy)


def federator_of(within: Surroundings) -> Federator:
    """Return who asks daemons for a program; where one cannot be had its index is read here.

    Unless daemons are required. It belongs to one event loop, and must be closed.
    """
    here = engine_searchers(within.environ, within.flags)

    def through(daemons: Searchers) -> Searchers:
        return daemons if within.daemon == "require" else OwnReading(daemons, here, LOG.info)

    return Federator(
        home_from(within.environ),
        within.environ,
        SystemClock(),
        flags=within.flags,
        client_name=within.client_name,
        told=LOG.info,
        through=through,
        descriptors=False,
    )


def reads_here(within: Surroundings) -> bool:
    """Return whether all indexes of a workspace are read in this process."""
    return within.daemon == "never" or (within.daemon == "auto" and within.is_offline)
