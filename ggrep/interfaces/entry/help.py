"""Prints a help page: for `--help`, `help`, or a command without its subcommand."""

import os
import sys

from ggrep.base.commands import ABOVE_OTHERS, correction
from ggrep.base.terminal import columns_of
from ggrep.interfaces.entry import plain_terminal as terminal

ASKING = frozenset({"--help", "-h"})
_WRONG_USAGE = 2


def shown(typed: list[str]) -> int | None:
    """Print the requested help page; return the exit status, or None if nothing was printed."""
    before = typed[: typed.index("--")] if "--" in typed else typed
    is_whole = not ASKING.isdisjoint(before) or (typed[:1] == ["help"] and _are_words(typed))
    if not is_whole and typed and not (len(typed) == 1 and typed[0] in ABOVE_OTHERS):
        return None
    if typed and correction(typed) is not None:
        return None
    # Imported late: other commands do not need this.
    from ggrep.interfaces.cli.parsing.help_pages import page_at, text_of

    words = typed[1:] if typed[:1] == ["help"] and _are_words(typed) else typed
    page = page_at([] if words[:1] and words[0].startswith("-") else words)
    if page is None or (words is not typed and page.path != tuple(words)):
        return None
    environ = dict(os.environ)  # noqa: TID251 - config.settings is too slow to import here
    text = text_of(page, columns_of(environ, 1))
    out, err, status = (text, "", 0) if is_whole else ("", text, _WRONG_USAGE)
    if terminal.are_our_own():
        broken = terminal.deliver(out, err, json=False, colour=False, environ=environ)
        return status if broken is None else broken
    sys.stdout.write(out)
    sys.stderr.write(err)
    return status


def _are_words(words: list[str]) -> bool:
    return not any(word.startswith("-") for word in words)
