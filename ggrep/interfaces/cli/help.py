"""`ggrep help` and `ggrep completion`: pages of help, instructions for agents, shell scripts."""

from typing import Annotated

from ggrep.base.commands import OTHER_NAMES, nearest, slip_of, spelled
from ggrep.base.errors import UsageError
from ggrep.interfaces.agents.instructions import AT_THE_SHELL
from ggrep.interfaces.agents.shells import SCRIPTS
from ggrep.interfaces.cli.parsing.flags import Argument, Flag
from ggrep.interfaces.cli.parsing.help_pages import ALL, names_below, page_at, text_of
from ggrep.interfaces.cli.terminal import open_terminal


def show_help(
    command: Annotated[
        list[str] | None,
        Argument(
            "A command such as `workspace add`, or the topic `workspaces` or `agents`.",
            takes="command",
        ),
    ] = None,
    everything: Annotated[bool, Flag(ALL, "List all commands.")] = False,
    man: Annotated[bool, Flag("--man", "Write a manual page, for `man -l -`.")] = False,
) -> int:
    """Show a command's help."""
    terminal = open_terminal()
    words = command or ([ALL] if everything else [])
    if words == ["agents"] and not man:
        terminal.write(AT_THE_SHELL)
        return 0
    for at, word in enumerate(command or ()):
        known = names_below(words[:at])
        if word not in known:
            raise UsageError(_no_such(word, words[:at], known))
    page = page_at(words)
    assert page is not None  # noqa: S101 - each of its words is a name
    if man:
        from ggrep.interfaces.cli.parsing.help_pages import roff_of

        terminal.write(roff_of(page))
    else:
        terminal.write_long(text_of(page, terminal.columns))
    return 0


def _no_such(word: str, path: list[str], known: list[str]) -> str:
    message = f"no command {' '.join((*path, word))}"
    if not path and word in OTHER_NAMES:
        return f"{message}; instead: ggrep {OTHER_NAMES[word]}"
    meant = nearest(word, known) if path else slip_of(word) or nearest(word, known)
    if meant in known:
        return f"{message}; did you mean: {spelled('help', *path, meant)}"
    return f"{message}; see: {spelled('help', *path)}"


def completion(
    shell: Annotated[str, Argument("bash, zsh, fish or powershell.", words=tuple(SCRIPTS))],
) -> int:
    """Print a script that adds completions to a shell.

    The script completes commands, flags and their values: repositories, tags, profiles and stores.
    Completions start no daemon and use no network.
    """
    open_terminal().write(SCRIPTS[shell])
    return 0
