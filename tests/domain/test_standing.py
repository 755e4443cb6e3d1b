"""How the updating of an index stands is told in words that are true at that moment."""

import pytest
from msgspec.structs import replace

from ggrep.model.index_freshness import UP_TO_DATE, IndexFreshness, freshness_notices

FULL = "No space left on device"


def said(standing: IndexFreshness) -> dict[str, str]:
    return {notice.code: notice.message for notice in freshness_notices(standing)}


def test_an_index_at_rest_says_nothing() -> None:
    assert freshness_notices(UP_TO_DATE) == ()


@pytest.mark.parametrize(
    ("standing", "message"),
    [
        (IndexFreshness(indexing=True), "they are being indexed"),
        (
            IndexFreshness(indexing=True, git_at_work=True),
            "they will be indexed when git has finished",
        ),
        (IndexFreshness(), "they will be indexed soon"),
        (IndexFreshness(held="the daemon is stale"), "they are not indexed: the daemon is stale"),
        (IndexFreshness(cancelled=True), "the sync was cancelled; to try again: ggrep index"),
        (IndexFreshness(failure=FULL, retry_ms=9), "they wait for the next successful sync"),
    ],
)
def test_what_becomes_of_changes_is_told(standing: IndexFreshness, message: str) -> None:
    """`they are being indexed` was said for ever."""
    found = said(replace(standing, behind=True))

    assert found["index_behind"] == f"files have changed since the last sync; {message}"


@pytest.mark.parametrize(
    ("standing", "message"),
    [
        (IndexFreshness(FULL), f"the last sync failed: {FULL}; to try again: ggrep index"),
        (
            IndexFreshness(FULL, at="2026"),
            f"syncs fail since 2026: {FULL}; to try again: ggrep index",
        ),
        (
            IndexFreshness(FULL, retry_ms=7_001),
            f"the last sync failed: {FULL}; ggrep retries within 8 s",
        ),
        (
            IndexFreshness(FULL, indexing=True),
            f"the last sync failed: {FULL}; ggrep is retrying now",
        ),
        (
            IndexFreshness(FULL, held="stale"),
            f"the last sync failed: {FULL}; syncs are suspended: stale",
        ),
    ],
)
def test_why_the_last_sync_failed_is_told_and_what_comes(
    standing: IndexFreshness, message: str
) -> None:
    """Nobody can mend what he is not told of."""
    assert said(standing) == {"sync_failed": message}


def test_no_absolute_path_and_no_control_is_told() -> None:
    standing = IndexFreshness(
        "/home/a b/c/x.toml: odd \x1b]0;y\x07 word; see (/etc/z)", held="/srv/q: r"
    )

    assert said(standing)["sync_failed"] == (
        "the last sync failed: x.toml: odd  word; see (z); syncs are suspended: q: r"
    )
