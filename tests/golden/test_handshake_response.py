"""Golden of the handshake's response."""

from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from tests.golden.documents import welcome_document


def test_the_handshake_response_is_the_contracts(golden: SnapshotAssertion) -> None:
    """Builds of different ages read each other's."""
    assert dumps_pretty(welcome_document()) == golden
