"""Reads committed checks: queries and their expected results.

Checks that can never pass or never fail are refused.
"""

import posixpath
import re
from collections.abc import Iterator
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.interfaces.evaluation.question_toml import read_places, read_question, refuse_second
from ggrep.interfaces.evaluation.questions import CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.toml_file import (
    CHECK,
    CHECK_DEFAULTS,
    CHECK_TOP,
    EXPECTING,
    VERSION,
    Table,
    read_toml,
)
from ggrep.interfaces.evaluation.visible_lines import Choice
from ggrep.parse.source.wildmatch import compile_glob

_GLOB: Final = re.compile(r"[*?\[]")
_BRACKET: Final = re.compile(r"\[[!^]?(\]?(?:\[:\w+:\]|\\.|[^\]\\])*)\]")
_RANGE: Final = re.compile(r"\[:\w+:\]|\\?(?P<low>.)-\\?(?P<high>.)")
_NEVER: Final = b"(?!)"
"""Part of the pattern of an invalid glob; the same text in a valid glob would be escaped."""


def is_glob(path: str) -> bool:
    """Return whether the path is a glob."""
    return _GLOB.search(path) is not None


def matches(path: str, file: str) -> bool:
    """Return whether a plain path or a glob matches the file."""
    pattern = _pattern(path)
    return file == path or (pattern is not None and pattern.match(file.encode()) is not None)


@cache
def _pattern(path: str) -> re.Pattern[bytes] | None:
    return compile_glob(path.encode()) if is_glob(path) else None


def expected_paths(table: Table, key: str) -> tuple[str, ...]:
    """Return the paths in the value of a key, as answers spell them."""
    return tuple(expected_path(table, key, path) for path in table.texts(key))


def expected_path(table: Table, key: str, path: str) -> str:
    """Return a path in the value of a key, as answers spell it; an empty path stays empty."""
    if not path:
        return path
    fault = _fault(path)
    if fault:
        table.fail(f"{key}: {path!r} {fault}", key)
    return posixpath.normpath(path)


def _fault(path: str) -> str:
    """Return why no file can have this path; empty if the path is possible."""
    if path.endswith("/"):
        return "is a directory; use files, or append **/*"
    normal = posixpath.normpath(path)
    if normal.startswith("/") or normal.split("/")[0] in {".", ".."}:
        return "is outside the root; paths are relative to the root"
    if is_glob(normal) and _NEVER in compile_glob(normal.encode()).pattern:
        return "is not a glob: a bracket is not closed or is empty"
    for bracket in _BRACKET.finditer(normal):
        for each in _RANGE.finditer(bracket[1]):
            if each["low"] is not None and each["low"] > each["high"]:
                return f"is not a glob: the range {each[0]} runs backwards"
    return ""


class Expected(Struct, frozen=True):
    """The expected answer; paths are plain paths or globs, and ranks count distinct files.

    Attributes:
        within: paths, each with a number n: the path must be among the first n files.
        section: section of the best hit in an expected file; without such a hit, of the first hit.
        places: line ranges that a slate must show; one range of each choice is enough.
        sections: paths, each with its expected section of a slate.
    """

    any_paths: tuple[str, ...] = ()
    all_paths: tuple[str, ...] = ()
    no_paths: tuple[str, ...] = ()
    first: str = ""
    within: tuple[tuple[str, int], ...] = ()
    order: tuple[str, ...] = ()
    section: str = ""
    symbol: str = ""
    confidence: str = ""
    min_hits: int = 0
    max_hits: int | None = None
    places: tuple[Choice, ...] = ()
    sections: tuple[tuple[str, str], ...] = ()

    @property
    def of_slate(self) -> bool:
        """Return whether the expectation needs a slate."""
        return bool(self.places or self.sections)

    @property
    def of_search(self) -> bool:
        """Return whether the expectation needs a search because a slate cannot decide it."""
        apart = replace(self, places=(), sections=())
        if self.of_slate:
            apart = replace(apart, confidence="")
        return apart != Expected()


def refuse_idle(table: Table, expected: Expected, limit: int) -> None:
    """Raise if an expectation can never hold, or never fail, for `limit` hits."""
    for key, fault in chain(_too_many(expected, limit), _contradictions(expected)):
        table.fail(f"{key}: {fault}", key)


def _too_many(expected: Expected, limit: int) -> Iterator[tuple[str, str]]:
    for path, most in expected.within:
        if most > limit:
            yield "expect_within", f"{path!r} at {most} is beyond the limit of {limit} hits"
    if expected.min_hits > limit:
        yield "expect_min_hits", f"{expected.min_hits} exceed the limit of {limit} hits"
    plain = {path for path in expected.all_paths if not is_glob(path)}
    if len(plain) > limit:
        yield "expect_all", f"{len(plain)} files exceed the limit of {limit} hits"
    if expected.max_hits is None:
        return
    if expected.max_hits >= limit:
        never = f"{expected.max_hits} never fails with a limit of {limit} hits"
        yield "expect_max_hits", never
    if expected.max_hits < max(expected.min_hits, len(plain), int(_wants_a_hit(expected))):
        yield (
            "expect_max_hits",
            f"{expected.max_hits} hits are fewer than other keys of the check expect",
        )


def _wants_a_hit(expected: Expected) -> bool:
    return bool(
        expected.any_paths
        or expected.all_paths
        or expected.first
        or expected.within
        or expected.order
        or expected.section
        or expected.symbol
    )


def _contradictions(expected: Expected) -> Iterator[tuple[str, str]]:
    for path in expected.order:
        if expected.order.count(path) > 1:
            yield "expect_order", f"{path!r} occurs twice"
    wanted = {
        "expect_any": expected.any_paths,
        "expect_all": expected.all_paths,
        "expect_first": (expected.first,),
        "expect_within": tuple(dict(expected.within)),
        "expect_order": expected.order,
    }
    for key, paths in wanted.items():
        for path in paths:
            if path in expected.no_paths:
                yield "expect_none", f"{path!r} is also in {key}"


DEFAULT_CHECK_LIMIT: Final = 10
"""Default number of hits of a check's search."""


class Check(Struct, frozen=True):
    """One committed check: a query and its expected answer.

    Attributes:
        line: line of the check's header in the file.
        rank_tolerance: number of ranks that a file may be below that of `first` or `within`.
    """

    question: CaseQuery
    target: QueriedPath
    expected: Expected
    line: int
    rank_tolerance: int


class CheckFile(Struct, frozen=True):
    """The checks of one file, in the file's order.

    Attributes:
        label: path of the file as it was typed.
        allow_failures: number of checks that may fail.
    """

    path: Path
    label: str
    digest: str
    checks: tuple[Check, ...]
    allow_failures: int


def read_checks(path: Path) -> CheckFile:
    """Return the checks of a file.

    Raises:
        UsageError: the file is not valid; the message names the line.
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
        message = (
            f"allow_failures: {allowed} of {len(checks)} checks may fail, so the run never fails"
        )
        top.fail(message, "allow_failures")
    return CheckFile(file.path, file.label, file.digest, checks, allowed)


def _check(table: Table, defaults: Table) -> Check:
    table.only(CHECK)
    for key in ("id", "query"):
        if not table.has(key):
            table.fail(f"the key {key} of a check is missing")
    if not any(table.has(key) for key in EXPECTING):
        if table.has("max_bytes"):
            table.fail("max_bytes only applies to slates; add place or section", "max_bytes")
        table.fail(
            f"check {table.text('id')!r} expects nothing; add an expect_ key, place or section"
        )
    expected = _expected(table)
    if table.has("max_bytes") and not expected.of_slate:
        table.fail("max_bytes only applies to slates; also add place or section", "max_bytes")
    question = _question(table, defaults, expected)
    refuse_idle(table, expected, question.limit)
    return Check(
        question=question,
        target=_target(table, defaults),
        expected=expected,
        line=table.line,
        rank_tolerance=table.number("rank_tolerance", defaults.number("rank_tolerance", 0)),
    )


def _question(table: Table, defaults: Table, expected: Expected) -> CaseQuery:
    question = read_question(table, defaults, limit_key="limit", limit=DEFAULT_CHECK_LIMIT)
    slates = (table.number("max_bytes", 0),) if expected.of_slate else ()
    return replace(question, slates=slates, searched=expected.of_search)


def _target(table: Table, defaults: Table) -> QueriedPath:
    base = table.file.path.parent
    alone = table.flag("alone", default=defaults.flag("alone", default=False))
    for place in (table, defaults):
        if place.has("root") and place.has("workspace"):
            place.fail("root and workspace cannot go together", "workspace")
        if place.has("workspace"):
            return QueriedPath(base / place.text("workspace"), is_workspace=True, alone=alone)
        if place.has("root"):
            return QueriedPath(base / place.text("root"), alone=alone)
    return QueriedPath(base, alone=alone)


def _expected(table: Table) -> Expected:
    order = expected_paths(table, "expect_order")
    if len(order) == 1:
        table.fail("expect_order: must list at least two paths", "expect_order")
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
            table.fail(
                f"expect_within: {path!r} must be a whole number of at least 1", "expect_within"
            )
    within = [(expected_path(table, "expect_within", path), most) for path, most in value.items()]
    return tuple(sorted(within))
