"""The content and the default budgets of each level of a slate."""

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit
from ggrep.model.slate import BUDGET_CODES, Budgets

LEVELS: Final = (0, 1, 2, 3)

MAX_SLATE_BYTES: Final = 4 * 1024 * 1024
"""Maximum bytes of a slate."""

MIN_SLATE_BYTES: Final = 1_024
"""Minimum bytes of a slate; the overview alone takes almost as many."""

MAX_SLATE_FILES: Final = 100
MAX_EVIDENCE: Final = 50
FILES: Final = 28
EVIDENCE: Final = 12
"""Default number of files, and of pieces of evidence per file. Levels differ only in bytes."""

_LEAST_WEAK: Final = 5
WEAK_FILES: Final = 0.75
"""Share of the files that a weak answer shows; a warning reports the reason."""

_TOTAL_BYTES: Final = (2_048, 16_384, 65_536, 1_048_576)
_FILE_BYTES: Final = (1_024, 8_192, 32_768, 131_072)

_LEAST_PIECES: Final = 64
_LEAST_BYTES: Final = 192
"""Assumed bytes of a piece, for the number of pieces to read; real ones have five times as many."""

_DEEP: Final = 2


class Disclosure(Struct, frozen=True):
    """How much of each chosen file is shown.

    Attributes:
        lines: show the lines of evidence, not only line numbers.
        neighbours: show the lines around the best evidence.
        evidence: maximum number of pieces of evidence per file.
        pieces: maximum number of pieces in all files; the text of other pieces is not read.
        anchors: show the first lines of files.
        comments: also show the comment above a definition.
    """

    lines: bool
    neighbours: bool
    evidence: int
    pieces: int
    anchors: bool
    comments: bool


def disclosure_of(level: int, budgets: Budgets, *, anchors: bool = True) -> Disclosure:
    """Return how much of each file a level shows with these budgets."""
    pieces = max(_LEAST_PIECES, budgets.total_bytes // _LEAST_BYTES)
    return Disclosure(
        lines=level > 0,
        neighbours=level >= _DEEP,
        evidence=budgets.evidence_per_file,
        pieces=pieces,
        anchors=anchors,
        comments=level >= _DEEP,
    )


def check_level(level: int) -> None:
    """Raise unless the level exists.

    Raises:
        InvalidRequest: the level does not exist.
    """
    if level not in LEVELS:
        raise InvalidRequest(f"level: {level} must be 0, 1, 2 or 3")


def effective(asked: Budgets, level: int) -> tuple[Budgets, tuple[LimitHit, ...]]:
    """Return the effective budgets, and a limit for each requested budget that exceeds its cap.

    Raises:
        InvalidRequest: a budget is negative, or too small for any slate.
    """
    usual = Budgets(_TOTAL_BYTES[level], _FILE_BYTES[level], FILES, EVIDENCE)
    caps = Budgets(MAX_SLATE_BYTES, MAX_SLATE_BYTES, MAX_SLATE_FILES, MAX_EVIDENCE)
    limits = []
    for name, code in BUDGET_CODES.items():
        value, cap = getattr(asked, name), getattr(caps, name)
        if value < 0:
            raise InvalidRequest(f"{code}: {value} is negative")
        if value > cap:
            limits.append(LimitHit(code, cap, value))
    if 0 < asked.total_bytes < MIN_SLATE_BYTES:
        raise InvalidRequest(
            f"max_slate_bytes: {asked.total_bytes} is below the minimum of {MIN_SLATE_BYTES}"
        )
    chosen = {
        name: min(getattr(asked, name) or getattr(usual, name), getattr(caps, name))
        for name in BUDGET_CODES
    }
    budgets = replace(usual, **chosen, of_text=asked.of_text)
    return replace(budgets, file_bytes=min(budgets.file_bytes, budgets.total_bytes)), tuple(limits)


def files_shown(files: int, confidence: Confidence, *, keep_weak: bool) -> int:
    """Return how many files an answer shows if `files` files were chosen.

    An answer without a match shows no file. A weak answer shows fewer files, but at least five.
    """
    if keep_weak or confidence is Confidence.STRONG:
        return files
    few = min(files, max(_LEAST_WEAK, round(files * WEAK_FILES)))
    return few if confidence is Confidence.WEAK else 0
