"""Verifies that the installed parsers are intact, file by file.

A parser is native code; a partly written file crashes the process that loads it.
"""

import base64
import hashlib
from importlib.metadata import PackageNotFoundError, PackagePath, files

from ggrep.parse.languages.registry import GRAMMAR_PACKAGES


def damaged_grammar_files(*, deep: bool) -> list[str]:
    """Return the files of grammar packages that are missing or have changed since installation.

    Args:
        deep: whether to compare hashes in addition to sizes.
    """
    damaged: list[str] = []
    for package in GRAMMAR_PACKAGES:
        try:
            listed = files(package) or []  # empty if the installer wrote no list
        except PackageNotFoundError:
            damaged.append(package)
            continue
        damaged += [str(file) for file in listed if not _is_whole(file, deep=deep)]
    return damaged


def _is_whole(file: PackagePath, *, deep: bool) -> bool:
    if file.hash is None or file.size is None or "dist-info" in file.parts[0]:
        return True  # byte code that was compiled after the installation, or metadata
    try:
        if file.locate().stat().st_size != file.size:  # type: ignore[union-attr,attr-defined,unused-ignore] # a path
            return False
        if not deep:
            return True
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode() == file.hash.value
