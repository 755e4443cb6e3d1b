"""Questions with the places that answer them, and which of those an answer shows.

A place is a range of lines that one must have read to answer. It is visible where the slate shows
at least half of them. Places were annotated by reading, before anything was tuned on them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from ggrep.interfaces.evaluation.toml_file import Table, read_toml
from ggrep.model.slate import Evidence, Slate
from ggrep.search.slate.uncommented import LEFT_OUT
from training.slates.suite import (
    NAMING,
    SLATE_SUITE_VERSION,
    SlateRepository,
    question_of,
    repository_of,
)

_PLACE: Final = re.compile(r"(?P<path>.+):(?P<first>\d+)-(?P<last>\d+)")

Shown: TypeAlias = Mapping[str, frozenset[int]]
"""Line numbers that an answer shows, by path; a file that is named alone has none."""


MOST_RANGE: Final = 80
"""Lines of a range that still tells a place; a longer one is half a file."""


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, from 1, the last included."""

    path: str
    first: int
    last: int

    def is_visible(self, shown: Shown) -> bool:
        """Return whether at least half of the lines are shown."""
        held = shown.get(self.path, frozenset()).intersection(range(self.first, self.last + 1))
        return 2 * len(held) >= self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class PlaceCase:
    """A question, and the places that one must see.

    Attributes:
        wanted: each a choice of places of which any one will do.
    """

    id: str
    repo: str
    query: str
    wanted: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True, slots=True)
class PlaceSuite:
    """Repositories, and questions to them in their order."""

    repositories: tuple[SlateRepository, ...]
    cases: tuple[PlaceCase, ...]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one answer shows of what it should.

    Attributes:
        places: share of the wanted places that are visible.
        told: share of those that a range of at most `MOST_RANGE` lines tells, shown or only named.
        files: share of the wanted files that are named at all.
        size: bytes of the answer.
    """

    places: float
    told: float
    files: float
    size: int


def read_place_suite(paths: Iterable[Path]) -> PlaceSuite:
    """Return the suite that some TOML files hold together.

    Raises:
        UsageError: a file is wrong.
    """
    parts = [_read(path) for path in paths]
    return PlaceSuite(
        tuple(each for part in parts for each in part.repositories),
        tuple(case for part in parts for case in part.cases),
    )


def lines_of(slate: Slate) -> dict[str, frozenset[int]]:
    """Return the lines that a slate shows of each of its files."""
    found: dict[str, frozenset[int]] = {}
    for _, packs in slate.sections:
        for pack in packs:
            lines = set(found.get(pack.path, ()))
            for piece in (*((pack.anchor,) if pack.anchor else ()), *pack.evidence):
                lines.update(_shown_lines(piece))
            found[pack.path] = frozenset(lines)
    return found


def _shown_lines(piece: Evidence) -> Iterator[int]:
    """Yield the numbers of the lines that a piece shows, without the comments it leaves out."""
    left_out = False
    for number, line in enumerate(piece.snippet.split("\n"), piece.snippet_start_line):
        left_out = line == LEFT_OUT or (left_out and not line)
        if piece.snippet and not left_out:
            yield number


def ranges_of(slate: Slate) -> dict[str, frozenset[int]]:
    """Return the lines of the ranges that a slate names: where its reader need only go."""
    found: dict[str, frozenset[int]] = {}
    for _, packs in slate.sections:
        for pack in packs:
            ranges = [range(piece.start_line, piece.end_line + 1) for piece in pack.evidence]
            lines = {line for one in ranges if len(one) <= MOST_RANGE for line in one}
            found[pack.path] = found.get(pack.path, frozenset()) | lines
    return found


def seen(case: PlaceCase, shown: Shown, ranges: Shown, size: int) -> Seen:
    """Return what an answer of so many bytes shows and names of a case."""
    visible = [any(place.is_visible(shown) for place in choice) for choice in case.wanted]
    told = [
        any(place.is_visible(shown) or place.is_visible(ranges) for place in choice)
        for choice in case.wanted
    ]
    named = [any(place.path in shown for place in choice) for choice in case.wanted]
    return Seen(_share(visible), _share(told), _share(named), size)


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held)


def _read(path: Path) -> PlaceSuite:
    file = read_toml(path)
    file.top(("repositories", "cases"), SLATE_SUITE_VERSION)
    repositories = tuple(repository_of(table) for table in file.tables("repositories"))
    names = frozenset(each.name for each in repositories)
    cases = tuple(_case(table, names) for table in file.tables("cases"))
    return PlaceSuite(repositories, cases)


def _case(table: Table, names: frozenset[str]) -> PlaceCase:
    table.only((*NAMING, "places"))
    name, repo, query = question_of(table, names)
    choices = table.data.get("places")
    if not isinstance(choices, list) or not choices or [] in choices:
        table.fail("places must be a list that says something", "places")
    wanted = tuple(
        tuple(_place(table, each) for each in (choice if isinstance(choice, list) else [choice]))
        for choice in choices
    )
    return PlaceCase(name, repo, query, wanted)


def _place(table: Table, said: object) -> Place:
    match = _PLACE.fullmatch(said) if isinstance(said, str) else None
    if match is None or not 1 <= int(match["first"]) <= int(match["last"]):
        table.fail(f"{said!r} is no place such as src/lock.c:120-127", "places")
    return Place(match["path"], int(match["first"]), int(match["last"]))
