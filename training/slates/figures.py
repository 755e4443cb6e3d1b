"""Figures of slates over many questions: what they cover, how much of it is owed, their bytes."""

from collections.abc import Callable, Sequence
from statistics import median

from msgspec import Struct

from ggrep.interfaces.evaluation.figures import mean_of
from ggrep.model.confidence import Confidence
from ggrep.model.evaluation import Mean
from ggrep.model.slate import SECTIONS, Section
from training.slates.asking import LEVELS, OutOfDomainAnswer, SlateAnswer
from training.slates.results import SectionResult, calls_to_slate, section_results


class Coverage(Struct, frozen=True):
    """How well sections hold what they owe.

    Attributes:
        sections: that owe files, over all questions.
        covered: share of them that show one of those files.
        anywhere: share of them of which one is somewhere in the slate.
        precision: share of the files shown in them that are owed.
    """

    sections: int
    covered: Mean
    anywhere: Mean
    precision: Mean


class Calls(Struct, frozen=True):
    """How many calls it takes until every section that owes files shows one.

    Attributes:
        mean: of 1, 2, or `MORE_CALLS` for all that take more.
        within_one: share of the questions that the first slate covers.
        within_two: share that one further call in its session covers.
    """

    mean: Mean
    within_one: Mean
    within_two: Mean


class LevelBytes(Struct, frozen=True):
    """Bytes of the slates of a level, as canonical JSON."""

    level: int
    median: int
    most: int


class SlateFigures(Struct, frozen=True):
    """The figures of some questions.

    Attributes:
        by_section: in the order of `SECTIONS`, those that owe files somewhere.
        by_repo: by name.
        anywhere_calls: counts what is somewhere in a slate as covered.
        doubted: share of the answers that are not strong.
        same_selection: questions whose levels show the same files.
        repeated: questions whose answers have the same bytes again.
    """

    cases: int
    overall: Coverage
    by_section: tuple[tuple[Section, Coverage], ...]
    by_repo: tuple[tuple[str, Coverage], ...]
    calls: Calls
    anywhere_calls: Calls
    levels: tuple[LevelBytes, ...]
    doubted: Mean
    same_selection: int
    repeated: int


class DoubtFigures(Struct, frozen=True):
    """What came of questions that cannot be answered.

    Attributes:
        none: share that was told that nothing fits.
        warned: share that was warned at all.
        files: shown on the mean.
    """

    questions: int
    none: Mean
    warned: Mean
    files: Mean


def slate_figures(answers: Sequence[SlateAnswer]) -> SlateFigures:
    """Return the figures of the answers."""
    results = [result for answer in answers for result in section_results(answer)]
    repos = sorted({answer.case.repo for answer in answers})
    return SlateFigures(
        cases=len(answers),
        overall=_coverage(results),
        by_section=tuple(
            (section, _coverage(found))
            for section in SECTIONS
            if (found := [result for result in results if result.section is section])
        ),
        by_repo=tuple(
            (repo, _coverage([result for result in results if result.repo == repo]))
            for repo in repos
        ),
        calls=_calls(answers, calls_to_slate),
        anywhere_calls=_calls(answers, lambda answer: calls_to_slate(answer, anywhere=True)),
        levels=_levels(answers),
        doubted=_share(answers, lambda answer: answer.confidence is not Confidence.STRONG),
        same_selection=sum(answer.same_selection for answer in answers),
        repeated=sum(answer.repeated for answer in answers),
    )


def doubt_figures(answers: Sequence[OutOfDomainAnswer]) -> DoubtFigures:
    """Return the figures of the answers to questions that have none."""
    repos = [answer.asked.repo for answer in answers]
    return DoubtFigures(
        questions=len(answers),
        none=mean_of([float(answer.confidence is Confidence.NONE) for answer in answers], repos),
        warned=mean_of([float(answer.warned) for answer in answers], repos),
        files=mean_of([float(answer.files) for answer in answers], repos),
    )


def _coverage(results: Sequence[SectionResult]) -> Coverage:
    repos = [result.repo for result in results]
    shown = [
        (1.0 if place < result.owed else 0.0, result.repo)
        for result in results
        for place in range(result.shown)
    ]
    return Coverage(
        sections=len(results),
        covered=mean_of([float(result.covered) for result in results], repos),
        anywhere=mean_of([float(result.anywhere) for result in results], repos),
        precision=mean_of([value for value, _ in shown], [repo for _, repo in shown]),
    )


def _calls(answers: Sequence[SlateAnswer], count: Callable[[SlateAnswer], int]) -> Calls:
    counts = [count(answer) for answer in answers]
    repos = [answer.case.repo for answer in answers]
    return Calls(
        mean=mean_of([float(number) for number in counts], repos),
        within_one=mean_of([float(number <= 1) for number in counts], repos),
        within_two=mean_of([float(number <= 2) for number in counts], repos),
    )


def _levels(answers: Sequence[SlateAnswer]) -> tuple[LevelBytes, ...]:
    if not answers:
        return ()
    sizes = {level: [answer.level_bytes[level] for answer in answers] for level in LEVELS}
    return tuple(
        LevelBytes(level, round(median(found)), max(found)) for level, found in sizes.items()
    )


def _share(answers: Sequence[SlateAnswer], holds: Callable[[SlateAnswer], bool]) -> Mean:
    values = [float(holds(answer)) for answer in answers]
    return mean_of(values, [answer.case.repo for answer in answers])
