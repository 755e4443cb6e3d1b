"""Every JSON document of `ggrep workspace`, of workspaces that nobody indexed for real."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.federation.building import BuildResult
from ggrep.federation.doctor import examine
from ggrep.federation.orphans import collect_orphans
from ggrep.federation.watch import Change
from ggrep.federation.workspace_state import (
    MemberState,
    WorkspaceState,
    read_stored,
    read_workspace_state,
    store_manifest,
)
from ggrep.interfaces.cli.workspaces.state import (
    build_json,
    catalog_of,
    event_json,
    status_of,
    written_manifest,
)
from ggrep.model.corpus import CORPORA
from ggrep.model.limits import Notice
from ggrep.model.sync import SyncOutcome
from ggrep.model.workspace_state import RepoDaemon
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
        read = read_workspace_state(self.workspace, self.home, ENVIRON)
        alpha, beta, gamma = read.members
        described = alpha.description()
        assert described is not None
        counts = tuple((corpus, 3) for corpus in CORPORA)
        reported = replace(described, counts=counts, freshness="current")
        odd = replace(reported, embed_key="other|1")
        ready = RepoDaemon("ready", running=True, pid=7, protocol=1, freshness="current")
        stale = replace(ready, state="stale", problem="the encoder changed")

        def with_members(*members: MemberState) -> WorkspaceState:
            return replace(read, members=members)

        self.state = with_members(replace(alpha, daemon=ready, reported=reported), beta, gamma)
        self.split = with_members(
            replace(alpha, daemon=stale, reported=reported),
            replace(beta, daemon=ready, reported=reported),
            replace(gamma, daemon=replace(ready, pid=8), reported=odd),
        )

    def kept(self) -> dict[str, Any]:
        """Return what is kept on disk."""
        return dict(stable_json.plain(self.state.manifest(NOW)))

    def written(self) -> dict[str, Any]:
        return written_manifest(self.state, written=True).to_dict()

    def status(self) -> dict[str, Any]:
        return status_of(self.state).to_dict()

    def catalog(self) -> dict[str, Any]:
        store_manifest(self.state, NOW)
        return catalog_of(self.state, read_stored(self.state.manifest_file)).to_dict()

    def build(self) -> dict[str, Any]:
        """Return what `build` prints of one that passed, one that was killed, one not begun."""
        first, second, third = self.workspace.repos
        notice = Notice("not_pulled", "nothing could be pulled: the remote is gone")
        built = SyncOutcome("s", "1", True, 1, 0, 0, 2, 1, 0, 0, 0, 0, 0, (notice,), 5, 5)
        built = replace(built, pushed="new")
        results = (
            BuildResult(first, "passed", 0, None, 1200, outcome=built),
            BuildResult(second, "failed", None, 9, 300, "ended by signal 9"),
            BuildResult(third, "skipped", error="another repository failed"),
        )
        return dict(build_json(self.state, results))

    def doctor(self) -> dict[str, Any]:
        """Return what `doctor` prints of two cohorts."""
        return examine(self.split, merge_is_set=True).to_dict()

    def event(self) -> dict[str, Any]:
        """Return a line that `watch` prints."""
        repo_id = self.state.members[0].repo_id
        change = Change("daemon_started", "its daemon was started", repo_id)
        return dict(event_json(change, self.workspace))

    def collection(self) -> dict[str, Any]:
        """Return what `gc` prints once the workspace's file is gone."""
        store_manifest(self.state, NOW)
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
