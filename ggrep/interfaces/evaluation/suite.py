"""Suites of cases, and their files. A case is a query, a repository and the expected answer."""

import hashlib
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.measures import Expectation
from ggrep.interfaces.evaluation.question_toml import read_places, read_question, refuse_second
from ggrep.interfaces.evaluation.questions import DEFAULT_LIMIT, CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.suite_processes import Job
from ggrep.interfaces.evaluation.toml_file import CASE, SUITE_DEFAULTS, VERSION, Table, read_toml
from ggrep.interfaces.evaluation.visible_lines import Choice

DEFAULT_SLATES: Final = (16_384, 6_144)
"""Sizes in bytes of the slates for a case with expected line ranges, the largest first."""

NOTHING = "-"
"""The category or language of a case without one."""


class Case(Struct, frozen=True):
    """One case of a suite.

    Attributes:
        repo: name of the repository with the answer; intervals group cases by this name.
        workspace: name of the queried workspace; empty if the repository itself is queried.
        places: line ranges that slates should show; one range of each choice is enough.
    """

    question: CaseQuery
    target: QueriedPath
    expected: Expectation
    repo: str
    workspace: str = ""
    category: str = NOTHING
    language: str = NOTHING
    places: tuple[Choice, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """Return the key that identifies the case in a report."""
        return self.workspace, self.question.id

    @property
    def group(self) -> str:
        """Return the name of the queried workspace or repository."""
        return self.workspace or self.repo


class Suite(Struct, frozen=True):
    """A suite of cases, in the order of its file.

    Attributes:
        name: name of the suite's file or folder.
        form: `toml`, or `kit` for a folder of JSON lines.
        digest: digest of the bytes that define the cases.
    """

    name: str
    form: str
    task: str
    digest: str
    cases: tuple[Case, ...]


class Narrowing(Struct, frozen=True):
    """Selection of cases of a suite; an empty part selects all."""

    ids: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    workspaces: tuple[str, ...] = ()


class Overrides(Struct, frozen=True):
    """Values that replace the options of all queries; None keeps an option."""

    mode: str | None = None
    limit: int | None = None
    per_file: int | None = None
    max_bytes: tuple[int, ...] | None = None


def narrowed(suite: Suite, wanted: Narrowing) -> Suite:
    """Return the suite with only the wanted cases.

    Raises:
        UsageError: a name is not in the suite, or no case remains.
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
                raise UsageError(f"{flag}: no case of the suite has the value {name!r}")
        if names:
            cases = tuple(case for case in cases if read(case) in names)
    if not cases:
        raise UsageError(f"{suite.name}: the options select none of the {len(suite.cases)} cases")
    return replace(suite, cases=cases)


def overridden(suite: Suite, overrides: Overrides) -> Suite:
    """Return the suite with the overrides applied to its queries."""
    wanted = {name: value for name, value in asdict(overrides).items() if value is not None}
    slates = wanted.pop("max_bytes", None)

    def put(case: Case) -> CaseQuery:
        sizes = {"slates": slates} if slates and case.places else {}
        return replace(case.question, **wanted, **sizes)

    return replace(suite, cases=tuple(replace(case, question=put(case)) for case in suite.cases))


def jobs_of(cases: Iterable[Case]) -> list[Job]:
    """Return one job for each queried path, sorted by group and path."""
    groups: dict[tuple[str, QueriedPath], list[CaseQuery]] = {}
    for case in cases:
        groups.setdefault((case.group, case.target), []).append(case.question)
    ordered = sorted(groups.items(), key=lambda item: (item[0][0], str(item[0][1].path)))
    return [Job(name, target, tuple(questions)) for (name, target), questions in ordered]


def check_keys(name: str, cases: Sequence[Case]) -> None:
    """Raise if two cases have the same name."""
    seen = set()
    for case in cases:
        if case.key in seen:
            raise UsageError(f"{name}: two cases have the name {case.question.id!r}")
        seen.add(case.key)


QUERIES = "queries.jsonl"
_REPOS = "repos.json"
_FEDERATED = "federated_queries.jsonl"
FILES = (_REPOS, QUERIES, _FEDERATED)
"""Files that define the cases."""


def is_kit(path: Path) -> bool:
    """Return whether the folder is a suite of JSON lines."""
    return (path / QUERIES).is_file() and (path / _REPOS).is_file()


def read_kit(folder: Path, *, federated: bool, whole: bool = False) -> Suite:
    """Return the suite in a folder that contains JSON lines and the sources.

    With `federated`, the queries search workspaces. With `whole`, they search whole repositories
    instead of only their benchmark roots.

    Raises:
        UsageError: a file is missing or not valid.
    """
    digest = hashlib.sha256()
    try:
        kit = _Kit(folder.absolute(), stable_json.loads(_read(folder / _REPOS, digest)), whole)
        single: dict[str, Mapping[str, Any]] = {}
        for record in _records(folder / QUERIES, digest):
            if record["qid"] in single:
                raise UsageError(f"{folder / QUERIES}: two questions have the id {record['qid']!r}")
            single[record["qid"]] = record
        if federated:
            asked = _records(folder / _FEDERATED, digest)
            cases = tuple(kit.federated(single[each["qid"]], each["workspace"]) for each in asked)
        else:
            cases = tuple(kit.single(record) for record in single.values())
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{folder}: invalid suite: {error!r}") from error
    check_keys(folder.name, cases)
    task = "federated" if federated else "single"
    return Suite(folder.name, "kit", task, digest.hexdigest(), cases)


class _Kit(Struct, frozen=True):
    """The folder of a suite of JSON lines, and its list of repositories."""

    folder: Path
    repos: Mapping[str, Mapping[str, Any]]
    whole: bool

    def single(self, record: Mapping[str, Any]) -> Case:
        """Return the case that queries the repository itself."""
        repo = record["repo"]
        root = self.folder / "sources" / repo / self._below(repo)
        return self._case(record, QueriedPath(root, alone=True), "", "")

    def federated(self, record: Mapping[str, Any], workspace: str) -> Case:
        """Return the case that queries a workspace; its expected paths begin with an alias."""
        path = self.folder / "workspaces" / f"{workspace}.workspace.jsonc"
        target = QueriedPath(path, is_workspace=True, alone=True)
        return self._case(record, target, workspace, record["repo"] + "/")

    def _case(
        self, record: Mapping[str, Any], target: QueriedPath, workspace: str, prefix: str
    ) -> Case:
        repo = record["repo"]
        labels = [each["path"] for each in (*record["relevant"], *record["secondary"])]
        below = self._below(repo) or "."
        files = dict.fromkeys(prefix + posixpath.relpath(label, below) for label in labels)
        return Case(
            question=CaseQuery(record["qid"], record["query"]),
            target=target,
            expected=Expectation(relevant=tuple(files)),
            repo=repo,
            workspace=workspace,
            category=record.get("category", NOTHING),
            language=record.get("language", NOTHING),
        )

    def _below(self, repo: str) -> str:
        root = str(self.repos[repo].get("benchmark_root") or "")
        return "" if self.whole else root


def _records(path: Path, digest: "hashlib._Hash") -> list[dict[str, Any]]:
    lines = _read(path, digest).splitlines()
    records = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                records.append(stable_json.loads(line))
            except ValueError as error:
                raise UsageError(f"{path}:{number}: not JSON: {error}") from error
    return records


def _read(path: Path, digest: "hashlib._Hash") -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror or error}") from error
    digest.update(data)
    return data


def read_suite(path: Path) -> Suite:
    """Return the suite of a TOML file.

    Raises:
        UsageError: the file is not valid; the message names the line.
    """
    file = read_toml(path)
    file.top(("defaults", "cases"), VERSION)
    defaults = file.table("defaults", SUITE_DEFAULTS)
    defaults.only(SUITE_DEFAULTS)
    tables = file.tables("cases", CASE)
    cases = tuple(_case(table, defaults) for table in tables)
    lines: dict[tuple[str, str], int] = {}
    for table, case in zip(tables, cases, strict=True):
        refuse_second(table, lines.setdefault(case.key, table.line))
    task = "mixed" if len({bool(case.workspace) for case in cases}) > 1 else "single"
    if all(case.workspace for case in cases):
        task = "federated"
    return Suite(path.name, "toml", task, file.digest, cases)


def _case(table: Table, defaults: Table) -> Case:
    table.only(CASE)
    for key in ("id", "query"):
        if not table.has(key):
            table.fail(f"the key {key} of a case is missing")
    name = table.text("id")
    expected = _expected(table)
    places = read_places(table, "places")
    if not expected.says_something and not places:
        table.fail(f"case {name!r} expects nothing; add relevant, places or an expect_ key")
    target, repo, workspace = _target(table, defaults)
    question = read_question(table, defaults, limit_key="k", limit=DEFAULT_LIMIT)
    if places:
        searched = replace(expected, confidence="").says_something
        question = replace(question, slates=DEFAULT_SLATES, searched=searched)
    return Case(
        question=question,
        target=target,
        expected=expected,
        repo=repo,
        workspace=workspace,
        category=table.text("category", defaults.text("category", NOTHING)),
        language=table.text("language", defaults.text("language", NOTHING)),
        places=places,
    )


def _target(table: Table, defaults: Table) -> tuple[QueriedPath, str, str]:
    """Return the queried path, the name of the repository, and the name of the workspace."""
    base = table.file.path.parent
    alone = table.flag("alone", default=defaults.flag("alone", default=False))
    if table.has("workspace") or (defaults.has("workspace") and not table.has("repo")):
        workspace = table.text("workspace", defaults.text("workspace"))
        repo = table.text("repo", NOTHING)
        return QueriedPath(base / workspace, is_workspace=True, alone=alone), repo, workspace
    repo = table.text("repo", defaults.text("repo", "."))
    return QueriedPath(base / repo, alone=alone), repo, ""


def _expected(table: Table) -> Expectation:
    for key in ("expect_any_path_regex", "expect_all_path_regex"):
        for text in table.texts(key):
            try:
                re.compile(text)
            except re.error as error:
                table.fail(f"{key}: {text!r} is not a regular expression: {error}", key)
    named = (*table.texts("relevant"), *table.texts("secondary"))
    relevant = map(posixpath.normpath, named)  # paths in answers never begin with ./
    return Expectation(
        relevant=tuple(dict.fromkeys(relevant)),
        any_contains=table.texts("expect_any_path_contains"),
        all_contains=table.texts("expect_all_path_contains"),
        any_regex=table.texts("expect_any_path_regex"),
        all_regex=table.texts("expect_all_path_regex"),
        confidence=table.word("expect_confidence"),
    )
