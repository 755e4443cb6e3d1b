"""Goldens of `ggrep check --json`."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from ggrep.base import stable_json
from tests.fakes.evaluations import check_document, some_checks


def test_checks_that_hold_and_fail(golden: SnapshotAssertion, tmp_path: Path) -> None:
    """What CI jobs read."""
    assert stable_json.dumps_pretty(check_document(some_checks(tmp_path))) == golden
