"""JSON documents that ggrep prints, made from the fixture repositories."""

import shutil
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from ggrep.base import errors, stable_json
from ggrep.base.clock import Deadline
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.base.ids import SnapshotId
from ggrep.config.home import Home
from ggrep.config.remotes import Remote
from ggrep.config.settings import Settings
from ggrep.federation.coordinator import federated_search
from ggrep.federation.federated_request import FederatedRequest
from ggrep.federation.federated_response import FederatedResponse
from ggrep.federation.workspace import Workspace, WorkspaceRepo, load_workspace
from ggrep.federation.workspace_expand import FederatedExpansion, federated_expand
from ggrep.federation.workspace_names import (
    FederatedReferences,
    FederatedSymbol,
    federated_references,
    federated_symbol,
)
from ggrep.federation.workspace_slates import FederatedSlate, SlateShape, federated_slate
from ggrep.index.maintenance.checks import check_health
from ggrep.index.maintenance.collection import collect_garbage, preview
from ggrep.index.maintenance.compaction import compact
from ggrep.index.maintenance.inventory import collect_stores
from ggrep.index.maintenance.repair import repair
from ggrep.index.maintenance.status import read_status
from ggrep.index.remote.pull import PullReport
from ggrep.interfaces.agents.clients import CLIENTS
from ggrep.interfaces.agents.config_files import ConfigFiles
from ggrep.interfaces.agents.installation import Agents
from ggrep.interfaces.cli.machine.install import clients_of, installation, snippets_of
from ggrep.interfaces.cli.stores.home_stores import stores_gc_json
from ggrep.interfaces.cli.stores.remotes import pull_json, remotes_json
from ggrep.model.daemons import DaemonLoad
from ggrep.model.maintenance import PushReport, RemoteCollection, Traffic
from ggrep.model.navigation import ExpandRequest, ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.model.sync import SyncFiles, SyncReport
from ggrep.protocol.wire.handshake import Hello, Welcome, answer_hello, hello_json, welcome_json
from ggrep.search.engine.engine import Engine
from ggrep.search.engine.push_pull import Pulled
from ggrep.service.searchers import EngineSearcher, ReadySearchers
from tests.fakes.clocks import ManualClock

FIXTURES = Path(__file__).parents[2] / "fixtures" / "repos"
START = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)
"""Later than any fixture file was written, so that none of them looks as if it might change."""


ASKING = FederatedRequest(SearchRequest("", timeout_ms=0))
"""Asks all repositories of a workspace."""


class Repos:
    """Copies of fixture repositories in one directory, with one home for their stores."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.home = directory / "home"
        self.clock = ManualClock(START)

    def open(self, name: str) -> Engine:
        """Return an engine over a copy; the same files each time, made at the first."""
        root = self.directory / name
        if not root.exists():
            shutil.copytree(FIXTURES / name, root)
        return self.open_root(root)

    def open_root(self, root: Path) -> Engine:
        """Return an engine over any tree, without encoder and at a time that stands still."""
        flags = {"encoder": "none", "parse_workers": 1}
        return Engine(root, Home(self.home), flags=flags, clock=self.clock)

    def index(self, name: str) -> tuple[Engine, SyncReport]:
        """Return an engine over an indexed copy, and what indexing said."""
        engine = self.open(name)
        return engine, engine.sync()

    def workspace(self, *names: str, priorities: Mapping[str, int] | None = None) -> Workspace:
        """Return a workspace over copies, each with its name as alias."""
        entries: list[stable_json.Json] = []
        for name in names:
            self.open(name)
            entries.append(
                {"root": name, "alias": name, "priority": (priorities or {}).get(name, 0)}
            )
        path = self.directory / "workspace.jsonc"
        document: stable_json.Json = {
            "schemaVersion": 1,
            "name": "fixtures",
            "repos": entries,
        }
        path.write_bytes(stable_json.dumps_pretty(document))
        return load_workspace(path, resolve_root=lambda root: root)

    def federate(self, workspace: Workspace, request: FederatedRequest) -> FederatedResponse:
        """Return the answer of a workspace whose repositories are searched in this process."""
        asked = partial(federated_search, workspace, request, self._searchers(), self.clock)
        return anyio.run(asked)

    def slate(
        self, workspace: Workspace, request: FederatedRequest, shape: SlateShape
    ) -> FederatedSlate:
        """Return the slate of such a workspace."""
        searchers = self._searchers()
        return anyio.run(federated_slate, workspace, request, shape, searchers, self.clock)

    def symbol(self, workspace: Workspace, asked: SymbolRequest) -> FederatedSymbol:
        """Return where such a workspace defines a name."""
        searchers = self._searchers()
        return anyio.run(federated_symbol, workspace, ASKING, asked, searchers, self.clock)

    def references(self, workspace: Workspace, asked: ReferencesRequest) -> FederatedReferences:
        """Return where such a workspace uses a name."""
        searchers = self._searchers()
        return anyio.run(federated_references, workspace, ASKING, asked, searchers, self.clock)

    def expand(self, workspace: Workspace, asked: ExpandRequest) -> FederatedExpansion:
        """Return the code around a place of such a workspace."""
        searchers = self._searchers()
        return anyio.run(federated_expand, workspace, ASKING, asked, searchers, self.clock)

    def _searchers(self) -> ReadySearchers:
        def searcher(repo: WorkspaceRepo) -> EngineSearcher:
            return EngineSearcher(lambda: self.open_root(repo.root_canonical))

        return ReadySearchers(searcher)


def status_document(engine: Engine, load: DaemonLoad | None = None) -> dict[str, Any]:
    """Return what `ggrep status --json` prints."""
    status = read_status(engine.settings, engine.inspect, engine.home, engine.identity, load)
    return status.to_dict()


def health_document(
    engine: Engine, *, deep: bool = False, load: DaemonLoad | None = None
) -> dict[str, Any]:
    """Return what `ggrep health --json` prints."""
    identity = engine.identity
    report = check_health(
        identity.store,
        identity.store_id,
        engine.settings,
        deep=deep,
        root=identity.root,
        load=load,
    )
    return report.to_dict()


def maintenance_documents(engine: Engine) -> tuple[dict[str, Any], ...]:
    """Return what `ggrep gc|compact|repair --json` print."""
    identity = engine.identity
    result = preview(identity.store, engine.settings, engine.clock)
    with engine.target() as target:
        compacted, repaired = compact(target, force=True), repair(target)
        deadline = Deadline.after(target.clock, 0)
        collected = collect_garbage(target, deadline=deadline)
    return (
        result.to_dict(),
        collected.to_dict(),
        compacted.to_dict(),
        repaired.to_dict(),
    )


def agents_documents(repos: Repos) -> tuple[dict[str, Any], ...]:
    """Return what `ggrep install` prints: done, listed, and as snippets."""
    user = repos.directory / "user"
    places = ConfigFiles(user, None, {})
    agents = Agents(Home(repos.home), places, "ggrep", dry=True)
    clients = [CLIENTS["codex"], CLIENTS["goose"]]
    return (
        installation(agents.install(clients), agents).to_dict(),
        clients_of(clients, places, "ggrep").to_dict(),
        snippets_of(clients, places, "ggrep").to_dict(),
    )


def remote_documents() -> tuple[dict[str, Any], ...]:
    """Return what `ggrep remote`, `push` and `pull` print."""
    url = "s3://team-indexes/ggrep"
    remote = Remote("origin", url, "https://storage.example:9000", "eu-west-1")
    traffic = Traffic(gets=4, heads=4, puts=7, bytes_down=1_200, bytes_up=39_000_000)
    commit = "a" * 40
    snapshot = SnapshotId("01HZZZZZZZZZZZZZZZZZZZZZZ1")
    pushed = PushReport(
        remote="origin",
        repo_key="github.com/team/shop",
        snapshot_id=snapshot,
        tree="d" * 64,
        git_tree="b" * 40,
        files_state="c" * 64,
        commit=commit,
        pushed=True,
        blobs=3,
        written=3,
        written_bytes=39_000_000,
        traffic=traffic,
        duration_ms=812,
    )
    pulled = PullReport(
        "pulled",
        snapshot,
        "github.com/team/shop",
        commit=commit,
        files=118,
        of_files=120,
        brought=118,
        fetched_bytes=39_000_000,
        passed_over=("origin: trees/0 is missing",),
    )
    synced = SyncReport(
        store_id="shop-0123456789ab-0123456789ab",
        snapshot_id=snapshot,
        published=True,
        files=SyncFiles(2, 0, 118),
        chunks=4_711,
        segments=2,
        merged_segments=0,
        vectors_encoded=31,
        vectors_reused=0,
        skipped=(),
        degraded=(),
        warnings=(),
        duration_ms=210,
    )
    failed = Pulled(None, reason="no remote is configured")
    result = RemoteCollection(
        remote="origin",
        dry_run=False,
        refs=2,
        kept=40,
        removable=7,
        removable_bytes=90_000,
        deleted=7,
        deleted_bytes=90_000,
    )
    return (
        remotes_json([remote, Remote("shared", "file:///srv/ggrep", readable=True)]),
        pushed.to_dict(),
        pull_json(Pulled(remote, pulled, traffic), synced, (440, 650)),
        pull_json(failed, synced, (3, 9_000)),
        result.to_dict(),
    )


def stores_gc_document(home: Path, *, force: bool = False) -> dict[str, Any]:
    """Return what `ggrep gc --stores --json` prints ten years from now."""
    later = ManualClock(START + timedelta(days=3650))
    report = collect_stores(
        Home(home), Settings(), current=None, force=force, clock=later, wait=lambda _: None
    )
    return stores_gc_json(report)


def error_classes() -> set[type[errors.GgrepError]]:
    """Return all classes of `ggrep.base.errors`; those that tests declare are left out."""
    results = [errors.GgrepError]
    for kind in results:
        results += [child for child in kind.__subclasses__() if child.__module__ == errors.__name__]
    return set(results)


def hello_document() -> dict[str, Any]:
    """Return what a client says first."""
    return dict(hello_json(_hello()))


def welcome_document() -> dict[str, Any]:
    """Return what a daemon answers."""
    offer = Welcome(
        protocol_version=1,
        protocol_versions=(1,),
        binary_version="0.1.0",
        supported_schema_versions=SCHEMA_VERSIONS,
        store_id="shop-0123456789ab-0123456789ab",
        config_fingerprint="0" * 64,
        pid=4242,
        started_at="2026-01-01T12:00:00Z",
        build="0.1.0+1",
    )
    return dict(welcome_json(answer_hello(_hello(), offer)))


def _hello() -> Hello:
    return Hello(
        protocol_versions=(1,),
        store_id="shop-0123456789ab-0123456789ab",
        config_fingerprint="0" * 64,
        client_id="agent-7",
        client_capabilities=("json", "explain"),
        build="0.1.0+1",
    )
