"""What a watch does from one look to the next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.daemon_upkeep import FIRST_PAUSE_MS, LONGEST_PAUSE_MS, Watch
from ggrep.federation.survey import survey
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest
from tests.fakes.clocks import ManualClock
from tests.fakes.workspaces import ENVIRON, SECOND, index_all, make_workspace


@dataclass
class FakeSurroundings:
    """A machine whose daemons come and go as told."""

    manifest: WorkspaceManifest
    served: set[RepoId] = field(default_factory=set)
    failing: dict[RepoId, str] = field(default_factory=dict)
    dying: set[RepoId] = field(default_factory=set)
    started: list[list[RepoId]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def survey(self) -> WorkspaceManifest:
        return self.manifest

    def running(self, states: Sequence[RepoState]) -> frozenset[RepoId]:
        return frozenset(state.repo_id for state in states) & self.served

    def start(self, states: Sequence[RepoState]) -> Mapping[RepoId, str]:
        wanted = [state.repo_id for state in states]
        self.started.append(wanted)
        self.served |= set(wanted) - self.failing.keys() - self.dying
        return {repo: why for repo, why in self.failing.items() if repo in wanted}

    def keep(self, manifest: WorkspaceManifest) -> bool:
        if self.kept and self.kept[-1] == manifest.hash:
            return False
        self.kept.append(manifest.hash)
        return True


@pytest.fixture
def around(tmp_path: Path) -> FakeSurroundings:
    """Return two indexed repositories that nobody serves."""
    base = tmp_path.resolve()
    workspace = make_workspace(base, "alpha", "beta")
    index_all(workspace, Home(base / "home"))
    return FakeSurroundings(survey(workspace, Home(base / "home"), ENVIRON))


@pytest.fixture
def clock() -> ManualClock:
    """Return a clock that stands still."""
    return ManualClock(datetime(2031, 1, 1, tzinfo=UTC))


def kinds(watch: Watch) -> list[str]:
    """Return what a look found."""
    return [change.kind for change in watch.look()]


def test_the_first_look_starts_one_host_for_all(
    around: FakeSurroundings, clock: ManualClock
) -> None:
    """And writes the manifest."""
    watch = Watch(around, clock)

    assert kinds(watch) == ["daemon_started", "daemon_started", "manifest_written"]
    assert around.started == [[state.repo_id for state in around.manifest.repos]]
    assert watch.served == around.served


def test_while_nothing_happens_nothing_is_said(
    around: FakeSurroundings, clock: ManualClock
) -> None:
    """Nor done."""
    watch = Watch(around, clock)
    watch.look()

    assert watch.look() == []
    assert len(around.started) == len(around.kept) == 1


def test_a_daemon_that_ended_is_started_again(around: FakeSurroundings, clock: ManualClock) -> None:
    """Only that one; and both are said."""
    watch = Watch(around, clock)
    watch.look()
    watch.look()
    lost = around.manifest.repos[0].repo_id
    around.served.discard(lost)

    changes = watch.look()

    assert [(change.kind, change.repo_id) for change in changes] == [
        ("daemon_ended", lost),
        ("daemon_started", lost),
    ]
    assert around.started[-1] == [lost]


def test_disabled_repositories_are_not_served(around: FakeSurroundings, clock: ManualClock) -> None:
    """But their indexes are in the manifest."""
    first = around.manifest.repos[0]
    off = replace(first, repo=replace(first.repo, enabled=False))
    around.manifest = replace(around.manifest, repos=(off, *around.manifest.repos[1:]))

    Watch(around, clock).look()

    assert around.started == [[around.manifest.repos[1].repo_id]]


def test_what_does_not_start_is_said_once_and_tried_ever_more_rarely(
    around: FakeSurroundings, clock: ManualClock
) -> None:
    """A start costs half a second of a core."""
    bad = around.manifest.repos[1].repo_id
    around.failing[bad] = "no room"
    watch = Watch(around, clock)
    first = watch.look()
    tries, pause_ms = [], FIRST_PAUSE_MS
    for _ in range(8):
        assert kinds(watch) == []
        clock.advance(pause_ms)
        tries.append(kinds(watch))
        pause_ms = min(2 * pause_ms, LONGEST_PAUSE_MS)

    failed = [change for change in first if change.kind == "daemon_failed"]
    assert [(change.repo_id, change.message) for change in failed] == [(bad, "no room")]
    assert tries == [[]] * 8
    assert len(around.started) == 9


def test_another_reason_is_said_again(around: FakeSurroundings, clock: ManualClock) -> None:
    """Something moved."""
    bad = around.manifest.repos[1].repo_id
    around.failing[bad] = "no room"
    watch = Watch(around, clock)
    watch.look()
    around.failing[bad] = "no right"
    clock.advance(FIRST_PAUSE_MS)

    (change,) = watch.look()

    assert (change.kind, change.message) == ("daemon_failed", "no right")


def test_a_daemon_that_dies_at_once_waits_its_turn(
    around: FakeSurroundings, clock: ManualClock
) -> None:
    """It would be started without an end, at every look."""
    around.dying = {around.manifest.repos[0].repo_id}
    watch = Watch(around, clock)
    watch.look()

    assert kinds(watch) == []
    clock.advance(FIRST_PAUSE_MS)
    assert kinds(watch) == ["daemon_started"]
    clock.advance(FIRST_PAUSE_MS)
    assert kinds(watch) == []


def test_a_published_snapshot_is_said_and_written(
    around: FakeSurroundings, clock: ManualClock
) -> None:
    """That is what the manifest is for."""
    watch = Watch(around, clock)
    watch.look()
    first = around.manifest.repos[0]
    assert first.index.facts is not None
    facts = replace(first.index.facts, snapshot_id=SECOND)
    moved = replace(first, index=replace(first.index, snapshot_id=SECOND, facts=facts))
    around.manifest = replace(around.manifest, repos=(moved, *around.manifest.repos[1:]))

    changes = watch.look()

    assert [change.kind for change in changes] == ["index_changed", "manifest_written"]
    assert changes[0].message == f"snapshot {SECOND}"
    assert around.kept[-1] in changes[1].message
