"""Compares an answer with what a check expects of it."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ggrep.interfaces.evaluation.check_baseline import Baseline
from ggrep.interfaces.evaluation.check_file import Check, CheckFile
from ggrep.interfaces.evaluation.check_misses import Miss
from ggrep.interfaces.evaluation.expected import Expected, matches
from ggrep.interfaces.evaluation.named_files import absent
from ggrep.interfaces.evaluation.questions import Answer, Target
from ggrep.interfaces.evaluation.slate_rules import slate_misses

if TYPE_CHECKING:
    from ggrep.interfaces.evaluation.suite_questions import Asker


class Verdict(Struct, frozen=True):
    """A check, its answer, and what of it does not hold."""

    check: Check
    answer: Answer
    misses: tuple[Miss, ...]

    @property
    def holds(self) -> bool:
        """Return whether all of it holds."""
        return not self.misses


def judge(check: Check, answer: Answer) -> Verdict:
    """Return what of a check does not hold, in the order of `RULES`."""
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
    """Return the 0-based rank of the first file that a plain path or a glob means."""
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
            at = "nowhere" if rank is None else f"at {rank + 1}"
            yield Miss(rule, f"{path} at {most} or above{allowed}", f"{at}; {_shown(files)}")


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
    return "nowhere" if rank is None else f"at {rank + 1}"


class Outcome(Struct, frozen=True):
    """What became of a file of checks, in its order."""

    file: CheckFile
    verdicts: tuple[Verdict, ...]
    baseline: Baseline | None = None

    @property
    def failed(self) -> int:
        """Return how many checks do not hold."""
        return sum(not verdict.holds for verdict in self.verdicts)

    @property
    def excused(self) -> tuple[Verdict, ...]:
        """Return the checks that do not hold, and did not in the baseline either."""
        before = self.baseline.failed if self.baseline else frozenset()
        failed = (verdict for verdict in self.verdicts if not verdict.holds)
        return tuple(verdict for verdict in failed if verdict.check.question.id in before)

    @property
    def allowed(self) -> int:
        """Return how many may fail that are not excused."""
        return self.baseline.max_drop if self.baseline else self.file.allow_failures

    @property
    def ok(self) -> bool:
        """Return whether no more failed than may."""
        return self.failed - len(self.excused) <= self.allowed


def run_checks(file: CheckFile, open_target: Callable[[Target], "Asker"]) -> Outcome:
    """Return the verdicts on all checks.

    Args:
        file: its checks are put one after the other.
        open_target: returns what asks a target, its index fit to be asked.

    Raises:
        GgrepError: a target cannot be opened.
    """
    askers: dict[Target, Asker] = {}

    def verdict(check: Check) -> Verdict:
        if check.target not in askers:
            askers[check.target] = open_target(check.target)
        asker = askers[check.target]
        judged = judge(check, asker.ask(check.question))
        gone = () if judged.answer.error else tuple(absent(check, asker.lines_of))
        rules = {miss.rule for miss in gone}
        others = (miss for miss in judged.misses if miss.rule not in rules)
        return replace(judged, misses=(*gone, *others))

    return Outcome(file, tuple(verdict(check) for check in file.checks))
