"""Files and lines that checks name and that do not exist."""

from collections.abc import Callable, Iterator
from itertools import chain

from ggrep.interfaces.evaluation.check_file import Check
from ggrep.interfaces.evaluation.check_misses import Miss
from ggrep.interfaces.evaluation.expected import is_glob

LinesOf = Callable[[str], int | None]
"""Returns how many lines a file of the work tree has; None where there is no such file."""


def absent(check: Check, lines_of: LinesOf) -> Iterator[Miss]:
    """Yield a miss for each expected file or line that does not exist.

    A path of `expect_none` may be gone. A glob may stand for no file yet.
    """
    expected = check.expected
    named = (
        *(("expect_any", path) for path in expected.any_paths),
        *(("expect_all", path) for path in expected.all_paths),
        *(("expect_first", path) for path in (expected.first,) if path),
        *(("expect_within", path) for path, _ in expected.within),
        *(("expect_order", path) for path in expected.order),
        *(("section", path) for path, _ in expected.sections),
    )
    for rule, path in named:
        if not is_glob(path) and lines_of(path) is None:
            yield Miss(rule, path, "no such file")
    for place in chain.from_iterable(expected.places):
        if is_glob(place.path):
            continue
        lines = lines_of(place.path)
        if lines is None:
            yield Miss("place", str(place), "no such file")
        elif lines < place.last:
            yield Miss("place", str(place), f"the file has {lines} lines")
