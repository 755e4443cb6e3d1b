"""Goldens of `ggrep eval --compare --json`."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base import stable_json
from tests.fakes.evaluations import comparison_document


def test_what_changed_between_two_runs(golden: SnapshotAssertion) -> None:
    """Some better, some worse."""
    assert stable_json.dumps_pretty(comparison_document()) == golden
