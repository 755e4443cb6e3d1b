"""Goldens of `ggrep audit --json`."""

from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from ggrep.config import store_files
from ggrep.search.engine.engine import Engine
from tests.golden.documents import Repos, audit_document, neutral_bytes


def test_audit_of_a_sound_store(golden: SnapshotAssertion, repos: Repos, shop: Engine) -> None:
    """Nothing to say is said, too."""
    assert neutral_bytes(audit_document(shop), repos) == golden


def test_audit_names_what_is_damaged_and_what_is_left_over(
    golden: SnapshotAssertion, tmp_path: Path
) -> None:
    """`ok` is what scripts look at."""
    repos = Repos(tmp_path.resolve())
    engine, report = repos.index("ledger")
    store, manifest = engine.identity.store, engine.view().manifest
    with (store / manifest.visibility.path).open("ab") as image:
        image.write(b"\0")
    (store_files.images_dir(store) / "seg_left_over.image").write_bytes(b"")

    assert report.published
    assert neutral_bytes(audit_document(engine), repos) == golden
