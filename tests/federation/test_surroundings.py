"""What a watch does to the machine: one host for all, and a reason for each that is not served."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ggrep.config.home import Home
from ggrep.federation.manifest_file import manifest_path
from ggrep.federation.surroundings import RealSurroundings
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.starting import NotStarted
from tests.fakes.clocks import ManualClock
from tests.fakes.workspaces import ENVIRON, make_workspace

STARTING = "ggrep.federation.surroundings.start_all"


@pytest.fixture
def around(tmp_path: Path) -> RealSurroundings:
    """Return two repositories that nobody serves."""
    base = tmp_path.resolve()
    workspace = make_workspace(base, "alpha", "beta")
    clock = ManualClock(datetime(2031, 1, 1, tzinfo=UTC))
    return RealSurroundings(workspace, Home(base / "home"), ENVIRON, clock)


def test_all_are_started_at_once(around: RealSurroundings, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process for each would take a hundred megabytes for each."""
    calls: list[tuple[list[Path], Mapping[str, str]]] = []

    def start(
        addresses: Sequence[DaemonAddress], environ: Mapping[str, str]
    ) -> tuple[DaemonAddress, ...]:
        calls.append(([one.identity.root for one in addresses], environ))
        return tuple(addresses)

    monkeypatch.setattr(STARTING, start)
    states = around.survey().repos

    assert around.start(states) == {}
    assert calls == [([state.repo.root_canonical for state in states], ENVIRON)]


def test_who_is_not_served_has_the_hosts_reason(
    around: RealSurroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that listens all the same is no failure, whatever the host says of others."""

    def start(*_: Any) -> tuple[DaemonAddress, ...]:
        raise NotStarted("no room")

    states = around.survey().repos
    served = frozenset({states[0].repo_id})
    monkeypatch.setattr(STARTING, start)
    monkeypatch.setattr(around, "running", lambda _: served)

    assert around.start(states) == {states[1].repo_id: "no room"}


def test_wrong_settings_keep_no_other_from_starting(
    around: RealSurroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are one repository's own."""
    started: list[Path] = []
    monkeypatch.setattr(STARTING, lambda ones, _: started.extend(o.identity.root for o in ones))
    first = around.workspace.repos[0].root_canonical
    (first / ".ggrep.toml").write_text("not toml [")
    states = around.survey().repos

    failures = around.start(states)

    assert list(failures) == [state.repo_id for state in states if state.error is not None]
    assert first not in started
    assert len(started) == 1


def test_the_manifest_is_kept_where_it_belongs(around: RealSurroundings) -> None:
    """Nobody serves; nothing is indexed; it is written all the same, once."""
    manifest = around.survey()

    assert around.running(manifest.repos) == frozenset()
    assert [around.keep(manifest), around.keep(manifest)] == [True, False]
    home = Home(around.workspace.workspace_dir / "home")
    assert manifest_path(around.workspace, home).is_file()
