"""Declarations of request fields and of keys in configuration files: types, bounds, help texts."""

from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

MAX_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON parser represents exactly."""
MOST_ITEMS: Final = 2**31 - 1
"""Maximum of numbers in a request; other code checks narrower bounds."""
MOST_BYTES: Final = 2**50
MOST_COUNT: Final = 2**53
"""Largest count in collection statistics."""
MOST_MS: Final = 3_600_000
"""Longest timeout in milliseconds."""
MOST_QUERY_BYTES: Final = 64 * 1024
MOST_PATH_BYTES: Final = 4096
"""Longest path that the kernel accepts."""
MOST_SCOPE_BYTES: Final = 16 * MOST_PATH_BYTES
"""Longest text of several paths."""
MOST_CANDIDATES: Final = 10_000
"""Maximum number of rows of a list."""
MOST_FILTERS: Final = 256


class Field(Struct, frozen=True):
    """The declaration of a request's field, for parsers, schemas, tool arguments and options.

    Attributes:
        place: location of the value in a request body: keys separated by dots, outermost first.
        also: alternative locations of the value; a request may use only one location.
        least: minimum value or number of items; `most` is the maximum.
        words: the allowed values of a text; empty if all are allowed.
    """

    place: str
    text: str
    also: tuple[str, ...] = ()
    least: int = 0
    most: int = MAX_INTEGER
    words: tuple[str, ...] = ()


class WireBounds(NamedTuple):
    """Bounds of a field's value in a message to a daemon; they take precedence over `Field`.

    Messages come from the user who runs the daemon, so these bounds are wider than those for other
    callers.

    Attributes:
        most: maximum value, bytes of a text, items of an array, or fields of an object.
        least: minimum value or number of characters.
        each: bounds of each item, or of the number of bytes of an item that is a text.
        form: form of a text: `path` (absolute), `shown` (only visible characters) or `secret`
            (never quoted).
        keys: pattern of keys, for pairs that are an object in the message.
    """

    most: int
    least: int = 0
    each: tuple[int, int] = (0, 0)
    form: str = ""
    keys: str = ""


def field_of(hint: Any) -> tuple[Field | None, Any]:  # noqa: ANN401 - any annotation
    """Return the Field of an annotation, and the annotated type without None."""
    field = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        field = next((note for note in notes if isinstance(note, Field)), None)
    if get_origin(hint) in {Union, UnionType}:
        (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
    return field, get_args(hint)[0] if get_origin(hint) is Annotated else hint


MOST_LIST_ITEMS: Final = 256
"""Maximum number of strings in a list."""
ANYBODY: Final = "u e r"
"""Sources of a setting that users and repositories can set; a repository can only narrow it."""


class Key(NamedTuple):
    """The declaration of a key in a configuration file.

    Attributes:
        least: minimum value or number of items; `most` is the maximum. A `most` of 0 means no
            bound, except in settings.
        words: the allowed values of a text or of each item; empty if all are allowed.
        pattern: a regular expression that a text or each item must match; `misfit` is the error
            message.
        key: name of the key in the file; empty for the field's name.
        who: sources of a setting: `u` for the user's file, `e` for a variable, `r` for the
            repository's file; or the name of a table in the repository's file that the setting is
            computed from.
        of_root: whether the user's file can set the key for a single root.
        shapes_index: whether another value selects another store.
        budget: whether the key bounds the size of answers; a request can then override the value.
        narrow: the more restrictive value of a switch.
    """

    text: str
    least: int = 0
    most: int = 0
    words: tuple[str, ...] = ()
    pattern: str = ""
    misfit: str = ""
    key: str = ""
    who: str = "u e"
    of_root: bool = False
    shapes_index: bool = False
    budget: bool = False
    narrow: bool = False

    def is_set_by(self, who: str) -> bool:
        """Return whether a source, given as letter or table, can set the key."""
        return who in self.who.split()


class DeclaredKey(NamedTuple):
    """A key of a table, with its declaration.

    Attributes:
        name: name of the field for the value.
        kind: type of the value without None; a Struct for a table.
        default: default value; `NODEFAULT` for a required key.
    """

    name: str
    kind: Any
    says: Key
    default: Any = NODEFAULT

    @property
    def key(self) -> str:
        """Return the name of the key in files."""
        return self.says.key or self.name

    @property
    def words(self) -> tuple[str, ...]:
        """Return the allowed values of the key, or of its items; empty if all are allowed."""
        if self.says.words or not (isinstance(self.kind, type) and issubclass(self.kind, Enum)):
            return self.says.words
        return tuple(member.value for member in self.kind)

    @property
    def is_list(self) -> bool:
        """Return whether the key has a list of values."""
        return get_origin(self.kind) is tuple

    @property
    def is_table(self) -> bool:
        """Return whether the value is a table, which a Struct declares."""
        return isinstance(self.kind, type) and issubclass(self.kind, Struct)


@cache
def declared_keys(kind: Any) -> Mapping[str, DeclaredKey]:  # noqa: ANN401 - a Struct
    """Return the declared keys of a Struct by name; fields without a Key are omitted."""
    keys = (_declared_key(each.name, each.type, each.default) for each in fields(kind))
    return {key.key: key for key in keys if key is not None}


def _declared_key(name: str, hint: Any, default: object) -> DeclaredKey | None:  # noqa: ANN401 - as above
    notes = getattr(hint, "__metadata__", ())
    if not notes or not isinstance(notes[0], Key):
        return None
    kind = hint.__origin__
    if isinstance(kind, UnionType):
        (kind,) = (each for each in get_args(kind) if each is not NoneType)
    return DeclaredKey(name, kind, notes[0], default)
