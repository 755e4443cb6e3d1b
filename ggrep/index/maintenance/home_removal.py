"""Deletes a home whole: its stores one by one, then all else that ggrep keeps there."""

import shutil
from contextlib import suppress

from ggrep.config.home import Home
from ggrep.index.maintenance.inventory import list_stores, remove_store
from ggrep.index.store.disk import store_bytes


def home_bytes(home: Home) -> int:
    """Return what ggrep keeps in its home."""
    directories = [each for each in home.own_directories if each != home.base]
    files = [each for each in home.own_files if each.is_file()]
    return sum(map(store_bytes, directories)) + sum(each.stat().st_size for each in files)


def remove_home(home: Home) -> bool:
    """Delete what ggrep keeps in its home; return whether the home is gone.

    Where anything else is in it, others may use directories of these names, too: then published
    stores go, and ggrep's own files, and all else stays.

    Raises:
        Busy: somebody writes or reads a store; that and all behind it stay.

    Requires: no daemon of it runs.
    """
    own = {*home.own_directories, *home.own_files}
    is_ours_alone = not home.base.exists() or own.issuperset(home.base.iterdir())
    for entry in list_stores(home):
        if is_ours_alone or entry.published:
            remove_store(home, entry.store_id)
    for directory in home.own_directories:
        if is_ours_alone and directory != home.base:
            shutil.rmtree(directory, ignore_errors=True)
    for file in home.own_files:
        file.unlink(missing_ok=True)
    with suppress(OSError):
        home.base.rmdir()
    return not home.base.exists()
