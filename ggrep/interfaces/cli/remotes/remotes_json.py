"""Documents of `ggrep remote`, `push` and `pull`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ggrep.config.remotes import Remote
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.index.remote.collect import Collection
    from ggrep.index.remote.objects import Traffic
    from ggrep.index.sync.sync_report import SyncReport
    from ggrep.model.schemas.remotes import (
        PullJson,
        PushJson,
        RemoteCollectionJson,
        RemotesJson,
        TrafficJson,
    )
    from ggrep.search.engine.travelling import Pulled, Pushed

REMOTES_SCHEMA: Final = 1


def remotes_json(remotes: Sequence[Remote]) -> "RemotesJson":
    """Return the remotes of a home."""
    return {
        "schema_version": REMOTES_SCHEMA,
        "remotes": [
            {
                "name": one.name,
                "url": one.url,
                "endpoint": one.endpoint or None,
                "region": one.region or None,
                "plain_http": one.plain_http,
                "readable": one.readable,
            }
            for one in remotes
        ],
    }


def push_json(remote: Remote, pushed: "Pushed", duration_ms: int) -> "PushJson":
    """Return what a push did."""
    report = pushed.report
    return {
        "schema_version": REMOTES_SCHEMA,
        "remote": remote.name,
        "repo_key": report.repo_key,
        "snapshot_id": report.snapshot_id,
        "tree": report.tree.sha256,
        "git_tree": report.states.git_tree,
        "files_state": report.states.files,
        "commit": report.commit,
        "pushed": report.pushed,
        "blobs": report.blobs,
        "written": report.written,
        "written_bytes": report.written_bytes,
        "traffic": traffic_json(pushed.traffic),
        "duration_ms": duration_ms,
    }


def pull_json(outcome: "Pulled", synced: "SyncReport", times_ms: tuple[int, int]) -> "PullJson":
    """Return what a pull did.

    Args:
        outcome: of the pull.
        synced: what the sync after it did.
        times_ms: until the pulled files could be searched, and in all.
    """
    report, traffic = outcome.report, outcome.traffic
    return {
        "schema_version": REMOTES_SCHEMA,
        "remote": outcome.remote.name if outcome.remote else None,
        "repo_key": report.repo_key if report else None,
        "outcome": report.outcome if report else "failed",
        "reason": sanitise_line(outcome.reason) if outcome.reason else None,
        "exact": bool(report and report.exact),
        "commit": report.commit if report else None,
        "files": report.files if report else 0,
        "of_files": report.of_files if report else 0,
        "brought": report.brought if report else 0,
        "passed_over": [sanitise_line(line) for line in (report.passed_over if report else ())],
        "traffic": traffic_json(traffic) if traffic else None,
        "pull_ms": times_ms[0],
        "snapshot_id": synced.snapshot_id,
        "indexed": synced.indexed,
        "vectors_encoded": synced.vectors_encoded,
        "duration_ms": times_ms[1],
    }


def remote_collection_json(
    remote: Remote, found: "Collection", *, force: bool
) -> "RemoteCollectionJson":
    """Return what a collection of a remote did."""
    return {
        "schema_version": REMOTES_SCHEMA,
        "remote": remote.name,
        "dry_run": not force,
        "refs": found.refs,
        "kept": found.kept,
        "removable": found.removable,
        "removable_bytes": found.removable_bytes,
        "deleted": found.deleted,
        "deleted_bytes": found.deleted_bytes,
    }


def traffic_json(traffic: "Traffic") -> "TrafficJson":
    """Return what was asked of a remote."""
    return {
        "gets": traffic.gets,
        "heads": traffic.heads,
        "puts": traffic.puts,
        "lists": traffic.lists,
        "deletes": traffic.deletes,
        "bytes_down": traffic.bytes_down,
        "bytes_up": traffic.bytes_up,
    }
