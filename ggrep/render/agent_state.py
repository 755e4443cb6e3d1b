"""The state of an index and its health as text for agents: is it fresh, and what is wrong."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

_Object: TypeAlias = Mapping[str, Any]

_SECOND_MS = 1_000


def status_lines(document: _Object) -> Iterator[str]:
    """Yield what is indexed, how fresh it is, what watches it and who serves it."""
    if "snapshot" not in document:
        found = "there is an index" if document.get("indexed") else "there is no index yet"
        yield f"no daemon runs; {found}; a search starts one and indexes"
        return
    snapshot, daemon = document["snapshot"], document["daemon"]
    if snapshot["active_snapshot_id"] is None:
        yield "nothing is indexed yet"
    else:
        commit = f", at {snapshot['head_sha'][:12]}" if snapshot["head_sha"] else ""
        changed = " and changes" if snapshot["dirty"] else ""
        whole = ", a first portion" if snapshot["partial"] else ""
        yield (
            f"indexed: {snapshot['files']} files, {snapshot['chunks']} chunks,"
            f" {snapshot['created_at']}{commit}{changed}{whole}"
        )
    yield from _sync(document["sync"])
    yield _watch(document.get("watch", {}))
    stale = f", stale: {daemon['stale_reason']}" if daemon["stale"] else ""
    load = document["queries"]
    yield (
        f"daemon: process {daemon['pid']}, version {daemon['binary_version']}{stale};"
        f" {load['in_flight']} searches at work, {load['queue_depth']} wait"
    )


def _sync(sync: _Object) -> Iterator[str]:
    """Yield whether the index is fresh, and what it lacks."""
    left = [
        f"{sync[key]} {words}"
        for key, words in (("skipped_files", "not indexed"), ("secret_files", "of them secret"))
        if sync[key]
    ]
    looks = sync["state"] == "indexing" and sync.get("stage") in {"scan", "compare"}
    # A sync that only looks has found nothing newer than the last one left.
    if sync["state"] == "indexing" and not (looks and sync["last_result"] == "ok"):
        of = f" of {sync['total_files']}" if sync.get("total_files") else ""
        done = f", {sync['done_files']}{of} files" if of else ""
        yield f"indexing: {sync.get('stage') or 'begins'}{done}"
    elif sync.get("last_error"):
        again = sync.get("next_retry_ms")
        when = "" if again is None else f"; next try in {again // _SECOND_MS} s"
        yield f"not fresh: the last sync failed: {sync['last_error']}{when}"
    elif sync.get("pending"):
        yield "not fresh: a change waits for the next sync"
    elif sync["last_sync_at"] is None:
        yield "never synced by this daemon"
    else:
        now = "; another looks for changes" if looks else ""
        yield f"fresh: last sync {sync['last_sync_at']}, {sync['last_result']}{now}"
    if left:
        yield f"files {', '.join(left)}; ggrep_health names them"


def _watch(watch: _Object) -> str:
    match watch.get("mode", "off"):
        case "off":
            told = "nothing; changes are found by sync=true"
        case "polling":
            told = "by looking every few seconds"
        case _:
            told = f"by events, {watch['events_total']} so far"
    problem = f"; {watch['problem']}" if watch.get("problem") else ""
    return f"watched: {told}{problem}"


def health_lines(document: _Object) -> Iterator[str]:
    """Yield the findings that are not well, then how many are."""
    checks = document["checks"]
    bad = [check for check in checks if check["severity"] != "ok"]
    yield "sound" if document["ok"] else "not sound"
    for check in bad:
        yield f"{check['severity']} {check['code']}: {check['message']}"
        yield from (f"  {path}" for path in check["paths"])
    yield f"{len(checks) - len(bad)} of {len(checks)} checks are well"
