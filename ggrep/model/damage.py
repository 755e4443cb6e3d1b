"""The damage of one index: a value, and the sentence that every surface prints of it."""

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from ggrep.model.limits import Notice

DamageCode: TypeAlias = Literal[
    "image_damaged", "journal_damaged", "snapshot_fallback", "index_damaged"
]
"""The state of a damaged store.

image_damaged: a derived file is damaged; the next search rebuilds it in place.
journal_damaged: the active snapshot answers, but its journal is damaged.
snapshot_fallback: an older snapshot answers.
index_damaged: no snapshot can answer.
"""
COMPLETE: Final = frozenset[str]({"image_damaged", "journal_damaged"})
"""Damage that changes no answer."""
DAMAGE_CODES: Final = COMPLETE | {"snapshot_fallback", "index_damaged"}
INCOMPLETE_CODES: Final = frozenset({"snapshot_fallback", "index_damaged", "partial_index", "scan"})
"""Warnings of answers from less than the complete index; their line is the first of an answer."""

REPAIR: Final = "ggrep repair"


class Damage(Struct, frozen=True):
    """The damage of one index.

    Attributes:
        code: the state of the store.
        cause: the first damaged artifact and its condition, without absolute paths.
        rebuilding: a writer is at work, or a daemon starts one at once.
        files: in the snapshot that answers; 0 where none does.
        eligible: files that this snapshot was to hold.
        created_at: when it was published, RFC 3339.
    """

    code: DamageCode
    cause: str
    rebuilding: bool = False
    files: int = 0
    eligible: int = 0
    created_at: str = ""

    @property
    def is_complete(self) -> bool:
        """Return whether answers are the same as without the damage."""
        return self.code in COMPLETE

    @property
    def notice(self) -> Notice:
        """Return the state as a warning: the damage, its effect, and the command that helps."""
        remedy = "it is being rebuilt" if self.rebuilding else f"run: {REPAIR}"
        return Notice(self.code, f"the index is damaged: {self.cause}; {self._effect}; {remedy}")

    @property
    def rebuilt(self) -> Notice:
        """Return the warning of the sync that has rebuilt it."""
        return Notice(self.code, f"the index was damaged: {self.cause}; it is rebuilt")

    @property
    def _effect(self) -> str:
        match self.code:
            case "image_damaged" | "journal_damaged":
                return "answers are complete"
            case "index_damaged":
                return "no snapshot can answer"
            case "snapshot_fallback":
                all_files = f" of {self.eligible:,}" if self.files < self.eligible else ""
                counted = f"{self.files:,}{all_files} files"
                return f"answers come from an older snapshot of {self.created_at}, {counted}"


def incomplete_first(notices: Iterable[Notice]) -> tuple[list[Notice], list[Notice]]:
    """Return the warnings that an answer begins with, and the others."""
    listed = list(notices)
    first = [notice for notice in listed if notice.code in INCOMPLETE_CODES]
    return first, [notice for notice in listed if notice.code not in INCOMPLETE_CODES]
