"""Cuts and unseen files of an answer are reported once, in one order."""

import pytest

from ggrep.model.files import SkippedFile
from ggrep.model.limits import (
    NOTHING_UNSEEN,
    UNSEEN,
    LimitHit,
    Notice,
    Unseen,
    skip_counts,
    sorted_limits,
    sorted_notices,
    unseen_notices,
)


def test_each_cut_is_said_once_with_its_largest_figure() -> None:
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


def test_warnings_are_said_once_in_order_and_skips_counted_by_reason() -> None:
    notices = [Notice("z", "m"), Notice("a", "n"), Notice("a", "m")]

    assert sorted_notices(notices) == (Notice("a", "m"), Notice("z", "m"))

    reasons = ("binary", "read_failed", "unreadable", "unstable", "symlink_loop", "vanished")
    skips = [SkippedFile(f"{number}", reason, "") for number, reason in enumerate(reasons)]

    assert skip_counts(skips) == (("unreadable", 3), ("binary", 1))


SKIPPED = (("too large", 1), ("binary", 2))
PARTIAL = (("cut at max_bulk_bytes", 3),)
NAMELESS = (("in cobol", 1), ("in awk", 2))


@pytest.mark.parametrize(
    ("unseen", "names", "message"),
    [
        (Unseen(SKIPPED), False, "not searched: 1 file too large, 2 binary"),
        (Unseen((), PARTIAL), False, "searched in part: 3 files cut at max_bulk_bytes"),
        (
            Unseen(SKIPPED[:1], PARTIAL, NAMELESS),
            True,
            "not searched: 1 file too large; searched in part: 3 files cut at max_bulk_bytes;"
            " searched without their definitions: 1 file in cobol, 2 in awk",
        ),
    ],
)
def test_one_warning_counts_the_files_and_names_the_command_that_lists_them(
    unseen: Unseen, names: bool, message: str
) -> None:
    (notice,) = unseen_notices(unseen, names=names)

    assert notice.code == UNSEEN
    assert notice.message == f"{message}; `ggrep health` in the repository lists them"


@pytest.mark.parametrize("unseen", [NOTHING_UNSEEN, Unseen(nameless=NAMELESS)])
def test_an_answer_about_text_is_silent_where_all_text_was_searched(unseen: Unseen) -> None:
    assert unseen_notices(unseen) == ()
