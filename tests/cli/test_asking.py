"""A question finds its way: to a daemon, to the index on disk, or to an index that is made."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ggrep.base.errors import GgrepError, NoIndex, UsageError
from ggrep.daemon.plan import Plan
from ggrep.interfaces.cli.daemon_contact import address_of
from ggrep.interfaces.cli.queries.query import answered, follow_index, reach
from ggrep.interfaces.cli.queries.search_options import IndexOptions
from ggrep.interfaces.cli.queries.typed_targets import Finder
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.navigation import SymbolRequest
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.protocol.client.daemon_address import DaemonAddress
from ggrep.protocol.client.starting import NotStarted
from ggrep.protocol.wire.messages import Ask
from ggrep.render.printed import Rendered
from ggrep.render.style import Style
from ggrep.service.daemon_choice import daemon_client_of, uses_daemon
from ggrep.service.location import Location
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree

UNSTARTED = {"GGREP_START_DAEMON": "false"}


@pytest.fixture
def home() -> Iterator[Path]:
    """Return where sockets go: a short path."""
    with short_directory() as base:
        yield base


def arranged(root: Path, home: Path, environ: Mapping[str, str]) -> tuple[DaemonAddress, Terminal]:
    """Return where the daemon is met under some variables, and a terminal that has them."""
    output = {"GGREP_HOME": str(home), **environ}
    terminal = Terminal(output, Style(colour=False), Style(colour=False), progress=False)
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


REQUEST = SymbolRequest("charge_card", timeout_ms=2_000)
PLAN = Plan(
    (Ask(REQUEST),),
    lambda answers: Rendered("".join(f"{each.path}\n" for each in answers[0].definitions), ""),
)
READ = IndexOptions(offline=True)


def terminal_of(home: Path, **environ: str) -> Terminal:
    output = {"GGREP_HOME": str(home), "GGREP_ENCODER": "none", **environ}
    return Terminal(output, Style(colour=False), Style(colour=False), progress=False)


@pytest.fixture
def shop(root: Path, home: Path) -> Path:
    """Return a tree of one function, indexed."""
    write_tree(root, {"src/a.py": "def charge_card():\n    return 1\n"})
    open_engine(root, home, encoder="none").sync()
    return root


def test_where_no_daemon_can_be_had_the_index_is_read_here(
    shop: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = terminal_of(home, GGREP_START_DAEMON="false")
    reached = reach(Location(shop, ""), terminal, {})
    reached.address.socket.parent.mkdir(exist_ok=True)
    reached.address.socket.touch()  # what a killed one left

    result = answered(PLAN, reached, terminal, IndexOptions())

    assert result.out == "src/a.py\n"
    assert "reading the index without a daemon" in capsys.readouterr().err


@pytest.mark.slow
def test_an_index_is_brought_up_to_date_where_that_is_asked_for(shop: Path, home: Path) -> None:
    write_tree(shop, {"src/b.py": "def charge_card():\n    return 2\n"})
    terminal = terminal_of(home)
    reached = reach(Location(shop, ""), terminal, {})
    result = answered(PLAN, reached, terminal, IndexOptions(sync=True, offline=True))

    assert result.out == "src/a.py\nsrc/b.py\n"


def test_without_an_index_offline_there_is_no_answer(root: Path, home: Path) -> None:
    terminal = terminal_of(home)

    with pytest.raises(NoIndex):
        answered(PLAN, reach(Location(root, ""), terminal, {}), terminal, READ)


def test_a_path_below_an_indexed_directory_is_a_part_of_it(shop: Path, home: Path) -> None:
    reached = reach(Location(shop / "src", ""), terminal_of(home), {})

    assert (reached.root, reached.scope) == (shop, "src")
    assert Finder().place(shop, None) == Location(shop, "")
    assert Finder().place(None, shop / "src").root in {shop, shop / "src"}
    with pytest.raises(UsageError):
        Finder().place(shop, shop / "src")


PLAIN = Style(colour=False)
MEETING: Any = SimpleNamespace(identity=SimpleNamespace(root=SimpleNamespace(name="shop")))


@pytest.fixture
def followed(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], bool]], None]:
    @contextmanager
    def watching(*_: object) -> Iterator[object]:
        yield lambda _: None

    def run(act: Callable[[], bool]) -> None:
        client = SimpleNamespace(follow=lambda *_: act())
        place = "ggrep.interfaces.cli.queries.query.daemon_client_of"
        monkeypatch.setattr(place, lambda *_: client)
        follow_index(MEETING, Terminal({}, PLAIN, PLAIN, progress=True))

    monkeypatch.setattr("ggrep.interfaces.cli.queries.query.watching", watching)
    return run


def test_it_says_when_the_index_answers(
    followed: Callable[[Callable[[], bool]], None], capsys: pytest.CaptureFixture[str]
) -> None:
    followed(lambda: True)

    assert capsys.readouterr().err == (
        "the index of shop is ready: repeat the command to search the complete index\n"
    )


@pytest.mark.parametrize("error", [None, KeyboardInterrupt(), GgrepError("no daemon answers")])
def test_whatever_ends_it_the_hits_were_shown(
    followed: Callable[[Callable[[], bool]], None],
    capsys: pytest.CaptureFixture[str],
    error: BaseException | None,
) -> None:
    def act() -> bool:
        if error is not None:
            raise error
        return False

    followed(act)

    output = capsys.readouterr().err
    assert output == "shop has no index yet; progress: ggrep status\n"
