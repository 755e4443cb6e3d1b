"""Goldens of `ggrep health --json`."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from ggrep.config import store_files
from ggrep.search.engine.engine import Engine
from tests.fakes.daemons import busy_load
from tests.golden.documents import Repos, health_document, neutral_bytes


def test_health_of_a_sound_store(golden: SnapshotAssertion, repos: Repos, shop: Engine) -> None:
    """Every check is listed, not only those that found something."""
    assert neutral_bytes(health_document(shop, deep=True), repos) == golden


def test_health_warns_of_files_that_are_not_indexed(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """A file that cannot be found must be named somewhere."""
    repos = Repos(tmp_path.resolve())
    root = repos.open("ledger").identity.root
    (root / "logo.txt").write_bytes(b"\0\1\2")
    (root / "latin.txt").write_bytes(b"caf\xe9\n")
    engine, _ = repos.index("ledger")

    assert neutral_bytes(health_document(engine), repos) == golden


def test_health_fails_a_store_without_a_readable_snapshot(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """`ok` is what scripts look at."""
    repos = Repos(tmp_path.resolve())
    engine, report = repos.index("ledger")
    store_files.manifest_file(engine.identity.store, engine.view().manifest.snapshot_id).unlink()

    assert report.published
    assert neutral_bytes(health_document(engine), repos) == golden


def test_health_of_a_store_with_a_busy_daemon(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """What is measured and over its budget warns, and fails nothing."""
    assert neutral_bytes(health_document(shop, load=busy_load()), repos) == golden
