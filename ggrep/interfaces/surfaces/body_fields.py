"""Reads one JSON object of a request key by key, and collects the errors."""

from collections.abc import Mapping
from typing import Final, TypeVar

from ggrep.base.errors import Issue
from ggrep.federation.validation import kind_of
from ggrep.model.says import MAX_INTEGER

INVALID_REQUEST: Final = "ERR_FEDERATED_INVALID_REQUEST"

_ISSUES_SHOWN: Final = 32
"""More mistakes than that help nobody; a body of nothing else must not be answered at length."""

_REFUSED: Final = {
    "repo": (
        "ERR_FEDERATED_REPO_FLAG_NOT_ALLOWED",
        "repositories of a workspace are chosen with `select` or `only`",
    ),
    "$.search.scope": ("ERR_FEDERATED_SCOPE_NOT_ALLOWED", "no path may be given"),
    "args": (INVALID_REQUEST, "command-line arguments are not taken; say it in fields"),
    "argv": (INVALID_REQUEST, "command-line arguments are not taken; say it in fields"),
    "rawArgs": (INVALID_REQUEST, "command-line arguments are not taken; say it in fields"),
}

T = TypeVar("T")


class Fields:
    """One object of a body. A null value counts as a missing key.

    Attributes:
        place: where the object stands, such as `$.search`.
        issues: what was wrong so far; objects below share it.
    """

    def __init__(self, value: Mapping[str, object], place: str, issues: list[Issue]) -> None:
        self._value = value
        self._read: set[str] = set()
        self.place = place
        self.issues = issues

    def at(self, key: str) -> str:
        """Return the place of a key."""
        return f"{self.place}.{key}" if key.isidentifier() else f"{self.place}[{key!a}]"

    def add(self, key: str, reason: str, message: str, *, code: str = INVALID_REQUEST) -> None:
        """Note what is wrong with the value of a key."""
        if len(self.issues) < _ISSUES_SHOWN:
            field = self.at(key)
            self.issues.append(Issue(code, f"{field}: {message}", field=field, reason=reason))

    def take(self, key: str) -> object:
        """Return the value unchanged, of any type; None if missing."""
        self._read.add(key)
        return self._value.get(key)

    def text(self, key: str, *, required: bool = False) -> str | None:
        """Return a string as it is."""
        value = self.take(key)
        if isinstance(value, str):
            return value
        if value is not None or required:
            missing = key not in self._value
            wrong = "is missing" if missing else f"must be a string, is {kind_of(value)}"
            self.add(key, "required" if missing else "type", wrong)
        return None

    def integer(self, key: str) -> int | None:
        """Return an integer; true and 1.0 are not integers."""
        value = self.take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int):
            self.add(key, "type", f"must be an integer, is {_number_or_kind(value)}")
            return None
        if not -MAX_INTEGER <= value <= MAX_INTEGER:
            self.add(key, "range", f"must be within {MAX_INTEGER}, is {value}")
            return None
        return value

    def flag(self, key: str) -> bool | None:
        """Return true or false."""
        value = self.take(key)
        if value is None or isinstance(value, bool):
            return value
        self.add(key, "type", f"must be true or false, is {kind_of(value)}")
        return None

    def texts(self, key: str) -> tuple[str, ...] | None:
        """Return the strings of an array; a single string counts as an array."""
        value = self.take(key)
        if value is None:
            return None
        if isinstance(value, str):
            return (value,)
        if not isinstance(value, list):
            self.add(key, "type", f"must be a string or an array of them, is {kind_of(value)}")
            return None
        found = []
        for index, item in enumerate(value):
            if isinstance(item, str):
                found.append(item)
            else:
                self.add(key, "type", f"item {index} must be a string, is {kind_of(item)}")
        return tuple(found)

    def word(self, key: str, known: Mapping[str, T]) -> T | None:
        """Return the meaning of a word."""
        text = self.text(key)
        if text is not None and text not in known:
            self.add(key, "unsupported", f"{text!a} is not one of {', '.join(known)}")
        return known.get(text or "")

    def child(self, key: str) -> "Fields":
        """Return the object of a key; an empty one if missing."""
        value = self.take(key)
        if value is not None and not isinstance(value, Mapping):
            self.add(key, "type", f"must be an object, is {kind_of(value)}")
        return Fields(value if isinstance(value, Mapping) else {}, self.at(key), self.issues)

    def finish(self) -> None:
        """Report every key that was not read."""
        for key in self._value:
            if key in self._read:
                continue
            forbidden = _REFUSED.get(self.at(key))
            if forbidden and self._value[key] is None:
                continue
            unknown = (INVALID_REQUEST, f"unknown key {key!a}")
            code, message = forbidden or _REFUSED.get(key, unknown)
            self.add(key, "unknown-key", message, code=code)


def one_of(*given: tuple[Fields, str, T | None]) -> T | None:
    """Return the only value that is not None; two names of one setting are an error."""
    held = [(fields, key, value) for fields, key, value in given if value is not None]
    for fields, key, _ in held[1:]:
        first, name, _ = held[0]
        fields.add(key, "duplicate", f"says again what {first.at(name)} says")
    return held[0][2] if held else None


def _number_or_kind(value: object) -> str:
    return f"the number {value}" if isinstance(value, float) else kind_of(value)
