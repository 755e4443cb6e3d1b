"""Reading one file: whole, unchanged, text, and the root's own."""

import errno
import hashlib
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.ids import PathKey
from ggrep.config import confined
from ggrep.config.settings import Settings
from ggrep.model.files import (
    DATA,
    GUESSED,
    MASKED,
    MINIFIED,
    RECODED,
    SHORTENED,
    FileText,
    SkippedFile,
    SourceFile,
)
from ggrep.parse.source import read
from ggrep.parse.source.read import read_file
from ggrep.parse.source.walk import walk
from tests.source.secret_contents import secrets


def source_file(key: str) -> SourceFile:
    return SourceFile(PathKey(key), size_bytes=0, mtime_ns=0, ctime_ns=0, inode=0)


def reason(root: Path, key: str, **options: Any) -> str:
    result = read_file(root, source_file(key), **options)
    assert isinstance(result, SkippedFile)
    return result.reason


def test_text_comes_with_bytes_digest_and_stat(tmp_path: Path) -> None:
    """All that later steps need comes from one and the same read."""
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a.py").write_bytes("ü\r\n".encode())

    result = read_file(tmp_path, source_file("d/a.py"))

    assert isinstance(result, FileText)
    assert (result.data, result.encoding, result.traits) == (b"\xc3\xbc\r\n", "", 0)
    assert result.digest == hashlib.sha256(result.data).hexdigest()
    assert result.file == walk(tmp_path, Settings()).files[0]


@pytest.mark.parametrize(
    ("data", "options", "expected"),
    [
        (b"a\0b", {}, "binary"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 12\n", {}, "lfs_pointer"),
        (b"12345", {"max_bytes": 4}, "too_large"),
    ],
)
def test_a_file_without_text_or_beyond_the_limit_is_skipped(
    tmp_path: Path, data: bytes, options: dict[str, int], expected: str
) -> None:
    """The limit holds when the bytes are read, not only when the walk looked."""
    (tmp_path / "a.csv").write_bytes(data)
    assert reason(tmp_path, "a.csv", **options) == expected


def test_another_encoding_is_named_and_the_digest_is_the_file_s_own(tmp_path: Path) -> None:
    """Whether a file changed is told by its own bytes; what is indexed is UTF-8."""
    (tmp_path / "a.py").write_bytes(b"# by Andr\xe9\n")

    result = read_file(tmp_path, source_file("a.py"))

    assert isinstance(result, FileText)
    assert (result.data.decode(), result.encoding, result.traits) == (
        "# by André\n",
        "cp1252",
        RECODED | GUESSED,
    )
    assert result.digest == hashlib.sha256(b"# by Andr\xe9\n").hexdigest()


def test_secrets_are_masked_before_anything_sees_them(tmp_path: Path) -> None:
    """In whatever encoding they stand; a private key is not read at all."""
    secret = "ghp" + "_q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKo"
    (tmp_path / "a.py").write_text(f"TOKEN = '{secret}'\n", "utf-16")
    (tmp_path / "b.txt").write_text(secrets()[0][0])

    result = read_file(tmp_path, source_file("a.py"))

    assert isinstance(result, FileText)
    assert (result.data, result.traits) == (
        b"TOKEN = '" + b"*" * len(secret) + b"'\n",
        MASKED | RECODED,
    )
    assert reason(tmp_path, "b.txt") == "secret"


def test_a_vanished_file_is_named(tmp_path: Path) -> None:
    """Editors delete and recreate files while we walk."""
    (tmp_path / "d").write_text("now a file")

    assert reason(tmp_path, "a.py") == "vanished"
    assert reason(tmp_path, "d/a.py") == "vanished"


@pytest.mark.parametrize("swapped", ["d", "d/a.py"])
def test_what_is_swapped_for_a_link_to_the_outside_is_not_read(
    tmp_path: Path, swapped: str
) -> None:
    """The attack works on any part of the path."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    for directory, text in ((root, "inside"), (outside, "outside")):
        (directory / "d").mkdir(parents=True)
        (directory / "d/a.py").write_text(text)
    (file,) = walk(root, Settings()).files
    (root / swapped).rename(tmp_path / "moved")
    (root / swapped).symlink_to(outside / swapped)

    result = read_file(root, file)

    assert isinstance(result, SkippedFile)
    assert result.reason == "out_of_root"


@pytest.mark.parametrize("special", ["fifo", "socket", "directory"])
def test_what_is_no_regular_file_is_not_opened(tmp_path: Path, special: str) -> None:
    """Opening a FIFO would wait for a writer that never comes."""
    path = tmp_path / "a.py"
    match special:
        case "fifo":
            os.mkfifo(path)
        case "socket":
            with socket.socket(socket.AF_UNIX) as server:
                server.bind(str(path))
        case _:
            path.mkdir()

    assert reason(tmp_path, "a.py") == "special"


def test_a_swapped_in_fifo_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look before the open can be outrun; the open itself must not block."""
    os.mkfifo(tmp_path / "a.py")
    looks = iter([False, True])
    honest = confined._require_regular
    monkeypatch.setattr(
        confined, "_require_regular", lambda status: honest(status) if next(looks) else None
    )

    assert reason(tmp_path, "a.py") == "special"


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.EACCES, "unreadable"),
        *((n, "read_failed") for n in (errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM)),
        (errno.ESTALE, "read_failed"),
    ],
)
def test_a_failed_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, expected: str
) -> None:
    """After a failure that passes, the file is still there and is not left out of later answers."""
    (tmp_path / "a.py").write_text("x")

    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(read, "open_below", fail)

    assert reason(tmp_path, "a.py") == expected


def test_a_settled_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One save during our read costs a short pause, not the file."""
    path = tmp_path / "a.py"
    path.write_text("old")
    writes = iter(["newer text", None, None])
    pauses: list[float] = []

    def read_and_write(descriptor: int, *, most_bytes: int) -> bytes:
        data = confined.read_descriptor(descriptor, most_bytes=most_bytes)
        if (text := next(writes)) is not None:
            path.write_text(text)
        return data

    monkeypatch.setattr(read, "read_descriptor", read_and_write)
    result = read_file(tmp_path, source_file("a.py"), sleep=pauses.append)

    assert isinstance(result, FileText)
    assert result.data == b"newer text"
    assert pauses == [0.025]


def test_an_unstable_file_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that is written all the time must not hold up a sync."""
    path = tmp_path / "a.py"
    path.write_text("x")

    def read_and_grow(descriptor: int, *, most_bytes: int) -> bytes:
        data = confined.read_descriptor(descriptor, most_bytes=most_bytes)
        path.write_bytes(data + b"x")
        return data

    monkeypatch.setattr(read, "read_descriptor", read_and_grow)
    pauses: list[float] = []

    assert reason(tmp_path, "a.py", sleep=pauses.append) == "unstable"
    assert pauses == [0.025, 0.025]


def test_many_reads_leave_no_descriptor_open(tmp_path: Path) -> None:
    """A sync of a hundred thousand files runs in one process."""
    (tmp_path / "a.py").write_text("x")
    (tmp_path / "l.py").symlink_to("a.py")
    before = len(list(Path("/proc/self/fd").iterdir()))

    for key in ("a.py", "l.py", "gone.py", "a.py/b.py"):
        read_file(tmp_path, source_file(key))

    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_of_a_minified_or_data_file_the_beginning_is_read(tmp_path: Path) -> None:
    """Up to the end of a line, else of a character; the digest is of the whole file."""
    texts = {"rows.csv": "name,äge\n" * 3_000, "a.js": "a(b);c('ä','é');" * 3_000}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    results = {
        name: read_file(tmp_path, source_file(name), max_bulk_bytes=number)
        for name, number in (("rows.csv", 2_000), ("a.js", 1_998))
    }

    rows, script = results["rows.csv"], results["a.js"]
    assert isinstance(rows, FileText)
    assert isinstance(script, FileText)
    assert rows.data == ("name,äge\n" * 200).encode()
    assert rows.traits == DATA | SHORTENED
    assert script.traits == MINIFIED | SHORTENED
    assert texts["a.js"].encode().startswith(script.data)
    assert len(script.data) in {1_997, 1_998}
    assert script.data.decode()
    assert script.digest == hashlib.sha256(texts["a.js"].encode()).hexdigest()


def test_a_written_file_is_read_whole(tmp_path: Path) -> None:
    """The bound is not for what people read."""
    (tmp_path / "a.py").write_text("def wanted():\n    return 1\n" * 3_000)

    result = read_file(tmp_path, source_file("a.py"), max_bulk_bytes=2_000)

    assert isinstance(result, FileText)
    assert (len(result.data), result.traits) == (81_000, 0)
