"""What the state of syncs says of the active snapshot."""

import pytest

from ggrep.daemon.sync_state import UNTOUCHED, SyncState


@pytest.mark.parametrize("trigger", ["start", "look", "quiet", "reconcile"])
def test_a_sync_that_only_makes_sure_is_no_sign_of_changes(trigger: str) -> None:
    """Else answers would warn every few minutes though nothing was touched."""
    state = SyncState(state="indexing", trigger=trigger, stage="scan")

    assert not state.behind


@pytest.mark.parametrize(
    "state",
    [
        SyncState(pending=True),
        SyncState(state="indexing", trigger="change", stage="scan"),
        SyncState(state="indexing", trigger="asked", stage="scan"),
        SyncState(state="indexing", trigger="retry", stage="scan"),
        SyncState(state="indexing", trigger="reconcile", stage="index"),
        SyncState(state="indexing", trigger="look", stage="publish"),
    ],
)
def test_known_changes_are_behind(state: SyncState) -> None:
    """Seen but not begun, being taken up, or found by a sync that made sure."""
    assert state.behind


def test_a_store_at_rest_is_not_behind() -> None:
    """Whatever its last sync was for."""
    assert not UNTOUCHED.behind
    assert not SyncState(trigger="change", last_result="ok").behind
