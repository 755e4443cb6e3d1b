"""Members of package archives: tarballs, zip files and Debian's packages, whoever made them.

Only regular files are seen: no links, devices or folders.
"""

import hashlib
import io
import stat
import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol
from zlib import error as zlib_error

from msgspec import Struct

from ggrep.base.errors import UsageError

_ZIPS: Final = (".whl", ".zip")
_TARS: Final = (".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar")
_AR_MAGIC: Final = b"!<arch>\n"
_AR_HEADER_BYTES: Final = 60
_AR_NAME: Final = slice(0, 16)
_AR_SIZE: Final = slice(48, 58)
_DATA_TARS: Final = ("data.tar.xz", "data.tar.gz", "data.tar.bz2", "data.tar")
_MAX_MEMBERS: Final = 300_000
_ENCRYPTED: Final = 0x1


class Member(Struct, frozen=True):
    """A regular file of an archive.

    Attributes:
        path: as the archive says, checked by nobody.
        size: in bytes, as the archive says.
    """

    path: str
    size: int


class Archive(Protocol):
    """An open archive."""

    def members(self) -> tuple[Member, ...]:
        """Return its regular files, in its order; the last of a path that stands twice."""
        ...

    def contents(self, paths: frozenset[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
        """Yield path and first `max_bytes` bytes of some members, in the archive's order."""
        ...


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Yield the archive of a file, told by its name.

    Raises:
        UsageError: it is of no known kind, damaged, or cannot be read.
    """
    try:
        if path.name.endswith(_ZIPS):
            with zipfile.ZipFile(path) as archive:
                yield _Zip(archive)
        elif path.name.endswith(_TARS):
            with tarfile.open(path) as tar:
                yield _Tar(tar)
        elif path.name.endswith(".deb"):
            with tarfile.open(fileobj=io.BytesIO(_data_of(path))) as tar:
                yield _Tar(tar)
        else:
            raise UsageError(f"{path}: not an archive that can be unpacked")
    except (OSError, EOFError, tarfile.TarError, zipfile.BadZipFile, zlib_error) as error:
        raise UsageError(f"{path}: cannot be unpacked: {error}") from error


def is_wrapped(path: Path) -> bool:
    """Return whether an archive of that name usually holds one folder with all the rest in it."""
    return path.name.endswith(_TARS)


def digest_of(path: Path) -> str:
    """Return a file's SHA-256 in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Tar:
    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self._infos: dict[str, tarfile.TarInfo] = {}
        for count, info in enumerate(tar):
            if count >= _MAX_MEMBERS:
                raise tarfile.TarError("too many members")
            if info.isreg():
                self._infos[info.name] = info

    def members(self) -> tuple[Member, ...]:
        return tuple(Member(path, info.size) for path, info in self._infos.items())

    def contents(self, paths: frozenset[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
        wanted = sorted((self._infos[path].offset_data, path) for path in paths)
        for _, path in wanted:
            file = self._tar.extractfile(self._infos[path])
            if file is not None:
                yield path, file.read(max_bytes)


class _Zip:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        infos = archive.infolist()
        if len(infos) > _MAX_MEMBERS:
            raise zipfile.BadZipFile("too many members")
        self._infos = {info.filename: info for info in infos if _is_regular(info)}

    def members(self) -> tuple[Member, ...]:
        return tuple(Member(path, info.file_size) for path, info in self._infos.items())

    def contents(self, paths: frozenset[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
        for path, info in self._infos.items():
            if path in paths:
                with self._archive.open(info) as file:
                    yield path, file.read(max_bytes)


def _is_regular(info: zipfile.ZipInfo) -> bool:
    # Archives made on other systems say no mode at all.
    kind = stat.S_IFMT(info.external_attr >> 16)
    return kind in {0, stat.S_IFREG} and not info.is_dir() and not info.flag_bits & _ENCRYPTED


def _data_of(path: Path) -> bytes:
    """Return the tarball within a Debian package, which is an `ar` archive of three members."""
    data = path.read_bytes()
    if not data.startswith(_AR_MAGIC):
        raise UsageError(f"{path}: not a Debian package")
    start = len(_AR_MAGIC)
    while start + _AR_HEADER_BYTES <= len(data):
        header = data[start : start + _AR_HEADER_BYTES]
        name = header[_AR_NAME].decode("ascii", "replace").strip().rstrip("/")
        digits = header[_AR_SIZE].strip()
        if not digits.isdigit():
            break
        start += _AR_HEADER_BYTES
        size = int(digits)
        if name in _DATA_TARS:
            return data[start : start + size]
        start += size + size % 2
    raise UsageError(f"{path}: no data that can be unpacked")
