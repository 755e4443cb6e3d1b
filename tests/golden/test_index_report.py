"""Goldens of `ggrep index --json`."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from ggrep.model.sync import SyncReport
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes, preview_document, report_document


def test_a_first_index_reports_what_it_did(
    golden: SnapshotAssertion, repos: Repos, indexed: dict[str, tuple[Engine, SyncReport]]
) -> None:
    """The counts are what a pipeline logs."""
    assert neutral_bytes(report_document(*indexed["shop"]), repos) == golden


def test_a_second_index_reports_changes_and_skips(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """One file new, one gone, one that cannot be indexed."""
    repos = Repos(tmp_path.resolve())
    engine, _ = repos.index("ledger")
    root = engine.identity.root
    (root / "docs" / "closing.md").write_text("# Closing\n\nThe month ends at 23:00.\n")
    (root / "native" / "money.hpp").unlink()
    (root / "logo.txt").write_bytes(b"\0\1\2")
    engine, report = repos.index("ledger")

    assert neutral_bytes(report_document(engine, report), repos) == golden


def test_a_dry_run_names_what_it_would_read(golden: SnapshotAssertion, repos: Repos) -> None:
    """The ignored price list is counted under the rule that left it out."""
    assert neutral_bytes(preview_document(repos.open("shop")), repos) == golden
