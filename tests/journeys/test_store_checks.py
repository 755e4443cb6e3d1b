"""`ggrep health` and `ggrep audit` over stores that are sound, damaged and not there."""

from pathlib import Path

import pytest

from tests.journeys.command import Command, fits


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
