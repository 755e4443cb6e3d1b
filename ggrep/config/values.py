"""Checks one value of a setting, wherever it was written."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from ggrep.config.caps import BOUNDS
from ggrep.errors import InvalidRequest

BOOLEANS: Final = frozenset(
    {
        "include_untracked",
        "low_impact",
        "portable_paths",
        "shared_store",
        "shared_store_clean",
        "shared_store_include_untracked",
        "start_daemon",
        "structure",
        "watch",
    }
)
CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"merge_strategy": ("evidence", "global", "global-rrf", "rrf", "weighted-rrf")}
)
TEXTS: Final = frozenset({"encoder", "profile"})
PATTERNS: Final = "ignore"
"""Key of the patterns that a repo file adds; its setting is `extra_ignores`."""

PROFILE: Final = "profile"
"""Key of the name of the profile in force."""

_MOST_PATTERNS = 256
_MOST_SHOWN = 80
_PROFILE_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_BOOLEAN_WORDS = {"1": True, "true": True, "0": False, "false": False}


def check_value(where: str, key: str, value: object) -> object:
    """Return `value` if the setting `key` may hold it.

    Args:
        where: file, variable or flag, for the message.
        key: name of a setting.
        value: as parsed; patterns come as a list.

    Raises:
        InvalidRequest: the type is wrong, or the value is out of bounds.
    """
    if key in BOUNDS:
        return _check_number(where, key, value)
    if key in BOOLEANS:
        if not isinstance(value, bool):
            raise _wrong_type(where, key, "true or false", value)
        return value
    if key == PATTERNS:
        return check_patterns(where, key, value)
    if key == PROFILE:
        return check_profile_name(where, value)
    return _check_text(where, key, value)


def parse_text(where: str, key: str, text: str) -> object:
    """Return the value that the text of an environment variable spells, checked.

    Raises:
        InvalidRequest: it spells nothing that the setting may hold.
    """
    if key in BOUNDS:
        if not (text.isascii() and text.isdigit() and len(text) < 20):
            raise _wrong_type(where, key, "a whole number", text)
        return check_value(where, key, int(text))
    if key in BOOLEANS:
        if text.lower() not in _BOOLEAN_WORDS:
            raise _wrong_type(where, key, "true or false", text)
        return _BOOLEAN_WORDS[text.lower()]
    return check_value(where, key, text)


def check_profile_name(where: str, value: object) -> str:
    """Return `value` if a profile can be called that.

    Raises:
        InvalidRequest: it cannot.
    """
    name = _check_text(where, PROFILE, value)
    if not _PROFILE_NAME.fullmatch(name):
        raise InvalidRequest(
            f"{where}: {PROFILE}: {shown(value)!r} is no name: 1 to 64 of a-z, 0-9, '.', '_', '-'"
        )
    return name


def check_texts(where: str, key: str, value: object) -> tuple[str, ...]:
    """Return a list of strings if a file may hold it.

    Raises:
        InvalidRequest: it is no list, too long, or holds something else.
    """
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise _wrong_type(where, key, "a list of strings", value)
    if len(value) > _MOST_PATTERNS:
        raise InvalidRequest(f"{where}: {key}: {len(value)} exceeds the cap {_MOST_PATTERNS}")
    return tuple(_check_text(where, key, text) for text in value)


def check_patterns(where: str, key: str, value: object) -> tuple[str, ...]:
    """Return gitignore patterns if none takes back what others say.

    Raises:
        InvalidRequest: one does, or it is no list of strings.
    """
    patterns = check_texts(where, key, value)
    for pattern in patterns:
        if pattern.startswith("!"):
            raise InvalidRequest(
                f"{where}: {key}: {shown(pattern)!r} may only add to what is ignored"
                if key != "include"
                else f"{where}: {key}: {shown(pattern)!r} takes back; use `exclude`"
            )
    return patterns


def _check_number(where: str, key: str, value: object) -> int:
    # bool is a subclass of int: `max_candidates = true` must not mean 1.
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wrong_type(where, key, "a whole number", value)
    least, most = BOUNDS[key]
    if value > most:
        raise InvalidRequest(f"{where}: {key}: {shown(value)} exceeds the cap {most}")
    if value < least:
        raise InvalidRequest(f"{where}: {key}: {shown(value)} is below {least}")
    return value


def _check_text(where: str, key: str, value: object) -> str:
    if not isinstance(value, str):
        raise _wrong_type(where, key, "a string", value)
    if not value or len(value) > 4096 or not value.isprintable():
        raise InvalidRequest(f"{where}: {key}: {shown(value)!r} is empty, too long or unprintable")
    choices = CHOICES.get(key)
    if choices is not None and value not in choices:
        raise InvalidRequest(f"{where}: {key}: {shown(value)!r} is not one of {', '.join(choices)}")
    return value


def _wrong_type(where: str, key: str, wanted: str, value: object) -> InvalidRequest:
    return InvalidRequest(f"{where}: {key}: must be {wanted}, is {shown(value)!r}")


def shown(value: object) -> str:
    """Return as much of a value as a message has room for."""
    try:
        text = str(value)
    except ValueError:
        return "a number of thousands of digits"  # more than Python spells out
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."
