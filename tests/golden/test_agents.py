"""Goldens of `ggrep install --json`."""

from syrupy.assertion import SnapshotAssertion

from tests.golden.documents import Repos, agents_documents, neutral_bytes


def test_an_installation_and_a_list(golden: SnapshotAssertion, repos: Repos) -> None:
    """Programs that set up machines read them."""
    written, listed, snippets = agents_documents(repos)

    assert neutral_bytes(written, repos) == golden(name="written")
    assert neutral_bytes(listed, repos) == golden(name="listed")
    assert neutral_bytes(snippets, repos) == golden(name="snippets")
