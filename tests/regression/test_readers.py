"""A reader looks; it neither mends nor hides what is missing."""

import shutil
from pathlib import Path

import pytest

from ggrep.config import store_files
from ggrep.config.home import Home
from ggrep.index.store.active import read_active
from ggrep.index.store.manifest import read_manifest
from tests.fakes.repos import write_tree
from tests.journeys.command import Command

pytestmark = pytest.mark.slow


def store_of(ggrep: Command, home: Path) -> Path:
    return Home(home).data / ggrep("status", "--json").document["store_id"]


def tables(store: Path) -> set[str]:
    return {path.name for path in store.iterdir() if path.suffix == store_files.TABLE_SUFFIX}


def test_readers_never_create_tables(ggrep: Command, indexed: Path, home: Path) -> None:
    """Opening a missing segment once made an empty one.

    So a lost segment was never seen to be lost, its files were silently not found, and a repair,
    which opened it first, had nothing to repair.
    """
    store = store_of(ggrep, home)
    write_tree(indexed, {"c.py": "def gamma_needle():\n    return 3\n"})
    assert ggrep("index").status == 0
    active = read_active(store)
    assert active is not None
    lost = read_manifest(store, active).segments[-1].table
    shutil.rmtree(store_files.table_dir(store, lost))
    left = tables(store)
    answered = ggrep("needle", "--json")
    for command in (("health",), ("audit",), ("status",), ("stores",)):
        ggrep(*command)

    assert answered.status == 0
    assert "snapshot_fallback" in [w["code"] for w in answered.document["warnings"]]
    assert ggrep("health").status == 1
    assert tables(store) == left
    assert ggrep("repair").status == 0
    assert ggrep("audit").status == 0
    assert "c.py" in [hit["path"] for hit in ggrep("needle", "--json").document["results"]]


def test_a_pointer_without_manifest_falls_back(ggrep: Command, indexed: Path, home: Path) -> None:
    """A pointer to a manifest that is not there was once an error of every command.

    What else lay there, whole, was not tried; a power cut could leave just that.
    """
    store = store_of(ggrep, home)
    write_tree(indexed, {"c.py": "def gamma_needle():\n    return 3\n"})
    assert ggrep("index").status == 0
    active = read_active(store)
    assert active is not None
    store_files.manifest_file(store, active).unlink()
    answered = ggrep("needle", "--json")

    assert answered.status == 0
    assert answered.document["snapshot_id"] != active
    assert "snapshot_fallback" in [w["code"] for w in answered.document["warnings"]]
    assert {hit["path"] for hit in answered.document["results"]} == {"a.py", "docs/b.md"}
    assert ggrep("index").status == 0
    healed = ggrep("needle", "--json").document
    assert [w["code"] for w in healed["warnings"] if w["code"] == "snapshot_fallback"] == []
    assert "c.py" in {hit["path"] for hit in healed["results"]}
