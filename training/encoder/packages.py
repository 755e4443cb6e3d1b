"""What the corpus is made of: packages pinned by digest, and names that may not be among them."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import UsageError

REGISTRIES: Final = frozenset({"pypi", "npm", "debian"})

_SEPARATORS: Final = re.compile(r"[-_.]+")
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"(?:@[a-z0-9][a-z0-9._-]*/)?[A-Za-z0-9][A-Za-z0-9.+_-]*")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.+~:_-]*")
_TEXTS: Final = ("registry", "name", "version", "sha256", "licence", "suite", "kind")
_OPTIONAL: Final = frozenset({"suite", "kind"})
_LISTS: Final = ("languages", "folders", "without")
_MAX_BYTES: Final = "max_bytes"


class Package(Struct, frozen=True):
    """One archive of a registry.

    Attributes:
        registry: `pypi`, `npm` or `debian`.
        sha256: of the archive, in hexadecimal; of a Debian source package's upstream tarball.
        licence: an SPDX expression, as the package's own metadata says.
        languages: that its sources are written in, the commonest first.
        suite: of Debian; empty elsewhere.
        kind: `sdist` or `wheel` on pypi, `source` or `binary` on debian; empty on npm.
        folders: beginnings of the paths that are taken, the archive's top folder off; empty: all.
        without: beginnings of paths that are left out.
        max_bytes: cap of what is taken; 0 for the usual one.
    """

    registry: str
    name: str
    version: str
    sha256: str
    licence: str
    languages: tuple[str, ...]
    suite: str = ""
    kind: str = ""
    folders: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    max_bytes: int = 0

    @property
    def folder_name(self) -> str:
        """The one path part that stands for the name; npm's scoped names have a slash."""
        return self.name.replace("/", "__")


def read_packages(path: Path) -> tuple[Package, ...]:
    """Return the packages of a TOML file of `[[package]]` tables, in the file's order.

    Raises:
        UsageError: the file cannot be read, is not TOML, or a table is not a package.
    """
    tables = _parsed(path).get("package", [])
    if not isinstance(tables, list):
        raise UsageError(f"{path}: `package` must be an array of tables")
    packages = tuple(_package(path, number, table) for number, table in enumerate(tables, 1))
    seen: set[tuple[str, str]] = set()
    for package in packages:
        if (package.registry, package.name) in seen:
            raise UsageError(f"{path}: {package.registry} package {package.name!r} stands twice")
        seen.add((package.registry, package.name))
    return packages


def write_packages(packages: Iterable[Package]) -> str:
    """Return the packages as TOML, sorted by name, for `read_packages` to read again."""
    return "\n".join(_table(each) for each in sorted(packages, key=lambda each: each.name))


def excluded(name: str, names: frozenset[str]) -> bool:
    """Return whether a package or module of that name is one of `names`, or in one's npm scope.

    Case does not matter, and `-`, `_` and `.` are alike.
    """
    whole = plain_name(name)
    scope, slash, _ = whole.partition("/")
    return whole in names or (bool(slash) and scope in names)


def read_exclusions(path: Path) -> frozenset[str]:
    """Return the names of a file, as `excluded` compares them.

    Names are divided by blanks; a line that begins with `#` is a comment.

    Raises:
        UsageError: the file cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    said = (line for line in lines if not line.lstrip().startswith("#"))
    return frozenset(plain_name(word) for line in said for word in line.split())


def plain_name(name: str) -> str:
    """Return a name lower-case, without the `@` of a scope, its separators made `-`."""
    return _SEPARATORS.sub("-", name.strip().lower().removeprefix("@"))


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: not TOML: {error}") from error


def _package(path: Path, number: int, table: object) -> Package:
    where = f"{path}: package {number}"
    if not isinstance(table, Mapping):
        raise UsageError(f"{where}: not a table")
    unknown = sorted(set(table) - {*_TEXTS, *_LISTS, _MAX_BYTES})
    if unknown:
        raise UsageError(f"{where}: unknown key {unknown[0]!r}")
    texts = {key: _text(where, table, key) for key in _TEXTS}
    lists = {key: _words(where, table, key) for key in _LISTS}
    if not lists["languages"]:
        raise UsageError(f"{where}: `languages` must name one at least")
    max_bytes = table.get(_MAX_BYTES, 0)
    if not isinstance(max_bytes, int) or isinstance(max_bytes, bool) or max_bytes < 0:
        raise UsageError(f"{where}: `{_MAX_BYTES}` must be a number of bytes")
    _check(where, texts)
    return Package(
        **texts,
        languages=lists["languages"],
        folders=lists["folders"],
        without=lists["without"],
        max_bytes=max_bytes,
    )


def _words(where: str, table: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise UsageError(f"{where}: `{key}` must be a list of words")
    return tuple(value)


def _text(where: str, table: Mapping[str, object], key: str) -> str:
    value = table.get(key, "" if key in _OPTIONAL else None)
    if not isinstance(value, str):
        raise UsageError(f"{where}: `{key}` must be text")
    return value


def _check(where: str, texts: Mapping[str, str]) -> None:
    """Refuse what could be taken for an option or a path by the clients it is handed to."""
    if texts["registry"] not in REGISTRIES:
        raise UsageError(f"{where}: unknown registry {texts['registry']!r}")
    for key, pattern in (("name", _NAME), ("version", _VERSION), ("sha256", _DIGEST)):
        if not pattern.fullmatch(texts[key]):
            raise UsageError(f"{where}: `{key}` cannot be {texts[key]!r}")


def _table(package: Package) -> str:
    pairs = {key: getattr(package, key) for key in _TEXTS}
    lines = ["[[package]]"]
    lines += [f"{key} = {_quoted(text)}" for key, text in pairs.items() if text]
    for key in _LISTS:
        if words := getattr(package, key):
            lines.append(f"{key} = [{', '.join(map(_quoted, words))}]")
    if package.max_bytes:
        lines.append(f"{_MAX_BYTES} = {package.max_bytes}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    # JSON's strings are TOML's basic strings, but for DEL, which TOML wants escaped.
    return stable_json.dumps(text).decode().replace("\x7f", "\\u007f")
