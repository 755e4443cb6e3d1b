"""Prints a page of help: for `--help`, `help`, or a command without its subcommand."""

import os
import sys

from ggrep.base.commands import ABOVE_OTHERS, correction
from ggrep.base.terminal import columns_of
from ggrep.interfaces.entry import plain_terminal as terminal

ASKING = frozenset({"--help", "-h"})
_WRONG_USAGE = 2


def shown(given: list[str]) -> int | None:
    """Print a page of help; return the exit status, or None where nothing was printed."""
    before = given[: given.index("--")] if "--" in given else given
    is_whole = not ASKING.isdisjoint(before) or (given[:1] == ["help"] and _are_words(given))
    if not is_whole and given and not (len(given) == 1 and given[0] in ABOVE_OTHERS):
        return None
    if given and correction(given) is not None:
        return None
    # Late: other commands do not need it.
    from ggrep.interfaces.cli.parsing.help_pages import page_at, text_of

    words = given[1:] if given[:1] == ["help"] and _are_words(given) else given
    page = page_at([] if words[:1] and words[0].startswith("-") else words)
    if page is None or (words is not given and page.path != tuple(words)):
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


def _are_words(given: list[str]) -> bool:
    return not any(word.startswith("-") for word in given)
