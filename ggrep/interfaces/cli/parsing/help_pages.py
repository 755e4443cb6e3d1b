"""Which page of help some words ask for; a command is loaded for its own page alone."""

from ggrep.interfaces.cli.parsing.help_values import Page, overview, page_of_group
from ggrep.interfaces.cli.parsing.tree import BELOW, COMMANDS, found


def page_at(words: list[str]) -> Page | None:
    """Return the page of what words name, whatever follows them; None where they name nothing."""
    if not words:
        return overview()
    if words[0] in BELOW and (len(words) == 1 or words[1].startswith("-")):
        return page_of_group(words[0])
    entry, left = found(words)
    if entry is None:
        return None
    from ggrep.interfaces.cli.parsing.command_page import page_of

    return page_of(tuple(words[: len(words) - len(left)]), entry)


def names_below(path: list[str]) -> list[str]:
    """Return the names of the commands that may follow a path."""
    if not path:
        return [*COMMANDS, *BELOW]
    return list(BELOW.get(" ".join(path), ()))
