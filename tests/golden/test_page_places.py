"""Goldens of `/places`."""

from syrupy.assertion import SnapshotAssertion

from tests.golden.documents import Repos, neutral_bytes, page_places_document


def test_the_page_reads_it(golden: SnapshotAssertion, repos: Repos) -> None:
    """A page that is open while the server is replaced reads it, too."""
    assert neutral_bytes(page_places_document(), repos) == golden
