"""`ggrep outline` and `ggrep tour` over a small shop."""

import subprocess
from pathlib import Path

import pytest

from tests.journeys.command import Command, fits


def test_a_file_is_outlined_as_its_path_is_typed(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the reader can open it from where they are."""
    assert ggrep("outline", "src/checkout.py").out.startswith("src/checkout.py  python, ")
    monkeypatch.chdir(shop / "src")
    shown = ggrep("outline", "checkout.py:8").out

    assert shown.startswith("checkout.py  python, ")
    assert "\n  7-9 method charge_card(self, card)" in shown


def test_without_a_path_the_current_folder_is_outlined(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `ls` lists it."""
    monkeypatch.chdir(shop / "src")

    assert ggrep("outline").out == ggrep("outline", ".").out
    assert "\ncheckout.py  " in ggrep("outline").out


def test_outlines_and_tours_in_json_fit_their_schemas(ggrep: Command, shop: Path) -> None:
    """Programs read them."""
    outline = ggrep("outline", "src", "src/app.py", "--json").document

    fits(outline, "outline_success")
    assert outline["targets"] == ["src", "src/app.py"]
    fits(ggrep("tour", "--json").document, "tour_success")


def test_a_tour_is_of_the_whole_repository_wherever_it_is_asked(
    ggrep: Command, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its paths are those below the root."""
    whole = ggrep("tour").out
    monkeypatch.chdir(shop / "src")

    assert ggrep("tour").out == whole
    assert ggrep("tour", "--repo", str(shop)).out == whole
    assert "\ntests\n  tests/  " in whole


def test_paths_of_two_repositories_are_refused(ggrep: Command, shop: Path, tmp_path: Path) -> None:
    """One index answers one question."""
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(("git", "init", "-q", str(other)), check=True)
    refused = ggrep("outline", "src", str(other))

    assert refused.status != 0
    assert "these places are in " in refused.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("outline", "nothing.py"), "no file 'nothing.py'"),
        (("outline", "src", "--depth", "-1"), "--depth"),
        (("outline", "src", "--max-bytes", "0"), "--max-bytes: 0"),
        (("tour", "--max-bytes", "0"), "--max-bytes: 0"),
        (("outline", "..", "--repo", "."), "lies outside"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(
    ggrep: Command, shop: Path, words: tuple[str, ...], told: str
) -> None:
    """As every command does."""
    refused = ggrep(*words)

    assert refused.status != 0
    assert told in refused.err
