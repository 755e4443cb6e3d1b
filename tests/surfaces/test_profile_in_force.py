"""The profile that a repository's file chooses holds for callers of surfaces as for commands."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.model.request import SearchRequest
from ggrep.service.federator import Federator
from tests.fakes.hosts import CLOCK, FLAGS, served
from tests.fakes.places import short_directory
from tests.fakes.repos import open_engine, write_tree

pytestmark = pytest.mark.slow
TREE = {
    ".ggrep.toml": 'profile = "docs"\n[profiles.docs.view]\npaths = ["docs"]\n',
    "docs/a.md": "# Forge\n\nHow to forge.\n",
    "anvil.py": "def forge_anvil():\n    return 'forge'\n",
}


@pytest.fixture
def home() -> Iterator[Path]:
    """Return where stores go: so short a path that sockets lie below it."""
    with short_directory() as base:
        yield base / "home"


async def test_a_caller_sees_what_the_profile_in_force_shows(root: Path, home: Path) -> None:
    """An agent and a person at the same repository must not get two answers."""
    write_tree(root, TREE)
    open_engine(root, home).sync()
    federator = Federator(Home(home), {"GGREP_OFFLINE": "1"}, CLOCK, flags=FLAGS)
    with served(root, home) as host:
        host.settled()
        result = await federator.ask_repo(root, SearchRequest("forge", keep_weak=True))
        await federator.aclose()

    assert [hit["path"] for hit in result["results"]] == ["docs/a.md"]  # type: ignore[index, call-overload, union-attr]
