"""Reads a user's suite from TOML."""

import posixpath
import re
from pathlib import Path

from ggrep.interfaces.evaluation.askable import refuse_second
from ggrep.interfaces.evaluation.file_keys import CASE, SUITE_DEFAULTS, VERSION
from ggrep.interfaces.evaluation.measures import Expectation
from ggrep.interfaces.evaluation.question_toml import read_question
from ggrep.interfaces.evaluation.questions import DEFAULT_LIMIT, Target
from ggrep.interfaces.evaluation.suite import NOTHING, Case, Suite
from ggrep.interfaces.evaluation.toml_file import Table, read_toml


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
    if not expected.says_something:
        table.fail(f"case {name!r} expects nothing; give relevant or an expect_ key")
    target, repo, workspace = _target(table, defaults)
    return Case(
        question=read_question(table, defaults, limit_key="k", limit=DEFAULT_LIMIT),
        target=target,
        expected=expected,
        repo=repo,
        workspace=workspace,
        category=table.text("category", defaults.text("category", NOTHING)),
        language=table.text("language", defaults.text("language", NOTHING)),
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
                table.fail(f"{key}: {text!r} is no regular expression: {error}", key)
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
