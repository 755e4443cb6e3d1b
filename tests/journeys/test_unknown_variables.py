"""A variable that means nothing is most likely mistyped: it is told of."""

from pathlib import Path

import pytest

from tests.journeys.command import Command, fits

SAID = "GGREP_ENCODR is not a variable of ggrep; did you mean GGREP_ENCODER?"


@pytest.fixture(autouse=True)
def mistyped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set one."""
    monkeypatch.setenv("GGREP_ENCODR", "none")


@pytest.mark.parametrize("line", ["needle", "status", "list", "index", "workspace validate x"])
def test_every_command_warns_once(ggrep: Command, indexed: Path, line: str) -> None:
    assert ggrep(*line.split()).err.count(SAID) == 1


@pytest.mark.parametrize(
    ("line", "schema"),
    [("needle", "query_success"), ("symbol alpha_needle", "symbol_success")],
)
def test_robots_are_warned(ggrep: Command, indexed: Path, line: str, schema: str) -> None:
    """It does not read standard error."""
    document = ggrep(*line.split(), "--json").document

    fits(document, schema)
    assert {"code": "unknown_variable", "message": SAID} in document["warnings"]


def test_no_near_name(ggrep: Command, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong guess would be set next."""
    monkeypatch.setenv("GGREP_WHATEVER_THIS_IS", "1")

    assert "GGREP_WHATEVER_THIS_IS is not a variable of ggrep\n" in ggrep("needle").err
