"""A suite of questions for slates: pinned repositories, and the files that each section owes."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.check_file import expected_paths, is_glob
from ggrep.interfaces.evaluation.toml_file import Table, TomlFile, read_toml
from ggrep.model.slate import SECTIONS, Section

SLATE_SUITE_VERSION: Final = 1

_REQUIRED: Final = ("name", "registry", "package", "release", "sha256", "licence")
_KEYS: Final = (*_REQUIRED, "kind", "suite", "languages", "held_out")
NAMING: Final = ("id", "repo", "query")
_SECTION_KEYS: Final = tuple(section.value for section in SECTIONS)


class SlateRepository(Struct, frozen=True):
    """A repository that is asked: one release of a package, held to its digest.

    Attributes:
        kind: which of the package's archives; empty where there is but one.
        suite: of a distribution; empty elsewhere.
        held_out: nothing was tuned on it.
    """

    name: str
    registry: str
    package: str
    release: str
    kind: str
    suite: str
    sha256: str
    licence: str
    languages: tuple[str, ...]
    held_out: bool


class SlateCase(Struct, frozen=True):
    """A question, and what its slate should show.

    Attributes:
        wanted: sections with files of which one at least should be shown there, in the order of
            `SECTIONS`; sections that are not named may hold anything.
    """

    id: str
    repo: str
    query: str
    wanted: tuple[tuple[Section, tuple[str, ...]], ...]


class OutOfDomain(Struct, frozen=True):
    """A question that its repository cannot answer."""

    id: str
    repo: str
    query: str


class SlateSuite(Struct, frozen=True):
    """Repositories, and questions to them in their order."""

    repositories: tuple[SlateRepository, ...]
    cases: tuple[SlateCase, ...]
    out_of_domain: tuple[OutOfDomain, ...]

    def of(self, repositories: Iterable[SlateRepository]) -> "SlateSuite":
        """Return these repositories with their questions."""
        kept = tuple(repositories)
        names = {each.name for each in kept}
        return SlateSuite(
            kept,
            tuple(case for case in self.cases if case.repo in names),
            tuple(one for one in self.out_of_domain if one.repo in names),
        )


def read_slate_suite(paths: Iterable[Path]) -> SlateSuite:
    """Return the suite that some TOML files hold together.

    Raises:
        UsageError: a file is wrong, or two name a repository or a question alike.
    """
    parts = [_read(path) for path in paths]
    suite = SlateSuite(
        tuple(each for part in parts for each in part.repositories),
        tuple(case for part in parts for case in part.cases),
        tuple(one for part in parts for one in part.out_of_domain),
    )
    _refuse_twins("repositories", [each.name for each in suite.repositories])
    _refuse_twins(
        "questions", [case.id for case in suite.cases] + [one.id for one in suite.out_of_domain]
    )
    return suite


def _read(path: Path) -> SlateSuite:
    file = read_toml(path)
    file.top(("repositories", "cases", "out_of_domain"), SLATE_SUITE_VERSION)
    repositories = tuple(repository_of(table) for table in file.tables("repositories"))
    names = frozenset(each.name for each in repositories)
    return SlateSuite(
        repositories,
        tuple(_case(table, names) for table in file.tables("cases")),
        _out_of_domain(file, names),
    )


def repository_of(table: Table) -> SlateRepository:
    """Return what a table says of a repository.

    Raises:
        UsageError: it says something else, or too little.
    """
    table.only(_KEYS)
    _require(table, _REQUIRED)
    return SlateRepository(
        name=table.text("name"),
        registry=table.text("registry"),
        package=table.text("package"),
        release=table.text("release"),
        kind=_text_or_none(table, "kind"),
        suite=_text_or_none(table, "suite"),
        sha256=table.text("sha256"),
        licence=table.text("licence"),
        languages=table.texts("languages"),
        held_out=table.flag("held_out", default=False),
    )


def _case(table: Table, names: frozenset[str]) -> SlateCase:
    table.only((*NAMING, *_SECTION_KEYS))
    name, repo, query = question_of(table, names)
    wanted = tuple(
        (section, _paths(table, section.value)) for section in SECTIONS if table.has(section.value)
    )
    if not wanted:
        table.fail(f"case {name!r} wants nothing; name files of {', '.join(_SECTION_KEYS)}")
    return SlateCase(name, repo, query, wanted)


def _out_of_domain(file: TomlFile, names: frozenset[str]) -> tuple[OutOfDomain, ...]:
    if "out_of_domain" not in file.data:
        return ()
    tables = file.tables("out_of_domain")
    for table in tables:
        table.only(NAMING)
    return tuple(OutOfDomain(*question_of(table, names)) for table in tables)


def question_of(table: Table, names: frozenset[str]) -> tuple[str, str, str]:
    """Return the name, the repository and the words of a question.

    Raises:
        UsageError: one is missing, or the repository is none of those named.
    """
    _require(table, NAMING)
    repo = table.text("repo")
    if repo not in names:
        table.fail(f"the file has no repository named {repo!r}", "repo")
    return table.text("id"), repo, table.text("query")


def _paths(table: Table, key: str) -> tuple[str, ...]:
    """Return the files of a section, each of which has to be one."""
    paths = expected_paths(table, key)
    for path in paths:
        if is_glob(path):
            table.fail(f"{key}: {path!r} stands for many; name files", key)
    if len(set(paths)) < len(paths):
        table.fail(f"{key} names a file twice", key)
    return paths


def _require(table: Table, keys: Iterable[str]) -> None:
    for key in keys:
        if not table.has(key):
            table.fail(f"there is no {key}")


def _text_or_none(table: Table, key: str) -> str:
    """Return a text that may be empty, which says as much as leaving the key out."""
    return "" if table.data.get(key) == "" else table.text(key)


def _refuse_twins(what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(f"two {what} are named {name!r}")
        seen.add(name)
