"""Reports go where their flags lead, and nothing that is no report is harmed."""

import os
from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from ggrep.interfaces.cli.report_file import require_writable, write_report


def test_links_are_followed(tmp_path: Path) -> None:
    """What a link leads to is the report; a missing end is made."""
    (tmp_path / "there").mkdir()
    link = tmp_path / "link"
    link.symlink_to("there/report.xml")
    require_writable({"--junit": link}, [])
    for text in (b"1", b"2"):
        write_report("--junit", link, text)

    assert link.is_symlink()
    assert (tmp_path / "there" / "report.xml").read_bytes() == b"2"


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    """A process substitution of a shell is one; replaced, its reader would wait for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        require_writable({"--out": pipe}, [])
        write_report("--out", pipe, b"report")
        came = os.read(reader, 100)
    finally:
        os.close(reader)

    assert came == b"report"
    assert pipe.is_fifo()


def test_standard_output_by_its_name_is_standard_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redirected to a file, that file is still ours to add to, not to replace."""
    path = tmp_path / "out.txt"
    with path.open("w") as out:
        monkeypatch.setattr("sys.stdout", out)
        write_report("--out", path, b"report, ")
        out.write("text")

    assert path.read_bytes() == b"report, text"


def test_inputs_and_each_other_are_not_overwritten(tmp_path: Path) -> None:
    """By whatever name."""
    checks, link, fresh = (tmp_path / name for name in ("checks.toml", "link", "fresh"))
    checks.write_text("version = 1")
    link.symlink_to(checks)
    (tmp_path / "down").mkdir()

    with pytest.raises(UsageError, match=r"--junit: .*link is the same file as .*, which is read"):
        require_writable({"--junit": link}, [checks])
    with pytest.raises(UsageError, match=r"--sarif: .* is the same file as --junit"):
        require_writable({"--junit": fresh, "--sarif": tmp_path / "down" / ".." / "fresh"}, [])
    require_writable({"--junit": fresh, "--sarif": None}, [checks])


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        (".", "is a directory"),
        ("gone/report", "no such directory"),
        ("file/report", "Not a directory"),
        ("loop", "symbolic links"),
        ("n" * 300, "too long"),
    ],
)
def test_a_place_that_takes_no_file_is_refused_before_the_work(
    tmp_path: Path, name: str, fault: str
) -> None:
    """And afterwards, should it have become one meanwhile."""
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError) as before:
        require_writable({"--out": tmp_path / name}, [])

    assert str(before.value).startswith("--out: ")
    assert fault in str(before.value)
    with pytest.raises(UsageError, match="--out: "):
        write_report("--out", tmp_path / name, b"")
