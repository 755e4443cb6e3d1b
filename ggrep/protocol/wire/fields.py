"""Reads the fields of an object from the wire: each is bounded, every error is named."""

from collections.abc import Mapping
from typing import Final, TypeVar

from ggrep.base.errors import InvalidRequest

T = TypeVar("T")

_SHOWN: Final = 60
"""Characters of a refused value that its message quotes."""


class Fields:
    """Reads an object's fields; unknown ones are ignored."""

    def __init__(self, body: Mapping[str, object], place: str = "") -> None:
        """Read `body`, which lies at `place` in the message; empty for the message itself."""
        self.body = body
        self._place = f"{place}." if place else ""

    def name(self, key: str) -> str:
        """Return a field's name for messages."""
        return f"{self._place}{key}"

    def printable(self, key: str, most: int, *, least: int = 0, default: str | None = None) -> str:
        """Return a string of bounded length with printable characters only."""
        if key not in self.body and default is not None:
            return default
        value = self._required(key)
        if not isinstance(value, str) or not least <= len(value) <= most or not is_shown(value):
            raise self.misfit(key, f"{least} to {most} printable characters")
        return value

    def whole(self, key: str, least: int, most: int, *, default: int | None = None) -> int:
        """Return a whole number within bounds."""
        if key not in self.body and default is not None:
            return default
        return bounded(self._required(key), least, most, self.name(key))

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false."""
        value = self.body.get(key, default)
        if not isinstance(value, bool):
            raise self.misfit(key, "true or false")
        return value

    def choice(self, key: str, known: tuple[str, ...], *, default: str) -> str:
        """Return one of the known words."""
        value = self.body.get(key, default)
        if not isinstance(value, str) or value not in known:
            raise self.misfit(key, f"one of {', '.join(known)}")
        return value

    def array(self, key: str, most: int) -> list[object] | None:
        """Return an array of at most `most` items; None when there is none."""
        if self.body.get(key) is None:
            return None
        value = self.body[key]
        if not isinstance(value, list) or len(value) > most:
            raise self.misfit(key, f"an array of at most {most} items")
        return value

    def mapping(self, key: str, most: int) -> dict[str, object] | None:
        """Return an object of at most `most` fields; None when there is none."""
        if self.body.get(key) is None:
            return None
        value = self.body[key]
        if not isinstance(value, dict) or len(value) > most:
            raise self.misfit(key, f"an object of at most {most} fields")
        return value

    def misfit(self, key: str, expected: str) -> InvalidRequest:
        """Return the error for the value at `key`."""
        return misfit(self.name(key), self.body.get(key), expected)

    def _required(self, key: str) -> object:
        if key not in self.body:
            raise InvalidRequest(f"{self.name(key)}: missing")
        return self.body[key]


def bounded(value: object, least: int, most: int, place: str) -> int:
    """Return `value` when it is a whole number within bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise misfit(place, value, f"a whole number from {least} to {most}")
    return value


def text_bytes(value: str, place: str) -> int:
    """Return the length of `value` in UTF-8.

    Raises:
        InvalidRequest: it holds half of a surrogate pair, which UTF-8 has no bytes for.
    """
    try:
        return len(value.encode())
    except UnicodeEncodeError as error:
        raise InvalidRequest(f"{place}: holds a lone surrogate, which is no text") from error


def is_shown(value: str) -> bool:
    """Return whether every character is printable or a space."""
    return value.isprintable()


def misfit(place: str, value: object, expected: str) -> InvalidRequest:
    """Return the error for an invalid value; long values are truncated."""
    return InvalidRequest(f"{place}: expected {expected}, found {shown(value)}")


def shown(value: object) -> str:
    """Return a refused value for a message: short, and containers only by their type."""
    match value:
        case str() if len(value) > _SHOWN:
            words = f"{value[:_SHOWN]!r}... ({len(value)} characters)"
        case None | bool() | int() | float() | str():
            words = "null" if value is None else repr(value)[: 2 * _SHOWN]
        case list():
            words = f"an array of {len(value)} items"
        case _:
            words = "an object"
    return words
