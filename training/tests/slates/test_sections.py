"""Where files of slates stand: what answers in code under code, and no list among documents."""

from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.visible_lines import LineRange, ShownFile, ShownSlate
from training.slates.places import PlaceCase
from training.slates.sections import NotIn, read_not_in, section_figures
from training.slates.visible import place_suite

CASE = PlaceCase(
    "1",
    "shop",
    "?",
    ((LineRange("a.py", 1, 2), LineRange("b.py", 1, 2)), (LineRange("META/x", 1, 1),)),
)


def file(path: str, *sections: str) -> ShownFile:
    return ShownFile(path, sections, (), ())


def test_files_that_answer_are_counted_where_they_stand() -> None:
    """Once each; what is no code owes nothing, and what is not named is counted apart."""
    slate = ShownSlate(
        (file("a.py", "config"), file("po/de.po", "docs"), file("d.md", "docs"), file("META/x")), 9
    )
    rules = {"shop": NotIn(code=("META/**",), documents=("po/*",), tests=("d.md",))}
    found = section_figures([(CASE, slate)], rules)

    assert (found.questions, found.answers, found.named, found.in_code) == (1, 2, 1, 0)
    assert found.missed == ("1 a.py: config",)
    assert (found.documents, found.no_documents) == (2, ("1 po/de.po: docs",))


def test_a_document_among_tests_is_misfiled() -> None:
    slate = ShownSlate((file("a.py", "code", "config"), file("d.md", "tests")), 9)
    found = section_figures([(CASE, slate)], {"shop": NotIn(tests=("*.md",))})

    assert (found.in_code, found.missed, found.no_documents) == (1, (), ("1 d.md: tests",))


def test_what_is_no_glob_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "files.toml"
    path.write_text('version = 1\n[[repositories]]\nname = "a"\nno_documents = ["docs/"]\n')

    with pytest.raises(UsageError, match="is a directory; use files"):
        read_not_in(path)


def test_the_file_of_the_repository_speaks_of_repositories_with_questions() -> None:
    """Thirty questions at least, over repositories that are there."""
    suite = place_suite()
    rules = read_not_in()

    assert set(rules) <= {each.name for each in suite.repositories}
    assert len(suite.cases) >= 30
