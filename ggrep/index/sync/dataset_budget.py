"""Applies a profile's budget of bytes: a sync over the budget is refused, or indexes fewer files.

The omitted files depend only on paths and sizes, not on earlier indexes.
"""

from bisect import bisect_right
from itertools import accumulate

from msgspec.structs import replace

from ggrep.base.errors import BudgetExceeded
from ggrep.base.ids import PathKey
from ggrep.model.files import SkippedFile
from ggrep.model.sync import DegradedFile
from ggrep.parse.source.walk import Walk

DATASET_BUDGET = "dataset_budget"


def within_budget(
    tree: Walk, most_bytes: int, *, allow_degraded: bool
) -> tuple[Walk, tuple[DegradedFile, ...]]:
    """Return the walk without files that exceed the budget, and warnings about omitted files.

    Included files are the files that the profile names, even if git tracks them. They are counted
    in byte order of their paths. The first file that does not fit and all later included files are
    skipped.

    Args:
        tree: the walked files.
        most_bytes: `max_bytes_indexed`.
        allow_degraded: whether to omit files instead of raising an error.

    Raises:
        BudgetExceeded: the included files do not fit; the message contains the numbers.
    """
    included = [file for file in tree.files if file.path_key in tree.included]
    size = sum(file.size_bytes for file in included)
    if size <= most_bytes:
        return tree, ()
    figures = (
        f"{len(included)} included files have {size} bytes, more than max_bytes_indexed, "
        f"{most_bytes}"
    )
    if not allow_degraded:
        raise BudgetExceeded(
            f"{figures}; include fewer files, raise max_bytes_indexed, or index only a part: "
            "ggrep index --allow-degraded"
        )
    sums = list(accumulate(file.size_bytes for file in included))
    left = included[bisect_right(sums, most_bytes) :]
    out = frozenset(file.path_key for file in left)
    first: PathKey = left[0].path_key
    skips = (
        SkippedFile(key, DATASET_BUDGET, figures)
        for key in sorted(out, key=lambda key: key.encode())
    )
    cut = replace(
        tree,
        files=tuple(file for file in tree.files if file.path_key not in out),
        skipped=tuple(sorted((*tree.skipped, *skips), key=_by_bytes)),
        included=tree.included - out,
    )
    message = f"{figures}; {len(left)} files, from this path on, are left out"
    return cut, (DegradedFile(DATASET_BUDGET, message, first),)


def _by_bytes(skip: SkippedFile) -> bytes:
    return skip.path_key.encode("utf-8", "surrogateescape")
