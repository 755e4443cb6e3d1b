"""The console script. Knows the commands by name, so that anything else is a search."""

import sys

COMMANDS = frozenset(
    {
        "audit",
        "check",
        "clean",
        "clone-store",
        "compact",
        "eval",
        "gc",
        "health",
        "index",
        "list",
        "repair",
        "search",
        "status",
        "stores",
        "upgrade-store",
        "workspace",
    }
)
_OWN_OPTIONS = frozenset({"--help", "-h", "--version"})


def main(arguments: list[str] | None = None) -> int:
    """Run ggrep with `arguments` (the process's own by default); return the exit status.

    `ggrep "words"` is `ggrep search "words"`; `ggrep -- status` searches for the word.
    """
    given = sys.argv[1:] if arguments is None else arguments
    if given and given[0] not in COMMANDS and given[0] not in _OWN_OPTIONS:
        given = ["search", *given]
    from ggrep.cli.app import run

    return run(given)
