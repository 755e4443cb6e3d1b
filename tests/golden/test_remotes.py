"""Goldens of what `ggrep remote`, `push` and `pull` print with --json."""

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.base.stable_json import dumps_pretty
from tests.golden.documents import remote_documents

NAMES = ("remotes", "push", "pull", "pull without a remote", "collection")


@pytest.mark.parametrize("number", range(len(NAMES)), ids=NAMES)
def test_each_document_has_one_shape(number: int, golden: SnapshotAssertion) -> None:
    """Scripts and CI read them."""
    assert dumps_pretty(remote_documents()[number]) == golden
