"""Identifiers grow, and derived ones depend on their parts alone."""

from datetime import UTC, datetime

from ggrep.base.identifiers import IdSource, derived_id
from ggrep.base.ids import parse_snapshot_id
from tests.fakes.clocks import ManualClock


def test_fresh_ids_grow_even_when_the_clock_stands_or_steps_back() -> None:
    """The newest snapshot is the one with the largest id."""
    clock = ManualClock(datetime(2030, 1, 1, tzinfo=UTC))
    source = IdSource(clock)
    made = [source(), source()]
    clock.advance(-60_000)
    made.append(source())

    assert made == sorted(set(made))
    assert all(parse_snapshot_id(text) == text for text in made)


def test_derived_ids_tell_their_parts_apart() -> None:
    """A deterministic answer names its request the same way every time."""
    assert derived_id("a", "b") == derived_id("a", "b")
    assert derived_id("a", "b") != derived_id("ab", "")
    assert parse_snapshot_id(derived_id("x"))
