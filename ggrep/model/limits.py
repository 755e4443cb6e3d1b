"""The completeness of an answer: limits that cut the answer, warnings, unsearched files."""

from collections import Counter
from collections.abc import Iterable
from typing import Final, TypeAlias

from msgspec import Struct

from ggrep.model.constraints import Code, Count, SafeLine, named
from ggrep.model.files import CELL_LINES, GUESSED, REPLACED, SkippedFile
from ggrep.model.sanitise import first_of


@named("limit")
class LimitHit(Struct, frozen=True, omit_defaults=True):
    """A bound that changed the answer. Lists of bounds are sorted, one entry per code and path."""

    code: Code
    """Stable name of the bound."""
    limit: Count
    """The bound that applied, in the unit of its name: a count or bytes."""
    observed: Count | None = None
    """Amount before the cut; absent when unknown."""
    path_key: str | None = None
    """The file that the bound concerns; absent if it concerns the whole answer."""


class Notice(Struct, frozen=True, omit_defaults=True):
    """A warning. Lists of warnings are sorted, one entry per code and path."""

    code: Code
    """Stable name of the warning."""
    message: SafeLine
    path_key: str | None = None
    """The file that the warning concerns; absent if it concerns the whole answer."""


def sorted_limits(hits: Iterable[LimitHit]) -> tuple[LimitHit, ...]:
    """Return the limits, sorted; for each code and path, only that with the largest `observed`."""
    best: dict[tuple[str, str], LimitHit] = {}
    for hit in hits:
        key = (hit.code, hit.path_key or "")
        previous = best.get(key)
        if previous is None or (hit.observed or 0) > (previous.observed or 0):
            best[key] = hit
    return tuple(best[key] for key in sorted(best))


def sorted_notices(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Return the notices, sorted; for each code and path, only the first by message."""
    best: dict[tuple[str, str], Notice] = {}
    for notice in notices:
        key = (notice.code, notice.path_key or "")
        previous = best.get(key)
        if previous is None or notice.message < previous.message:
            best[key] = notice
    return tuple(best[key] for key in sorted(best))


DECLARE: Final = "declare the encoding in the file or as charset in .editorconfig"
_NAMED: Final = 3
_NOTICES: Final = (
    (GUESSED, "guessed_encoding", f"encoding was guessed for {{files}}; {DECLARE}"),
    (REPLACED, "replaced_characters", "U+FFFD replaces invalid bytes in {files}"),
    (CELL_LINES, "cell_lines", "line numbers count within the cells of {files}"),
)


class FileReading(Struct, frozen=True):
    """The encoding and traits of a file that was read, as in a Hit."""

    path: str
    encoding: str
    traits: int


def reading_notices(readings: Iterable[FileReading]) -> tuple[Notice, ...]:
    """Return a notice for each trait that an answer must mention, with the names of files."""
    files = sorted({(item.path, item.encoding, item.traits) for item in readings if item.traits})
    notices = []
    for trait, code, message in _NOTICES:
        shown = [_name(path, encoding, trait) for path, encoding, traits in files if traits & trait]
        if shown:
            notices.append(Notice(code, message.format(files=first_of(shown, _NAMED))))
    return tuple(notices)


def _name(path: str, encoding: str, trait: int) -> str:
    return path if trait == CELL_LINES else f"{path} ({encoding or 'utf-8'})"


Counts: TypeAlias = tuple[tuple[str, int], ...]
"""Numbers of files by category, in a fixed order."""

UNSEEN: Final = "unseen_files"
_SKIPPED: Final = (
    ("too large", ("too_large",)),
    ("over the budget of data files", ("dataset_budget",)),
    ("unreadable", ("unreadable", "read_failed", "unstable")),
    ("binary", ("binary",)),
    ("with secrets", ("secret",)),
    ("in Git LFS", ("lfs_pointer",)),
    ("with a name that is not UTF-8", ("bad_name",)),
)
"""Words for reasons of skips. Links and deleted files are missing, because they have no content."""
_LISTS: Final = "`ggrep health` in the repository lists them"
UNCOUNTED: Final = f"some files were not searched, or only in part; {_LISTS}"
"""Message about the unsearched files of several repositories."""


class Unseen(Struct, frozen=True):
    """Counts of files whose content a search does not cover.

    Attributes:
        skipped: files that the last sync skipped; they can change without a new snapshot.
        partial: files that are indexed in part.
        nameless: files that are indexed without definitions, by language.
    """

    skipped: Counts = ()
    partial: Counts = ()
    nameless: Counts = ()


NOTHING_UNSEEN: Final = Unseen()


def skip_counts(skips: Iterable[SkippedFile]) -> Counts:
    """Return the numbers of skipped files by reason."""
    reasons = Counter(skip.reason for skip in skips)
    counts = ((words, sum(reasons[reason] for reason in group)) for words, group in _SKIPPED)
    return tuple((words, count) for words, count in counts if count)


def unseen_notices(unseen: Unseen, *, names: bool = False) -> tuple[Notice, ...]:
    """Return a notice with the counts of unsearched files and the command that lists them.

    With `names`, for an answer about a name, files without definitions also count.
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
