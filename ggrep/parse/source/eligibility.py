"""Classifies a file by its name: private dot file, generated file, or text to index."""

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache
from itertools import islice
from typing import Final

from ggrep.config import builtin

MOST_PRODUCTS: Final = 10_000
"""Maximum number of listed files in product directories: about a megabyte of names."""


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs))


_IN_PRODUCTS = re.compile(rf"(?:^|/)(?:{'|'.join(map(re.escape, sorted(builtin.DIRECTORIES)))})/")
_DOT_FILES = _any_of(builtin.DOT_FILES)


def is_shared_dot_file(name: str) -> bool:
    """Return whether a file with a leading dot contains configuration that a team shares."""
    return _DOT_FILES.match(name.lower()) is not None


def is_shared_dot_directory(name: str) -> bool:
    """Return whether a directory with a leading dot contains configuration that a team shares."""
    return name in builtin.DOT_DIRECTORIES


def is_product_directory(name: str) -> bool:
    """Return whether a directory of this name contains files of a build or of a package manager."""
    return name in builtin.DIRECTORIES


def product_files(paths: Iterable[str]) -> tuple[str, ...] | None:
    """Return the paths that are in product directories.

    Return None, which means all paths, if there are more than `MOST_PRODUCTS` such paths, or if
    such a path is not valid text.
    """
    products = tuple(islice(filter(_IN_PRODUCTS.search, paths), MOST_PRODUCTS + 1))
    is_listable = len(products) <= MOST_PRODUCTS and "".join(products).isprintable()
    return products if is_listable else None


@lru_cache(1 << 15)
def is_product_file(name: str) -> bool:
    """Return whether a file of this name is generated."""
    lowered = name.lower()
    return lowered in builtin.FILES or lowered.endswith(builtin.FILE_SUFFIXES)


@lru_cache(1 << 15)
def is_text_name(name: str) -> bool:
    """Return whether a file of this name contains hand-written text."""
    lowered = name.lower()
    if lowered.startswith("."):
        return is_shared_dot_file(lowered)
    stem, _, extension = lowered.rpartition(".")
    if stem and (extension in builtin.EXTENSIONS or stem in builtin.VARIANT_NAMES):
        return True
    return lowered in builtin.FILE_NAMES
