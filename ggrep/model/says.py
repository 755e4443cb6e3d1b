"""How a request's field is declared to callers: its place in the JSON, its bounds, its help.

It stands in the field's annotation, beside its type. Readers of bodies, JSON Schemas and the
arguments of tools come from there (`surfaces.shape`), those of messages between processes
(`wire.reading`), and help and bounds of the command line's options (`cli.flags`).
"""

from types import NoneType, UnionType
from typing import Annotated, Any, Final, NamedTuple, Union, get_args, get_origin

from msgspec import Struct

MAX_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON reader takes for what it is."""
MOST_ITEMS: Final = 2**31 - 1
"""Largest number of anything that may be asked for; what it comes to is judged elsewhere."""
MOST_BYTES: Final = 2**50
MOST_COUNT: Final = 2**53
"""Largest figure of a collection."""
MOST_MS: Final = 3_600_000
"""Longest deadline."""
MOST_QUERY_BYTES: Final = 64 * 1024
MOST_PATH_BYTES: Final = 4096
"""Longest path that the kernel takes."""
MOST_SCOPE_BYTES: Final = 16 * MOST_PATH_BYTES
"""Of several paths."""
MOST_CANDIDATES: Final = 10_000
"""Most rows of one list."""
MOST_FILTERS: Final = 256


class Says(Struct, frozen=True):
    """About one field.

    Attributes:
        place: where its value stands in a body: keys, outermost first, with dots between them.
        text: its description.
        also: other places of the same value; only one of them may be given.
        least: smallest number, or fewest items; `most` the largest, or the most.
        words: of a text, the values that it may have; empty for any.
    """

    place: str
    text: str
    also: tuple[str, ...] = ()
    least: int = 0
    most: int = MAX_INTEGER
    words: tuple[str, ...] = ()


class Sent(NamedTuple):
    """How much of a field's value a message may carry, where what it says does not tell.

    Who sends one is the daemon's own user, and may ask for more than callers from elsewhere.

    Attributes:
        most: largest number; most bytes of a text, items of an array, fields of an object.
        least: smallest number; fewest characters of a text.
        each: bounds of each item, or of the bytes of each.
        form: of a text: an absolute path, or one whose characters can all be seen and are what
            counts, or one that no message quotes.
        keys: of pairs, which are an object in the message: what their names match whole.
    """

    most: int
    least: int = 0
    each: tuple[int, int] = (0, 0)
    form: str = ""
    keys: str = ""


def said_of(hint: Any) -> tuple[Says | None, Any]:  # noqa: ANN401 - any annotation
    """Return what is said in an annotation, and its type without None."""
    said = None
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        said = next((note for note in notes if isinstance(note, Says)), None)
    if get_origin(hint) in {Union, UnionType}:
        (hint,) = (one for one in get_args(hint) if one is not NoneType)
    return said, hint
