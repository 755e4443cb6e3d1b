"""Repositories of the suite are laid out whole; the tables say what was measured."""

import io
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest

from bench.slate_latency import STAGES
from bench.slate_tables import slates
from ggrep.base.errors import UsageError
from ggrep.model.confidence import Confidence
from ggrep.model.slate import Section
from training.slates.asking import OutOfDomainAnswer, SlateAnswer
from training.slates.figures import doubt_figures, slate_figures
from training.slates.measuring import Measured, laid_out, missed
from training.slates.suite import OutOfDomain, SlateCase, SlateRepository, SlateSuite

CASE = SlateCase("shop-01", "shop", "how?", ((Section.CODE, ("pay.py",)),))


def archived(folder: Path, files: dict[str, str]) -> SlateRepository:
    """Return a repository whose archive of these files was fetched already."""
    path = folder / "archives" / "pypi" / "shop-1.4.tar.gz"
    path.parent.mkdir(parents=True)
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    digest = sha256(path.read_bytes()).hexdigest()
    return SlateRepository(
        "shop", "pypi", "shop", "1.4", "sdist", "", digest, "MIT", ("python",), False
    )


def measured(*, held_out: bool) -> Measured:
    """Return what came of one case."""
    answers = (
        SlateAnswer(
            CASE,
            ((Section.CODE, ("cart.py",)), (Section.DOCS, ("pay.py",))),
            (),
            Confidence.STRONG,
            (7_001, 7_002, 7_003, 7_004) if held_out else (1_001, 1_002, 1_003, 1_004),
            True,
            True,
        ),
    )
    told = [OutOfDomainAnswer(OutOfDomain("o", "shop", "why?"), Confidence.NONE, True, 0)]
    suite = SlateSuite((), (CASE,), ())
    return Measured(suite, answers, slate_figures(answers), doubt_figures(told))


def test_a_repository_is_laid_out_whole(tmp_path: Path) -> None:
    """Its documents and dot files belong to the answer as its sources do."""
    repository = archived(tmp_path, {"shop-1.4/src/pay.py": "1\n", "shop-1.4/.ci.yml": "on: 1\n"})
    root = laid_out(tmp_path, repository)

    found = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    assert found == [".ci.yml", "src/pay.py"]
    assert laid_out(tmp_path, repository) == root


def test_an_archive_without_a_folder_of_its_own_is_laid_out_too(tmp_path: Path) -> None:
    """Not everybody wraps their files."""
    root = laid_out(tmp_path, archived(tmp_path, {"pay.py": "1\n", "read.me": "2\n"}))

    assert sorted(path.name for path in root.iterdir()) == ["pay.py", "read.me"]


def test_a_file_that_leads_out_is_refused(tmp_path: Path) -> None:
    """An archive writes nothing outside of its folder, and is not half laid out."""
    repository = archived(tmp_path, {"shop-1.4/a.py": "1\n", "shop-1.4/../../../out.py": "2\n"})
    with pytest.raises(UsageError, match="cannot be unpacked"):
        laid_out(tmp_path, repository)

    assert list((tmp_path / "sources").iterdir()) == []
    assert not list(tmp_path.rglob("out.py"))


def test_the_tables_keep_the_held_out_apart() -> None:
    """What was tuned on says little; it must not lift the other's figures."""
    text = slates(measured(held_out=False), measured(held_out=True))

    assert "| 1 | 1,002 | 1,002 | 7,002 | 7,002 |" in text
    assert "| one call covers all sections (share of questions) | 0.000 |  | 0.000 |" in text
    assert "1 of 1 questions" not in text  # counts are of all: 2 of 2
    assert all(len(line) <= 105 for line in text.splitlines())


def test_the_tables_need_no_held_out_repository() -> None:
    """Whoever tunes looks at the others alone."""
    assert "held-out" not in slates(measured(held_out=False), None)


def test_what_is_missed_is_named_with_what_stood_there() -> None:
    """Only that says whether the ranking or the section was wrong."""
    lines = list(missed(measured(held_out=False).answers))

    assert lines == ["shop-01 code, elsewhere: owes pay.py; has cart.py"]


@pytest.mark.parametrize(("owner", "name"), [stage[1:] for stage in STAGES])
def test_the_stages_that_are_timed_are_there(owner: object, name: str) -> None:
    """A stage is a function that is replaced by name: one that is gone would end the benchmark."""
    assert callable(getattr(owner, name))
