"""One question's slates held against what its sections owe.

Coverage is strict: a file that a section owes has to stand in that very section. Beside it stands
whether one is anywhere in the slate, where whoever reads all of it finds it too.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from ggrep.model.slate import Section
from training.slates.asking import Shown, SlateAnswer

MORE_CALLS: Final = 3
"""What a question counts as that two calls do not cover."""


class SectionResult(Struct, frozen=True):
    """One section of one question that owes files.

    Attributes:
        shown: files that the section shows.
        owed: of those, the ones that it owes.
    """

    repo: str
    section: Section
    covered: bool
    anywhere: bool
    shown: int
    owed: int


def section_results(answer: SlateAnswer) -> tuple[SectionResult, ...]:
    """Return what the first slate holds of each section that owes files."""
    found = dict(answer.first)
    everything = _everything(answer.first)
    return tuple(
        SectionResult(
            repo=answer.case.repo,
            section=section,
            covered=bool(owed := set(paths).intersection(found.get(section, ()))),
            anywhere=not everything.isdisjoint(paths),
            shown=len(found.get(section, ())),
            owed=len(owed),
        )
        for section, paths in answer.case.wanted
    )


def calls_to_slate(answer: SlateAnswer, *, anywhere: bool = False) -> int:
    """Return how many calls cover every section of the case; `MORE_CALLS` for more than two."""
    missing = [
        (section, paths)
        for section, paths in answer.case.wanted
        if not _holds(answer.first, section, paths, anywhere=anywhere)
    ]
    if not missing:
        return 1
    further = (
        _holds(answer.second, section, paths, anywhere=anywhere) for section, paths in missing
    )
    return 2 if all(further) else MORE_CALLS


def _holds(found: Shown, section: Section, paths: Iterable[str], *, anywhere: bool) -> bool:
    there = _everything(found) if anywhere else frozenset(dict(found).get(section, ()))
    return not there.isdisjoint(paths)


def _everything(found: Shown) -> frozenset[str]:
    return frozenset(path for _, paths in found for path in paths)
