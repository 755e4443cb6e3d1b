"""How the updating of an index stands is told in words that are true at that moment."""

import pytest
from msgspec.structs import replace

from ggrep.model.standing import AT_REST, Standing, standing_notices

FULL = "No space left on device"


def said(standing: Standing) -> dict[str, str]:
    """Return the messages by code."""
    return {notice.code: notice.message for notice in standing_notices(standing)}


def test_an_index_at_rest_says_nothing() -> None:
    """A warning without need teaches to read none."""
    assert standing_notices(AT_REST) == ()


@pytest.mark.parametrize(
    ("standing", "message"),
    [
        (Standing(indexing=True), "they are being indexed"),
        (
            Standing(indexing=True, git_at_work=True),
            "git is working; they are indexed when it has finished",
        ),
        (Standing(), "they will be indexed soon"),
        (Standing(held="the daemon is stale"), "they are not indexed: the daemon is stale"),
        (Standing(cancelled=True), "the sync was cancelled; to try again: ggrep index"),
        (Standing(failure=FULL, retry_ms=9), "they wait for the next successful sync"),
    ],
)
def test_what_becomes_of_changes_is_told(standing: Standing, message: str) -> None:
    """`they are being indexed` was said for ever."""
    found = said(replace(standing, behind=True))

    assert found["index_behind"] == f"files have changed since; {message}"


@pytest.mark.parametrize(
    ("standing", "message"),
    [
        (Standing(FULL), f"the last sync failed: {FULL}; to try again: ggrep index"),
        (
            Standing(FULL, at="2026"),
            f"syncs fail since 2026: {FULL}; to try again: ggrep index",
        ),
        (
            Standing(FULL, retry_ms=7_001),
            f"the last sync failed: {FULL}; the next try is within 8 s",
        ),
        (Standing(FULL, indexing=True), f"the last sync failed: {FULL}; a new try is running"),
        (Standing(FULL, held="stale"), f"the last sync failed: {FULL}; no sync is done: stale"),
    ],
)
def test_why_the_last_sync_failed_is_told_and_what_comes(standing: Standing, message: str) -> None:
    """Nobody can mend what he is not told of."""
    assert said(standing) == {"sync_failed": message}


def test_no_absolute_path_and_no_control_is_told() -> None:
    """Answers go to other machines and to terminals."""
    standing = Standing("/home/a b/c/x.toml: odd \x1b]0;y\x07 word; see (/etc/z)", held="/srv/q: r")

    assert said(standing)["sync_failed"] == (
        "the last sync failed: x.toml: odd  word; see (z); no sync is done: q: r"
    )
