"""Handles a sync without information from git if the index was made with git.

Git decides which files belong to the index. Without git, tracked files would disappear, untracked
and ignored files would appear, and the next sync with git would undo these changes. The list of
files therefore stays the same: deleted files are removed, readable files are updated, and new files
are indexed once git can be read.
"""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.base.ids import PathKey
from ggrep.model.response import GitState
from ggrep.parse.source.walk import WITHOUT_GIT, Walk

_LISTED_BEFORE: Final = "the list of files is kept, and new files are indexed once git answers"


def as_listed_before(
    tree: Walk, root: Path, live: Collection[PathKey], before: GitState | None
) -> Walk:
    """Return the walk, restricted to the previously listed files if git cannot be read now.

    Args:
        tree: the result of a walk.
        root: the walked directory.
        live: the visible files.
        before: git's state in the active snapshot; None if the snapshot was made without git.
    """
    if state_before(tree, before) is None:
        return tree
    keys = {file.path_key for file in tree.files}
    hidden = {key for key in live if key not in keys and os.path.lexists(root / key)}
    return replace(
        tree,
        files=tuple(file for file in tree.files if file.path_key in live),
        unknown=tree.unknown | hidden,
        notices=tuple(
            replace(notice, message=f"{notice.message.removesuffix(WITHOUT_GIT)}{_LISTED_BEFORE}")
            for notice in tree.notices
        ),
    )


def state_before(tree: Walk, before: GitState | None) -> GitState | None:
    """Return git's state in a snapshot made with git, if git cannot be read now; else None."""
    if tree.git or not tree.notices or before is None:
        return None
    return replace(before, head_sha=None, dirty=None)
