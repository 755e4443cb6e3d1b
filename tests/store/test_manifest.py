"""A manifest is read whole or refused."""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import CorruptStore, Incompatible
from ggrep.config import store_files
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from ggrep.index.store.transaction import publish
from tests.fakes.leases import held_lease
from tests.store.conftest import Kept


def rewrite(kept: Kept, **changes: object) -> None:
    path = store_files.manifest_file(kept.store, kept.second.snapshot_id)
    path.write_bytes(stable_json.dumps(stable_json.loads(path.read_bytes()) | changes))


def test_it_is_read_back_as_it_was_published(kept: Kept) -> None:
    """All of it; stores of an earlier build, which lack fields, do not look damaged."""
    found = read_manifest(kept.store, kept.second.snapshot_id)

    assert found == kept.second or found.lease_epoch == 2
    assert found.parent_snapshot_id == kept.first.snapshot_id
    assert found.segments == kept.second.segments

    path = store_files.manifest_file(kept.store, kept.second.snapshot_id)
    values = stable_json.loads(path.read_bytes())
    del values["errors_total"], values["sha256"]
    values["schema_version"] = 1
    path.write_bytes(stable_json.dumps(values))

    assert read_manifest(kept.store, kept.second.snapshot_id).problems == 0


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"segments": None}, CorruptStore, r"manifest\.json"),
        ({"counts": {}}, CorruptStore, r"manifest\.json"),
        ({"snapshot_id": "x"}, CorruptStore, r"manifest\.json"),
        ({"degraded": 1}, CorruptStore, r"manifest\.json"),
        ({"sha256": None}, CorruptStore, "does not match the content"),
        ({"schema_version": 99}, Incompatible, "schema_version is 99"),
    ],
)
def test_a_wrong_field_is_damage_and_a_newer_schema_is_not_read(
    kept: Kept, changes: dict[str, object], error: type[Exception], message: str
) -> None:
    """Only stores of an earlier build have no digest."""
    rewrite(kept, **changes)

    with pytest.raises(error, match=message):
        read_manifest(kept.store, kept.second.snapshot_id)


def test_a_changed_figure_is_damage(kept: Kept) -> None:
    """Scores hang on sums that nothing else vouches for."""
    lengths = [length + 1 for length in kept.second.counts.lengths]
    path = store_files.manifest_file(kept.store, kept.second.snapshot_id)
    counts = stable_json.loads(path.read_bytes())["counts"]
    rewrite(kept, counts=counts | {"lengths": lengths})

    with pytest.raises(CorruptStore, match="does not match the content"):
        read_manifest(kept.store, kept.second.snapshot_id)


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"null"])
def test_what_is_no_manifest_is_damage(kept: Kept, data: bytes) -> None:
    """A power cut may leave anything under another system's hands."""
    store_files.manifest_file(kept.store, kept.second.snapshot_id).write_bytes(data)

    with pytest.raises(CorruptStore):
        read_manifest(kept.store, kept.second.snapshot_id)


def test_a_manifest_of_another_snapshot_is_damage(kept: Kept, tmp_path: Path) -> None:
    """A copied directory is not the snapshot its name says."""
    wrong = store_files.manifest_file(kept.store, kept.first.snapshot_id)
    wrong.write_bytes(store_files.manifest_file(kept.store, kept.second.snapshot_id).read_bytes())

    with pytest.raises(CorruptStore, match="describes"):
        read_manifest(kept.store, kept.first.snapshot_id)


def test_a_manifest_that_could_not_be_read_is_not_activated(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pointer to it would cost the whole index."""
    monkeypatch.setattr("ggrep.index.store.manifest._MAX_BYTES", 10)
    with (
        held_lease(kept.store, kept.engine.clock) as lease,
        pytest.raises(CorruptStore, match="larger than 10"),
    ):
        publish(kept.store, kept.first, lease)

    assert read_active(kept.store) == kept.second.snapshot_id
