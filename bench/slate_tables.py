"""Measured slates as the Markdown tables of docs/quality.md."""

from collections.abc import Callable

from bench.quality_tables import bounds_cell, mean_cell, section
from ggrep.model.evaluation import Mean
from training.slates.figures import Coverage
from training.slates.measuring import Measured

HEAD = (
    "slate sections",
    "number",
    "share covered",
    "95 % interval",
    "covered anywhere",
    "share of files expected",
)


def slates(developed: Measured, held_out: Measured | None) -> str:
    """Return all tables; those of the repositories held out only where they were measured."""
    parts = [_covered(developed)]
    if held_out is not None:
        parts.append(_held_out(held_out))
    parts += [_calls(developed, held_out), _bytes(developed, held_out)]
    return "\n".join(parts)


def _covered(suite: Measured) -> str:
    figures = suite.figures
    rows = _sections(suite)
    rows += [_coverage(f"repository {name}", each) for name, each in figures.by_repo]
    return section(
        "Slates",
        f"The table has the results of {figures.cases} questions about the "
        f"{len(figures.by_repo)} development repositories, with default settings and level 1. Each "
        "question lists expected files for some sections, and a section is covered if it shows one "
        "of its expected files. *Covered anywhere* also accepts an expected file that another "
        "section shows. The share of files expected is a lower bound, because the suite does not "
        "list every useful file.",
        HEAD,
        rows,
    )


def _held_out(suite: Measured) -> str:
    figures = suite.figures
    return section(
        "Slates of other repositories",
        f"The table has the same figures for {figures.cases} questions about "
        f"{len(figures.by_repo)} held-out repositories. There are too few repositories for "
        "intervals.",
        HEAD,
        _sections(suite),
    )


def _calls(developed: Measured, held_out: Measured | None) -> str:
    measures: tuple[tuple[str, Callable[[Measured], Mean]], ...] = (
        (
            "one call covers all sections (share of questions)",
            lambda suite: suite.figures.calls.within_one,
        ),
        (
            "two calls cover all sections (share of questions)",
            lambda suite: suite.figures.calls.within_two,
        ),
        ("calls until all sections are covered, mean", lambda suite: suite.figures.calls.mean),
        (
            "one call covers all sections anywhere (share of questions)",
            lambda suite: suite.figures.anywhere_calls.within_one,
        ),
        (
            "two calls cover all sections anywhere (share of questions)",
            lambda suite: suite.figures.anywhere_calls.within_two,
        ),
        (
            "calls until all sections are covered anywhere, mean",
            lambda suite: suite.figures.anywhere_calls.mean,
        ),
        (
            "answerable questions whose answers are doubted (share)",
            lambda suite: suite.figures.doubted,
        ),
        ("unanswerable questions with a warning (share)", lambda suite: suite.doubt.warned),
        ("unanswerable questions answered with `none` (share)", lambda suite: suite.doubt.none),
        ("files shown for an unanswerable question, mean", lambda suite: suite.doubt.files),
    )
    others = [] if held_out is None else [held_out]
    rows = [
        (
            name,
            mean_cell(read(developed).value),
            bounds_cell(read(developed).interval),
            *(mean_cell(read(suite).value) for suite in others),
        )
        for name, read in measures
    ]
    return section(
        "Calls and doubt",
        "The second call repeats the question in the same session, without the files already "
        "shown. In a mean, more than 2 calls count as 3. The table includes "
        f"{_questions(developed, held_out)} without an answer.",
        (
            "measure",
            "development repositories",
            "95 % interval",
            *("held-out repositories" for _ in others),
        ),
        rows,
    )


def _bytes(developed: Measured, held_out: Measured | None) -> str:
    parts = [developed] if held_out is None else [developed, held_out]
    cases = sum(part.figures.cases for part in parts)
    same = sum(part.figures.same_selection for part in parts)
    again = sum(part.figures.repeated for part in parts)
    rows = [
        (
            str(levels[0].level),
            *(f"{each:,}" for level in levels for each in (level.median, level.most)),
        )
        for levels in zip(*(part.figures.levels for part in parts), strict=True)
    ]
    return section(
        "Bytes of slates",
        "The table has the sizes of the canonical JSON, including the graph. The files are the "
        f"same at all levels for {same} of {cases} questions. After the store is reopened, {again} "
        f"of {cases} answers have the same bytes.",
        (
            "level",
            "bytes, median",
            "bytes, maximum",
            *("held-out: bytes, median", "held-out: bytes, maximum")[: 2 * len(parts) - 2],
        ),
        rows,
    )


def _questions(developed: Measured, held_out: Measured | None) -> str:
    number = developed.doubt.questions + (held_out.doubt.questions if held_out else 0)
    return f"{number} questions"


def _sections(suite: Measured) -> list[tuple[str, ...]]:
    figures = suite.figures
    return [
        _coverage("all sections", figures.overall),
        *(_coverage(f"section `{name.value}`", each) for name, each in figures.by_section),
    ]


def _coverage(name: str, coverage: Coverage) -> tuple[str, ...]:
    return (
        name,
        str(coverage.sections),
        mean_cell(coverage.covered.value),
        bounds_cell(coverage.covered.interval),
        mean_cell(coverage.anywhere.value),
        mean_cell(coverage.precision.value),
    )
