"""Keys of files that people write: their types, bounds, words and meaning.

It stands in the annotation of the Struct that holds the values, and nowhere else: readers, the
documentation's tables and the files' JSON Schemas are made of it or held against it.
"""

from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin

from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

MOST_ITEMS: Final = 256
"""Most strings of one list."""
ANYBODY: Final = "u e r"
"""Users and repositories alike; what a repository says may only narrow what stands."""


class Key(NamedTuple):
    """About the value of one key.

    Attributes:
        text: its description.
        least: smallest number, or fewest items of a list; `most` the largest, or the most; 0
            there for no bound, but of settings.
        words: of a text, or of each in a list, the values that it may have; empty for any.
        pattern: what a text, or each in a list, must match whole; `misfit` is said where it does
            not.
        key: what the file calls it; empty for the name of its field.
        who: of a setting: `u` the user's file, `e` a variable, `r` the repository's file; or the
            table of the latter that it is made of.
        of_root: the user's file may say the setting of a single root.
        shapes_index: another value makes another store.
        budget: it decides how much of an answer is shown; whoever asks may bring its own.
        narrow: of a switch, the value that allows less.
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
        """Tell whether somebody, by the letter or table, may set it."""
        return who in self.who.split()


class Declared(NamedTuple):
    """A key of a table, and what is declared of it.

    Attributes:
        name: of the field that holds its value.
        kind: its type, without None; a Struct for a table.
        default: `NODEFAULT` where it must be given.
    """

    name: str
    kind: Any
    says: Key
    default: Any = NODEFAULT

    @property
    def key(self) -> str:
        """Return what files call it."""
        return self.says.key or self.name

    @property
    def words(self) -> tuple[str, ...]:
        """Return the values that it, or each in it, may have; empty for any."""
        if self.says.words or not (isinstance(self.kind, type) and issubclass(self.kind, Enum)):
            return self.says.words
        return tuple(member.value for member in self.kind)

    @property
    def is_list(self) -> bool:
        """Tell whether it holds several values."""
        return get_origin(self.kind) is tuple

    @property
    def is_table(self) -> bool:
        """Tell whether it holds keys of its own, declared by a Struct."""
        return isinstance(self.kind, type) and issubclass(self.kind, Struct)


@cache
def declared(kind: Any) -> Mapping[str, Declared]:  # noqa: ANN401 - a Struct
    """Return what a Struct declares, by key; fields of which nothing is said are none."""
    found = (_declared(each.name, each.type, each.default) for each in fields(kind))
    return {one.key: one for one in found if one is not None}


def _declared(name: str, hint: Any, default: object) -> Declared | None:  # noqa: ANN401 - as above
    notes = getattr(hint, "__metadata__", ())
    if not notes or not isinstance(notes[0], Key):
        return None
    kind = hint.__origin__
    if isinstance(kind, UnionType):
        (kind,) = (one for one in get_args(kind) if one is not NoneType)
    return Declared(name, kind, notes[0], default)
