"""Compiles regular expressions with RE2, which searches in time linear in the text's size."""

import re
from functools import cache
from typing import Any, Final

_GROUP: Final = re.compile(rb"(?<!\\)\((?:\?P<\w+>|(?!\?))")


def ungrouped(pattern: bytes) -> bytes:
    """Return an expression without its groups; RE2 searches much faster without groups.

    Requires: a parenthesis that does not open a group is escaped by a backslash, even in a
    character class.
    """
    return _GROUP.sub(b"(?:", pattern)


@cache
def automaton(pattern: bytes) -> Any:  # noqa: ANN401 - RE2 has no types
    """Compile a regular expression for bytes with RE2."""
    import re2  # imported here, because most processes never read a file

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)
