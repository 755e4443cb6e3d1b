"""Goldens of `ggrep status --all --json` and `ggrep stop --json`."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from tests.golden.documents import daemons_document, stops_document


def test_daemons_of_a_host_in_every_state(golden: SnapshotAssertion) -> None:
    """What one did not say is null, never zero."""
    assert dumps_pretty(daemons_document()) == golden


def test_daemons_that_were_told_to_stop(golden: SnapshotAssertion) -> None:
    """One that goes on makes the whole not ok."""
    assert dumps_pretty(stops_document()) == golden
