"""Several answers of one command."""

from ggrep.render.agent_hits import AlreadyShown


def test_lines_within_shown_lines_stand_above() -> None:
    """Only what is shown as a whole is named instead."""
    above = AlreadyShown()

    assert not above.covers("a.py", 1, 20)
    assert above.covers("a.py", 5, 20)
    assert not above.covers("a.py", 5, 21)
    assert not above.covers("b.py", 5, 20)


def test_a_line_that_two_mentions_share_is_new_to_its_own_answer() -> None:
    """Of one answer nothing is dropped."""
    above = AlreadyShown()

    assert above.repeated([("a.py", 3), ("a.py", 3)]) == set()
    assert above.repeated([("a.py", 3), ("a.py", 4)]) == {("a.py", 3)}
