"""The pointer holds one id or the store is damaged."""

from pathlib import Path

import pytest

from ggrep.base.errors import CorruptStore
from ggrep.base.ids import SnapshotId
from ggrep.config import store_files
from ggrep.index.store.active import read_active, swap_active

ID = SnapshotId("01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_a_swap_is_read_back(tmp_path: Path) -> None:
    """Nothing else stays beside it."""
    assert read_active(tmp_path) is None
    swap_active(tmp_path, ID)

    assert read_active(tmp_path) == ID
    assert [path.name for path in tmp_path.iterdir()] == ["ACTIVE_SNAPSHOT"]
    assert store_files.active_file(tmp_path).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\xff\xfe", b"../../etc\n", ID.encode()[:20], ID.encode() + b"x\n", b"0" * 9999],
)
def test_anything_else_is_damage(tmp_path: Path, content: bytes) -> None:
    """A path made from it would lead anywhere."""
    store_files.active_file(tmp_path).write_bytes(content)

    with pytest.raises(CorruptStore, match="ACTIVE_SNAPSHOT"):
        read_active(tmp_path)


def test_a_swap_moves_a_directory_out_of_its_place(tmp_path: Path) -> None:
    """A rename cannot replace one: the store would publish nothing from then on."""
    (store_files.active_file(tmp_path) / "within").mkdir(parents=True)
    swap_active(tmp_path, ID)

    assert read_active(tmp_path) == ID
    assert (store_files.store_trash_dir(tmp_path) / "ACTIVE_SNAPSHOT.0" / "within").is_dir()
