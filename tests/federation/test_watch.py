"""What a watch does from one look to the next, on a machine, while its file is edited."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import field
from msgspec.structs import replace

from ggrep.base.errors import WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.watch import (
    FIRST_PAUSE_MS,
    LONGEST_PAUSE_MS,
    Change,
    ReloadingFile,
    Surroundings,
    Watch,
)
from ggrep.federation.workspace_state import MemberState, WorkspaceState, read_workspace_state
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.starting import NotStarted
from tests.fakes.clocks import ManualClock
from tests.fakes.workspaces import ENVIRON, SECOND, index_all, load, make_workspace, write_workspace


class FakeSurroundings(Surroundings, kw_only=True):
    """A machine whose daemons come and go as told."""

    manifest: WorkspaceState
    served: set[RepoId] = field(default_factory=set)
    failing: dict[RepoId, str] = field(default_factory=dict)
    dying: set[RepoId] = field(default_factory=set)
    started: list[list[RepoId]] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)

    def survey(self) -> WorkspaceState:
        return self.manifest

    def running(self, members: Sequence[MemberState]) -> frozenset[RepoId]:
        return frozenset(state.repo_id for state in members) & self.served

    def start(self, members: Sequence[MemberState]) -> Mapping[RepoId, str]:
        wanted = [state.repo_id for state in members]
        self.started.append(wanted)
        self.served |= set(wanted) - self.failing.keys() - self.dying
        return {repo: why for repo, why in self.failing.items() if repo in wanted}

    def keep(self, state: WorkspaceState) -> bool:
        if self.kept and self.kept[-1] == state.hash:
            return False
        self.kept.append(state.hash)
        return True


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2031, 1, 1, tzinfo=UTC))


@pytest.fixture
def around(tmp_path: Path, clock: ManualClock) -> FakeSurroundings:
    base = tmp_path.resolve()
    workspace = make_workspace(base, "alpha", "beta")
    index_all(workspace, Home(base / "home"))
    home = Home(base / "home")
    manifest = read_workspace_state(workspace, home, ENVIRON)
    return FakeSurroundings(workspace, home, ENVIRON, clock, manifest=manifest)


def kinds(watch: Watch) -> list[str]:
    return [change.kind for change in watch.look()]


def test_the_first_look_starts_one_host_for_all_and_the_next_does_nothing(
    around: FakeSurroundings,
) -> None:
    watch = Watch(around)

    assert kinds(watch) == ["daemon_started", "daemon_started", "manifest_written"]
    assert around.started == [[state.repo_id for state in around.manifest.members]]
    assert watch.served == around.served
    assert watch.look() == []
    assert len(around.started) == len(around.kept) == 1


def test_a_daemon_that_ended_is_started_again(around: FakeSurroundings) -> None:
    watch = Watch(around)
    watch.look()
    watch.look()
    lost = around.manifest.members[0].repo_id
    around.served.discard(lost)

    changes = watch.look()

    assert [(change.kind, change.repo_id) for change in changes] == [
        ("daemon_ended", lost),
        ("daemon_started", lost),
    ]
    assert around.started[-1] == [lost]


def test_disabled_repositories_are_not_served(around: FakeSurroundings) -> None:
    first = around.manifest.members[0]
    off = replace(first, repo=replace(first.repo, enabled=False))
    around.manifest = replace(around.manifest, members=(off, *around.manifest.members[1:]))

    Watch(around).look()

    assert around.started == [[around.manifest.members[1].repo_id]]


def test_what_does_not_start_is_said_once_and_tried_ever_more_rarely(
    around: FakeSurroundings, clock: ManualClock
) -> None:
    bad = around.manifest.members[1].repo_id
    around.failing[bad] = "no room"
    watch = Watch(around)
    first = watch.look()
    tries, pause_ms = [], FIRST_PAUSE_MS
    for _ in range(8):
        assert kinds(watch) == []
        clock.advance(pause_ms)
        tries.append(kinds(watch))
        pause_ms = min(2 * pause_ms, LONGEST_PAUSE_MS)
    around.failing[bad] = "no right"
    clock.advance(pause_ms)
    (change,) = watch.look()

    failed = [change for change in first if change.kind == "daemon_failed"]
    assert [(change.repo_id, change.message) for change in failed] == [(bad, "no room")]
    assert tries == [[]] * 8
    assert len(around.started) == 10
    assert (change.kind, change.message) == ("daemon_failed", "no right")


def test_a_daemon_that_dies_at_once_waits_its_turn(
    around: FakeSurroundings, clock: ManualClock
) -> None:
    around.dying = {around.manifest.members[0].repo_id}
    watch = Watch(around)
    watch.look()

    assert kinds(watch) == []
    clock.advance(FIRST_PAUSE_MS)
    assert kinds(watch) == ["daemon_started"]
    clock.advance(FIRST_PAUSE_MS)
    assert kinds(watch) == []


def test_a_published_snapshot_is_said_and_written(around: FakeSurroundings) -> None:
    watch = Watch(around)
    watch.look()
    first = around.manifest.members[0]
    moved = replace(first, index=replace(first.index, snapshot_id=SECOND))
    around.manifest = replace(around.manifest, members=(moved, *around.manifest.members[1:]))

    changes = watch.look()

    assert [change.kind for change in changes] == ["index_changed", "manifest_written"]
    assert changes[0].message == f"snapshot {SECOND}"
    assert around.kept[-1] in changes[1].message


STARTING = "ggrep.federation.watch.start_all"


@pytest.fixture
def machine(tmp_path: Path) -> Surroundings:
    base = tmp_path.resolve()
    workspace = make_workspace(base, "alpha", "beta")
    clock = ManualClock(datetime(2031, 1, 1, tzinfo=UTC))
    return Surroundings(workspace, Home(base / "home"), ENVIRON, clock)


def test_all_are_started_at_once(machine: Surroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process for each would take a hundred megabytes for each."""
    calls: list[tuple[list[Path], Mapping[str, str]]] = []

    def start(
        addresses: Sequence[DaemonAddress], environ: Mapping[str, str]
    ) -> tuple[DaemonAddress, ...]:
        calls.append(([each.identity.root for each in addresses], environ))
        return tuple(addresses)

    monkeypatch.setattr(STARTING, start)
    states = machine.survey().members

    assert machine.start(states) == {}
    assert calls == [([state.repo.root_canonical for state in states], ENVIRON)]


def test_who_is_not_served_has_the_hosts_reason(
    machine: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: Any) -> tuple[DaemonAddress, ...]:
        raise NotStarted("no room")

    states = machine.survey().members
    served = frozenset({states[0].repo_id})
    monkeypatch.setattr(STARTING, start)
    monkeypatch.setattr(Surroundings, "running", lambda *_: served)

    assert machine.start(states) == {states[1].repo_id: "no room"}


def test_wrong_settings_keep_no_other_from_starting(
    machine: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    monkeypatch.setattr(STARTING, lambda ones, _: started.extend(o.identity.root for o in ones))
    first = machine.workspace.repos[0].root_canonical
    (first / ".ggrep.toml").write_text("not toml [")
    states = machine.survey().members

    failures = machine.start(states)

    assert list(failures) == [state.repo_id for state in states if state.error is not None]
    assert first not in started
    assert len(started) == 1


def test_the_manifest_is_kept_where_it_belongs(machine: Surroundings) -> None:
    manifest = machine.survey()

    assert machine.running(manifest.members) == frozenset()
    assert [machine.keep(manifest), machine.keep(manifest)] == [True, False]
    assert manifest.manifest_file.is_file()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the file of a workspace of two."""
    return make_workspace(tmp_path.resolve(), "alpha", "beta").workspace_path


def said(change: Change | None) -> str:
    """Return the kind of a change that there is."""
    assert change is not None
    return change.kind


def test_a_file_that_nobody_touched_is_read_once(file: Path) -> None:
    reads: list[Path] = []
    followed = ReloadingFile(file, lambda path: reads.append(path) or load(path))  # type: ignore[func-returns-value] # counts

    assert [followed.look(), followed.look()] == [None, None]
    assert reads == [file]


def test_an_edit_is_taken_in_and_a_file_wrong_from_the_start_refused(file: Path) -> None:
    followed = ReloadingFile(file, load)
    write_workspace(file, {"repos": [{"root": "alpha"}]})

    assert said(followed.look()) == "workspace_changed"
    assert len(followed.workspace.repos) == 1
    assert followed.look() is None

    file.write_text("{")

    with pytest.raises(WorkspaceError):
        ReloadingFile(file, load)


@pytest.mark.parametrize("content", ["{", None])
def test_a_wrong_edit_is_said_once_and_leaves_what_was(file: Path, content: str | None) -> None:
    """Editors save in the middle of a thought; the daemons go on."""
    followed = ReloadingFile(file, load)
    right = file.read_text()
    if content is None:
        file.unlink()
    else:
        file.write_text(content)

    assert said(followed.look()) == "workspace_wrong"
    assert followed.look() is None
    assert len(followed.workspace.repos) == 2
    file.write_text(right)
    assert said(followed.look()) == "workspace_changed"
