"""Goldens of `ggrep status --json`."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from ggrep.search.engine.engine import Engine
from tests.fakes.daemons import busy_load
from tests.golden.documents import Repos, neutral_bytes, status_document


def test_status_of_an_indexed_repository(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """Monitoring reads these keys."""
    assert neutral_bytes(status_document(shop), repos) == golden


def test_status_before_the_first_index_has_every_key(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """A missing index is a state to report, not a failure."""
    repos = Repos(tmp_path.resolve())

    assert neutral_bytes(status_document(repos.open("ledger")), repos) == golden


def test_status_of_a_repository_with_a_busy_daemon(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """Each figure stands where monitoring looks for it."""
    assert neutral_bytes(status_document(shop, busy_load()), repos) == golden
