"""Runs the checks of a file and opens each target once."""

from collections.abc import Callable
from dataclasses import dataclass

from ggrep.interfaces.evaluation.check_file import Check, CheckFile
from ggrep.interfaces.evaluation.check_rules import Verdict, judge
from ggrep.interfaces.evaluation.questions import Target
from ggrep.interfaces.evaluation.suite_questions import Asker


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a file of checks, in its order."""

    file: CheckFile
    verdicts: tuple[Verdict, ...]

    @property
    def failed(self) -> int:
        """Return how many checks do not hold."""
        return sum(not verdict.holds for verdict in self.verdicts)

    @property
    def ok(self) -> bool:
        """Return whether no more failed than the file allows."""
        return self.failed <= self.file.allow_failures


def run_checks(file: CheckFile, open_target: Callable[[Target], Asker]) -> Outcome:
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
        return judge(check, askers[check.target].ask(check.question))

    return Outcome(file, tuple(verdict(check) for check in file.checks))
