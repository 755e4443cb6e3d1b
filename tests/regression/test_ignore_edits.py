"""Ignore files are edited every day; no edit may cost more than the files it hides."""

from pathlib import Path

import pytest

from tests.fakes.repos import write_tree
from tests.journeys.command import Command

pytestmark = pytest.mark.slow


def found(ggrep: Command) -> list[str]:
    outcome = ggrep("needle", "--json", "--deterministic")
    assert outcome.status == 0
    assert [w for w in outcome.document["warnings"] if w["code"] == "snapshot_fallback"] == []
    return sorted({hit["path"] for hit in outcome.document["results"]})


def test_an_ignore_edit_never_bricks_a_store(ggrep: Command, indexed: Path) -> None:
    """Snapshots were once held against the ignore files of today, not of their own day.

    After an edit of an ignore file neither a query nor a sync could open any of them, and only
    starting over helped.
    """
    store = ggrep("status", "--json").document["store_id"]
    for text, expected in (
        ("docs/\n", ["a.py"]),
        ("docs/\n*.py\n", []),
        ("", ["a.py", "docs/b.md"]),
    ):
        before = found(ggrep)
        write_tree(indexed, {".ggignore": text})
        assert found(ggrep) == before, "what is published answers until the next sync"
        assert ggrep("index").status == 0
        assert found(ggrep) == expected
        assert ggrep("health").status == 0

    assert ggrep("status", "--json").document["store_id"] == store
