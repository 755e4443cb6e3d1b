"""A workspace of a thousand real packages, each of them a repository of its own.

    python -m bench.many_packages DESTINATION [NUMBER]

`many_packages.txt` names the packages, four of npm to one of PyPI. Their sources are not kept:
npm and pip fetch them from where these are told to take packages from. Unpacked they take some
300 MB. Whoever wants fewer gets a fair part of them, for they are ordered by digests; whoever wants
more gets forks beside them, of which every tenth file was edited.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.durable import replace_if_changed

LISTED: Final = Path(__file__).with_suffix(".txt")
NPM_TO_ONE: Final = 4
AT_ONCE: Final = 4
"""Calls of npm and pip that run side by side."""
PACKAGES_A_CALL: Final = 25
EDITED_OF_EACH: Final = 10
"""Of so many files of a fork one is edited."""
_LEFT_OUT: Final = "node_modules"
_WORKSPACE: Final[stable_json.Json] = {
    "schemaVersion": 1,
    "merge": {"strategy": "global"},
    "include": ["services/*"],
}
_WHEEL_OF_ANY = ("--no-deps", "--only-binary=:all:", "--platform=any", "--ignore-requires-python")


class Package(Struct, frozen=True):
    """A package of one version.

    Attributes:
        registry: `npm` or `pypi`.
        spec: as the registry's client takes it: `@scope/name@1.0.0` or `name==1.0.0`.
    """

    registry: str
    spec: str

    @property
    def folder(self) -> str:
        """Return the name of its directory: `scope-name`, as npm names archives, or `name`."""
        name = self.spec.rpartition("@" if self.registry == "npm" else "==")[0]
        return name.removeprefix("@").replace("/", "-")

    @property
    def version(self) -> str:
        """Return its version."""
        return re.split("@|==", self.spec)[-1]


class Missing(Exception):
    """Packages could not be had."""


def main(arguments: Sequence[str]) -> int:
    """Lay packages out, all of them where no number is given, and print what is there."""
    begun = time.perf_counter()
    number = int(arguments[1]) if len(arguments) > 1 else len(listed())
    roots = lay_out(Path(arguments[0]), number)
    took = time.perf_counter() - begun
    sizes = [file.stat().st_size for root in roots for file in root.rglob("*") if file.is_file()]
    sys.stdout.write(
        f"{len(roots)} packages, {len(sizes):,} files, {sum(sizes) / 1e6:.0f} MB; "
        f"laid out in {took:.0f} s\n"
    )
    return 0


def lay_out(destination: Path, number: int) -> list[Path]:
    """Return the roots of the first packages, and write `ws.jsonc`, a workspace of them.

    What lies there is kept and belongs to the workspace: packages that a larger number brought,
    and versions that were listed before. Take a new destination where that matters.

    Raises:
        Missing: some could not be had; the others are there.
    """
    wanted = in_order(listed())[:number]
    services = destination / "services"
    services.mkdir(parents=True, exist_ok=True)
    lacking = [one for one in wanted if not (services / one.folder).exists()]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = list(pool.map(lambda call: _brought(call, services), _calls(lacking)))
    if problems := [problem for each in told for problem in each]:
        raise Missing("\n".join(problems))
    roots = [services / one.folder for one in wanted]
    for place in range(len(roots), number):
        turn, which = divmod(place, len(wanted))
        roots.append(fork(roots[which], turn))
    replace_if_changed(destination / "ws.jsonc", stable_json.dumps(_WORKSPACE) + b"\n")
    return roots


def fork(root: Path, turn: int) -> Path:
    """Return a copy of a directory, made where it is missing, in which some files were edited."""
    target = root.with_name(f"{root.name}--{turn}")
    if not target.exists():
        with tempfile.TemporaryDirectory(prefix=".forked-", dir=root.parents[1]) as folder:
            beside = Path(folder) / target.name
            shutil.copytree(root, beside)
            for place, file in enumerate(sorted(beside.rglob("*.*s"))):
                if place % EDITED_OF_EACH == turn % EDITED_OF_EACH and file.is_file():
                    with file.open("a", encoding="utf-8") as text:
                        text.write(f"\n// Changed in fork {turn}.\n")
            beside.rename(target)
    return target


def listed() -> list[Package]:
    """Return the packages of the list."""
    return [Package(*line.split(" ")) for line in LISTED.read_text("utf-8").splitlines()]


def in_order(packages: Sequence[Package]) -> list[Package]:
    """Return them so that each beginning is mixed as the whole and favours no name."""
    npm, pypi = (sorted(_of(registry, packages), key=_digest) for registry in ("npm", "pypi"))
    ordered = []
    while npm or pypi:
        ordered += [*npm[:NPM_TO_ONE], *pypi[:1]]
        del npm[:NPM_TO_ONE], pypi[:1]
    return ordered


def unpack(archive: Path, root: Path) -> None:
    """Make a directory of what an archive of npm or a wheel holds, all of it or nothing.

    Packages that a package brings along are left out: they would be repositories of their own.
    """
    with tempfile.TemporaryDirectory(dir=archive.parent) as folder:
        beside = Path(folder) / root.name
        beside.mkdir()
        if archive.suffix == ".whl":
            _unzip(archive, beside)
        else:
            _untar(archive, beside)
        beside.rename(root)


def _of(registry: str, packages: Sequence[Package]) -> list[Package]:
    return [one for one in packages if one.registry == registry]


def _digest(package: Package) -> str:
    return hashlib.sha256(package.spec.encode()).hexdigest()


def _calls(packages: Sequence[Package]) -> Iterator[list[Package]]:
    """Yield packages that one call of a client may fetch."""
    for registry in ("npm", "pypi"):
        its = _of(registry, packages)
        for begin in range(0, len(its), PACKAGES_A_CALL):
            yield its[begin : begin + PACKAGES_A_CALL]


def _brought(packages: Sequence[Package], services: Path) -> list[str]:
    """Fetch packages of one registry and unpack them; return what could not be done.

    They are fetched one by one where a call fails: which one it was, the clients do not say.
    """
    with tempfile.TemporaryDirectory(prefix=".fetched-", dir=services.parent) as folder:
        ended = _fetched(packages, Path(folder))
        if ended.returncode == 0:
            for package in packages:
                unpack(_archive(package, Path(folder)), services / package.folder)
            return []
    if len(packages) == 1:
        return [f"{packages[0].spec}: {ended.stderr.strip()}"]
    return [problem for one in packages for problem in _brought([one], services)]


def _fetched(packages: Sequence[Package], folder: Path) -> subprocess.CompletedProcess[str]:
    specs = [package.spec for package in packages]
    if packages[0].registry == "npm":
        line = ["npm", "pack", "--ignore-scripts", "--prefer-offline", "--loglevel=error"]
        line += ["--pack-destination", str(folder), *specs]
    else:
        line = [sys.executable, "-m", "pip", "download", "--quiet", *_WHEEL_OF_ANY]
        line += ["--dest", str(folder), *specs]
    return subprocess.run(line, check=False, capture_output=True, text=True, cwd=folder)


def _archive(package: Package, folder: Path) -> Path:
    if package.registry == "npm":
        return folder / f"{package.folder}-{package.version}.tgz"
    (wheel,) = (
        file
        for file in folder.glob("*.whl")
        if re.sub(r"[-_.]+", "-", file.name.split("-")[0]).lower() == package.folder
    )
    return wheel


def _untar(archive: Path, folder: Path) -> None:
    """Unpack an archive of npm, without the directory that all of it lies in."""
    with tarfile.open(archive) as opened:
        for member in opened:
            parts = PurePosixPath(member.name).parts[1:]
            if member.isfile() and _LEFT_OUT not in parts:
                opened.extract(member.replace(name="/".join(parts)), folder, filter="data")


def _unzip(archive: Path, folder: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        for name in opened.namelist():
            if _LEFT_OUT not in name.split("/"):
                opened.extract(name, folder)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
