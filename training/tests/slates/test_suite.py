"""Suites for slates: pinned repositories, and the files that their sections owe."""

from pathlib import Path

import pytest

from ggrep.base.errors import UsageError
from ggrep.model.slate import SECTIONS, Section
from training.slates.suite import SlateSuite, read_slate_suite

FOLDER = Path(__file__).resolve().parents[3] / "fixtures" / "slates"
SUITE = """\
version = 1

[[repositories]]
name = "shop"
registry = "pypi"
package = "shop-server"
release = "1.4"
kind = "sdist"
suite = ""
sha256 = "ab12"
licence = "MIT"
languages = ["python"]
held_out = true

[[cases]]
id = "shop-01"
repo = "shop"
query = "how is a card charged?"
tests = ["tests/test_pay.py"]
code = ["src/pay.py", "./src/card.py"]

[[out_of_domain]]
id = "shop-ood-1"
repo = "shop"
query = "how deep is the lake?"
"""


def written(folder: Path, text: str, name: str = "own.toml") -> Path:
    """Return the path of a suite of this text."""
    path = folder / name
    path.write_text(text)
    return path


def test_a_suite_is_read(tmp_path: Path) -> None:
    """Sections come in the slate's order and paths as slates name them, however written."""
    suite = read_slate_suite([written(tmp_path, SUITE)])

    assert (suite.repositories[0].package, suite.repositories[0].suite) == ("shop-server", "")
    assert suite.repositories[0].held_out
    assert suite.cases[0].wanted == (
        (Section.CODE, ("src/pay.py", "src/card.py")),
        (Section.TESTS, ("tests/test_pay.py",)),
    )
    assert suite.out_of_domain[0].query == "how deep is the lake?"


def test_a_part_has_the_questions_of_its_repositories(tmp_path: Path) -> None:
    """Repositories that nothing was tuned on are measured apart."""
    other = SUITE.replace("shop", "mill").replace("held_out = true", "held_out = false")
    files = [written(tmp_path, SUITE), written(tmp_path, other, "other.toml")]
    suite = read_slate_suite(files)

    part = suite.of(each for each in suite.repositories if not each.held_out)

    assert [each.name for each in part.repositories] == ["mill"]
    assert [case.id for case in part.cases] == ["mill-01"]
    assert [one.id for one in part.out_of_domain] == ["mill-ood-1"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('licence = "MIT"', 'license = "MIT"', "11: unknown key 'license'"),
        ('release = "1.4"\n', "", "3: there is no release"),
        ('code = ["src/', 'kode = ["src/', "20: unknown key 'kode'"),
        ('code = ["src/pay.py", "./src/card.py"]', "code = []", "20: code is an empty list"),
        ('"./src/card.py"', '"src/*.py"', "20: code: 'src/*.py' stands for many"),
        ('"./src/card.py"', '"./src/pay.py"', "20: code names a file twice"),
        ('"./src/card.py"', '"../card.py"', "20: code: '../card.py' leads out"),
        ('id = "shop-01"\nrepo = "shop"', 'id = "shop-01"\nrepo = "mill"', "no repository named"),
        ('query = "how deep', 'tests = "how deep', "25: unknown key 'tests'"),
        ("version = 1", "version = 2", "version must be 1"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    """A file that is misspelt would count as one that no slate ever shows."""
    assert old in SUITE
    with pytest.raises(UsageError) as refused:
        read_slate_suite([written(tmp_path, SUITE.replace(old, new))])

    assert said in str(refused.value)


def test_a_case_without_sections_is_refused(tmp_path: Path) -> None:
    """It would count as covered whatever came."""
    text = SUITE.replace('tests = ["tests/test_pay.py"]\n', "")
    text = text.replace('code = ["src/pay.py", "./src/card.py"]\n', "")
    with pytest.raises(UsageError, match="'shop-01' wants nothing"):
        read_slate_suite([written(tmp_path, text)])


def test_files_do_not_name_a_question_alike(tmp_path: Path) -> None:
    """What is said of one would be read as said of the other, also across kinds and files."""
    other = SUITE.replace('"shop"', '"mill"').replace("shop-ood-1", "mill-ood-1")
    files = [written(tmp_path, SUITE), written(tmp_path, other, "other.toml")]
    with pytest.raises(UsageError, match="two questions have the id 'shop-01'"):
        read_slate_suite(files)


def test_files_do_not_name_a_repository_alike(tmp_path: Path) -> None:
    """Its questions would be put to either."""
    files = [written(tmp_path, SUITE), written(tmp_path, SUITE, "other.toml")]
    with pytest.raises(UsageError, match="two repositories are named 'shop'"):
        read_slate_suite(files)


@pytest.fixture(scope="module")
def suite() -> SlateSuite:
    """Return the suite that slates are measured on."""
    return read_slate_suite(sorted(FOLDER.glob("*.toml")))


def test_the_suite_in_force_holds_enough(suite: SlateSuite) -> None:
    """Fewer repositories would prove nothing, and without held-out ones tuning would show."""
    asked = {case.repo for case in suite.cases}

    assert len(suite.repositories) == len(asked) >= 8
    assert sum(each.held_out for each in suite.repositories) >= 2
    assert {one.repo for one in suite.out_of_domain} == asked
    assert len(suite.cases) >= 56


def test_questions_of_the_suite_owe_more_than_code(suite: SlateSuite) -> None:
    """A slate is not a list of hits: each question reaches into several sections."""
    for case in suite.cases:
        sections = [section for section, _ in case.wanted]
        assert len(sections) >= 3, case.id
        assert sections == [section for section in SECTIONS if section in sections]


def test_repositories_of_the_suite_are_pinned(suite: SlateSuite) -> None:
    """Another archive of the same name would give other figures."""
    for each in suite.repositories:
        assert len(each.sha256) == 64, each.name
        assert int(each.sha256, 16), each.name
