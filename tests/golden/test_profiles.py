"""Goldens of `ggrep profiles --json`."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, neutral_bytes, profiles_document

FILE = """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = 1_000_000
max_file_size_bytes = 100_000
max_store_bytes = 50_000_000

[profiles.docs.view]
paths = ["docs"]
"""


def test_a_repository_without_profiles_has_a_nameless_one(
    golden: SnapshotAssertion, repos: Repos, shop: Engine
) -> None:
    """Callers need not tell the two cases apart."""
    assert neutral_bytes(profiles_document(repos, shop), repos) == golden


def test_profiles_name_their_stores(golden: SnapshotAssertion, tmp_path: Path) -> None:
    """A view answers from the store that is there; data sets have one of their own."""
    repos = Repos(tmp_path.resolve())
    engine = repos.open("ledger")
    (engine.identity.root / ".ggrep.toml").write_text(FILE)
    repos.index("ledger")

    assert neutral_bytes(profiles_document(repos, engine), repos) == golden
