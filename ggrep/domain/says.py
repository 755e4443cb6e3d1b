"""What a field of a request is to callers: where its value stands, its bounds, what it is for.

It stands in the field's annotation, beside its type. Readers of bodies, JSON Schemas and the
arguments of tools come from there (`ggrep.surfaces.shape`).
"""

from dataclasses import dataclass
from typing import Final

MAX_INTEGER: Final = 2**53 - 1
"""Largest integer that every JSON reader takes for what it is."""


@dataclass(frozen=True, slots=True)
class Says:
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
