"""What an installation takes on disk: the wheel, and each distribution that comes with it.

    python3 dev.py sizes              of the work tree
    python3 dev.py sizes COMMIT ...   of commits, one after the other
    python3 dev.py sizes --beside     of the work tree, semble and codegraph, as they are installed

Builds the wheel, installs it without extras into an environment of its own, and tells MB (10^6
bytes) and files as they are unpacked; the bytecode that the installer compiles stands beside.
Packages come from where pip and npm are told to take them from. `--beside` installs each program
into a place of its own and counts all files there; what one fetches when it is first used (semble a
model) is not in it, and an interpreter only where the packages bring one (codegraph its Node).
"""

import re
import subprocess
import sys
import tempfile
import zipfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from msgspec import Struct

from bench.first_search import installed_codegraph

ROOT = Path(__file__).resolve().parents[1]
UNAVOIDABLE: Final = ("tree-sitter-language-pack", "lancedb", "pyarrow", "numpy")
"""What ggrep cannot be without, and what is most of an installation."""
GOAL_MB: Final = 60.0
"""What all the others may take together."""
_SHOWN_MB = 1.0
_ASKED = re.compile(r"([\w.-]+)\s*(?:\[([\w,. -]+)\])?")
_OF_EXTRA = re.compile(r"extra == ['\"]([\w.-]+)['\"]")


class Size(Struct, frozen=True):
    """Files and their bytes."""

    files: int = 0
    bytes: int = 0

    def __add__(self, other: "Size") -> "Size":
        return Size(self.files + other.files, self.bytes + other.bytes)


class Part(Struct, frozen=True):
    """A distribution.

    Attributes:
        bytecode: compiled when it was installed, and no part of `unpacked`.
        through: requirements of ggrep's own that bring it.
    """

    name: str
    unpacked: Size
    bytecode: Size
    through: tuple[str, ...]


def main(commits: Sequence[str]) -> int:
    """Print the tables of the work tree, or of some commits, or what stands beside it."""
    if list(commits) == ["--beside"]:
        with tempfile.TemporaryDirectory(prefix="ggrep-sizes-") as folder:
            print("\n".join(beside(Path(folder))))
        return 0
    for commit in commits or [""]:
        with tempfile.TemporaryDirectory(prefix="ggrep-sizes-") as folder:
            work = Path(folder)
            tree = _checked_out(commit, work) if commit else ROOT
            wheel = _built(tree, work / "wheel")
            parts = parts_of(list(distributions(path=[str(_installed(str(wheel), work / "env"))])))
            tables = (*wheel_table(wheel), "", *table(parts), "", *alone(parts))
            print("\n".join([commit or "work tree", "", *tables]))
    return 0


def beside(work: Path) -> Iterator[str]:
    """Yield the lines of a table of ggrep and of programs like it, each installed by itself."""
    wheel = str(_built(ROOT, work / "wheel"))
    yield "| program | MB | files | bytecode, MB | MB with bytecode |"
    yield "|---|---:|---:|---:|---:|"
    for name, place in (
        ("ggrep", lambda: _installed(wheel, work / "ggrep")),
        ("semble", lambda: _installed("semble", work / "semble")),
        ("codegraph", lambda: installed_codegraph(work / "codegraph") / "node_modules"),
    ):
        yield beside_row(name, place())


def beside_row(name: str, place: Path) -> str:
    """Return the row of what was installed there, links not followed."""
    unpacked = bytecode = Size()
    for file in place.rglob("*"):
        if file.is_file() and not file.is_symlink():
            size = Size(1, file.stat().st_size)
            if file.suffix == ".pyc":
                bytecode += size
            else:
                unpacked += size
    whole = (unpacked + bytecode).bytes
    return (
        f"| {name} | {unpacked.bytes / 1e6:.1f} | {unpacked.files} | {bytecode.bytes / 1e6:.1f} | "
        f"{whole / 1e6:.1f} |"
    )


def parts_of(found: Sequence[Distribution]) -> list[Part]:
    """Return the distributions of an environment, the largest first."""
    by_name = {_plain(each.name): each for each in found}
    extras = {
        (name, extra) for each in found for name, its in _asked(each, frozenset()) for extra in its
    }
    needs = {
        name: {
            other
            for other, _ in _asked(each, {extra for whose, extra in extras if whose == name})
            if other in by_name
        }
        for name, each in by_name.items()
    }
    through: dict[str, set[str]] = defaultdict(set)
    for own in needs["ggrep"]:
        for name in _reached(own, needs):
            through[name].add(own)
    parts = [
        Part(name, *_sizes(each), tuple(sorted(through[name]))) for name, each in by_name.items()
    ]
    return sorted(parts, key=lambda part: (-part.unpacked.bytes, part.name))


def table(parts: Sequence[Part]) -> Iterator[str]:
    """Yield the lines of a table: the large ones, the rest together, sums."""
    yield "| distribution | MB | files | bytecode, MB | comes through |"
    yield "|---|---|---|---|---|"
    least = [part for part in parts if part.unpacked.bytes < _SHOWN_MB * 1e6]
    for part in parts:
        if part not in least:
            yield _row(part.name, [part], ", ".join(part.through))
    yield _row(f"{len(least)} more", least)
    rest = [part for part in parts if part.name not in UNAVOIDABLE]
    yield _row("together", parts)
    yield _row(f"without {', '.join(UNAVOIDABLE)}", rest, f"goal {GOAL_MB:.0f} MB")


def alone(parts: Sequence[Part]) -> Iterator[str]:
    """Yield the lines of a table of what would go with each requirement."""
    yield "| goes with | MB | files | bytecode, MB | distributions |"
    yield "|---|---|---|---|---|"
    bound: dict[str, list[Part]] = defaultdict(list)
    for part in parts:
        if len(part.through) == 1:
            bound[part.through[0]].append(part)
    for name, its in sorted(bound.items(), key=lambda item: -_unpacked(item[1]).bytes):
        if _unpacked(its).bytes >= _SHOWN_MB * 1e6:
            yield _row(name, its, str(len(its)))


def wheel_table(wheel: Path) -> Iterator[str]:
    """Yield the lines of a table of a wheel's parts."""
    parts: dict[str, Size] = defaultdict(Size)
    with zipfile.ZipFile(wheel) as archive:
        for item in archive.infolist():
            top, _, below = item.filename.partition("/")
            part = below.split("/")[0] if "/" in below else "modules"
            shown = part if top == "ggrep" else "metadata"
            parts[shown] += Size(1, item.file_size)
    whole = sum(parts.values(), Size())
    yield f"The wheel, {wheel.stat().st_size / 1e6:.2f} MB, holds:"
    yield ""
    yield "| part | MB | files |"
    yield "|---|---|---|"
    for name, size in sorted(parts.items(), key=lambda item: (-item[1].bytes, item[0])):
        yield f"| {name} | {size.bytes / 1e6:.2f} | {size.files} |"
    yield f"| together | {whole.bytes / 1e6:.2f} | {whole.files} |"


def _unpacked(parts: Iterable[Part]) -> Size:
    return sum((part.unpacked for part in parts), Size())


def _row(name: str, parts: Sequence[Part], note: str = "") -> str:
    unpacked, bytecode = _unpacked(parts), sum((part.bytecode for part in parts), Size())
    return (
        f"| {name} | {unpacked.bytes / 1e6:.1f} | {unpacked.files} | "
        f"{bytecode.bytes / 1e6:.1f} | {note} |"
    )


def _sizes(found: Distribution) -> tuple[Size, Size]:
    unpacked = bytecode = Size()
    for file in found.files or ():
        size = Size(1, Path(str(file.locate())).stat().st_size)
        if file.suffix == ".pyc":
            bytecode += size
        else:
            unpacked += size
    return unpacked, bytecode


def _asked(found: Distribution, extras: Collection[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what a distribution with these extras asks for, and which extras of that.

    What another platform needs is in it.
    """
    for line in found.requires or ():
        extra = _OF_EXTRA.search(line)
        if (asked := _ASKED.match(line)) and (extra is None or extra[1] in extras):
            yield _plain(asked[1]), re.findall(r"[\w.-]+", asked[2] or "")


def _reached(start: str, needs: Mapping[str, Iterable[str]]) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += needs[name]
    return seen


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _checked_out(commit: str, work: Path) -> Path:
    tree, archive = work / "tree", work / "tree.tar"
    tree.mkdir()
    _run("git", "-C", str(ROOT), "archive", "-o", str(archive), commit)
    _run("tar", "-xf", str(archive), "-C", str(tree))
    return tree


def _built(tree: Path, target: Path) -> Path:
    _run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(target), str(tree))
    (wheel,) = target.glob("ggrep-*.whl")
    return wheel


def _installed(wanted: str, env: Path) -> Path:
    """Return where the packages of a new environment lie: what is wanted, and what that needs."""
    _run(sys.executable, "-m", "venv", "--without-pip", str(env))
    python = str(env / "bin" / "python")
    _run(sys.executable, "-m", "pip", "--python", python, "install", "-q", wanted)
    (site,) = env.glob("lib/python*/site-packages")
    return site


def _run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
