"""A path that was typed leads to the file that people see under that name."""

import unicodedata
from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.service.location import location_of


@pytest.mark.parametrize("kept", ["NFC", "NFD"])
@pytest.mark.parametrize("typed", ["NFC", "NFD"])
def test_a_path_is_found_in_either_normal_form(tmp_path: Path, kept: str, typed: str) -> None:
    """Shells, editors and file systems do not agree on one."""
    key = unicodedata.normalize(kept, "données/élève.py")
    file = tmp_path / key
    file.parent.mkdir()
    file.write_text("x = 1\n")
    asked = tmp_path / unicodedata.normalize(typed, "données/élève.py")

    place = location_of(asked)

    assert place.root / place.scope == file
    with pytest.raises(InvalidRequest, match="no such file"):
        location_of(asked.with_name("élèves.py"))
