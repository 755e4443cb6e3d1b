"""The schedule of the next sync of a store: a value that events change; it reads no clock."""

from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

Reason = Literal["asked", "start", "change", "look", "retry", "quiet", "reconcile"]


class LoopFigures(Struct, frozen=True):
    """The delays that decide when a sync is due.

    Attributes:
        debounce_ms: changes are taken up once there were none for so long.
        coalesce_ms: and so much later than that at most, counted from the first of them.
        rest_ms: a store rests when its last sync ended so long ago.
        rested_debounce_ms: in place of `debounce_ms` for the first changes after a rest: mostly one
            file that was saved, by somebody who asks next.
        settle_ms: what git changed is taken up so long after its end: the next step of the same
            command would begin by then.
        reconcile_ms: without any change, a sync is due so long after the last.
        quiet_ms: one more is due so long after the last change: events may have been lost.
        retry_ms: a failed sync is tried again after so long, each further time twice that.
        fruitless_most_ms: changes that concern no index lengthen the time between syncs to this.
    """

    debounce_ms: int = 300
    coalesce_ms: int = 500
    rest_ms: int = 1_000
    rested_debounce_ms: int = 50
    settle_ms: int = 150
    reconcile_ms: int = 300_000
    quiet_ms: int = 120_000
    retry_ms: int = 1_000
    retry_most_ms: int = 60_000
    fruitless_most_ms: int = 10_000


LOW_IMPACT: Final = LoopFigures(debounce_ms=2_000, rested_debounce_ms=2_000, reconcile_ms=600_000)
"""For a machine that has other things to do."""


class Due(Struct, frozen=True):
    """The next sync: when, on the scale of the times that the schedule was told, and why."""

    at_ms: float
    reason: Reason


class Schedule(Struct, frozen=True):
    """The past events that decide when the next sync is due.

    Attributes:
        first_ms: when the first change came that no sync has begun to take up.
        sure: one of those was seen, not merely suspected.
        last_ms: when the last change came, taken up or not.
        quiet: the sync that is due some time after the last change was not done yet.
        ended_ms: when the last sync ended; None before the first.
        failures: syncs that failed since the last that did not.
        retry_ms: when the failed sync is tried again, or the files that had to wait.
        fruitless: syncs of changes since the last that found any.
        git_at_work: git may be moving files; no sync is begun.
        rested_ms: when it ended that, unless a sync has begun since.
        only_asked: the first index was cancelled, so only a request begins a sync.
    """

    figures: LoopFigures
    asked: bool = False
    first_ms: float | None = None
    sure: bool = False
    last_ms: float | None = None
    quiet: bool = False
    ended_ms: float | None = None
    failures: int = 0
    retry_ms: float | None = None
    fruitless: int = 0
    git_at_work: bool = False
    rested_ms: float | None = None
    only_asked: bool = False

    def git(self, now_ms: float, *, at_work: bool) -> "Schedule":
        """Return the schedule after a look at git."""
        if at_work == self.git_at_work:
            return self
        return replace(self, git_at_work=at_work, rested_ms=None if at_work else now_ms)

    def changed(self, now_ms: float, *, certain: bool) -> "Schedule":
        """Return the schedule after a change; `certain` is False for a mere suspicion."""
        first = now_ms if self.first_ms is None else self.first_ms
        sure, quiet = self.sure or certain, self.quiet or certain
        return replace(self, first_ms=first, last_ms=now_ms, sure=sure, quiet=quiet)

    def begun(self, due: Due) -> "Schedule":
        """Return the schedule after a sync began, which covers all changes before this moment."""
        quiet = self.quiet and due.reason != "quiet"
        return replace(
            self,
            asked=False,
            first_ms=None,
            sure=False,
            retry_ms=None,
            quiet=quiet,
            rested_ms=None,
            only_asked=False,
        )

    def done(
        self, now_ms: float, due: Due, *, fruitful: bool, wait_ms: float | None = None
    ) -> "Schedule":
        """Return the schedule after a successful sync.

        After `wait_ms` files that had to wait are tried again; None without any.
        """
        fruitless = 0 if fruitful else self.fruitless + (due.reason == "change")
        retry_ms = None if wait_ms is None else now_ms + wait_ms
        return replace(self, ended_ms=now_ms, failures=0, fruitless=fruitless, retry_ms=retry_ms)

    def failed(self, now_ms: float, due: Due, *, wait_ms: float = 0) -> "Schedule":
        """Return the schedule after a failed sync, which is retried.

        Nothing else waits for that: neither later changes nor reconciliation.

        `wait_ms` is the least time to wait, where that is known.
        """
        figures = self.figures
        doubled = figures.retry_ms * 2.0 ** min(self.failures, 30)
        retry_ms = now_ms + max(min(doubled, figures.retry_most_ms), wait_ms)
        return replace(
            self,
            ended_ms=now_ms,
            failures=self.failures + 1,
            retry_ms=retry_ms,
            fruitless=self.fruitless + (due.reason == "change"),
        )

    def stopped(self, now_ms: float, *, first: bool = False) -> "Schedule":
        """Return the schedule after a cancelled sync, which is not retried at once.

        If it was the `first`, syncs stay cancelled until a request wants one.
        """
        return replace(
            self,
            ended_ms=now_ms,
            first_ms=None,
            sure=False,
            quiet=True,
            last_ms=now_ms,
            only_asked=first,
        )

    def next(self) -> Due:
        """Return the sync that is due first; of two at one time, the one named first here."""
        due = self._first()
        if self.rested_ms is None:
            return due
        return replace(due, at_ms=max(due.at_ms, self.rested_ms + self.figures.settle_ms))

    def _first(self) -> Due:
        if self.asked:
            return Due(float("-inf"), "asked")
        if self.ended_ms is None:
            return Due(float("-inf"), "start")
        if self.only_asked:
            return Due(float("inf"), "asked")
        found = [Due(self.ended_ms + self.figures.reconcile_ms, "reconcile")]
        if self.quiet and self.last_ms is not None:
            found.insert(0, Due(self.last_ms + self.figures.quiet_ms, "quiet"))
        if self.retry_ms is not None:
            found.insert(0, Due(self.retry_ms, "retry"))
        if self.first_ms is not None and self.last_ms is not None:
            at_ms = self._change_ms(self.first_ms, self.last_ms)
            found.insert(0, Due(at_ms, "change" if self.sure else "look"))
        return min(found, key=lambda due: due.at_ms)  # `min` keeps the first of equals

    def _change_ms(self, first_ms: float, last_ms: float) -> float:
        """Return when changes are taken up.

        A build that writes ignored files for minutes must not keep a core busy: syncs that find
        nothing move apart, and the first that finds something brings them together again.
        """
        figures = self.figures
        if self.rested_ms is not None:
            return self.rested_ms  # `next` lets it settle
        rested = self.ended_ms is not None and first_ms >= self.ended_ms + figures.rest_ms
        eager = rested and not self.fruitless
        debounce_ms = figures.rested_debounce_ms if eager else figures.debounce_ms
        at_ms = min(last_ms, first_ms + figures.coalesce_ms) + debounce_ms
        if self.ended_ms is None or not self.fruitless:
            return at_ms
        apart_ms = figures.coalesce_ms * 2.0 ** min(self.fruitless - 1, 30)
        return max(at_ms, self.ended_ms + min(apart_ms, figures.fruitless_most_ms))
