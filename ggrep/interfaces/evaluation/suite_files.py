"""Reads suites: a TOML file, or a folder of JSON lines beside the sources it asks about.

In a folder `repos.json` names the repositories and where in their sources the root lies
(`benchmark_root`), `queries.jsonl` the questions with their relevant files,
`federated_queries.jsonl` which of them are put to which file of `workspaces/`.
"""

import hashlib
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.file_keys import CASE, SUITE_DEFAULTS, VERSION
from ggrep.interfaces.evaluation.measures import Expectation
from ggrep.interfaces.evaluation.place_toml import read_places
from ggrep.interfaces.evaluation.question_toml import read_question, refuse_second
from ggrep.interfaces.evaluation.questions import DEFAULT_LIMIT, Question, Target
from ggrep.interfaces.evaluation.suite import DEFAULT_SLATES, NOTHING, Case, Suite, check_keys
from ggrep.interfaces.evaluation.toml_file import Table, read_toml

QUERIES = "queries.jsonl"
_REPOS = "repos.json"
_FEDERATED = "federated_queries.jsonl"
FILES = (_REPOS, QUERIES, _FEDERATED)
"""What defines the cases."""


def is_kit(path: Path) -> bool:
    """Return whether the folder is such a suite."""
    return (path / QUERIES).is_file() and (path / _REPOS).is_file()


def read_kit(folder: Path, *, federated: bool, whole: bool = False) -> Suite:
    """Return the suite of a folder.

    Args:
        folder: with the files of the module docstring.
        federated: put the questions to workspaces.
        whole: ask all of a repository's sources, not only what lies below its root.

    Raises:
        UsageError: a file is missing or not what it must be.
    """
    digest = hashlib.sha256()
    try:
        kit = _Kit(folder.absolute(), stable_json.loads(_read(folder / _REPOS, digest)), whole)
        single: dict[str, Mapping[str, Any]] = {}
        for record in _records(folder / QUERIES, digest):
            if record["qid"] in single:
                raise UsageError(f"{folder / QUERIES}: two questions are named {record['qid']!r}")
            single[record["qid"]] = record
        if federated:
            asked = _records(folder / _FEDERATED, digest)
            cases = tuple(kit.federated(single[each["qid"]], each["workspace"]) for each in asked)
        else:
            cases = tuple(kit.single(record) for record in single.values())
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{folder}: not a suite of this form: {error!r}") from error
    check_keys(folder.name, cases)
    task = "federated" if federated else "single"
    return Suite(folder.name, "kit", task, digest.hexdigest(), cases)


class _Kit(Struct, frozen=True):
    """The folder and its list of repositories."""

    folder: Path
    repos: Mapping[str, Mapping[str, Any]]
    whole: bool

    def single(self, record: Mapping[str, Any]) -> Case:
        """Return the case that asks the repository itself."""
        repo = record["repo"]
        root = self.folder / "sources" / repo / self._below(repo)
        return self._case(record, Target(root, alone=True), "", "")

    def federated(self, record: Mapping[str, Any], workspace: str) -> Case:
        """Return the case that asks a workspace; its files begin with the repository's alias."""
        path = self.folder / "workspaces" / f"{workspace}.workspace.jsonc"
        target = Target(path, is_workspace=True, alone=True)
        return self._case(record, target, workspace, record["repo"] + "/")

    def _case(self, record: Mapping[str, Any], target: Target, workspace: str, prefix: str) -> Case:
        repo = record["repo"]
        labels = [each["path"] for each in (*record["relevant"], *record["secondary"])]
        below = self._below(repo) or "."
        files = dict.fromkeys(prefix + posixpath.relpath(label, below) for label in labels)
        return Case(
            question=Question(record["qid"], record["query"]),
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
        UsageError: the file is wrong; what is wrong is named with its line.
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
            table.fail(f"the case has no {key}")
    name = table.text("id")
    expected = _expected(table)
    places = read_places(table, "places")
    if not expected.says_something and not places:
        table.fail(f"case {name!r} expects nothing; give relevant, places or an expect_ key")
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


def _target(table: Table, defaults: Table) -> tuple[Target, str, str]:
    """Return what is asked, and the names of the repository and the workspace."""
    base = table.file.path.parent
    alone = table.flag("alone", default=defaults.flag("alone", default=False))
    if table.has("workspace") or (defaults.has("workspace") and not table.has("repo")):
        workspace = table.text("workspace", defaults.text("workspace"))
        repo = table.text("repo", NOTHING)
        return Target(base / workspace, is_workspace=True, alone=alone), repo, workspace
    repo = table.text("repo", defaults.text("repo", "."))
    return Target(base / repo, alone=alone), repo, ""


def _expected(table: Table) -> Expectation:
    for key in ("expect_any_path_regex", "expect_all_path_regex"):
        for text in table.texts(key):
            try:
                re.compile(text)
            except re.error as error:
                table.fail(f"{key}: {text!r} is not a regular expression: {error}", key)
    named = (*table.texts("relevant"), *table.texts("secondary"))
    relevant = map(posixpath.normpath, named)  # answers never say ./
    return Expectation(
        relevant=tuple(dict.fromkeys(relevant)),
        any_contains=table.texts("expect_any_path_contains"),
        all_contains=table.texts("expect_all_path_contains"),
        any_regex=table.texts("expect_any_path_regex"),
        all_regex=table.texts("expect_all_path_regex"),
        confidence=table.word("expect_confidence"),
    )
