"""When a sync is due, decided without any clock."""

from datetime import UTC, datetime

from msgspec.structs import replace

from ggrep.daemon.sync_schedule import LOW_IMPACT, Due, LoopFigures, Schedule
from tests.fakes.clocks import ManualClock

FIGURES = LoopFigures()


def settled(clock: ManualClock) -> Schedule:
    start = Schedule(FIGURES)
    return start.begun(start.next()).done(clock.monotonic_ms(), start.next(), fruitful=True)


def a_clock() -> ManualClock:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    clock.advance(1_000_000)
    return clock


def test_a_store_is_synced_at_the_start_and_reconciled_later() -> None:
    """Changes before the start are unknown, and events may be lost without a word."""
    assert Schedule(FIGURES).next() == Due(float("-inf"), "start")

    clock = a_clock()

    assert settled(clock).next() == Due(clock.monotonic_ms() + 300_000, "reconcile")

    schedule = Schedule(LOW_IMPACT)
    schedule = schedule.begun(schedule.next()).done(0.0, schedule.next(), fruitful=True)

    assert schedule.next() == Due(600_000, "reconcile")
    assert schedule.changed(0.0, certain=True).next() == Due(2_000, "change")


def test_a_change_is_taken_up_once_it_is_quiet() -> None:
    """An editor writes a file in several steps."""
    clock = a_clock()
    schedule = settled(clock).changed(clock.monotonic_ms(), certain=True)
    clock.advance(200)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)

    assert schedule.next() == Due(clock.monotonic_ms() + 300, "change")


def test_the_first_save_after_a_rest_is_taken_up_at_once() -> None:
    clock = a_clock()
    schedule = settled(clock)
    clock.advance(FIGURES.rest_ms)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)
    saved_ms = clock.monotonic_ms()
    due = schedule.next()
    clock.advance(200)
    again = schedule.begun(due).done(saved_ms + 100, due, fruitful=True)
    again = again.changed(clock.monotonic_ms(), certain=True)

    assert due == Due(saved_ms, "change")
    assert again.next() == Due(clock.monotonic_ms() + 300, "change"), "this may be a burst"


def test_events_without_end_hold_a_sync_up_for_800_ms_at_most() -> None:
    """A program that writes a log in the tree must not keep the index old for ever."""
    clock = a_clock()
    schedule = settled(clock)
    first_ms = clock.monotonic_ms()
    for _ in range(50):
        schedule = schedule.changed(clock.monotonic_ms(), certain=True)
        clock.advance(100)

    assert schedule.next() == Due(first_ms + 800, "change")


def test_changes_during_a_sync_are_due_after_it() -> None:
    """The sync had read the file before it was written."""
    clock = a_clock()
    schedule = settled(clock).changed(clock.monotonic_ms(), certain=True)
    due = schedule.next()
    schedule = schedule.begun(due)
    clock.advance(50)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)
    written_ms = clock.monotonic_ms()
    clock.advance(5_000)
    schedule = schedule.done(clock.monotonic_ms(), due, fruitful=True)

    assert schedule.next() == Due(written_ms + 300, "change")


def test_two_minutes_after_the_last_change_all_is_looked_at_once_more() -> None:
    """The kernel drops events when there are too many."""
    clock = a_clock()
    schedule = settled(clock).changed(clock.monotonic_ms(), certain=True)
    changed_ms, due = clock.monotonic_ms(), schedule.next()
    schedule = schedule.begun(due).done(clock.monotonic_ms() + 500, due, fruitful=True)
    quiet = schedule.next()
    after = schedule.begun(quiet).done(quiet.at_ms, quiet, fruitful=False)

    assert quiet == Due(changed_ms + 120_000, "quiet")
    assert after.next() == Due(quiet.at_ms + 300_000, "reconcile")


def test_a_mere_suspicion_is_taken_up_and_leaves_nothing_behind() -> None:
    """A root that is polled would else be looked at twice as often."""
    clock = a_clock()
    schedule = settled(clock).changed(clock.monotonic_ms(), certain=False)
    due = schedule.next()
    schedule = schedule.begun(due).done(clock.monotonic_ms(), due, fruitful=False)

    assert due.reason == "look"
    assert schedule.next().reason == "reconcile"


def test_a_failed_sync_is_tried_again_ever_later_up_to_a_minute() -> None:
    """A full disk stays full for a while."""
    clock, schedule, waits = a_clock(), Schedule(FIGURES), []
    for _ in range(9):
        due = schedule.next()
        now_ms = max(clock.monotonic_ms(), due.at_ms)
        schedule = schedule.begun(due).failed(now_ms, due)
        waits.append(schedule.next().at_ms - now_ms)

    assert waits == [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]
    assert schedule.next().reason == "retry"


def test_a_failure_that_says_how_long_to_wait_is_believed() -> None:
    """It does not block reconciliation; a cancelled sync is not tried again at once."""
    schedule = Schedule(FIGURES)
    schedule = schedule.begun(schedule.next()).failed(0.0, schedule.next(), wait_ms=7_500)

    assert schedule.next() == Due(7_500, "retry")

    figures = LoopFigures(reconcile_ms=500)
    schedule = Schedule(figures)
    schedule = schedule.begun(schedule.next()).failed(0.0, schedule.next())

    assert schedule.next() == Due(500, "reconcile")

    schedule = Schedule(FIGURES)
    schedule = schedule.begun(schedule.next()).stopped(5_000.0)

    assert schedule.next() == Due(125_000, "quiet")


def test_a_change_after_a_failure_does_not_wait_for_the_retry() -> None:
    clock, schedule = a_clock(), Schedule(FIGURES)
    for _ in range(8):
        due = schedule.next()
        schedule = schedule.begun(due).failed(clock.monotonic_ms(), due)
    clock.advance(20_000)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)

    # Syncs that fail move apart as well, but no further than ten seconds.
    assert schedule.next() == Due(clock.monotonic_ms(), "change")


def test_syncs_that_find_nothing_move_apart_up_to_ten_seconds() -> None:
    """A build that writes ignored files for minutes must not keep a core busy."""
    clock, apart = a_clock(), []
    schedule = settled(clock)
    for _ in range(8):
        schedule = schedule.changed(clock.monotonic_ms(), certain=True)
        due = schedule.next()
        apart.append(due.at_ms - clock.monotonic_ms())
        clock.advance(apart[-1])
        schedule = schedule.begun(due).done(clock.monotonic_ms(), due, fruitful=False)

    assert apart == [300, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000]


def test_a_sync_that_finds_something_brings_them_together_again() -> None:
    clock = a_clock()
    schedule = settled(clock)
    for fruitful in (False, False, False, True):
        schedule = schedule.changed(clock.monotonic_ms(), certain=True)
        due = schedule.next()
        clock.advance(20_000)
        schedule = schedule.begun(due).done(clock.monotonic_ms(), due, fruitful=fruitful)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)

    assert schedule.next() == Due(clock.monotonic_ms() + 300, "change")


def test_a_cancelled_first_index_stays_cancelled_until_somebody_asks() -> None:
    """Neither a change that came meanwhile nor one that comes later undoes it."""
    schedule = Schedule(FIGURES)
    schedule = schedule.begun(schedule.next()).changed(4_990.0, certain=False)
    schedule = schedule.stopped(5_000.0, first=True).changed(6_000.0, certain=True)

    assert schedule.next().at_ms == float("inf")
    assert replace(schedule, requested=True).next() == Due(float("-inf"), "asked")
    asked = replace(schedule, requested=True)
    assert asked.begun(asked.next()).done(9_000.0, asked.next(), fruitful=True).next().at_ms < 1e9


def test_what_git_changed_is_due_as_soon_as_git_has_ended() -> None:
    """Its files are settled by then; events that come late must not put the sync off."""
    clock = a_clock()
    schedule = settled(clock).changed(clock.monotonic_ms(), certain=True)
    schedule = schedule.git(clock.monotonic_ms(), at_work=True)
    clock.advance(5_000)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)
    schedule = schedule.git(clock.monotonic_ms(), at_work=False)
    ended_ms = clock.monotonic_ms()
    clock.advance(100)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)

    assert schedule.next() == Due(ended_ms + 150, "change")


def test_nothing_begins_between_two_steps_of_a_git_command() -> None:
    """A stash cleans, then resets: what lies between is nobody's state."""
    clock = a_clock()
    schedule = replace(settled(clock), requested=True).git(clock.monotonic_ms(), at_work=True)
    schedule = schedule.git(clock.monotonic_ms(), at_work=False)

    assert schedule.next() == Due(clock.monotonic_ms() + 150, "asked")


def test_after_the_sync_that_followed_git_changes_settle_as_ever() -> None:
    """An editor's steps are no git's."""
    clock = a_clock()
    schedule = settled(clock).changed(clock.monotonic_ms(), certain=True)
    schedule = schedule.git(clock.monotonic_ms(), at_work=True)
    schedule = schedule.git(clock.monotonic_ms(), at_work=False)
    due = schedule.next()
    schedule = schedule.begun(due).done(clock.monotonic_ms(), due, fruitful=True)
    schedule = schedule.changed(clock.monotonic_ms(), certain=True)

    assert schedule.next() == Due(clock.monotonic_ms() + 300, "change")
