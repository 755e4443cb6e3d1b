"""Runs checks: compares answers and slates with the expected results, one rule at a time."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, UsageError
from ggrep.base.stable_json import DecodeError, decode
from ggrep.interfaces.evaluation.check_file import (
    DEFAULT_CHECK_LIMIT,
    Check,
    CheckFile,
    Expected,
    is_glob,
    matches,
)
from ggrep.interfaces.evaluation.questions import Answer, CaseQuery, QueriedPath
from ggrep.interfaces.evaluation.suite_questions import Asker
from ggrep.interfaces.evaluation.toml_file import VERSION
from ggrep.interfaces.evaluation.visible_lines import Choice, LineRange, ShownFile, ShownSlate
from ggrep.model.evaluation import Miss
from ggrep.model.sanitise import sanitise_line

SLATE_RULES: Final = frozenset({"place", "section"})
"""Rules about slates; all other rules are about searches."""


LinesOf = Callable[[str], int | None]
"""Returns the number of lines of a file in the work tree; None if it does not exist."""


def absent(check: Check, lines_of: LinesOf) -> Iterator[Miss]:
    """Yield a miss for each expected file or line that does not exist.

    Paths of `expect_none` need not exist, and globs need not match a file.
    """
    expected = check.expected
    named = (
        *(("expect_any", path) for path in expected.any_paths),
        *(("expect_all", path) for path in expected.all_paths),
        *(("expect_first", path) for path in (expected.first,) if path),
        *(("expect_within", path) for path, _ in expected.within),
        *(("expect_order", path) for path in expected.order),
        *(("section", path) for path, _ in expected.sections),
    )
    for rule, path in named:
        if not is_glob(path) and lines_of(path) is None:
            yield Miss(rule, path, "no such file")
    for place in chain.from_iterable(expected.places):
        if is_glob(place.path):
            continue
        lines = lines_of(place.path)
        if lines is None:
            yield Miss("place", str(place), "no such file")
        elif lines < place.last:
            yield Miss("place", str(place), f"the file has {lines} lines")


def slate_misses(expected: Expected, slate: ShownSlate) -> Iterator[Miss]:
    """Yield the unmet expectations on a slate, in the order of the file."""
    for choice in expected.places:
        if not slate.shows(choice):
            came = "; ".join(_came(place, slate) for place in choice)
            yield Miss("place", _wanted(choice), came)
    for path, section in expected.sections:
        files = [each for each in slate.files if matches(path, each.path)]
        if not any(section in each.sections for each in files):
            yield Miss("section", f"{path} in section {section}", _stands(path, files, slate))


def _wanted(choice: Choice) -> str:
    half = ", ".join(dict.fromkeys(_half(place) for place in choice))
    return f"{' or '.join(map(str, choice))} shown, {half}"


def _half(place: LineRange) -> str:
    if place.lines == 1:
        return "its one line"
    return f"at least {(place.lines + 1) // 2} of its {place.lines} lines"


def _came(place: LineRange, slate: ShownSlate) -> str:
    file = slate.file(place.path)
    if file is None:
        return f"{place.path} is not among the {_files(slate)} of the slate"
    shown = file.shows(place)
    suffix = ", but a range that contains it is listed" if file.is_reachable(place) else ""
    if shown:
        verb = "is" if shown == 1 else "are"
        return f"{shown} of the {place.lines} lines of {place} {verb} shown{suffix}"
    return f"{place.path} is listed, but none of the lines {place.first}-{place.last} shown{suffix}"


def _stands(path: str, files: list[ShownFile], slate: ShownSlate) -> str:
    if files:
        return ", ".join(f"{each.path} in {' and '.join(each.sections)}" for each in files[:3])
    return f"{path} is not among the {_files(slate)} of the slate"


def _files(slate: ShownSlate) -> str:
    return f"{len(slate.files)} {'file' if len(slate.files) == 1 else 'files'}"


class Baseline(Struct, frozen=True):
    """An earlier report of checks, for comparison.

    Attributes:
        failed: ids of the checks that failed in the earlier report.
        max_drop: number of other checks that may fail.
    """

    failed: frozenset[str]
    max_drop: int = 0


class _Check(Struct, frozen=True):
    id: str
    holds: bool


class _Report(Struct, frozen=True):
    schema_version: int
    checks: tuple[_Check, ...]


def read_baseline(path: Path, max_drop: int) -> Baseline:
    """Return the baseline in a report of `ggrep check --json`.

    Raises:
        InvalidRequest: the file cannot be read, or is not a report of checks.
    """
    shown = sanitise_line(str(path))
    try:
        report = decode(_Report, stable_json.loads(path.read_bytes()), "report")
    except OSError as error:
        raise InvalidRequest(f"--baseline: {shown}: {error.strerror}") from error
    except (DecodeError, ValueError) as error:
        raise InvalidRequest(
            f"--baseline: {shown} is not a report of ggrep check --json: {error}"
        ) from error
    if report.schema_version != 1:
        raise InvalidRequest(
            f"--baseline: {shown} has schema version {report.schema_version}, not 1"
        )
    return Baseline(frozenset(check.id for check in report.checks if not check.holds), max_drop)


class Verdict(Struct, frozen=True):
    """A check, its answer, and its unmet expectations."""

    check: Check
    answer: Answer
    misses: tuple[Miss, ...]

    @property
    def holds(self) -> bool:
        """Return whether all expectations are met."""
        return not self.misses


def judge(check: Check, answer: Answer) -> Verdict:
    """Return the verdict on a check; its misses are in the order of `RULES`."""
    if answer.error:
        return Verdict(check, answer, (Miss("answer", "an answer", answer.error),))
    expected, files = check.expected, answer.files
    misses = [
        *_paths(expected, files),
        *_places(check, files),
        *_order(expected, files),
        *_hits(expected, answer),
        *(miss for slate in answer.slates for miss in slate_misses(expected, slate)),
    ]
    return Verdict(check, answer, tuple(misses))


def rank_of(path: str, files: Sequence[str]) -> int | None:
    """Return the 0-based rank of the first file that matches a plain path or a glob."""
    return next((rank for rank, file in enumerate(files) if matches(path, file)), None)


def _paths(expected: Expected, files: Sequence[str]) -> Iterator[Miss]:
    top = _shown(files)
    if expected.any_paths and all(rank_of(path, files) is None for path in expected.any_paths):
        yield Miss("expect_any", " or ".join(expected.any_paths), top)
    for path in expected.all_paths:
        if rank_of(path, files) is None:
            yield Miss("expect_all", path, top)
    for path in expected.no_paths:
        rank = rank_of(path, files)
        if rank is not None:
            yield Miss("expect_none", f"not {path}", f"{files[rank]} at {rank + 1}")


def _places(check: Check, files: Sequence[str]) -> Iterator[Miss]:
    expected, spare = check.expected, check.rank_tolerance
    wanted = [("expect_first", expected.first, 1)] if expected.first else []
    wanted += [("expect_within", path, most) for path, most in expected.within]
    for rule, path, most in wanted:
        rank = rank_of(path, files)
        if rank is None or rank >= most + spare:
            allowed = f" (tolerance {spare})" if spare else ""
            first = "the first file" if most == 1 else f"among the first {most} files"
            yield Miss(rule, f"{path} {first}{allowed}", f"{_at(rank)}; {_shown(files)}")


def _order(expected: Expected, files: Sequence[str]) -> Iterator[Miss]:
    ranks = [rank_of(path, files) for path in expected.order]
    for place, (earlier, later) in enumerate(pairwise(ranks)):
        if earlier is None or (later is not None and earlier > later):
            first, second = expected.order[place : place + 2]
            yield Miss("expect_order", f"{first} before {second}", f"{_at(earlier)}, {_at(later)}")


def _hits(expected: Expected, answer: Answer) -> Iterator[Miss]:
    hits = answer.hits
    if expected.section:
        named = (*expected.any_paths, *expected.all_paths, expected.first, *dict(expected.within))
        means = [hit for hit in hits if any(rank_of(p, [hit.file]) == 0 for p in named if p)]
        best = next(iter(means or hits), None)
        if best is None or best.section != expected.section:
            came = "no hit" if best is None else f"{best.file} in {best.section}"
            yield Miss("expect_section", expected.section, came)
    if expected.symbol and not any(
        expected.symbol in (hit.name, hit.qualified_name) for hit in hits
    ):
        names = [hit.qualified_name or hit.name for hit in hits if hit.name][:3]
        yield Miss("expect_symbol", expected.symbol, ", ".join(names) or "no named hit")
    if expected.confidence and answer.confidence != expected.confidence:
        came = answer.confidence if answer.confidence is not None else "not available"
        yield Miss("expect_confidence", expected.confidence, came)
    if len(hits) < expected.min_hits:
        yield Miss("expect_min_hits", f"{expected.min_hits} hits", f"{len(hits)} hits")
    if expected.max_hits is not None and len(hits) > expected.max_hits:
        came = f"{len(hits)} hits: {_shown(answer.files)}"
        yield Miss("expect_max_hits", f"at most {expected.max_hits} hits", came)


def _shown(files: Sequence[str]) -> str:
    return ", ".join(files[:3]) or "no hit"


def _at(rank: int | None) -> str:
    return "in no hit" if rank is None else f"file {rank + 1}"


class CheckResult(Struct, frozen=True):
    """The verdicts on the checks of a file, in the file's order."""

    file: CheckFile
    verdicts: tuple[Verdict, ...]
    baseline: Baseline | None = None

    @property
    def failed(self) -> int:
        """Return the number of checks that fail."""
        return sum(not verdict.holds for verdict in self.verdicts)

    @property
    def excused(self) -> tuple[Verdict, ...]:
        """Return the checks that fail and also failed in the baseline."""
        before = self.baseline.failed if self.baseline else frozenset()
        failed = (verdict for verdict in self.verdicts if not verdict.holds)
        return tuple(verdict for verdict in failed if verdict.check.question.id in before)

    @property
    def allowed(self) -> int:
        """Return the number of checks that may fail in addition to the excused checks."""
        return self.baseline.max_drop if self.baseline else self.file.allow_failures

    @property
    def ok(self) -> bool:
        """Return whether the number of failing checks is within the allowed number."""
        return self.failed - len(self.excused) <= self.allowed


def run_checks(file: CheckFile, open_target: Callable[[QueriedPath], "Asker"]) -> CheckResult:
    """Return the verdicts on all checks.

    Raises:
        GgrepError: a target cannot be opened.
    """
    askers: dict[QueriedPath, Asker] = {}

    def verdict(check: Check) -> Verdict:
        if check.target not in askers:
            askers[check.target] = open_target(check.target)
        asker = askers[check.target]
        judged = judge(check, asker.ask(check.question))
        gone = () if judged.answer.error else tuple(absent(check, asker.lines_of))
        rules = {miss.rule for miss in gone}
        others = (miss for miss in judged.misses if miss.rule not in rules)
        return replace(judged, misses=(*gone, *others))

    return CheckResult(file, tuple(verdict(check) for check in file.checks))


_WORD = re.compile(r"\w+")


def first_checks(questions: Sequence[str], asker: Asker) -> str:
    """Return the text of a check file; each check expects the file that currently ranks first.

    Raises:
        UsageError: a question has no hit.
    """
    lines, ids = [f"version = {VERSION}"], set[str]()
    for query in questions:
        name = _free("-".join(_WORD.findall(query.lower())) or "check", ids)
        answer = asker.ask(CaseQuery(name, query, limit=DEFAULT_CHECK_LIMIT))
        if not answer.files:
            raise UsageError(
                f"--init: {query!r}: {answer.error or 'no hits, so there is no file to expect'}"
            )
        lines += (
            "",
            "[[checks]]",
            f"id = {_quoted(name)}",
            f"query = {_quoted(query)}",
            f"expect_any = [{_quoted(answer.files[0])}]",
        )
    return "\n".join(lines) + "\n"


def _free(name: str, taken: set[str]) -> str:
    """Return an unused name, with a number appended if necessary, and add it to `taken`."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def _quoted(text: str) -> str:
    """Return a text as a TOML string, which is a JSON string with DEL escaped."""
    return stable_json.dumps(text).decode().replace("\x7f", "\\u007f")
