"""The state of an index as text for agents."""

from copy import deepcopy
from typing import Any

import pytest

from ggrep.render.agent_text import agent_text
from tests.fakes.golden_documents import golden


def status(case: str = "busy_daemon", **sync: object) -> dict[str, Any]:
    document = golden("status", case)
    document["sync"] = {**document["sync"], **sync}
    return {"running": True, **document}


def line(document: dict[str, Any], beginning: str) -> str:
    """Return the line of the text that begins so."""
    (results,) = [each for each in agent_text(document).split("\n") if each.startswith(beginning)]
    return results


def test_a_status_says_what_is_indexed_how_fresh_and_by_whom() -> None:
    """Four lines, where the document takes three thousand bytes."""
    quiet = {"state": "idle", "pending": False, "last_error": None}
    document = status(**quiet, last_sync_at="2026-11-25T20:00:00Z", last_result="ok")

    assert line(document, "indexed: ").startswith(
        f"indexed: {document['snapshot']['files']} files, {document['snapshot']['chunks']} chunks"
    )
    assert line(document, "fresh: ") == "fresh: last sync 2026-11-25T20:00:00Z, ok"
    assert line(document, "watched: ")
    assert line(document, "daemon: process ")
    assert len(agent_text(document)) < 1_000


@pytest.mark.parametrize(
    ("sync", "reported"),
    [
        (
            {"state": "indexing", "stage": "index", "done_files": 3, "total_files": 9},
            "indexing: index, 3 of 9 files",
        ),
        ({"state": "indexing", "stage": None, "total_files": 0}, "indexing: begins"),
        (
            {"state": "indexing", "stage": "scan", "total_files": 0, "last_result": None},
            "indexing: scan",
        ),
        (
            {"state": "idle", "last_error": "disk full", "next_retry_ms": 4_200},
            "not fresh: the last sync failed: disk full; next try in 4 s",
        ),
        (
            {"state": "idle", "last_error": None, "pending": True},
            "not fresh: changes wait for the next sync",
        ),
        (
            {"state": "idle", "last_error": None, "pending": False, "last_sync_at": None},
            "this daemon has not synced yet",
        ),
    ],
)
def test_an_index_that_is_not_fresh_says_so(sync: dict[str, object], reported: str) -> None:
    """An agent that edits has to know whether its edits are in it."""
    assert reported in agent_text(status(**sync)).split("\n")


@pytest.mark.parametrize("stage", ["scan", "compare"])
def test_an_index_is_fresh_while_a_sync_only_looks_for_changes(stage: str) -> None:
    looks = {"state": "indexing", "stage": stage, "last_error": None, "pending": False}
    document = status(**looks, last_sync_at="2026-11-25T20:00:00Z", last_result="ok")

    assert line(document, "fresh: ") == (
        "fresh: last sync 2026-11-25T20:00:00Z, ok; a sync is checking for changes"
    )


def test_who_does_not_watch_says_how_changes_are_found() -> None:
    """Silence would be read as a promise."""
    document = status()
    document["watch"] = {"mode": "off", "problem": "no inotify"}

    assert line(document, "watched: ") == ("watched: off; sync=true indexes changes; no inotify")


def test_files_that_were_left_out_are_counted_and_nothing_is_claimed_before_the_first_index() -> (
    None
):
    assert line(status(skipped_files=4, secret_files=1), "files ") == (
        "files 4 not indexed, 1 of them with secrets; ggrep_health names them"
    )

    assert "nothing is indexed yet" in agent_text(status("no_index"))


@pytest.mark.parametrize(
    ("indexed", "result"), [(True, "there is an index"), (False, "there is no index yet")]
)
def test_without_a_daemon_it_is_said_what_starts_one(indexed: bool, result: str) -> None:
    """It is no failure, and nothing has to be done."""
    document = {"running": False, "root": "/r", "store_id": "s", "indexed": indexed}

    assert (
        agent_text(document)
        == f"no daemon runs; {result}; a search starts a daemon and updates the index"
    )


def test_health_names_what_is_not_well_and_counts_the_rest() -> None:
    """An agent has no use for a list of what is in order."""
    document = golden("health")
    count = len(document["checks"])
    assert agent_text(document).split("\n")[0] == "healthy"
    broken = deepcopy(document)
    broken["ok"] = False
    broken["checks"] = [
        *[{**check, "severity": "ok"} for check in document["checks"]],
        {"code": "segments_present", "severity": "fail", "message": "gone", "paths": ["a.py"]},
    ]

    assert agent_text(broken).split("\n") == [
        "not healthy",
        "fail segments_present: gone",
        "  a.py",
        f"{count} of {count + 1} checks are ok",
    ]
