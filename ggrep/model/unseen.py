"""Files that an answer cannot show, or only in part: counted where an answer is empty or weak."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.model.limits import Notice
from ggrep.model.source import Skip

Counts: TypeAlias = tuple[tuple[str, int], ...]
"""Files by what became of them, in the order of the tables below."""

UNSEEN: Final = "unseen_files"
_SKIPPED: Final = (
    ("too large", ("too_large",)),
    ("over the budget of data files", ("dataset_budget",)),
    ("unreadable", ("unreadable", "read_failed", "unstable")),
    ("binary", ("binary",)),
    ("with secrets", ("secret",)),
    ("in Git LFS", ("lfs_pointer",)),
    ("with a name that is not text", ("bad_name",)),
)
"""Words for reasons of skips; links and vanished files have no content to search."""
_LISTS: Final = "`ggrep health` in the repository lists them"


class Unseen(Struct, frozen=True):
    """Files whose content a search misses.

    Attributes:
        skipped: left out by the last sync; they change without a new snapshot.
        partial: indexed in part.
        nameless: by language; indexed by their words, without definitions.
    """

    skipped: Counts = ()
    partial: Counts = ()
    nameless: Counts = ()


NOTHING_UNSEEN: Final = Unseen()


def skip_counts(skips: Iterable[Skip]) -> Counts:
    """Return how many files were skipped, by the words for the reason."""
    reasons = Counter(skip.reason for skip in skips)
    counts = ((words, sum(reasons[reason] for reason in group)) for words, group in _SKIPPED)
    return tuple((words, count) for words, count in counts if count)


def unseen_notices(unseen: Unseen, *, names: bool = False) -> tuple[Notice, ...]:
    """Return one notice that counts the files and names the command that lists them, if any.

    Args:
        unseen: the files.
        names: the answer is about a name, so languages without definitions count.
    """
    groups = (
        ("not searched", unseen.skipped),
        ("searched in part", unseen.partial),
        ("searched without their definitions", unseen.nameless if names else ()),
    )
    parts = [f"{head}: {_listed(counts)}" for head, counts in groups if counts]
    return (Notice(UNSEEN, f"{'; '.join(parts)}; {_LISTS}"),) if parts else ()


def _listed(counts: Counts) -> str:
    (words, count), *others = counts
    first = f"{count} {'file' if count == 1 else 'files'} {words}"
    return ", ".join((first, *(f"{count} {words}" for words, count in others)))
