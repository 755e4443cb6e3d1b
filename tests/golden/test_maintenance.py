"""Goldens of `ggrep gc|compact|repair --json`."""

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, maintenance_documents, neutral_bytes

NAMES = ("gc_preview", "gc", "compact", "repair")


@pytest.mark.parametrize("place", range(len(NAMES)), ids=NAMES)
def test_what_maintenance_says_of_a_sound_store(
    golden: SnapshotAssertion, repos: Repos, shop: Engine, place: int
) -> None:
    """Operators' scripts read these."""
    assert neutral_bytes(maintenance_documents(shop)[place], repos) == golden
