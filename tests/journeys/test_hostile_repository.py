"""Trees that were made to break an indexer: nothing hangs, leaks or vanishes in silence."""

import os
import socket
import stat
from pathlib import Path

import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import Command

ELSEWHERE = "elsewhere"


@pytest.fixture
def hostile(repo: Path) -> Path:
    """Return a tree with everything an indexer must not read, beside two honest files."""
    outside = repo.parent / "outside.py"
    outside.write_text(f"def {ELSEWHERE}(): pass\n")
    write_tree(
        repo,
        {
            "binary.py": b"needle\0" * 9,
            "latin.py": b"needle \xe9\xff\n",
            "line\nbreak.py": "needle = 1\n",
            "esc\x1b[31mape.py": "needle = 1\n",
        },
    )
    with (repo / "big.py").open("wb") as file:
        file.truncate(50 << 20)
    os.mkfifo(repo / "fifo.py")
    with socket.socket(socket.AF_UNIX) as listener:
        # A socket's address is short, the test's directory is not.
        here = os.open(repo, os.O_RDONLY)
        listener.bind(f"/proc/self/fd/{here}/socket.py")
        os.close(here)
    (repo / "out.py").symlink_to(outside)
    (repo / "etc").symlink_to("/etc")
    (repo / "loop_a.py").symlink_to("loop_b.py")
    (repo / "loop_b.py").symlink_to("loop_a.py")
    (repo / "docs" / "up").symlink_to("..")
    return repo


SKIPPED = {
    "skipped_binary": ["binary.py"],
    "other_encodings": ["latin.py"],
    "skipped_too_large": ["big.py"],
    "skipped_special": ["fifo.py", "socket.py"],
    "skipped_out_of_root": ["etc", "out.py"],
    "skipped_symlink_loop": ["loop_a.py", "loop_b.py"],
    "skipped_bad_name": [r"esc\x1b[31mape.py", r"line\nbreak.py"],
}


def test_what_cannot_be_read_is_named_in_health(ggrep: Command, hostile: Path) -> None:
    """A file that is not in the index and not in health is a lie by silence."""
    assert ggrep("index").status == 0

    checks = ggrep("health", "--json").document["checks"]

    assert {check["code"]: check["paths"] for check in checks} | SKIPPED == {
        check["code"]: check["paths"] for check in checks
    }


def test_only_honest_files_are_found(ggrep: Command, hostile: Path) -> None:
    """Nothing outside the root is ever read, and links bring no file in twice."""
    ggrep("index")

    shown = ggrep("needle", "--compact", "-m", "50").out.split()
    assert sorted(shown) == ["a.py", "docs/b.md", "latin.py"]
    assert ggrep(ELSEWHERE, "--json").document["results"] == []


def test_a_dry_run_survives_the_same_tree(ggrep: Command, hostile: Path) -> None:
    """The preview walks the same tree and opens none of it."""
    shown = ggrep("index", "--dry-run")

    assert shown.status == 0
    assert "\x1b" not in shown.out + shown.err
    assert "fifo.py: special" in shown.err


def test_special_files_cannot_be_searched_for_by_path(ggrep: Command, hostile: Path) -> None:
    """A PATH argument must not hang on a FIFO or follow a link out of the root."""
    ggrep("index")

    assert ggrep("needle", "fifo.py", "--compact").out == ""
    assert ELSEWHERE not in ggrep("needle", "out.py").out


def test_a_closed_file_is_named(
    ggrep: Command, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions differ between the user and the owner of a file; the rest is still indexed."""
    if os.geteuid() == 0:
        from ggrep.parse.source import read

        opened = read.open_below

        def refuse(root: Path, key: str) -> int:
            if key == "a.py":
                raise PermissionError(13, "Permission denied")
            return opened(root, key)

        monkeypatch.setattr(read, "open_below", refuse)
    (repo / "a.py").chmod(0)

    report = ggrep("index", "--json").document
    (repo / "a.py").chmod(stat.S_IRUSR)
    checks = {check["code"]: check for check in ggrep("health", "--json").document["checks"]}

    assert [(skip["path_key"], skip["reason"]) for skip in report["skipped"]] == [
        ("a.py", "unreadable")
    ]
    assert checks["skipped_unreadable"]["paths"] == ["a.py"]
    assert ggrep("needle", "--compact").out.split() == ["docs/b.md"]


def test_a_tree_without_files_is_indexed_and_empty(ggrep: Command, root: Path) -> None:
    """A new repository is no error."""
    assert ggrep("index", root).status == 0
    assert ggrep("needle", root).err == "no hits\n"
