"""The console script: uses only the standard library until a command needs more.

The script distinguishes `ggrep "words"` from commands, and lets a running daemon answer queries
(`fast`). `ggrep.interfaces.cli` runs everything else.
"""

import os
import sys

from ggrep.base.commands import ABOVE_OTHERS, READ_BY_DAEMONS, STARTING, is_search


def main(arguments: list[str] | None = None) -> int:
    """Run ggrep with `arguments` (default: the process's arguments); return the exit status.

    `ggrep "words"` is `ggrep search "words"`; `ggrep -- status` searches for the word. For a word
    that resembles a command, `ggrep.interfaces.cli` suggests the command.
    """
    words = sys.argv[1:] if arguments is None else arguments
    if words[:2] == ["__complete", "--"]:
        from ggrep.interfaces.entry.complete import complete

        return complete(words[2:])
    from ggrep.base.command_time import now_ms, process_began_ms

    if arguments is None:
        return _run(words, process_began_ms(), begun_here=True)
    return _run(words, now_ms(), begun_here=False)


def console() -> int:
    """Run ggrep as this process, and end the process at once with the exit status.

    At exit, Python takes a tenth of a second to unload modules, and waits for threads, which may
    run longer than the deadline. Commands leave nothing to clean up.
    """
    status = main()
    if (ray := sys.modules.get("ray")) is not None:
        try:  # noqa: SIM105 - contextlib would have to be imported
            ray.shutdown()
        except Exception:  # noqa: BLE001, S110 - the status is known
            pass
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def _run(words: list[str], began_ms: float, *, begun_here: bool) -> int:
    words = _without_terminal_options(words)
    if is_search(words):
        words = ["search", *words]
    if any(word.startswith("-") for word in words):
        from ggrep.base.option_spelling import written_out

        words = written_out(words)
    try:
        status = _help(words)
        if status is None:
            status = _by_daemon(words, began_ms, begun_here=begun_here)
        if status is None:
            status = _refused(words)
        if status is None and words[:3] == STARTING:
            from ggrep.interfaces.cli.daemons.hosting import start

            status = start(words[3:])
        if status is not None:
            return status
        from ggrep.interfaces.cli.app import run

        return run(words, began_ms)
    except KeyboardInterrupt as interrupt:
        # While modules are imported, no other code can report an interrupt.
        from ggrep.interfaces.entry.fast import interrupted

        return interrupted(words, interrupt)


def _without_terminal_options(words: list[str]) -> list[str]:
    """Remove terminal options from the arguments, and set their environment variables instead."""
    if not any(word.startswith(("--colo", "--no-pager")) for word in words):
        return words
    from ggrep.base.terminal import UnknownWord, without_terminal_options

    try:
        left, chosen = without_terminal_options(words)
    except UnknownWord:
        return words  # `ggrep.interfaces.cli` reports the mistake
    os.environ.update(chosen)  # noqa: TID251 - the command's own process
    return left


def _help(words: list[str]) -> int | None:
    """Print the requested help page; return None if no help is requested."""
    is_needed = not words or words[0] == "help" or words[0] in ABOVE_OTHERS
    if not is_needed and not {"--help", "-h"}.intersection(words):
        return None
    from ggrep.interfaces.entry.help import shown

    return shown(words)


def _refused(words: list[str]) -> int | None:
    """Report an unknown option; return None if `ggrep.interfaces.cli` must check the line.

    The result is None for JSON output and unprintable words, which need modules not loaded here.
    """
    is_long = any(word.startswith("--") for word in words)
    if not is_long or "--json" in words or not all(map(str.isprintable, words)):
        return None
    from ggrep.base.option_spelling import unknown_option

    message = unknown_option(words)
    if message is None:
        return None
    from ggrep.interfaces.entry.fast import refused

    return refused(message, words)


def _by_daemon(words: list[str], began_ms: float, *, begun_here: bool) -> int | None:
    """Run a query command with a daemon, or else in this process; None for other commands."""
    if not words or words[0] not in READ_BY_DAEMONS:
        return None
    from ggrep.interfaces.entry.fast import answer, search

    status = answer(words, began_ms)
    return search(words, began_ms, begun_here=begun_here) if status is None else status
