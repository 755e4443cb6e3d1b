"""Whether files stand in the section of a slate that they belong to: fixtures/sections.

The questions are those of fixtures/places. The files of their places are those in which the answer
stands in code, but for what fixtures/sections says is no code. What it says is no document, or no
test, may stand in no such section of any slate.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.interfaces.evaluation.check_file import expected_paths, matches
from ggrep.interfaces.evaluation.toml_file import Table, read_toml
from ggrep.interfaces.evaluation.visible_lines import ShownFile, ShownSlate
from ggrep.model.slate import Section
from training.slates.places import PlaceCase
from training.slates.suite import SLATE_SUITE_VERSION

SECTIONS_FILE: Final = Path(__file__).resolve().parents[2] / "fixtures" / "sections" / "files.toml"

_FILES: Final = ("no_code", "no_documents", "no_tests")


class NotIn(Struct, frozen=True):
    """Of one repository, globs of files that belong to no such section."""

    code: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


class SectionFigures(Struct, frozen=True):
    """Where files of some slates stand, counted over their questions.

    Attributes:
        answers: files in which an answer stands in code; `named` those that the slate names.
        in_code: of these, those that stand under code; `missed` names the others.
        documents: files shown as documents.
        no_documents: files shown as documents, or as tests, that are none.
    """

    questions: int
    answers: int
    named: int
    in_code: int
    missed: tuple[str, ...]
    documents: int
    no_documents: tuple[str, ...]


def read_not_in(path: Path = SECTIONS_FILE) -> dict[str, NotIn]:
    """Return what a file says of each repository.

    Raises:
        UsageError: the file is wrong.
    """
    file = read_toml(path)
    file.top(("repositories",), SLATE_SUITE_VERSION)
    return {table.text("name"): _not_in(table) for table in file.tables("repositories")}


def _not_in(table: Table) -> NotIn:
    table.only(("name", *_FILES))
    code, documents, tests = (expected_paths(table, key) for key in _FILES)
    return NotIn(code, documents, tests)


def section_figures(
    slates: Sequence[tuple[PlaceCase, ShownSlate]], rules: dict[str, NotIn]
) -> SectionFigures:
    """Return where the files of slates stand, each beside its question."""
    answers = named = in_code = documents = 0
    missed: list[str] = []
    wrong: list[str] = []
    for case, slate in slates:
        rule = rules.get(case.repo, NotIn())
        wanted = sorted(set(_answering(case, rule)))
        answers += len(wanted)
        for file in (each for path in wanted if (each := slate.file(path)) is not None):
            named += 1
            if Section.CODE.value in file.sections:
                in_code += 1
            else:
                missed.append(f"{case.id} {file.path}: {', '.join(file.sections)}")
        documents += sum(Section.DOCS.value in each.sections for each in slate.files)
        wrong += [f"{case.id} {path}" for path in _misfiled(slate.files, rule)]
    return SectionFigures(
        len(slates), answers, named, in_code, tuple(missed), documents, tuple(wrong)
    )


def _answering(case: PlaceCase, rule: NotIn) -> Iterator[str]:
    for choice in case.wanted:
        for place in choice:
            if not any(matches(glob, place.path) for glob in rule.code):
                yield place.path


def _misfiled(files: Iterable[ShownFile], rule: NotIn) -> Iterator[str]:
    closed = ((Section.DOCS, rule.documents), (Section.TESTS, rule.tests))
    for file in files:
        for section, globs in closed:
            if section.value in file.sections and any(matches(glob, file.path) for glob in globs):
                yield f"{file.path}: {section.value}"
