"""Compiles expressions that are searched for in time linear in the text."""

from functools import cache
from typing import Any


@cache
def automaton(pattern: bytes) -> Any:  # noqa: ANN401 - RE2 has no types
    """Return RE2's expression over bytes."""
    import re2  # most processes never read a file

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.max_mem = 64 << 20
    return re2.compile(pattern, options)
