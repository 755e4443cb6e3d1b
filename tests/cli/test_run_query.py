"""A question finds its way: to a daemon, or to the index on disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.base.errors import NoIndex, UsageError
from ggrep.daemon.plan import Plan
from ggrep.interfaces.cli.queries.query import answered, reach
from ggrep.interfaces.cli.queries.search_options import IndexOptions
from ggrep.interfaces.cli.queries.typed_targets import Finder
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.navigation import SymbolRequest
from ggrep.protocol.wire.messages import Ask
from ggrep.render.printed import Rendered
from ggrep.render.style import Style
from ggrep.service.location import Location
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree

REQUEST = SymbolRequest("charge_card", timeout_ms=2_000)
PLAN = Plan(
    (Ask(REQUEST),),
    lambda answers: Rendered("".join(f"{each.path}\n" for each in answers[0].definitions), ""),
)
READ = IndexOptions(offline=True)


@pytest.fixture
def home() -> Iterator[Path]:
    """Return where sockets go: a short path."""
    with short_directory() as base:
        yield base


def terminal_of(home: Path, **environ: str) -> Terminal:
    """Return a terminal nobody looks at, under these variables."""
    said = {"GGREP_HOME": str(home), "GGREP_ENCODER": "none", **environ}
    return Terminal(said, Style(colour=False), Style(colour=False), progress=False)


@pytest.fixture
def shop(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a tree of one function, indexed."""
    # The choice would outlast the test.
    monkeypatch.setattr("ggrep.index.store.lean_import.leave_out_remote_client", lambda: None)
    write_tree(root, {"src/a.py": "def charge_card():\n    return 1\n"})
    open_engine(root, home, encoder="none").sync()
    return root


def test_offline_only_the_index_is_read(shop: Path, home: Path) -> None:
    terminal = terminal_of(home)
    found = answered(PLAN, reach(Location(shop, ""), terminal, {}), terminal, READ)

    assert found.out == "src/a.py\n"


def test_where_no_daemon_can_be_had_the_index_is_read_here(
    shop: Path, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And whoever asked is told so: the answer may be older than they think."""
    terminal = terminal_of(home, GGREP_START_DAEMON="false")
    reached = reach(Location(shop, ""), terminal, {})
    reached.address.socket.parent.mkdir(exist_ok=True)
    reached.address.socket.touch()  # what a killed one left

    found = answered(PLAN, reached, terminal, IndexOptions())

    assert found.out == "src/a.py\n"
    assert "reading the index without a daemon" in capsys.readouterr().err


@pytest.mark.slow
def test_an_index_is_brought_up_to_date_where_that_is_asked_for(shop: Path, home: Path) -> None:
    write_tree(shop, {"src/b.py": "def charge_card():\n    return 2\n"})
    terminal = terminal_of(home)
    reached = reach(Location(shop, ""), terminal, {})
    found = answered(PLAN, reached, terminal, IndexOptions(sync=True, offline=True))

    assert found.out == "src/a.py\nsrc/b.py\n"


def test_without_an_index_offline_there_is_no_answer(root: Path, home: Path) -> None:
    """An empty one would look like an answer."""
    terminal = terminal_of(home)

    with pytest.raises(NoIndex):
        answered(PLAN, reach(Location(root, ""), terminal, {}), terminal, READ)


def test_a_path_below_an_indexed_directory_is_a_part_of_it(shop: Path, home: Path) -> None:
    """Outside git nothing else says where a project begins."""
    reached = reach(Location(shop / "src", ""), terminal_of(home), {})

    assert (reached.root, reached.scope) == (shop, "src")
    assert Finder().place(shop, None) == Location(shop, "")
    assert Finder().place(None, shop / "src").root in {shop, shop / "src"}
    with pytest.raises(UsageError):
        Finder().place(shop, shop / "src")
