"""Reads settings files and checks each value against its declaration."""

import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final

from ggrep.base.errors import InvalidRequest
from ggrep.config.confined import read_small
from ggrep.config.declarations import DECLARED, MAX_CONFIG_FILE_BYTES
from ggrep.model.field_meta import DeclaredKey, declared_keys

REPO_FILE: Final = ".ggrep.toml"
"""Name of a repository's settings file."""

_MOST_PARTS: Final = 64
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_NAME: Final = re.compile(rf"(?<![\w-])(?:{_PART}[ \t]*+\.[ \t]*+){{{_MOST_PARTS}}}")
"""A dotted key with too many parts: the parser's time is quadratic in the number of parts."""


def read_repo_file(root: Path) -> Mapping[str, object]:
    """Return the top-level keys of the repository's file; empty if there is no file."""
    return _read(root, REPO_FILE, REPO_FILE)


def read_user_file(path: Path) -> Mapping[str, object]:
    """Return the top-level keys of the user's file; empty if there is no file."""
    try:
        # Users can link their settings from another folder. Such a link is followed, unlike a link
        # in a repository.
        real = path.resolve(strict=True)
    except FileNotFoundError:
        return {}
    except NotADirectoryError as error:
        raise InvalidRequest(f"the ggrep home {path.parent} is not a directory") from error
    except OSError as error:
        raise InvalidRequest(f"the file {path} cannot be read: {error.strerror}") from error
    except RuntimeError as error:
        raise InvalidRequest(f"the file {path} cannot be read: {error}") from error
    return _read(real.parent, real.name, str(path))


def _read(directory: Path, name: str, label: str) -> Mapping[str, object]:
    try:
        # Links in the path of a workspace's directory are followed.
        data = read_small(directory, name, cap_bytes=MAX_CONFIG_FILE_BYTES, anchored=False)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InvalidRequest(
            f"the file {label} cannot be read: {error.strerror or error}"
        ) from error
    try:
        text = data.decode("utf-8")
        if _LONG_NAME.search(text):
            raise InvalidRequest(f"{label}: a key has more than {_MOST_PARTS} parts")
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{label}: not valid TOML: {error}") from error


PATTERNS: Final = "ignore"
"""Key of the ignore patterns in a repository's file."""

PROFILE: Final = "profile"
"""Key of the current profile's name."""

_MOST_SHOWN = 80
_MOST_TEXT = 4096
_BOOLEAN_WORDS = {"1": True, "true": True, "0": False, "false": False}


def check_value(where: str, key: str, value: object) -> object:
    """Return `value` if it is valid for the setting `key`."""
    return check(f"{where}: {key}", DECLARED[key], value)


def parse_text(where: str, key: str, text: str) -> object:
    """Return the checked value of an environment variable's text."""
    value: object = text
    if DECLARED[key].kind is int and text.isascii() and text.isdigit() and len(text) < 20:
        value = int(text)
    if DECLARED[key].kind is bool:
        value = _BOOLEAN_WORDS.get(text.lower(), text)
    return check_value(where, key, value)


def check_profile_name(where: str, value: object) -> str:
    """Return `value` if it is a valid name of a profile."""
    return str(check_value(where, PROFILE, value))


def read_table(
    known: Mapping[str, DeclaredKey], value: object, file: str, place: str
) -> dict[str, Any]:
    """Return a table's values by field name; inner tables are Structs."""
    values = {}
    for key, content in table_of(value, file, place, known).items():
        inner, below = known[key], f"{place}.{key}"
        if inner.is_table:
            values[inner.name] = inner.kind(
                **read_table(declared_keys(inner.kind), content, file, below)
            )
        else:
            values[inner.name] = check(f"{file}: {below}", inner, content)
    return values


def table_of(
    value: object, file: str, place: str, known: Mapping[str, Any] | None = None
) -> Mapping[str, object]:
    """Return a table after checking its keys; if `known` is None, all keys are allowed."""
    if not isinstance(value, Mapping):
        raise InvalidRequest(f"{file}: {place}: must be a table, is {shown(value)!r}")
    for key in value:
        if known is not None and key not in known:
            listed = ", ".join(sorted(known))
            raise InvalidRequest(f"{file}: {place}.{shown(key)}: unknown key; known keys: {listed}")
    return value


def check(place: str, wanted: DeclaredKey, value: object) -> object:
    """Return `value` as the declared type, if it is valid."""
    kind = wanted.kind
    if kind is int:
        return _check_number(place, wanted, value)
    if kind is bool:
        if not isinstance(value, bool):
            raise _wrong_type(place, "true or false", value)
        return value
    if wanted.is_list:
        return check_texts(place, wanted, value)
    text = _check_text(place, wanted, value)
    return kind(text) if issubclass(kind, Enum) else text


def check_texts(place: str, wanted: DeclaredKey, value: object) -> tuple[str, ...]:
    """Return `value` if it is a list of valid strings; else raise as in `check`."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _wrong_type(place, "a list of strings", value)
    if len(value) > wanted.says.most:
        raise InvalidRequest(
            f"{place}: {len(value)} values are more than the maximum of {wanted.says.most}"
        )
    if len(value) < wanted.says.least:
        raise InvalidRequest(f"{place}: is empty")
    return tuple(_check_text(place, wanted, text) for text in value)


def _check_number(place: str, wanted: DeclaredKey, value: object) -> int:
    # bool is a subclass of int: `max_candidates = true` must not mean 1.
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong_type(place, "a whole number", value)
    if value > wanted.says.most:
        raise InvalidRequest(f"{place}: {shown(value)} is above the maximum of {wanted.says.most}")
    if value < wanted.says.least:
        raise InvalidRequest(f"{place}: {shown(value)} is below the minimum of {wanted.says.least}")
    return value


def _check_text(place: str, wanted: DeclaredKey, value: object) -> str:
    words = ", ".join(wanted.words)
    if not isinstance(value, str):
        raise _wrong_type(place, f"one of {words}" if words else "a string", value)
    if not value or len(value) > _MOST_TEXT or not value.isprintable():
        raise InvalidRequest(f"{place}: {shown(value)!r} is empty, too long or unprintable")
    if words and value not in wanted.words:
        raise InvalidRequest(f"{place}: {shown(value)!r} is not one of {words}")
    if wanted.says.pattern and not re.fullmatch(wanted.says.pattern, value):
        raise InvalidRequest(f"{place}: {shown(value)!r} {wanted.says.misfit}")
    return value


def _wrong_type(place: str, wanted: str, value: object) -> InvalidRequest:
    return InvalidRequest(f"{place}: must be {wanted}, is {shown(value)!r}")


def shown(value: object) -> str:
    """Return a value, shortened for a message."""
    try:
        text = str(value)
    except ValueError:
        return "a number of thousands of digits"  # the number has more digits than Python converts
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


ROOTS: Final = "root"
"""Key of the tables for single roots in the user's file."""

_SETTABLE: Final = frozenset(key for key, declared in DECLARED.items() if declared.says.of_root)


def of_root(where: str, tables: object, root: Path) -> Mapping[str, object]:
    """Return the values of the table for `root`; the tables of other roots are checked too."""
    if not isinstance(tables, dict):
        raise InvalidRequest(
            f'{where}: {ROOTS}: must contain one table for each root: [{ROOTS}."/path"]'
        )
    matching: list[Mapping[str, object]] = []
    for path, values in tables.items():
        label = f'{where}: {ROOTS}."{path}"'
        if not path.startswith("/"):
            raise InvalidRequest(f"{label}: the path is not absolute")
        if not isinstance(values, dict):
            raise InvalidRequest(f"{label}: must be a table")
        if unknown := sorted(values.keys() - _SETTABLE):
            known = " and ".join(", ".join(sorted(_SETTABLE)).rsplit(", ", 1))
            raise InvalidRequest(f"{label}: {unknown[0]}: only {known} can be set for a root")
        checked = {key: check_value(label, key, value) for key, value in values.items()}
        if _is(path, root):
            matching.append(checked)
    if len(matching) > 1:
        raise InvalidRequest(f"{where}: {ROOTS}: several tables apply to {root}; keep one")
    return matching[0] if matching else {}


def _is(path: str, root: Path) -> bool:
    try:
        return os.path.realpath(path) == str(root)
    except (OSError, ValueError):  # ValueError: the text is not a valid path
        return False
