"""`ggrep completion SHELL`: a script that makes a shell ask `ggrep __complete`."""

from typing import Annotated

from ggrep.interfaces.agents.shells import SCRIPTS
from ggrep.interfaces.cli.parsing.flags import Argument
from ggrep.interfaces.cli.terminal import open_terminal


def completion(
    shell: Annotated[str, Argument("bash, zsh, fish or powershell.", words=tuple(SCRIPTS))],
) -> int:
    """Print a script that has completions in a shell.

    Commands, flags and their words are completed, workspaces' repositories and tags, profiles,
    stores and the roots of indexed repositories. Completions start no daemon and use no network.
    """
    open_terminal().write(SCRIPTS[shell])
    return 0
