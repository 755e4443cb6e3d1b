"""Looking after the stores of a home: lists, upgrades, `ggrep health` and `ggrep audit`."""

from pathlib import Path

import pytest

from ggrep.config.home import Home
from ggrep.index.maintenance.inventory import list_stores
from tests.fakes.old_stores import change_manifest
from tests.journeys.command import Command, fits

pytestmark = pytest.mark.slow


def store_of(ggrep: Command) -> str:
    return str(ggrep("status", "--json").document["store_id"])


def test_a_list_marks_a_root_that_is_gone(ggrep: Command, indexed: Path) -> None:
    indexed.rename(indexed.with_name("elsewhere"))

    assert "(gone)" in ggrep("list").out


def test_a_link_among_the_stores_is_none(ggrep: Command, indexed: Path, home: Path) -> None:
    """Removing all stores must not follow it, nor stop at it."""
    (home / "data" / "link").symlink_to(indexed)

    assert [entry.store_id for entry in list_stores(Home(home))] == [store_of(ggrep)]


def test_remains_of_a_killed_command_are_told(ggrep: Command, indexed: Path, home: Path) -> None:
    """Also of a store that nobody will index again; a file of another's stays."""
    left = home / "data" / ".trash-gone-0123456789ab-0123456789ab~3"
    left.mkdir()
    (left / "file").write_bytes(b"12345")
    (home / "data" / ".else").mkdir()

    first, second = ggrep("index"), ggrep("index")

    assert "removed leftovers of a killed command: 1 directory, 5 B\n" in first.err
    assert "removed" not in second.err
    assert [path.name for path in (home / "data").glob(".*")] == [".else"]


def test_an_upgrade_says_what_it_did(ggrep: Command, indexed: Path, home: Path) -> None:
    """Nothing to do, what was done, and what a newer store needs."""
    store = Home(home).data / store_of(ggrep)
    before = ggrep("needle", "--json", "--deterministic").document["results"]
    assert "nothing to do" in ggrep("upgrade-store").err
    change_manifest(store, {"schema_version": 1})
    done = ggrep("upgrade-store", "--json")
    fits(done.document, "inventory")

    assert done.document["upgraded"]
    assert ggrep("needle", "--json", "--deterministic").document["results"] == before
    change_manifest(store, {"schema_version": 99})
    refused = ggrep("upgrade-store", "--json")
    assert (refused.status, refused.error()["code"]) == (13, "incompatible")
    assert "manifest.json: schema_version is 99" in refused.error()["message"]


def test_nothing_to_upgrade_says_no_index(ggrep: Command, repo: Path) -> None:
    """An upgrade does not index."""
    assert ggrep("upgrade-store", "--json").error()["code"] == "no_index"


def damage(home: Path) -> None:
    for image in home.glob("data/*/images/*.image"):
        image.write_bytes(image.read_bytes()[:-1])


@pytest.mark.parametrize("command", ["audit", "health"])
def test_a_sound_store_is_said_to_be_sound(ggrep: Command, indexed: Path, command: str) -> None:
    """For people and for scripts, with the status that goes with it."""
    shown, document = ggrep(command), ggrep(command, "--path", indexed, "--json")

    assert (shown.status, document.status) == (0, 0)
    assert shown.out.startswith("ok")
    fits(document.document, command)
    assert document.document["ok"] is True


def test_damage_fails_in_text_and_in_json(ggrep: Command, indexed: Path, home: Path) -> None:
    """A script that looks at the status alone must not go on."""
    damage(home)
    shown, document = ggrep("audit"), ggrep("audit", "--json")

    assert indexed
    assert (shown.status, document.status) == (1, 1)
    assert "image is corrupt" in shown.out
    fits(document.document, "audit")
    assert document.document["ok"] is False


def test_health_heals_derived_files(ggrep: Command, indexed: Path, home: Path) -> None:
    damage(home)
    shown, document = ggrep("health"), ggrep("audit", "--json")

    assert indexed
    assert (shown.status, document.status) == (0, 0)
    assert "healed" in shown.out
    assert document.document["ok"] is True


@pytest.mark.parametrize("command", ["audit", "health"])
def test_a_repository_without_an_index_is_told_so(ggrep: Command, repo: Path, command: str) -> None:
    answer = ggrep(command, "--json")

    assert repo
    assert answer.status == 1
    assert answer.error()["code"] == "no_index"
