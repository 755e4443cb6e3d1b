"""Golden of `ggrep doctor --json`."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from tests.golden.documents import machine_document


def test_checks_of_each_state(golden: SnapshotAssertion) -> None:
    """What is sound, what is little and what is wrong."""
    assert dumps_pretty(machine_document()) == golden
