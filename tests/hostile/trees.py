"""Trees that were made to lead an indexer astray: what a kind plants, and nothing else.

A kind gets the root to plant in and a directory beside it that no byte may come from. Kinds here
get along with each other, so that one repository holds them all.
"""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

Plant = Callable[[Path, Path], None]

CANARY = "zqcanaryvx"
"""Stands in files outside of the root, in their names and in their directory's; nowhere else."""
NEEDLE = "honestneedle"


def plant_outside(outside: Path) -> None:
    (outside / "pkg").mkdir(parents=True)
    for name in ("secret.py", "pkg/a.py", f"pkg/{CANARY}.py", ".gitignore", "pkg/rules.md"):
        (outside / name).write_text(f"{CANARY} = 1\n# {CANARY}\ndef {CANARY}_f(): pass\n")


def links(root: Path, outside: Path) -> None:
    """Links out by each way there is, in circles, and to files of this process and devices."""
    for directory in ("chain", "inner"):
        (root / directory).mkdir()
    for name, target in {
        "out_file.py": outside / "secret.py",
        "out_relative.py": Path("..") / outside.name / "secret.py",
        "out_directory": outside / "pkg",
        "out_parent": "..",
        "hop": outside,
        "by_hop.py": "hop/secret.py",
        "chain/l0.py": outside / "secret.py",
        **{f"chain/l{number}.py": f"l{number - 1}.py" for number in range(1, 41)},
        "self.py": "self.py",
        "ping.py": "pong.py",
        "pong.py": "ping.py",
        "inner/again": "../inner",
        "mem.py": "/proc/self/mem",
        "environ.py": "/proc/self/environ",
        "zero.py": "/dev/zero",
        "stdin.py": "/dev/stdin",
        "passwd.py": "/etc/passwd",
    }.items():
        (root / name).symlink_to(target)


def fifos(root: Path, outside: Path) -> None:
    """FIFOs by names of text, and a link to one."""
    os.mkfifo(root / "fifo.py")
    os.mkfifo(root / "fifo.ggignore")
    (root / "to_fifo.py").symlink_to("fifo.py")


def sockets(root: Path, outside: Path) -> None:
    """A socket; its address is short while the directory's is not."""
    here = os.open(root, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"/proc/self/fd/{here}/socket.py")
    os.close(here)


def devices(root: Path, outside: Path) -> None:
    """A device node of our own, where we may make one; opening it gives zeroes for ever."""
    try:
        os.mknod(root / "device.py", stat.S_IFCHR | 0o600, os.makedev(1, 5))
    except PermissionError:
        (root / "device.py").symlink_to("/dev/zero")


def linked_ignore(root: Path, outside: Path) -> None:
    """An ignore file that is a link out."""
    (root / "linked_ignore").mkdir()
    (root / "linked_ignore/a.py").write_text(f"{NEEDLE}_linked = 1\n")
    (root / "linked_ignore/.ggignore").symlink_to(outside / ".gitignore")
    (root / "linked_ignore/.gitignore").symlink_to(outside / ".gitignore")


def fifo_ignore(root: Path, outside: Path) -> None:
    """An ignore file that nobody will ever write to."""
    (root / "fifo_ignore").mkdir()
    os.mkfifo(root / "fifo_ignore/.ggignore")
    os.mkfifo(root / "fifo_ignore/.smignore")


def backtracking_ignore(root: Path, outside: Path) -> None:
    """Patterns that a matcher which tries everything would take years for, over long names."""
    place = root / "backtracking"
    (place / "/".join(["a" * 40] * 6)).mkdir(parents=True)
    (place / "/".join(["a" * 40] * 6) / ("a" * 200 + ".py")).write_text("x = 1\n")
    patterns = [b"*a" * 40 + b"b", b"**/*a" * 20 + b"b", b"**/a*" * 9 + b"/**/b", b"[a-z]*" * 60]
    (place / ".ggignore").write_bytes(b"\n".join(patterns))


def many_patterns(root: Path, outside: Path) -> None:
    """Ignore files as large as they may be: names, wildcards, one line, no text at all."""
    for name, data in {
        "names": b"".join(b"name%d\n" % number for number in range(80_000)),
        "wild": b"".join(b"n*%d\n" % number for number in range(80_000)),
        "line": b"*a" * 500_000,
        "tail": b"*" + b"a" * 1_000_000 + b"*",
        "binary": bytes(range(256)) * 4000,
        "over": b"#" * ((1 << 20) + 1),
    }.items():
        place = root / "many_patterns" / name
        place.mkdir(parents=True)
        (place / ".ggignore").write_bytes(data)
        (place / "a.py").write_text("x = 1\n")


def names(root: Path, outside: Path) -> None:
    """Names that are no text, that move a terminal's cursor, or that read as something else."""
    place = os.fsencode(root) + b"/names"
    (root / "names").mkdir()
    for name in (
        *(b"latin\xe9.py", b"line\nbreak.py", b"tab\ta.py", b"esc\x1b[2J.py", b"bell\x07.py"),
        *("c1\x9b31m.py".encode(), "bidi\u202e.py".encode(), "bom\ufeff.py".encode()),
        *("line\u2028.py".encode(), b"cr\r.py", b"del\x7f.py", b"osc\x1b]0;a\x07.py"),
        *(b"-rf.py", b"--help.py", b"*.py", b"$(id).py", b"`id`.py", b";id.py", b"a b.py"),
        *(b"'.py", b'".py', b"\\.py", b"~.py", b"...py", b" .py", b"%s%n.py", b"{0}.py"),
        *(b":(top)a.py", b":!a.py", b"HEAD.py", b"@{u}.py", b"con.py", b"a" * 252 + b".py"),
    ):
        with open(place + b"/" + name, "wb") as file:  # noqa: PTH123 - names of bytes
            file.write(b"x = 1\n")


def git_lookalikes(root: Path, outside: Path) -> None:
    """Directories whose names some file systems take for `.git`."""
    for name in (".GIT", ".git ", "git~1", ".git\u200c", ".Git."):
        (root / "lookalikes" / name).mkdir(parents=True)
        (root / "lookalikes" / name / "config").write_text("[core]\n\tfsmonitor = false\n")
        (root / "lookalikes" / name / "a.py").write_text("x = 1\n")


def nested_repositories(root: Path, outside: Path) -> None:
    """Markers of other repositories that point out, to nothing, or in circles."""
    for name, text in {
        "pointer": f"gitdir: {outside}/.git\n",
        "up": "gitdir: ../../..\n",
        "itself": "gitdir: .git\n",
        "empty": "gitdir: \n",
        "junk": "junk\n",
    }.items():
        (root / "nested" / name).mkdir(parents=True)
        (root / "nested" / name / ".git").write_text(text)
        (root / "nested" / name / "a.py").write_text("x = 1\n")
    (root / "nested/linked").mkdir()
    (root / "nested/linked/.git").symlink_to(outside / ".git")
    (root / "nested/fifo").mkdir()
    os.mkfifo(root / "nested/fifo/.git")


def modules(root: Path, outside: Path) -> None:
    """A list of submodules whose paths and addresses are commands."""
    (root / ".gitmodules").write_text(
        '[submodule "../../x"]\n\tpath = ../..\n\turl = -u./payload\n'
        "\tupdate = !touch payload\n\tfetchRecurseSubmodules = true\n"
    )


def deep_directories(root: Path, outside: Path) -> None:
    """As deep as a path may be opened by its name."""
    (root / "/".join(["deep", *["d"] * 400])).mkdir(parents=True)
    (root / "/".join(["deep", *["d"] * 400]) / "a.py").write_text(f"{NEEDLE}_deep = 1\n")


def sparse_terabyte(root: Path, outside: Path) -> None:
    """A file that claims to hold a terabyte."""
    with (root / "sparse.py").open("wb") as file:
        file.truncate(1 << 40)


def empties(root: Path, outside: Path) -> None:
    """Nothing, and little more than nothing."""
    for name, data in {
        "empty.py": b"",
        "space.py": b" ",
        "mark.py": b"\xef\xbb\xbf",
        "nul.py": b"\0",
        "newline.json": b"\n",
        "quote.json": b'"',
    }.items():
        (root / name).write_bytes(data)


def encodings(root: Path, outside: Path) -> None:
    """Text that is not UTF-8, or that lies about being it."""
    for name, data in {
        "utf16.py": "x = 1\n".encode("utf-16"),
        "utf32.py": "x = 1\n".encode("utf-32"),
        "latin.py": b"# \xe9\n",
        "mixed.py": "# é\n".encode() + b"# \xe9\n",
        "surrogate.py": b"# \xed\xa0\x80\n",
        "overlong.py": b"# \xc0\xaf\n",
        "cookie.py": b"# -*- coding: rot13 -*-\nx = 1\n",
        "late.py": b"x = 1\n" * 1500 + b"\0x\n",
    }.items():
        (root / f"encoded_{name}").write_bytes(data)


def archives(root: Path, outside: Path) -> None:
    """Compressed data under names of text: it is binary, and nobody unpacks it."""
    import bz2
    import gzip
    import zipfile

    with zipfile.ZipFile(root / "bomb.py", "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("zeroes", b"\0" * 5_000_000)
    (root / "bomb.json").write_bytes(gzip.compress(b"\0" * 5_000_000))
    (root / "bomb.yaml").write_bytes(bz2.compress(b"\0" * 5_000_000))


def notebooks(root: Path, outside: Path) -> None:
    """A notebook whose outputs are all there is, taken in by a rule of its own."""
    (root / "notebooks").mkdir()
    (root / "notebooks/.ggignore").write_text("!*.ipynb\n")
    cell = '{"cell_type": "code", "source": [], "outputs": [{"data": "' + "A" * 200_000 + '"}]}'
    (root / "notebooks/huge.ipynb").write_text(f'{{"cells": [{cell}], "metadata": {{}}}}')
    (root / "notebooks/broken.ipynb").write_text('{"cells": [' * 2000)


def hard_links(root: Path, outside: Path) -> None:
    """A second name of a file: nothing tells it from the first, so its text is the root's own."""
    (outside / "linked.py").write_text(f"{NEEDLE}_hard = 1\n")
    (root / "hard.py").hardlink_to(outside / "linked.py")


def many_files(root: Path, outside: Path) -> None:
    """Two thousand names in one directory, none of them text."""
    (root / "many").mkdir()
    for number in range(2000):
        (root / f"many/f{number}.bin").touch()


TREES: dict[str, Plant] = {
    plant.__name__: plant
    for plant in (
        *(links, fifos, sockets, devices, linked_ignore, fifo_ignore, backtracking_ignore),
        *(many_patterns, names, git_lookalikes, nested_repositories, modules, deep_directories),
        *(sparse_terabyte, empties, encodings, archives, notebooks, hard_links, many_files),
    )
}
