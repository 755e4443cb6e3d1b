"""Counts the files of a snapshot that answers cannot show completely."""

from typing import Final

from msgspec.structs import replace

from ggrep.base.cache import CacheKey
from ggrep.index.store.view import SnapshotView
from ggrep.model.files import GUESSED, REPLACED, SHORTENED
from ggrep.model.limits import Counts, Unseen
from ggrep.parse.languages.registry import is_unread

_UNSEEN: Final = CacheKey[Unseen]()
_NAMELESS: Final = {"code": "unknown languages"}
"""Names of the kinds of files that have no language."""


def unseen_files(view: SnapshotView, skipped: Counts) -> Unseen:
    """Return the numbers of files that are skipped, partly indexed or without definitions.

    Args:
        view: the snapshot; its counts are computed on first use and kept.
        skipped: the counts of the last sync.
    """
    unseen = view.derived.get(_UNSEEN) or view.derived.keep(_UNSEEN, _of_snapshot(view))
    return replace(unseen, skipped=skipped)


def _of_snapshot(view: SnapshotView) -> Unseen:
    traits = (
        ("cut at max_bulk_bytes", SHORTENED),
        ("with invalid bytes", REPLACED),
        ("with a guessed encoding", GUESSED),
    )
    partial = ((words, len(view.files_of(trait))) for words, trait in traits)
    nameless = view.files_in(is_unread)
    return Unseen(
        partial=tuple((words, count) for words, count in partial if count),
        nameless=tuple(
            (f"in {_NAMELESS.get(name, name)}", len(files)) for name, files in nameless.items()
        ),
    )
