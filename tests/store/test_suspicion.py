"""A query that stumbles over damage says so, and the store heals; a bug stays a bug."""

import os
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import CorruptStore, InvalidRequest
from ggrep.config import store_files
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import indexed, open_engine, paths

pytestmark = pytest.mark.slow


@pytest.fixture
def engine(root: Path, home: Path) -> Engine:
    return indexed(root, home, {"a.py": "def retry():\n    pass\n"})


def damage_in_place(engine: Engine) -> None:
    """Zero the images under their maps, as a failing disk would."""
    for image in store_files.images_dir(engine.identity.store).iterdir():
        status = image.stat()
        with image.open("r+b") as file:
            file.write(b"\0" * status.st_size)
        os.utime(image, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_a_stumble_over_damage_is_damage(engine: Engine) -> None:
    """`IndexError` would send its reader looking for a bug."""
    deadline = Deadline.never(engine.clock)
    refused = pytest.raises(CorruptStore, match="is corrupt")
    with refused, engine.pin(deadline):
        damage_in_place(engine)
        raise IndexError

    assert not store_files.verified_file(engine.identity.store).exists()


def test_a_store_found_damaged_heals_with_the_next_sync(engine: Engine) -> None:
    """Also when the tree did not change, and all was verified a moment ago."""
    damage_in_place(engine)
    again = open_engine(engine.identity.root, engine.home.base)
    report = again.sync()

    assert (report.published, report.warnings) == (False, ())
    assert paths(again, "retry") == ["a.py"]


def test_a_bug_over_a_sound_store_stays_a_bug(engine: Engine) -> None:
    """Calling it damage would have people rebuild for nothing."""
    with pytest.raises(ZeroDivisionError), engine.pin(Deadline.never(engine.clock)):
        raise ZeroDivisionError
    with pytest.raises(InvalidRequest), engine.pin(Deadline.never(engine.clock)):
        raise InvalidRequest("asked wrongly")

    assert store_files.verified_file(engine.identity.store).exists()
