"""Every JSON document of `ggrep workspace`, of workspaces that nobody indexed for real."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.federation.building import BuildResult
from ggrep.federation.daemon_upkeep import Change, DaemonState
from ggrep.federation.doctor import examine
from ggrep.federation.manifest_builder import (
    build_manifest,
    cache_root_of,
    manifest_path,
    read_stored,
    store_manifest,
)
from ggrep.federation.orphans import collect_orphans
from ggrep.federation.workspace_manifest import WorkspaceManifest, manifest_json
from ggrep.interfaces.cli.workspaces.state import (
    build_json,
    catalog_json,
    event_json,
    status_json,
    written_json,
)
from ggrep.model.corpus import CORPORA
from tests.fakes.workspaces import ENVIRON, load, make_workspace, publish, store_of

NOW = datetime(2031, 2, 3, 4, 5, 6, tzinfo=UTC)


class Workspaces:
    """A workspace of a sound repository, a damaged one and one that was never indexed."""

    def __init__(self, base: Path) -> None:
        self.base = base
        base.mkdir(exist_ok=True)
        self.home = Home(base / "home")
        self.workspace = make_workspace(base, "alpha", "beta", "gamma", name="fixtures")
        stores = [store_of(repo.root_canonical, self.home) for repo in self.workspace.repos]
        publish(stores[0])
        publish(stores[1])
        store_files.active_file(stores[1]).write_text("nonsense")
        self.manifest: WorkspaceManifest = build_manifest(self.workspace, self.home, ENVIRON)
        alpha, beta, gamma = self.manifest.repos
        described = alpha.description()
        assert described is not None
        counts = tuple((corpus, 3) for corpus in CORPORA)
        told = replace(described, counts=counts, freshness="current")
        odd = replace(told, embed_key="other|1")
        self.daemons = {alpha.repo_id: DaemonState("ready", 7, 1, told)}
        self.split = {
            alpha.repo_id: DaemonState("stale", 7, 1, told, "the encoder changed"),
            beta.repo_id: DaemonState("ready", 7, 1, told),
            gamma.repo_id: DaemonState("ready", 8, 1, odd),
        }

    def kept(self) -> dict[str, Any]:
        """Return what is kept on disk."""
        root = cache_root_of(self.workspace, self.home)
        return dict(manifest_json(self.manifest, root, "2031-02-03T04:05:06Z"))

    def written(self) -> dict[str, Any]:
        """Return what `manifest` prints."""
        return dict(written_json(self.manifest, self.home, written=True))

    def status(self) -> dict[str, Any]:
        """Return what `status` prints."""
        return dict(status_json(self.manifest, self.daemons, self.home))

    def catalog(self) -> dict[str, Any]:
        """Return what `catalog` prints."""
        store_manifest(self.manifest, self.home, NOW)
        kept = read_stored(manifest_path(self.workspace, self.home))
        return dict(catalog_json(self.manifest, self.daemons, self.home, kept))

    def build(self) -> dict[str, Any]:
        """Return what `build` prints of one that passed, one that was killed, one not begun."""
        first, second, third = self.workspace.repos
        results = (
            BuildResult(first, "passed", 0, None, 1200),
            BuildResult(second, "failed", None, 9, 300, "ended by signal 9"),
            BuildResult(third, "skipped", error="another repository failed"),
        )
        return dict(build_json(self.manifest, results, self.home))

    def doctor(self) -> dict[str, Any]:
        """Return what `doctor` prints of two cohorts."""
        return examine(self.manifest, self.split, merge_said=True).to_dict()

    def event(self) -> dict[str, Any]:
        """Return a line that `watch` prints."""
        repo_id = self.manifest.repos[0].repo_id
        change = Change("daemon_started", "its daemon was started", repo_id)
        return dict(event_json(change, self.workspace))

    def collection(self) -> dict[str, Any]:
        """Return what `gc` prints once the workspace's file is gone."""
        store_manifest(self.manifest, self.home, NOW)
        away = self.workspace.workspace_path.rename(self.base / "away")
        try:
            report = collect_orphans(
                [self.home.cache],
                load,
                NOW + timedelta(days=36500),
                grace=timedelta(0),
                force=False,
            )
        finally:
            away.rename(self.workspace.workspace_path)
        return report.to_dict()

    def printed(self) -> tuple[dict[str, Any], ...]:
        """Return a document of every command."""
        return (
            self.written(),
            self.status(),
            self.catalog(),
            self.build(),
            self.doctor(),
            self.event(),
            self.collection(),
        )
