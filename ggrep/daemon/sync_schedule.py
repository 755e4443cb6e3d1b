"""The schedule of the next sync of a store: an immutable value that reads no clock."""

from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

Reason = Literal["asked", "start", "change", "look", "retry", "quiet", "reconcile"]


class LoopFigures(Struct, frozen=True):
    """The delays that decide when a sync is due.

    Attributes:
        debounce_ms: a sync is due this long after the last change.
        coalesce_ms: further changes delay a sync by at most this time after the first change.
        rest_ms: a store is at rest once its last sync ended this long ago.
        rested_debounce_ms: replaces `debounce_ms` for the first changes of a store at rest, usually
            a file that was saved before a search. 0 is enough, because the watcher collects events
            for 20 ms.
        settle_ms: changes by git are synced this long after git ends: a further step of the same
            command would have started by then.
        reconcile_ms: without changes, a sync is due this long after the last sync.
        quiet_ms: a further sync is due this long after the last change, because events may have
            been lost.
        retry_ms: time until a failed sync is repeated; each further failure doubles it.
        fruitless_most_ms: maximum time between syncs while changes affect no indexed file.
    """

    debounce_ms: int = 300
    coalesce_ms: int = 500
    rest_ms: int = 1_000
    rested_debounce_ms: int = 0
    settle_ms: int = 150
    reconcile_ms: int = 300_000
    quiet_ms: int = 120_000
    retry_ms: int = 1_000
    retry_most_ms: int = 60_000
    fruitless_most_ms: int = 10_000


LOW_IMPACT: Final = LoopFigures(debounce_ms=2_000, rested_debounce_ms=2_000, reconcile_ms=600_000)
"""Delays of `low_impact`."""


class Due(Struct, frozen=True):
    """The next sync: its time, on the same clock as the events, and its reason."""

    at_ms: float
    reason: Reason


class Schedule(Struct, frozen=True):
    """The past events that decide when the next sync is due.

    Attributes:
        first_ms: time of the first change since the start of the last sync; None without a change.
        sure: whether a change was detected, not only suspected.
        last_ms: time of the last change, before or after the start of the last sync.
        quiet: whether the sync `quiet_ms` after the last change is still to come.
        ended_ms: end of the last sync; None before the first sync.
        failures: number of failed syncs since the last success.
        retry_ms: time of the next attempt for a failed sync or for postponed files.
        fruitless: number of syncs due to changes since a sync last published a snapshot.
        git_at_work: whether git may be changing files; no sync starts then.
        rested_ms: time at which git ended; None if a sync has started since.
        only_requested: whether only a request starts a sync, because the first index was cancelled.
    """

    figures: LoopFigures
    requested: bool = False
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
    only_requested: bool = False

    def git(self, now_ms: float, *, at_work: bool) -> "Schedule":
        """Return the schedule after a check of git."""
        if at_work == self.git_at_work:
            return self
        return replace(self, git_at_work=at_work, rested_ms=None if at_work else now_ms)

    def changed(self, now_ms: float, *, certain: bool) -> "Schedule":
        """Return the schedule after a change; `certain` is False for a suspected change."""
        first = now_ms if self.first_ms is None else self.first_ms
        sure, quiet = self.sure or certain, self.quiet or certain
        return replace(self, first_ms=first, last_ms=now_ms, sure=sure, quiet=quiet)

    def begun(self, due: Due) -> "Schedule":
        """Return the schedule after the start of a sync, which covers all earlier changes."""
        quiet = self.quiet and due.reason != "quiet"
        return replace(
            self,
            requested=False,
            first_ms=None,
            sure=False,
            retry_ms=None,
            quiet=quiet,
            rested_ms=None,
            only_requested=False,
        )

    def done(
        self, now_ms: float, due: Due, *, fruitful: bool, wait_ms: float | None = None
    ) -> "Schedule":
        """Return the schedule after a successful sync.

        Postponed files are tried again after `wait_ms`; None without postponed files.
        """
        fruitless = 0 if fruitful else self.fruitless + (due.reason == "change")
        retry_ms = None if wait_ms is None else now_ms + wait_ms
        return replace(self, ended_ms=now_ms, failures=0, fruitless=fruitless, retry_ms=retry_ms)

    def failed(self, now_ms: float, due: Due, *, wait_ms: float = 0) -> "Schedule":
        """Return the schedule after a failed sync, which will be repeated.

        Later changes and reconciliation do not wait for the retry.

        `wait_ms` is the minimum delay of the retry.
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

        If the `first` sync was cancelled, no sync starts until a sync is requested.
        """
        return replace(
            self,
            ended_ms=now_ms,
            first_ms=None,
            sure=False,
            quiet=True,
            last_ms=now_ms,
            only_requested=first,
        )

    def next(self) -> Due:
        """Return the sync that is due first; ties are broken by the order in `_first`."""
        due = self._first()
        if self.rested_ms is None:
            return due
        return replace(due, at_ms=max(due.at_ms, self.rested_ms + self.figures.settle_ms))

    def _first(self) -> Due:
        if self.requested:
            return Due(float("-inf"), "asked")
        if self.ended_ms is None:
            return Due(float("-inf"), "start")
        if self.only_requested:
            return Due(float("inf"), "asked")
        syncs = [Due(self.ended_ms + self.figures.reconcile_ms, "reconcile")]
        if self.quiet and self.last_ms is not None:
            syncs.insert(0, Due(self.last_ms + self.figures.quiet_ms, "quiet"))
        if self.retry_ms is not None:
            syncs.insert(0, Due(self.retry_ms, "retry"))
        if self.first_ms is not None and self.last_ms is not None:
            at_ms = self._change_ms(self.first_ms, self.last_ms)
            syncs.insert(0, Due(at_ms, "change" if self.sure else "look"))
        return min(syncs, key=lambda due: due.at_ms)  # `min` keeps the first of equals

    def _change_ms(self, first_ms: float, last_ms: float) -> float:
        """Return the time of the next sync for changes.

        A build that writes ignored files for minutes must not keep a core busy. Therefore each sync
        without a change doubles the time to the next sync, and a sync with a change resets this
        time.
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
