"""Goldens of failures, one for each kind of error."""

import pytest
from syrupy.assertion import SnapshotAssertion

from ggrep.base import errors, stable_json
from ggrep.render.failures import query_error
from tests.golden.documents import error_classes

ISSUES = (
    errors.Issue(
        "ERR_WORKSPACE_DUPLICATE_ALIAS",
        "alias 'shop' is used twice",
        path="team.jsonc",
        field="$.repos[1].alias",
        reason="duplicate",
        hint="remove or rename one",
    ),
    errors.Issue("ERR_WORKSPACE_REPOS_EMPTY", "repos is empty", field="$.repos"),
)
CASES: dict[str, errors.GgrepError] = {
    "budget_exceeded": errors.BudgetExceeded("store uses 9 bytes of 8"),
    "busy": errors.Busy(retry_after_ms=250),
    "cancelled": errors.Cancelled("the daemon is shutting down"),
    "closed": errors.Closed("/srv/shop: was closed"),
    "corrupt_store": errors.CorruptStore("manifest.json: $.segments: missing"),
    "forbidden": errors.Forbidden("/srv/other is outside the roots that may be searched"),
    "forked": errors.Forked("/srv/shop: was opened in another process; open it anew"),
    "incompatible": errors.Incompatible("manifest.json: schema_version 9, this build reads 1"),
    "index_damaged": errors.IndexDamaged("the index is damaged: segment a is corrupt; no snapshot"),
    "internal": errors.GgrepError("internal error (KeyError)"),
    "invalid_request": errors.InvalidRequest("limit: -1 is negative"),
    "lease_lost": errors.LeaseLost("another writer took the store over"),
    "missing_root": errors.MissingRoot("root '../shop': no such directory"),
    "no_index": errors.NoIndex("this repository has no index yet; run: ggrep index"),
    "not_trusted": errors.NotTrusted("origin: blobs/0 is not the object that was published"),
    "remote_failed": errors.RemoteError("origin: refs/team/shop: connection refused"),
    "session_expired": errors.SessionExpired("session_token: expired; start a new session"),
    "session_full": errors.SessionFull("a session names 373 files; start a new session"),
    "snapshot_gone": errors.SnapshotGone("snapshot 0 is no longer active"),
    "sync_refused": errors.SyncRefused(("a.py: changed during each of 3 reads", "b.py: gone")),
    "terminal_escapes": errors.InvalidRequest("no such file: \x1b[31mred\n\u202egnp.txt"),
    "timeout": errors.DeadlineExceeded("deadline passed during score"),
    "unasked": errors.Unasked("this directory is no repository; to index it: ggrep index --path ."),
    "usage": errors.UsageError(
        "--workspace was given more than once", code="ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG"
    ),
    "workspace": errors.WorkspaceError(ISSUES),
}


@pytest.mark.parametrize("case", CASES)
def test_each_error_has_one_shape(case: str, golden: SnapshotAssertion) -> None:
    """Agents decide by the code whether to wait, to index or to give up."""
    assert stable_json.dumps_pretty(query_error(CASES[case])) == golden


def test_every_class_of_error_has_a_golden() -> None:
    """An error added without one would reach callers in a shape nobody has looked at."""
    shown = {type(error) for error in CASES.values()}
    abstract = {errors.LoadError, errors.RequestError, errors.StoreError}

    assert shown == error_classes() - abstract
