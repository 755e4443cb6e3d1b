"""The console script knows the commands by name."""

import pytest
from typer.main import get_command

from ggrep import entry
from ggrep.cli.app import app


def test_the_script_knows_the_commands_there_are() -> None:
    """A command the script does not know would be searched for instead of run."""
    assert set(get_command(app).commands) == entry.COMMANDS  # type: ignore[attr-defined] # a group


@pytest.mark.parametrize(
    ("given", "run"),
    [
        (["words"], ["search", "words"]),
        (["-m", "5", "words"], ["search", "-m", "5", "words"]),
        (["--", "status"], ["search", "--", "status"]),
        (["--json"], ["search", "--json"]),
        (["search", "status"], ["search", "status"]),
        (["status"], ["status"]),
        (["--help"], ["--help"]),
        ([], []),
    ],
)
def test_what_is_no_command_is_a_search(
    given: list[str], run: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ggrep "words"` is the whole interface for most people."""
    seen: list[list[str]] = []
    monkeypatch.setattr("ggrep.cli.app.run", lambda arguments: seen.append(arguments) or 0)

    assert entry.main(given) == 0
    assert seen == [run]
