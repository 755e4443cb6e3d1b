"""What the state of syncs says of the active snapshot."""

from datetime import UTC, datetime

import pytest

from ggrep.base.errors import Cancelled, GgrepError
from ggrep.daemon.sync_state import UNTOUCHED, SyncState, advanced, begun, ended
from ggrep.model.sync import SyncFailed, SyncProgress

NOW = datetime(2026, 1, 2, tzinfo=UTC)


def at(trigger: str, stage: str = "scan", before: SyncState = UNTOUCHED) -> SyncState:
    """Return the state of a sync that has come to a stage."""
    return advanced(begun(before, NOW, trigger), SyncProgress(stage, 0, 0, 0))


@pytest.mark.parametrize("trigger", ["start", "asked", "look", "retry", "quiet", "reconcile"])
def test_a_sync_that_only_makes_sure_is_no_sign_of_changes(trigger: str) -> None:
    """Else answers would warn every few minutes though nothing was touched."""
    assert not at(trigger).behind
    assert not at(trigger, "compare").behind


@pytest.mark.parametrize(
    "state", [at("change"), at("reconcile", "index"), at("look", "publish"), at("asked", "index")]
)
def test_known_changes_are_behind(state: SyncState) -> None:
    """Being taken up, or found by a sync that made sure."""
    assert state.behind


@pytest.mark.parametrize("error", [SyncFailed("no room"), Cancelled("stop")])
def test_changes_that_a_sync_found_are_behind_until_one_publishes(error: GgrepError) -> None:
    """That it failed did not bring the index up to date, nor does the next one's beginning."""
    failed = ended(at("change", "index"), NOW, 1, error, stopped=isinstance(error, Cancelled))

    assert failed.behind
    assert at("retry", before=failed).behind
    assert not at("retry", "upkeep", before=failed).behind


def test_a_store_at_rest_is_not_behind() -> None:
    """Whatever its last sync was for."""
    assert not UNTOUCHED.behind
    assert not SyncState(trigger="change", last_result="ok").behind


def test_a_failure_is_told_without_absolute_paths() -> None:
    """Answers repeat it, and go elsewhere."""
    error = SyncFailed("/home/me/.ggrep/config.toml: key: unknown\x1b[2J", code="invalid_request")
    failed = ended(at("look"), NOW, 1, error, stopped=False)

    assert failed.last_error == "invalid_request: config.toml: key: unknown"
