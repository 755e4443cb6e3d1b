"""The console script knows the commands by name."""

import pytest
from typer.main import get_command

from ggrep.base.commands import COMMANDS, values_of
from ggrep.interfaces import entry
from ggrep.interfaces.cli.parsing.typer_tree import parser


def test_the_script_knows_the_commands_there_are() -> None:
    """A command the script does not know would be searched for instead of run."""
    assert set(get_command(parser()).commands) == COMMANDS  # type: ignore[attr-defined] # a group


def test_the_script_knows_which_options_of_a_search_take_a_value() -> None:
    """A value is no first word: `ggrep -m 5 words`."""
    command = get_command(parser()).commands["search"]  # type: ignore[attr-defined] # as above
    options = [each for each in command.params if each.param_type_name == "option"]

    assert {name for each in options if not each.is_flag for name in each.opts} <= values_of(
        "search"
    )


@pytest.mark.parametrize(
    ("given", "run"),
    [
        (["words"], ["search", "words"]),
        (["-m", "5", "words"], ["search", "-m", "5", "words"]),
        (["-m", "5", "status code"], ["search", "-m", "5", "status code"]),
        (["--repo", "status", "words"], ["search", "--repo", "status", "words"]),
        (["stauts"], ["stauts"]),
        (["--json", "status"], ["--json", "status"]),
        (["--", "status"], ["search", "--", "status"]),
        (["--json"], ["search", "--json"]),
        (["search", "status"], ["search", "status"]),
        (["status"], ["status"]),
        (["--version"], ["--version"]),
    ],
)
def test_what_is_no_command_is_a_search(
    given: list[str], run: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`ggrep "words"` is the whole interface for most people."""
    seen: list[list[str]] = []
    monkeypatch.setattr("ggrep.interfaces.entry.fast.search", lambda *_, **__: None)
    monkeypatch.setattr(
        "ggrep.interfaces.cli.app.run", lambda arguments, _: seen.append(arguments) or 0
    )

    assert entry.main(given) == 0
    assert seen == [run]
