"""The record of a store's last use is coarse, harmless and never in the way."""

from datetime import timedelta
from pathlib import Path

import pytest

from ggrep.config import store_files
from ggrep.index.store.last_used import note_use, read_last_use
from tests.golden.documents import START


def test_it_is_written_about_once_an_hour(tmp_path: Path) -> None:
    """A query must not write each time."""
    note_use(tmp_path, START)
    file = store_files.last_used_file(tmp_path)
    first = file.stat().st_ino
    note_use(tmp_path, START + timedelta(minutes=59))

    assert (read_last_use(tmp_path), file.stat().st_ino) == (START, first)
    note_use(tmp_path, START + timedelta(minutes=60))
    assert read_last_use(tmp_path) == START + timedelta(minutes=60)


def test_a_clock_that_was_ahead_does_not_keep_a_store_for_ever(tmp_path: Path) -> None:
    """Nor does damage: both are written over."""
    note_use(tmp_path, START + timedelta(days=9000))
    note_use(tmp_path, START)
    assert read_last_use(tmp_path) == START
    for rubbish in (b"", b"\xff", b"2031-02-03T04:05:06", b"2031-02-03T04:05:06+05"):
        store_files.last_used_file(tmp_path).write_bytes(rubbish)
        assert read_last_use(tmp_path) is None
    note_use(tmp_path, START)

    assert read_last_use(tmp_path) == START


def test_a_store_that_is_gone_stays_gone(tmp_path: Path) -> None:
    """A query that ends after a removal must not bring half of it back."""
    note_use(tmp_path / "gone", START)

    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_no_reason_to_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer is what counts."""

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ggrep.base.durable.replace_file", full)
    note_use(tmp_path, START)

    assert read_last_use(tmp_path) is None
