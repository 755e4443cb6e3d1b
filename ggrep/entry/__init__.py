"""The console script: the standard library alone, until a command needs more.

It knows the commands by name, so that anything else is a search, and it has a plain search
answered by a daemon where one is running (`fast`). Everything else is `ggrep.cli`.
"""

import sys

COMMANDS = frozenset(
    {
        "api",
        "audit",
        "check",
        "clean",
        "clone-store",
        "compact",
        "eval",
        "expand",
        "gc",
        "health",
        "index",
        "list",
        "mcp",
        "metrics",
        "references",
        "refs",
        "profiles",
        "repair",
        "replay",
        "search",
        "serve",
        "slate",
        "status",
        "stop",
        "stop-all",
        "stores",
        "symbol",
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
    try:
        if given and given[0] == "search":
            from ggrep.entry.fast import answer

            status = answer(given[1:])
            if status is not None:
                return status
        from ggrep.cli.app import run

        return run(given)
    except KeyboardInterrupt:
        # While modules are loaded there is nobody else yet to say so.
        from ggrep.entry.fast import interrupted

        return interrupted(given)
