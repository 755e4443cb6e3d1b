"""How long a plain search was waited for."""

from datetime import UTC, datetime

from ggrep.interfaces.cli.queries.one_search import waiting
from tests.fakes.clocks import ManualClock


def test_the_start_of_the_process_was_waited_for() -> None:
    """Whoever typed the command has waited for the interpreter, too."""
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))
    waited_ms = waiting(clock, 120.0)
    clock.advance(300)

    assert waited_ms() == 420.0


def test_what_a_process_did_before_it_was_ours_was_not() -> None:
    """A script that ends in `exec ggrep` is as old as its first line."""
    clock = ManualClock(datetime(2031, 2, 3, tzinfo=UTC))
    waited_ms = waiting(clock, 60_000.0)
    clock.advance(300)

    assert waited_ms() == 300.0
