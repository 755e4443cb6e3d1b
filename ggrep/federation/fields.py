"""Checks single values of a workspace file and collects the errors."""

from collections.abc import Collection, Mapping
from typing import Any, Final

from ggrep.base.errors import Issue
from ggrep.model.keys import Declared
from ggrep.model.sanitise import sanitise_line
from ggrep.model.says import MAX_INTEGER

SHAPE: Final = "ERR_WORKSPACE_INVALID_SHAPE"
MAX_ISSUES: Final = 1000
"""Most issues of one file that are told one by one."""


class Problems:
    """Issues of one file, in the order they were found."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._further = 0
        self._found: list[Issue] = []

    @property
    def found(self) -> tuple[Issue, ...]:
        """Return what was noted; beyond `MAX_ISSUES`, the last entry says how many there are."""
        if not self._further:
            return tuple(self._found)
        message = f"$: {self._further} further issues are not listed"
        hint = "mend those that are listed and load the file again"
        return (*self._found, Issue(SHAPE, message, self._path, "$", "too-many", hint))

    def add(self, code: str, field: str, reason: str, message: str, *, hint: str = "") -> None:
        """Note one issue; `message` follows the field's name."""
        text = sanitise_line(f"{field}: {message}")
        if len(self._found) < MAX_ISSUES:
            self._found.append(Issue(code, text, self._path, field, reason, hint))
        else:
            self._further += 1

    def unknown_keys(self, value: Mapping[str, object], known: Collection[str], field: str) -> None:
        """Note every key of `value` that means nothing there."""
        for key in value:
            if key not in known:
                self.add(
                    "ERR_WORKSPACE_UNKNOWN_KEY",
                    f"{field}.{key}" if key.isidentifier() else f"{field}[{key!a}]",
                    "unknown-key",
                    f"unknown key {key!a}",
                    hint=f"known keys: {', '.join(sorted(known))}",
                )

    def value(self, wanted: Declared, value: object, field: str, default: Any) -> Any:  # noqa: ANN401 - of the declared type
        """Return a value as it is declared; `default` for null and what is wrong."""
        if wanted.is_list:
            return self.tags(value, field, default)
        if wanted.kind is bool:
            return self.boolean(value, field, default=default)
        if wanted.kind is int:
            return self.integer(value, field, default, least=wanted.says.least)
        text = self.text(value, field)
        if text is not None and wanted.words and text not in wanted.words:
            known = ", ".join(wanted.words)
            self.add(SHAPE, field, "unsupported", f"{text!a} is not one of {known}")
        return text

    def text(self, value: object, field: str) -> str | None:
        """Return the trimmed text; None for null, blanks and what is wrong."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.add(SHAPE, field, "type", f"must be a string, is {kind_of(value)}")
            return None
        trimmed = value.strip()
        if not trimmed.isprintable():
            self.add(SHAPE, field, "unprintable", f"{trimmed!a} holds control characters")
            return None
        return trimmed or None

    def integer(self, value: object, field: str, default: int, *, least: int = -MAX_INTEGER) -> int:
        """Return the integer; `default` for null and what is wrong."""
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer() and abs(value) > MAX_INTEGER:
            # More digits than an integer has room for are read as a float.
            self.add(SHAPE, field, "range", f"must be from {least} to {MAX_INTEGER}")
            return default
        # bool is a subclass of int: `"priority": true` must not mean 1.
        if isinstance(value, bool) or not isinstance(value, int):
            self.add(SHAPE, field, "type", f"must be an integer, is {kind_of(value)}")
            return default
        if not least <= value <= MAX_INTEGER:
            self.add(SHAPE, field, "range", f"must be from {least} to {MAX_INTEGER}")
            return default
        return value

    def boolean(self, value: object, field: str, *, default: bool) -> bool:
        """Return the boolean; `default` for null and what is wrong."""
        if value is None:
            return default
        if not isinstance(value, bool):
            self.add(SHAPE, field, "type", f"must be true or false, is {kind_of(value)}")
            return default
        return value

    def tags(self, value: object, field: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the tags trimmed, lower-case, each once, in order."""
        if value is None:
            return default
        if not isinstance(value, list):
            self.add(SHAPE, field, "type", f"must be an array of strings, is {kind_of(value)}")
            return default
        found = set()
        for index, item in enumerate(value):
            place = f"{field}[{index}]"
            if item is None:
                self.add(SHAPE, place, "type", "must be a string, is null")
            else:
                found.add((self.text(item, place) or "").lower())
        return tuple(sorted(found - {""}))


def kind_of(value: object) -> str:
    """Return what JSON calls a value."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "an array" if isinstance(value, list) else "an object")
