"""What slates show of what they should: the suite of fixtures/slates, asked of real repositories.

    python3 dev.py quality --slates FOLDER              the tables, for docs/quality.md
    python3 dev.py quality --slates FOLDER --developed  without the repositories held out
    python3 dev.py quality --slates FOLDER --missed     also what repositories developed on lack

Repositories are fetched into the folder by their registries' clients, held to their digests and
unpacked whole. Their indexes lie there too, made with the settings that everybody starts with.
"""

import sys
import tarfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.config.home import Home
from ggrep.search.engine.engine import Engine
from training.encoder.fetching import fetch
from training.encoder.packages import Package
from training.slates.asking import (
    OutOfDomainAnswer,
    SlateAnswer,
    ask_case,
    ask_out_of_domain,
)
from training.slates.figures import DoubtFigures, SlateFigures, doubt_figures, slate_figures
from training.slates.results import section_results
from training.slates.suite import SlateRepository, SlateSuite, read_slate_suite

SUITES = Path(__file__).resolve().parents[2] / "fixtures" / "slates"


class Measured(Struct, frozen=True):
    """Figures of some of the suite's repositories."""

    suite: SlateSuite
    answers: tuple[SlateAnswer, ...]
    figures: SlateFigures
    doubt: DoubtFigures


def suite() -> SlateSuite:
    """Return the suite that lies in the repository."""
    return read_slate_suite(sorted(SUITES.glob("*.toml")))


def measure(folder: Path, *, held_out: bool) -> Measured:
    """Return what came of the repositories that were held out, or of those that were not."""
    whole = suite()
    part = whole.of(each for each in whole.repositories if each.held_out is held_out)
    answers: list[SlateAnswer] = []
    unanswerable: list[OutOfDomainAnswer] = []
    for repository in part.repositories:
        asked = part.of([repository])
        engine, other = (opened(folder, repository) for _ in range(2))
        sys.stderr.write(f"{repository.name}: {engine.sync().chunks:,} chunks\n")
        answers += [ask_case(case, engine.ask, other.ask) for case in asked.cases]
        unanswerable += [ask_out_of_domain(one, engine.ask) for one in asked.out_of_domain]
    figures = slate_figures(answers)
    return Measured(part, tuple(answers), figures, doubt_figures(unanswerable))


def opened(folder: Path, repository: SlateRepository) -> Engine:
    """Return a repository of the suite, laid out in the folder; its index may be missing yet."""
    root = laid_out(folder, repository).resolve()
    return Engine(root, Home(folder.resolve() / ".ggrep-home"))


def laid_out(folder: Path, repository: SlateRepository) -> Path:
    """Return where a repository's files lie; they are fetched unless they are there.

    Raises:
        UsageError: its client has not got that release, or its archive has another digest or
            cannot be unpacked.
    """
    target = folder / "sources" / f"{repository.name}-{repository.release}"
    if not target.is_dir():
        archive = fetch(_package(repository), folder / "archives")
        target.parent.mkdir(parents=True, exist_ok=True)
        _unpack(archive, target)
    return target


def missed(answers: Sequence[SlateAnswer]) -> Iterator[str]:
    """Yield every section that shows nothing of what it owes, with both."""
    for answer in answers:
        wanted, found = dict(answer.case.wanted), dict(answer.first)
        for result in section_results(answer):
            if not result.covered:
                owed = ", ".join(wanted[result.section])
                there = ", ".join(found.get(result.section, ())) or "nothing"
                where = "elsewhere" if result.anywhere else "nowhere"
                yield f"{answer.case.id} {result.section.value}, {where}: owes {owed}; has {there}"


def _package(repository: SlateRepository) -> Package:
    return Package(
        registry=repository.registry,
        name=repository.package,
        version=repository.release,
        sha256=repository.sha256,
        licence=repository.licence,
        languages=repository.languages,
        suite=repository.suite,
        kind=repository.kind,
    )


def _unpack(archive: Path, target: Path) -> None:
    """Write an archive's files into a new folder; the one that wraps them all is left out.

    Raises:
        UsageError: it is damaged, or a member of it leads out of the folder.
    """
    with TemporaryDirectory(dir=target.parent) as scratch:
        tree = Path(scratch, "tree")
        try:
            with tarfile.open(archive) as tar:
                tar.extractall(tree, filter="data")
        except (OSError, EOFError, tarfile.TarError) as error:
            raise UsageError(f"{archive}: cannot be unpacked: {error}") from error
        tops = list(tree.iterdir())
        (tops[0] if len(tops) == 1 and tops[0].is_dir() else tree).rename(target)
