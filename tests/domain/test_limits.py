"""What was cut is said once, in one order."""

from ggrep.model.limits import LimitHit, Notice, sorted_limits, sorted_notices


def test_each_cut_is_said_once_with_its_largest_figure() -> None:
    """Answers are compared byte for byte."""
    cuts = [
        LimitHit("b", 1, 5),
        LimitHit("a", 1, 2, "x"),
        LimitHit("a", 1, 9, "x"),
        LimitHit("a", 1),
    ]

    assert sorted_limits(cuts) == (
        LimitHit("a", 1),
        LimitHit("a", 1, 9, "x"),
        LimitHit("b", 1, 5),
    )
    assert sorted_limits(reversed(cuts)) == sorted_limits(cuts)


def test_warnings_are_said_once_in_order() -> None:
    """The order in which they arose depends on threads."""
    notices = [Notice("z", "m"), Notice("a", "n"), Notice("a", "m")]

    assert sorted_notices(notices) == (Notice("a", "m"), Notice("z", "m"))
