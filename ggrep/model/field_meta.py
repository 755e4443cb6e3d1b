"""Declarations of request fields and of keys in files that people write: types, bounds, help."""

from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

MAX_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON reader keeps exact."""
MOST_ITEMS: Final = 2**31 - 1
"""Largest number in a request; narrower bounds are checked elsewhere."""
MOST_BYTES: Final = 2**50
MOST_COUNT: Final = 2**53
"""Largest figure of a collection."""
MOST_MS: Final = 3_600_000
"""Longest deadline."""
MOST_QUERY_BYTES: Final = 64 * 1024
MOST_PATH_BYTES: Final = 4096
"""Longest path that the kernel takes."""
MOST_SCOPE_BYTES: Final = 16 * MOST_PATH_BYTES
"""Longest text of several paths."""
MOST_CANDIDATES: Final = 10_000
"""Most rows of one list."""
MOST_FILTERS: Final = 256


class Field(Struct, frozen=True):
    """The declaration of a request's field: readers, schemas, tool arguments and options use it.

    Attributes:
        place: place of its value in a body: keys, outermost first, separated by dots.
        also: other places of the same value; only one of them may be given.
        least: smallest number, or fewest items; `most` is the largest, or the most.
        words: the possible values of a text; empty for any.
    """

    place: str
    text: str
    also: tuple[str, ...] = ()
    least: int = 0
    most: int = MAX_INTEGER
    words: tuple[str, ...] = ()


class WireBounds(NamedTuple):
    """Bounds of a field's value in a message, where its Field has no others.

    Messages come from the daemon's own user, whose bounds are wider than those of other callers.

    Attributes:
        most: largest number; most bytes of a text, items of an array, fields of an object.
        least: smallest number; fewest characters of a text.
        each: bounds of each item, or of the bytes of each.
        form: form of a text: `path` (absolute), `shown` (only visible characters) or `secret`
            (never quoted).
        keys: pattern of the names of pairs, which are an object in the message.
    """

    most: int
    least: int = 0
    each: tuple[int, int] = (0, 0)
    form: str = ""
    keys: str = ""


def field_of(hint: Any) -> tuple[Field | None, Any]:  # noqa: ANN401 - any annotation
    """Return the Field in an annotation, and the annotated type without None."""
    field = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        field = next((note for note in notes if isinstance(note, Field)), None)
    if get_origin(hint) in {Union, UnionType}:
        (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
    return field, get_args(hint)[0] if get_origin(hint) is Annotated else hint


MOST_LIST_ITEMS: Final = 256
"""Most strings of one list."""
ANYBODY: Final = "u e r"
"""Sources of a setting: users and repositories; a repository may only narrow it."""


class Key(NamedTuple):
    """The declaration of one key of a file.

    Attributes:
        least: smallest number, or fewest items of a list; `most` is the largest, or the most; a
            `most` of 0 is no bound, except in settings.
        words: the possible values of a text or of each item; empty for any.
        pattern: matches a text or each item; `misfit` is the message if it does not.
        key: its name in the file; empty for the field's name.
        who: sources of a setting: `u` the user's file, `e` a variable, `r` the repository's file;
            or the table of the repository's file that it is made of.
        of_root: the user's file may set it for a single root.
        shapes_index: another value makes another store.
        budget: it bounds answers; callers may override it.
        narrow: value of a switch that allows less.
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
        """Return whether a source of settings, by its letter or table, may set it."""
        return who in self.who.split()


class DeclaredKey(NamedTuple):
    """A key of a table and its declaration.

    Attributes:
        name: name of the field that holds its value.
        kind: its type, without None; a Struct for a table.
        default: `NODEFAULT` for a required key.
    """

    name: str
    kind: Any
    says: Key
    default: Any = NODEFAULT

    @property
    def key(self) -> str:
        """Return its name in files."""
        return self.says.key or self.name

    @property
    def words(self) -> tuple[str, ...]:
        """Return its possible values, or those of each item; empty for any."""
        if self.says.words or not (isinstance(self.kind, type) and issubclass(self.kind, Enum)):
            return self.says.words
        return tuple(member.value for member in self.kind)

    @property
    def is_list(self) -> bool:
        """Return whether it holds several values."""
        return get_origin(self.kind) is tuple

    @property
    def is_table(self) -> bool:
        """Return whether it holds keys of its own, declared by a Struct."""
        return isinstance(self.kind, type) and issubclass(self.kind, Struct)


@cache
def declared_keys(kind: Any) -> Mapping[str, DeclaredKey]:  # noqa: ANN401 - a Struct
    """Return the declared keys of a Struct by name; fields without a Key are left out."""
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
