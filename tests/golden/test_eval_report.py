"""Goldens of `ggrep eval --json`."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base import stable_json
from tests.fakes.evaluations import report_document, some_run


def test_a_run_with_a_failure_and_a_gate(golden: SnapshotAssertion) -> None:
    """Every part of the report is in use."""
    assert stable_json.dumps_pretty(report_document(some_run())) == golden
