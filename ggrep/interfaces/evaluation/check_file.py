"""Reads committed checks: queries and their expected results.

What can never pass or never fail is refused.
"""

from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.interfaces.evaluation.expected import (
    Expected,
    expected_path,
    expected_paths,
    refuse_idle,
)
from ggrep.interfaces.evaluation.file_keys import (
    CHECK,
    CHECK_DEFAULTS,
    CHECK_TOP,
    EXPECTING,
    VERSION,
)
from ggrep.interfaces.evaluation.place_toml import read_places
from ggrep.interfaces.evaluation.question_toml import read_question, refuse_second
from ggrep.interfaces.evaluation.questions import Question, Target
from ggrep.interfaces.evaluation.toml_file import Table, read_toml

CHECK_FILE: Final = ".ggrep-check.toml"
DEFAULT_CHECK_LIMIT: Final = 10
"""What a search shows unless it is told otherwise."""


class Check(Struct, frozen=True):
    """One committed expectation.

    Attributes:
        line: of its header in the file.
        rank_tolerance: by how many places `first` and `within` may be missed.
    """

    question: Question
    target: Target
    expected: Expected
    line: int
    rank_tolerance: int


class CheckFile(Struct, frozen=True):
    """The checks of one file, in its order.

    Attributes:
        label: its path as it was named.
        allow_failures: so many checks may fail.
    """

    path: Path
    label: str
    digest: str
    checks: tuple[Check, ...]
    allow_failures: int


def read_checks(path: Path) -> CheckFile:
    """Return the checks of a file.

    Raises:
        UsageError: the file is wrong; what is wrong is named with its line.
    """
    file = read_toml(path)
    top = file.top(("defaults", "checks"), VERSION, CHECK_TOP)
    defaults = file.table("defaults", CHECK_DEFAULTS)
    defaults.only(CHECK_DEFAULTS)
    tables = file.tables("checks", CHECK)
    checks = tuple(_check(table, defaults) for table in tables)
    lines: dict[str, int] = {}
    for table, check in zip(tables, checks, strict=True):
        refuse_second(table, lines.setdefault(check.question.id, check.line))
    allowed = top.number("allow_failures", 0)
    if allowed >= len(checks):
        top.fail(f"allow_failures: {allowed} of {len(checks)} never fails", "allow_failures")
    return CheckFile(file.path, file.label, file.digest, checks, allowed)


def _check(table: Table, defaults: Table) -> Check:
    table.only(CHECK)
    for key in ("id", "query"):
        if not table.has(key):
            table.fail(f"the check has no {key}")
    if not any(table.has(key) for key in EXPECTING):
        if table.has("max_bytes"):
            table.fail(
                "max_bytes says how much a slate may take; give place or section", "max_bytes"
            )
        table.fail(
            f"check {table.text('id')!r} expects nothing; give an expect_ key, place or section"
        )
    expected = _expected(table)
    if table.has("max_bytes") and not expected.of_slate:
        table.fail("max_bytes is of a slate; give place or section, too", "max_bytes")
    question = _question(table, defaults, expected)
    refuse_idle(table, expected, question.limit)
    return Check(
        question=question,
        target=_target(table, defaults),
        expected=expected,
        line=table.line,
        rank_tolerance=table.number("rank_tolerance", defaults.number("rank_tolerance", 0)),
    )


def _question(table: Table, defaults: Table, expected: Expected) -> Question:
    question = read_question(table, defaults, limit_key="limit", limit=DEFAULT_CHECK_LIMIT)
    slates = (table.number("max_bytes", 0),) if expected.of_slate else ()
    return replace(question, slates=slates, searched=expected.of_search)


def _target(table: Table, defaults: Table) -> Target:
    base = table.file.path.parent
    alone = table.flag("alone", default=defaults.flag("alone", default=False))
    for place in (table, defaults):
        if place.has("root") and place.has("workspace"):
            place.fail("root and workspace cannot go together", "workspace")
        if place.has("workspace"):
            return Target(base / place.text("workspace"), is_workspace=True, alone=alone)
        if place.has("root"):
            return Target(base / place.text("root"), alone=alone)
    return Target(base, alone=alone)


def _expected(table: Table) -> Expected:
    order = expected_paths(table, "expect_order")
    if len(order) == 1:
        table.fail("expect_order: one path has no order; name two", "expect_order")
    return Expected(
        any_paths=expected_paths(table, "expect_any"),
        all_paths=expected_paths(table, "expect_all"),
        no_paths=expected_paths(table, "expect_none"),
        first=expected_path(table, "expect_first", table.text("expect_first")),
        within=_within(table),
        order=order,
        section=table.word("expect_section"),
        symbol=table.text("expect_symbol"),
        confidence=table.word("expect_confidence"),
        min_hits=table.number("expect_min_hits", 0),
        max_hits=table.number("expect_max_hits", 0) if table.has("expect_max_hits") else None,
        places=read_places(table, "place"),
        sections=_sections(table),
    )


def _sections(table: Table) -> tuple[tuple[str, str], ...]:
    value = table.data.get("section", {})
    words = table.known["section"].words
    if not isinstance(value, dict) or (table.has("section") and not value):
        table.fail('section must be a table, { "path" = "docs" }', "section")
    for path, section in value.items():
        if section not in words:
            table.fail(f"section: {path!r} must be in one of {', '.join(words)}", "section")
    return tuple((expected_path(table, "section", path), each) for path, each in value.items())


def _within(table: Table) -> tuple[tuple[str, int], ...]:
    value = table.data.get("expect_within", {})
    if not isinstance(value, dict):
        table.fail('expect_within must be a table, { "path" = 3 }', "expect_within")
    for path, most in value.items():
        if isinstance(most, bool) or not isinstance(most, int) or most < 1:
            table.fail(f"expect_within: {path!r} needs a whole number from 1 up", "expect_within")
    within = [(expected_path(table, "expect_within", path), most) for path, most in value.items()]
    return tuple(sorted(within))
