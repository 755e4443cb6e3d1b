"""Lines of a file as text for agents: under numbers, and without long comments.

Licences, histories and what documentation is made of are a fifth of what agents read of code, and
more of some; what stands in a few lines beside the code says why, and stays.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from ggrep.config.endings import CODE
from ggrep.search.slate.source_text import comment_lines

MOST_DOCUMENTING: Final = 2
"""Lines of a comment for documentation that is shown whole; of a longer one none is."""
MOST_SAYING_WHY: Final = 6
"""The same of any other."""
_WORD: Final = re.compile(r"\w")
_DOCUMENTING: Final = ("/*", '"""', "'''", "///", "//!", "<!--", "(*", "{-", "--[[", "=begin", "*")


def opened_lines(
    document: Mapping[str, Any], *, comments: bool
) -> tuple[list[tuple[int, str]], int]:
    """Return the numbered lines of an expansion that an agent is shown, and how many are left out.

    Args:
        document: of `expand`; its `unseen`, which no schema has, are the ranges that no answer of
            the same call has shown.
        comments: show long ones, too. Where there is nothing else, they are shown.
    """
    content, begins = document["content"], document["start_line"]
    whole = list(enumerate(content.split("\n"), begins)) if content else []
    ranges = document.get("unseen", ((begins, begins + len(whole)),))
    lines = [one for one in whole if any(low <= one[0] <= high for low, high in ranges)]
    if comments or document["language"] not in CODE or _begins_inside(content):
        return lines, 0
    hidden = {at + begins for at in comment_lines(content, document["language"])}
    shown = _without_long_runs(lines, hidden)
    if not any(line.strip() for _, line in shown):
        return lines, 0
    return shown, len(lines) - len(shown)


def _begins_inside(content: str) -> bool:
    """Return whether some lines may begin or end in a docstring, so that code looks like one."""
    return any(content.count(quotes) % 2 for quotes in ('"""', "'''"))


def _without_long_runs(lines: Sequence[tuple[int, str]], hidden: set[int]) -> list[tuple[int, str]]:
    """Return lines without long runs of hidden ones and the blank ones among them."""
    blank = {number for number, line in lines if not line.strip()}
    shown: list[tuple[int, str]] = []
    for is_apart, group in groupby(lines, key=lambda one: one[0] in hidden or one[0] in blank):
        run = list(group)
        told = [line.strip() for number, line in run if number in hidden]
        if told and told[0].startswith(_DOCUMENTING):
            is_long = len(told) > MOST_DOCUMENTING
        else:
            is_long = sum(bool(_WORD.search(line)) for line in told) > MOST_SAYING_WHY
        shown += [] if is_apart and is_long else run
    return shown
