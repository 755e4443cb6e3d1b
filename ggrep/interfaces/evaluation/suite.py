"""A suite: cases, each with a question, a target and the expected answer."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.measures import Expectation
from ggrep.interfaces.evaluation.questions import Question, Target
from ggrep.interfaces.evaluation.suite_processes import Job
from ggrep.interfaces.evaluation.visible_places import Choice

DEFAULT_SLATES: Final = (16_384, 6_144)
"""Bytes of the slates that a case with places is asked for, the largest first."""

NOTHING = "-"
"""Where a case names no category or language."""


class Case(Struct, frozen=True):
    """One question of a suite.

    Attributes:
        repo: name of the repository that holds the answer; figures are drawn by it.
        workspace: name of the workspace that is asked; empty when the repository itself is.
        places: that slates should show, each a choice of which one will do.
    """

    question: Question
    target: Target
    expected: Expectation
    repo: str
    workspace: str = ""
    category: str = NOTHING
    language: str = NOTHING
    places: tuple[Choice, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Return what names the case in a report."""
        return self.workspace, self.question.id

    @property
    def group(self) -> str:
        """Return the name of what is asked."""
        return self.workspace or self.repo


class Suite(Struct, frozen=True):
    """Cases in their order.

    Attributes:
        name: of the file or folder it was read from.
        form: `toml`, or `kit` for a folder of JSON lines.
        digest: of the bytes that define the cases.
    """

    name: str
    form: str
    task: str
    digest: str
    cases: tuple[Case, ...]


class Narrowing(Struct, frozen=True):
    """Which cases of a suite are run; an empty part takes none away."""

    ids: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()


class Overrides(Struct, frozen=True):
    """What every question is put with instead of its own; None leaves it."""

    mode: str | None = None
    limit: int | None = None
    per_file: int | None = None
    max_bytes: tuple[int, ...] | None = None


def narrowed(suite: Suite, wanted: Narrowing) -> Suite:
    """Return the suite with the wanted cases alone.

    Raises:
        UsageError: a name is none of the suite's, or no case is left.
    """
    parts: tuple[tuple[str, tuple[str, ...], Callable[[Case], str]], ...] = (
        ("--only", wanted.ids, lambda case: case.question.id),
        ("--repo", wanted.repos, lambda case: case.repo),
        ("--language", wanted.languages, lambda case: case.language),
        ("--category", wanted.categories, lambda case: case.category),
        ("--workspace", wanted.workspaces, lambda case: case.workspace),
    )
    cases = suite.cases
    for flag, names, read in parts:
        known = {read(case) for case in suite.cases}
        for name in names:
            if name not in known:
                raise UsageError(f"{flag}: the suite has no case with {name!r}")
        if names:
            cases = tuple(case for case in cases if read(case) in names)
    if not cases:
        raise UsageError(f"{suite.name}: no case is left of {len(suite.cases)}")
    return replace(suite, cases=cases)


def overridden(suite: Suite, overrides: Overrides) -> Suite:
    """Return the suite with its questions put otherwise."""
    wanted = {name: value for name, value in asdict(overrides).items() if value is not None}
    slates = wanted.pop("max_bytes", None)

    def put(case: Case) -> Question:
        sizes = {"slates": slates} if slates and case.places else {}
        return replace(case.question, **wanted, **sizes)

    return replace(suite, cases=tuple(replace(case, question=put(case)) for case in suite.cases))


def jobs_of(cases: Iterable[Case]) -> list[Job]:
    """Return one job for each target, by the name of what is asked, then its path."""
    groups: dict[tuple[str, Target], list[Question]] = {}
    for case in cases:
        groups.setdefault((case.group, case.target), []).append(case.question)
    ordered = sorted(groups.items(), key=lambda item: (item[0][0], str(item[0][1].path)))
    return [Job(name, target, tuple(found)) for (name, target), found in ordered]


def check_keys(name: str, cases: Sequence[Case]) -> None:
    """Do nothing when every case has a name of its own.

    Raises:
        UsageError: one has not.
    """
    seen = set()
    for case in cases:
        if case.key in seen:
            raise UsageError(f"{name}: two cases are named {case.question.id!r}")
        seen.add(case.key)
