"""What all tests share."""

import gc
import os
import signal
from collections.abc import Generator, Mapping
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from ggrep.base.clock import Clock
from ggrep.config.settings import Settings
from ggrep.index.store.lean_import import leave_out_remote_client
from ggrep.index.sync import syncer
from ggrep.search.engine import engine
from ggrep.search.engine.engine import Engine
from ggrep.search.scan import prefetch_listing
from tests.fakes.git import git
from tests.fakes.mentions import InProcessMentions
from tests.fakes.places import use_memory
from tests.fakes.repos import IndexOf, InProcessPool, indexed, open_engine
from tests.journeys.command import Command, CommandOver

__all__ = ["git"]

# Whoever runs the tests in the background ignores interrupts, and children would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Searches start no daemons, in child processes neither; tests of daemons take it away.
os.environ["GGREP_OFFLINE"] = "1"

use_memory()
# As in processes of ggrep: half of the time that lancedb's import takes.
leave_out_remote_client()


def _quick_pool(settings: Settings, clock: Clock) -> InProcessPool:
    return InProcessPool(1, prefetch_listing.limits_of(settings), clock)


# Pools that start no processes; `parse_workers` gives a test the real ones.
POOLS = (
    (syncer, "IndexPool", InProcessPool),
    (prefetch_listing, "pool_of", _quick_pool),
    (engine, "OccurrencePool", InProcessMentions),
)
REAL = [getattr(module, name) for module, name, _ in POOLS]
for module, name, pool in POOLS:
    setattr(module, name, pool)

LONGEST = ("tests/ui/test_page.py", "tests/docs/test_tutorials.py")

settings.register_profile(
    "deep",
    derandomize=True,
    database=None,
    deadline=None,
    # A failure is reported as it was found: shrinking histories of real stores takes an hour.
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.register_profile("ggrep", settings.get_profile("deep"), max_examples=12)
settings.load_profile("ggrep")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest: the end must not wait for one process."""
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect without the garbage collector, and keep what is collected out of its later rounds."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture
def parse_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parse files in worker processes, as the product does; other tests parse in process."""
    for (module, name, _), pool in zip(POOLS, REAL, strict=True):
        monkeypatch.setattr(module, name, pool)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return an empty tree to index, canonical."""
    path = tmp_path.resolve() / "repo"
    path.mkdir()
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Return where stores go."""
    return tmp_path.resolve() / "home"


@pytest.fixture
def command_over(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> CommandOver:
    """Return the function that gives the command, in this process, over a home and variables."""

    def over(home: Path, **variables: str) -> Command:
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name, raising=False)
        for name, value in {"GGREP_HOME": str(home), **variables}.items():
            monkeypatch.setenv(name, value)
        return Command(capsys)

    return over


@pytest.fixture(scope="session")
def shared_index(tmp_path_factory: pytest.TempPathFactory) -> IndexOf:
    """Return what gives a new engine over an index of files, which is made once."""

    @cache
    def made(
        files: tuple[tuple[str, str | bytes], ...], flags: tuple[tuple[str, object], ...]
    ) -> Path:
        base = tmp_path_factory.mktemp("shared").resolve()
        indexed(base / "repo", base / "home", dict(files), **dict(flags))
        return base

    def share(files: Mapping[str, str | bytes], **flags: object) -> Engine:
        base = made(tuple(files.items()), tuple(flags.items()))
        return open_engine(base / "repo", base / "home", **flags)

    return share


@pytest.fixture
def index_of(request: pytest.FixtureRequest, shared_index: IndexOf) -> IndexOf:
    """Return what gives an engine over an index of files.

    Tests that take `root` write to it, and get an index of their own; all others share one.
    """
    if "root" not in request.fixturenames:
        return shared_index
    return partial(indexed, request.getfixturevalue("root"), request.getfixturevalue("home"))
