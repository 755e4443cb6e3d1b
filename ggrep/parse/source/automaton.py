"""Compiles expressions into automata that search in time linear in the text."""

import re
from functools import cache
from typing import Any, Final

_GROUP: Final = re.compile(rb"(?<!\\)\((?:\?P<\w+>|(?!\?))")


def ungrouped(pattern: bytes) -> bytes:
    """Return an expression without groups, with which RE2 searches much faster.

    Requires: a parenthesis that does not open a group is escaped by a backslash, also in classes.
    """
    return _GROUP.sub(b"(?:", pattern)


@cache
def automaton(pattern: bytes) -> Any:  # noqa: ANN401 - RE2 has no types
    """Return an expression compiled by RE2, for bytes."""
    import re2  # imported here, because most processes never read a file

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)
