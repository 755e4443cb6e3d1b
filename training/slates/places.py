"""Questions with the places that answer them, and the repositories that they are put to.

What a place is, and when it is visible: `ggrep.interfaces.evaluation.visible_lines`. Places were
annotated by reading, before anything was tuned on them.
"""

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from ggrep.interfaces.evaluation.question_toml import read_places
from ggrep.interfaces.evaluation.toml_file import Table, read_toml
from ggrep.interfaces.evaluation.visible_lines import Choice
from training.slates.suite import (
    NAMING,
    SLATE_SUITE_VERSION,
    SlateRepository,
    question_of,
    repository_of,
)


class PlaceCase(Struct, frozen=True):
    """A question, and the places that one must see.

    Attributes:
        wanted: each a choice of places of which any one will do.
    """

    id: str
    repo: str
    query: str
    wanted: tuple[Choice, ...]


class PlaceSuite(Struct, frozen=True):
    """Repositories, and questions to them in their order."""

    repositories: tuple[SlateRepository, ...]
    cases: tuple[PlaceCase, ...]


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
    wanted = read_places(table, "places")
    if not wanted:
        table.fail("the question has no places")
    return PlaceCase(name, repo, query, wanted)
