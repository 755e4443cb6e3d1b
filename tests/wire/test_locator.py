"""The hint from a root to its socket is six lines, or nothing."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.entry.daemon_place import locator_file, read_locator
from ggrep.protocol.wire.locator import Locator, locator_bytes, locator_name, parse_locator

LOCATOR = Locator(b"/src/shop", "shop-1", "ff", Path("/h/daemon/ab.sock"), "b1")
BYTES = b"ggrep-locator-1\n/src/shop\nshop-1\nff\n/h/daemon/ab.sock\nb1\n"


def test_the_file_is_these_bytes() -> None:
    """Code without this module reads it, so the bytes are the interface."""
    assert locator_bytes(LOCATOR) == BYTES
    assert parse_locator(BYTES) == LOCATOR


def test_the_name_is_the_roots_crc() -> None:
    """Likewise."""
    assert locator_name(b"/src/shop") == "a2b65832.locator"
    assert locator_name(b"") == "00000000.locator"


def test_each_profile_that_is_asked_for_has_a_locator_of_its_own(tmp_path: Path) -> None:
    """Two profiles in turn would take it from each other, and both would go the slow way."""
    environ = {"GGREP_HOME": str(tmp_path), "GGREP_PROFILE": "data"}

    assert locator_name(b"/src/shop", "data") != locator_name(b"/src/shop")
    assert locator_file("/src/shop", environ).endswith(locator_name(b"/src/shop", "data"))
    assert locator_file("/src/shop", environ | {"GGREP_PROFILE": ""}).endswith(
        locator_name(b"/src/shop")
    )


@given(root=st.binary(min_size=1, max_size=30), socket=st.binary(min_size=1, max_size=30))
def test_names_of_any_bytes_come_back_or_have_no_locator(root: bytes, socket: bytes) -> None:
    """A directory may have any name; a newline in it must not add a line."""
    locator = replace(LOCATOR, root=b"/" + root, socket=Path(os.fsdecode(b"/" + socket)))

    if {0, 10} & {*root, *socket}:
        with pytest.raises(InvalidRequest):
            locator_bytes(locator)
    else:
        assert parse_locator(locator_bytes(locator)) == locator


@pytest.mark.parametrize("root", [b"/src/shop", b"/src/sh\xff\xc3\xbcp"])
def test_the_fast_path_reads_what_is_written_here(root: bytes, tmp_path: Path) -> None:
    """It has a reader of its own, and looks for the file by itself."""
    file = tmp_path / "daemon" / locator_name(root)
    file.parent.mkdir()
    file.write_bytes(locator_bytes(replace(LOCATOR, root=root)))

    found = locator_file(os.fsdecode(root), {"GGREP_HOME": str(tmp_path)})
    read = read_locator(found, os.fsdecode(root))

    assert (read.store_id, read.config_fingerprint) == ("shop-1", "ff")
    assert (read.address, read.build) == ("/h/daemon/ab.sock", "b1")


@pytest.mark.parametrize("field", ["store_id", "config_fingerprint", "build"])
def test_no_field_can_add_a_line(field: str) -> None:
    """A reader takes lines by number."""
    with pytest.raises(InvalidRequest):
        locator_bytes(replace(LOCATOR, **{field: "a\nb"}))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n" * 6,
        BYTES[:-1],
        BYTES + b"more\n",
        BYTES + b"\n",
        BYTES.replace(b"locator-1", b"locator-2"),
        BYTES.replace(b"shop-1\n", b""),
        BYTES.replace(b"shop-1", b"shop\0"),
        BYTES.replace(b"b1", b"b" * 20_000),
    ],
)
def test_what_is_not_exactly_one_is_no_hint(data: bytes) -> None:
    """Half a file, another version, or another file altogether."""
    assert parse_locator(data) is None


@given(st.binary(max_size=60))
def test_any_bytes_are_a_locator_or_none(data: bytes) -> None:
    """Reading one never fails."""
    assert parse_locator(data) is None
