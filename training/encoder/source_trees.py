"""Unpacked packages and those of their files that people wrote."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from training.encoder.mining import is_mined

MOST_FILES: Final = 3_000
MOST_FILE_BYTES: Final = 300_000

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9.+_-]+")
_INSTALLED: Final = re.compile(
    r"^usr/(?:share|lib|include)/(?:gocode/src/[^/]+/|cargo/registry/[^/]+/|ruby/vendor_ruby/"
    r"|rubygems-integration/\w+/gems/[^/]+/|php/|lua/5\.\d/|elixir/)?|^package/"
)
"""Where distributions put sources; what follows is as it lies in the project's own tree."""

_SKIPPED: Final = """
    node_modules .git .github _vendor vendor third_party thirdparty external extern deps site-
    packages locale locales i18n fixtures debian .pc __pycache__ testdata _static
"""
_SKIPPED_FOLDERS: Final = frozenset(_SKIPPED.split())


class Package(Struct, frozen=True):
    """A package's unpacked tree and where its pairs go."""

    name: str
    tree: Path
    output: Path


def packages_in(sources: Path, pairs: Path) -> list[Package]:
    """Return the packages in the order of registries and names."""
    found = []
    for registry in sorted(path for path in sources.iterdir() if path.is_dir()):
        for tree in _trees(registry):
            name = f"{registry.name}/{tree.relative_to(registry).as_posix()}"
            safe = _UNSAFE.sub("_", name.replace("/", "-", 1)).strip("_")
            found.append(Package(name, tree, pairs / f"{safe}.jsonl"))
    return found


def _trees(registry: Path) -> Iterator[Path]:
    """Yield the folders of a registry: `@scope__name`, or one level deeper `@scope/name`."""
    for path in sorted(path for path in registry.iterdir() if path.is_dir()):
        if path.name.startswith("@") and "__" not in path.name:
            yield from sorted(inner for inner in path.iterdir() if inner.is_dir())
        else:
            yield path


def is_fresh(package: Package) -> bool:
    """Return whether a package's pairs are newer than its tree."""
    if not package.output.exists():
        return False
    return package.output.stat().st_mtime_ns >= package.tree.stat().st_mtime_ns


def files_of(tree: Path) -> list[Path]:
    """Return the files of a package in the order of their paths, evenly thinned when many."""
    found: list[Path] = []
    for folder, inner, names in os.walk(tree):
        inner[:] = [name for name in inner if name not in _SKIPPED_FOLDERS]
        found += [path for name in names if _may_be_mined(tree, path := Path(folder, name))]
    found.sort()
    step = max(1.0, len(found) / MOST_FILES)
    return [found[int(at * step)] for at in range(int(len(found) / step))]


def _may_be_mined(tree: Path, path: Path) -> bool:
    """Return whether a file is worth opening."""
    if not is_mined(path.relative_to(tree).as_posix(), b"") or path.is_symlink():
        return False
    try:
        return path.stat().st_size <= MOST_FILE_BYTES
    except OSError:  # taken away meanwhile
        return False


def key_of(tree: Path, path: Path) -> str:
    """Return a file's path as it is in the project's own tree."""
    return _INSTALLED.sub("", path.relative_to(tree).as_posix())
