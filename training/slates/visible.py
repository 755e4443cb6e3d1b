"""What slates show of the places that answer a question: the suite of fixtures/places.

    python3 dev.py quality --places FOLDER              the tables, for docs/quality.md
    python3 dev.py quality --places FOLDER --developed  without the repositories held out
    python3 dev.py quality --places FOLDER --missed     also what repositories developed on hide

Repositories are laid out as those of fixtures/slates are.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.interfaces.evaluation.visible_lines import Seen, ShownSlate, seen, shown_slate
from ggrep.model.request import SearchRequest
from ggrep.model.slate import Budgets, SlateRequest
from training.slates.measuring import opened
from training.slates.places import PlaceCase, PlaceSuite, read_place_suite
from training.slates.sections import SectionFigures, read_not_in, section_figures

SUITES: Final = Path(__file__).resolve().parents[2] / "fixtures" / "places"

BUDGETS: Final = (0, 16_384, 6_144)
"""Bytes that a slate of level 1 may take; 0 for what it takes unless told."""


class PlaceAnswer(Struct, frozen=True):
    """What came of a question: by budget, in the order of `BUDGETS`."""

    case: PlaceCase
    shown: tuple[ShownSlate, ...]
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
                requests = [
                    SlateRequest(search, budgets=Budgets(size).for_agents()) for size in BUDGETS
                ]
                shown = tuple(shown_slate(engine.ask(request).slate) for request in requests)
                judged = tuple(seen(case.wanted, slate) for slate in shown)
                answers.append(PlaceAnswer(case, shown, judged))
    return tuple(answers)


def figures_of_sections(answers: Sequence[PlaceAnswer]) -> SectionFigures:
    """Return where the files of slates of 16,384 bytes stand."""
    at = BUDGETS.index(16_384)
    return section_figures([(each.case, each.shown[at]) for each in answers], read_not_in())


def hidden(answers: Sequence[PlaceAnswer]) -> Iterator[str]:
    """Yield every place that the largest slate does not show, and every file that is misfiled."""
    for answer in answers:
        largest = answer.shown[0]
        for choice in answer.case.wanted:
            if not largest.shows(choice):
                places = " or ".join(map(str, choice))
                yield f"{answer.case.id} {'lines' if largest.names(choice) else 'file'}: {places}"
    found = figures_of_sections(answers)
    yield from (f"no code: {each}" for each in found.missed)
    yield from (f"misfiled: {each}" for each in found.no_documents)
