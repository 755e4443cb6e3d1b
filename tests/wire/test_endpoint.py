"""Sockets of daemons and the hints that lead to them."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.entry.daemon_place import locator_file, read_locator
from ggrep.protocol.wire.endpoint import (
    MAX_SOCKET_PATH_BYTES,
    DaemonRecord,
    parse_record,
    record_bytes,
    record_json,
    record_path,
    socket_path,
)
from ggrep.protocol.wire.locator import Locator, locator_bytes, locator_name, parse_locator

TEMP = Path("/tmp")  # noqa: S108 - nothing is written there
RECORD = DaemonRecord(
    store_id="shop-1",
    config_fingerprint="f" * 64,
    root="/src/shop",
    socket="/home/u/.ggrep/daemon/0123456789abcdef.sock",
    pid=1234,
    pid_started=987654321,
    started_at="2026-01-01T12:00:00Z",
    binary_version="0.1.0",
    build="b1",
    protocol_versions=(1,),
    host_id="h1",
    encoder="hashed",
)


def place(directory: str, store: str = "s", fingerprint: str = "f", uid: int = 7) -> Path:
    return socket_path(Path(directory), store, fingerprint, temp=TEMP, uid=uid)


def test_a_socket_is_named_by_the_digest_of_store_and_fingerprint() -> None:
    """Clients of other builds look there; `ab` and `c` are not `a` and `bc`."""
    assert str(place("/h/daemon")) == "/h/daemon/dc1ff0f12f2bb8d5.sock"
    assert place("/h", "ab", "c") != place("/h", "a", "bc")
    assert place("/" + "ü" * 60).parent == TEMP / "ggrep-7"

    first, other = place("/" + "a" * 150), place("/" + "b" * 150)

    assert first.parent == other.parent
    assert first.name != other.name
    assert place("/" + "a" * 150, uid=8).parent == TEMP / "ggrep-8"


@given(length=st.integers(1, 200))
def test_a_path_is_never_too_long_for_a_socket(length: int) -> None:
    directory = "/" + "x" * length

    path = place(directory)

    assert len(os.fsencode(path)) <= MAX_SOCKET_PATH_BYTES
    fits = len(directory) + len("/0123456789abcdef.sock") <= MAX_SOCKET_PATH_BYTES
    assert path.parent == (Path(directory) if fits else TEMP / "ggrep-7")


def test_records_and_locators_come_back() -> None:
    """Code without this module reads a locator, so the bytes are the interface."""
    assert parse_record(record_bytes(RECORD)) == RECORD
    assert record_path(Path(RECORD.socket)).name == "0123456789abcdef.json"
    assert locator_bytes(LOCATOR) == BYTES
    assert parse_locator(BYTES) == LOCATOR
    assert locator_name(b"/src/shop") == "a2b65832.locator"
    assert locator_name(b"") == "00000000.locator"


@given(root=st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name))
def test_paths_that_are_no_text_come_back(root: bytes) -> None:
    record = replace(RECORD, root="/" + os.fsdecode(root))

    assert parse_record(record_bytes(record)) == record


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff",
        record_bytes(RECORD)[:-5],
        stable_json.dumps({**record_json(RECORD), "pid": "1"}),
        stable_json.dumps({**record_json(RECORD), "pid": 0}),
        stable_json.dumps({**record_json(RECORD), "pid": -1}),
        stable_json.dumps({**record_json(RECORD), "pid_started": -1}),
        stable_json.dumps({**record_json(RECORD), "protocol_versions": [True]}),
        stable_json.dumps({**record_json(RECORD), "encoder": None}),
        stable_json.dumps({**record_json(RECORD), "build": "x" * 70_000}),
    ],
)
def test_a_damaged_record_is_no_record(data: bytes) -> None:
    """A signal sent to a made-up pid would hit somebody."""
    assert parse_record(data) is None


@given(st.binary(max_size=60))
def test_any_bytes_are_a_record_or_locator_or_none(data: bytes) -> None:
    assert parse_record(data) is None
    assert parse_locator(data) is None


LOCATOR = Locator(b"/src/shop", "shop-1", "ff", Path("/h/daemon/ab.sock"), "b1")
BYTES = b"ggrep-locator-1\n/src/shop\nshop-1\nff\n/h/daemon/ab.sock\nb1\n"


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

    result = locator_file(os.fsdecode(root), {"GGREP_HOME": str(tmp_path)})
    read = read_locator(result, os.fsdecode(root))

    assert (read.store_id, read.config_fingerprint) == ("shop-1", "ff")
    assert (read.address, read.build) == ("/h/daemon/ab.sock", "b1")


@pytest.mark.parametrize("field", ["store_id", "config_fingerprint", "build"])
def test_no_field_can_add_a_line(field: str) -> None:
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
