"""Which files of a package are sources to learn from, told by their paths and their text.

Tests are none: they hardly answer what people ask.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

from ggrep.model.files import TEST, traits_of
from ggrep.parse.languages.registry import GRAMMARS, language_of
from training.encoder.packages import plain_name

MAX_FILE_BYTES: Final = 400_000

_VENDORED: Final = frozenset(
    {
        "node-modules",
        "vendor",
        "-vendor",
        "vendored",
        "third-party",
        "thirdparty",
        "thirdpartylibs",
        "bundled",
        "3rdparty",
        "3rd-party",
        "external",
        "extern",
        "externals",
        "deps",
        "bower-components",
        "prebuilds",
        "spm-deps",
        "site-packages",
        "pods",
    }
)
"""As `plain_name` writes them."""

_DATA: Final = frozenset(
    {
        "fixtures",
        "fixture",
        "__fixtures__",
        "testdata",
        "test-data",
        "test_data",
        "snapshots",
        "__snapshots__",
        "__generated__",
        "cassettes",
    }
)
_BUNDLES: Final = frozenset({"dist", "build", "bundle", "bundles", "umd"})
_BUNDLED_LANGUAGES: Final = frozenset({"javascript", "css"})
_METADATA: Final = (".dist-info", ".egg-info", ".data")
_BUILT: Final = (".framework", ".xcframework")
_TESTS: Final = re.compile(
    r"(?:unit|integration|functional)?-?tests?(?:suites?|utils?|-.*)?|testsupport"
)
"""Folders of tests as `plain_name` writes them, beyond what paths say of every repository."""

_LANGUAGES: Final = frozenset({*GRAMMARS, "markdown", "rst", "asciidoc"})
"""What the chunker has a grammar for, and prose with headings."""

_SCRIPT_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]*")
_SHELL: Final = re.compile(rb"#![ \t]*/(?:\S*/)?(?:env[ \t]+(?:-\S+[ \t]+)?)?(?:ba|da|k|z)?sh\b")
_DECLARATIONS: Final = re.compile(r"\.d\.[cm]?ts$")
_MODULE: Final = re.compile(r"(?<!\.d)\.[cm]?tsx?$")
_COMPILED: Final = re.compile(r"(?:\.d\.[cm]?ts|\.[cm]?jsx?)$")
_MINIFIED: Final = re.compile(r"[.-]min\.\w+$")
_LOOSE_END: Final = re.compile(
    r"(?:[-._]min|\.d|[-._]?v?\d+(?:\.\d+)+(?:[-.]?[a-z]+\.?\d*)?|[-_]\d+)$"
)
_COPYLEFT: Final = re.compile(
    rb"GNU\s+(?:\w+\s+){0,2}General\s+Public|GNU\s+[AL]?GPL\b"
    rb"|(?:Mozilla|Eclipse|Common|Microsoft|European\s+Union)\s+Public\s+Licen[cs]e"
    rb"|Common\s+Development\s+and\s+Distribution|\bMS-PL\b"
    rb"|SPDX-License-Identifier:[\s(]*(?:[AL]?GPL|MPL|EPL|CDDL|EUPL|CC-BY)",
    re.IGNORECASE,
)
_CHOICE: Final = re.compile(
    rb"dual[- ]licen[cs]ed|Apache License|Eclipse Distribution License"
    rb"|\bOR\s+(?:MIT|Apache|BSD|ISC|BSL|Zlib|Unlicense)",
    re.IGNORECASE,
)
_HEAD_BYTES: Final = 3_000
_WORST_PATH_BYTES: Final = 240
_MAX_LINE: Final = 20_000
_LONG_LINE: Final = 1_000
_LONG_MEAN: Final = 200


def safe_parts(path: str) -> tuple[str, ...]:
    """Return the parts of an archive's path; none when it may not be written as it stands.

    That is a path which is absolute, climbs, or has signs that file systems do not take alike.
    """
    parts = tuple(part for part in path.split("/") if part not in {"", "."})
    odd = path.startswith("/") or not path.isprintable() or "\\" in path or ":" in path
    if odd or ".." in parts or len(path.encode("utf-8", "replace")) > _WORST_PATH_BYTES:
        return ()
    return parts


def is_excluded(parts: Iterable[str], names: frozenset[str]) -> bool:
    """Return whether a folder or the file itself bears one of `names`, version and `.min` off."""
    return any(not names.isdisjoint(_names_of(part)) for part in parts)


def is_source(parts: tuple[str, ...]) -> bool:
    """Return whether a path is one of code or prose that the package's own people wrote."""
    name = parts[-1].lower()
    if not _is_own(parts) or _MINIFIED.search(name):
        return False
    language = language_of(name)
    folders = {part.lower() for part in parts[:-1]}
    return language in _LANGUAGES and (
        folders.isdisjoint(_BUNDLES) or language not in _BUNDLED_LANGUAGES
    )


def may_be_script(parts: tuple[str, ...]) -> bool:
    """Return whether a path has no suffix, as commands written for a shell have none."""
    return (
        bool(_SCRIPT_NAME.fullmatch(parts[-1]))
        and _is_own(parts)
        and language_of(parts[-1]) == "text"
    )


def is_shell(head: bytes) -> bool:
    """Return whether a file that begins with those bytes is run by a shell."""
    return _SHELL.match(head) is not None


def compiled_beside(paths: Iterable[tuple[str, ...]]) -> frozenset[tuple[str, ...]]:
    """Return those paths that a compiler wrote: a module in TypeScript of that name is there too.

    Packages for several systems of modules bring the same code three or four times.
    """
    kept = tuple(paths)
    modules = {_MODULE.sub("", path[-1]) for path in kept if _is_module(path[-1])}
    return frozenset(
        path
        for path in kept
        if _COMPILED.search(path[-1])
        and "src" not in path[:-1]
        and _COMPILED.sub("", path[-1]) in modules
    )


def is_written(data: bytes) -> bool:
    """Return whether that is text which people wrote, and not a bundle, a table or a picture.

    A file that says at its beginning that it is under a copyleft licence, and leaves no choice, is
    none either: packages take in single files of others.
    """
    if not data.strip() or b"\0" in data or len(data) > MAX_FILE_BYTES:
        return False
    head = data[:_HEAD_BYTES]
    if _COPYLEFT.search(head) and not _CHOICE.search(head):
        return False
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    lines = text.splitlines()
    longest = max(map(len, lines))
    return longest <= _LONG_LINE or (longest <= _MAX_LINE and len(text) / len(lines) <= _LONG_MEAN)


def _is_module(name: str) -> bool:
    return not _DECLARATIONS.search(name) and _MODULE.search(name) is not None


def _is_own(parts: tuple[str, ...]) -> bool:
    """Return whether no folder says that what it holds is others' work, data or a test."""
    folders = {part.lower() for part in parts[:-1]}
    plain = {plain_name(folder) for folder in folders}
    if not plain.isdisjoint(_VENDORED) or any(map(_TESTS.fullmatch, plain)):
        return False
    if any(folder.endswith((*_METADATA, *_BUILT)) for folder in folders):
        return False
    return folders.isdisjoint(_DATA) and not traits_of("/".join(parts)) & TEST


def _names_of(part: str) -> tuple[str, ...]:
    """Return what a path part may name: itself, without its suffix, and without version marks."""
    whole = part.lower()
    stem = whole
    if PurePosixPath(whole).suffix and not whole.startswith("."):
        stem = whole.rpartition(".")[0]
    bare = stem
    while True:
        shorter = _LOOSE_END.sub("", bare)
        if not shorter or shorter == bare:
            break
        bare = shorter
    return (
        plain_name(whole),
        plain_name(stem),
        plain_name(bare),
        plain_name(_LOOSE_END.sub("", whole)),
    )
