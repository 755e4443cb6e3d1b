"""What slates show of the places that answer a question: the suite of fixtures/places.

    python3 dev.py quality --places FOLDER              the tables, for docs/quality.md
    python3 dev.py quality --places FOLDER --developed  without the repositories held out
    python3 dev.py quality --places FOLDER --missed     also what repositories developed on hide

Repositories are laid out as those of fixtures/slates are.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SlateRequest
from training.slates.measuring import opened
from training.slates.places import (
    PlaceCase,
    PlaceSuite,
    Seen,
    Shown,
    lines_of,
    ranges_of,
    read_place_suite,
    seen,
)

SUITES: Final = Path(__file__).resolve().parents[2] / "fixtures" / "places"

BUDGETS: Final = (0, 16_384, 6_144)
"""Bytes that a slate of level 1 may take; 0 for what it takes unless told."""


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """What came of a question: by budget, in the order of `BUDGETS`."""

    case: PlaceCase
    shown: tuple[Shown, ...]
    seen: tuple[Seen, ...]


def place_suite() -> PlaceSuite:
    """Return the suite that lies in the repository."""
    return read_place_suite(sorted(SUITES.glob("*.toml")))


def ask_places(folder: Path, *, held_out: bool) -> tuple[PlaceAnswer, ...]:
    """Return what came of the repositories that are held out, or of those that are not."""
    suite = place_suite()
    answers: list[PlaceAnswer] = []
    for repository in suite.repositories:
        if repository.held_out is not held_out:
            continue
        engine = opened(folder, repository)
        sys.stderr.write(f"{repository.name}: {engine.sync().chunks:,} chunks\n")
        for case in suite.cases:
            if case.repo == repository.name:
                search = SearchRequest(case.query, deterministic=True)
                slates = [
                    engine.slate(SlateRequest(search, budgets=Budgets(size))).slate
                    for size in BUDGETS
                ]
                shown = tuple(map(lines_of, slates))
                judged = tuple(
                    seen(case, lines, ranges_of(slate), slate.total_bytes)
                    for lines, slate in zip(shown, slates, strict=True)
                )
                answers.append(PlaceAnswer(case, shown, judged))
    return tuple(answers)


def hidden(answers: Sequence[PlaceAnswer]) -> Iterator[str]:
    """Yield every place that the largest slate does not show."""
    for answer in answers:
        for choice in answer.case.wanted:
            if not any(place.is_visible(answer.shown[0]) for place in choice):
                named = any(place.path in answer.shown[0] for place in choice)
                places = " or ".join(f"{each.path}:{each.first}-{each.last}" for each in choice)
                yield f"{answer.case.id} {'lines' if named else 'file'}: {places}"
