"""Whether a search is for a daemon, and whether one is started for it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from ggrep.interfaces.cli.daemon_contact import address_of
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.starting import NotStarted
from ggrep.render.style import Style
from ggrep.service.daemon_choice import daemon_client_of, uses_daemon
from ggrep.service.location import Location
from tests.fakes.places import short_directory

UNSTARTED = {"GGREP_START_DAEMON": "false"}


@pytest.fixture
def home() -> Iterator[Path]:
    """Return where sockets go: a short path."""
    with short_directory() as base:
        yield base


def arranged(root: Path, home: Path, environ: Mapping[str, str]) -> tuple[DaemonAddress, Terminal]:
    """Return where the daemon is met under some variables, and a terminal that has them."""
    said = {"GGREP_HOME": str(home), **environ}
    terminal = Terminal(said, Style(colour=False), Style(colour=False), progress=False)
    return address_of(Location(root, ""), terminal, {}), terminal


def test_a_search_asks_a_daemon_whether_or_not_it_runs(root: Path, home: Path) -> None:
    address, terminal = arranged(root, home, {})

    assert uses_daemon(address, terminal.environ, offline=False)


def test_offline_no_daemon_is_asked(root: Path, home: Path) -> None:
    address, terminal = arranged(root, home, {})
    _, by_variable = arranged(root, home, {"GGREP_OFFLINE": "1"})
    address.socket.parent.mkdir()
    address.socket.touch()

    assert not uses_daemon(address, terminal.environ, offline=True)
    assert not uses_daemon(address, by_variable.environ, offline=False)


def test_where_no_daemon_is_to_be_started_a_search_asks_one_that_runs(
    root: Path, home: Path
) -> None:
    """An operator who runs daemons himself wants them asked."""
    address, terminal = arranged(root, home, UNSTARTED)
    before = uses_daemon(address, terminal.environ, offline=False)
    address.socket.parent.mkdir()
    address.socket.touch()

    assert not before
    assert uses_daemon(address, terminal.environ, offline=False)


def test_a_search_that_finds_its_daemon_gone_starts_none_against_the_settings(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its socket may be what a killed one left behind."""
    started: list[object] = []
    monkeypatch.setattr(
        "ggrep.protocol.client.connect_or_start.start", lambda *given, **_: started.append(given)
    )
    address, terminal = arranged(root, home, UNSTARTED)
    asking = daemon_client_of(address, terminal.environ, terminal.tell)

    with pytest.raises(NotStarted):
        asking.search(SearchRequest("words", timeout_ms=50), ViewOptions(json=False, columns=80))
    assert started == []
