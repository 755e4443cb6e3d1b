"""A walk that visits the most promising files first and yields them during the walk.

The walk yields the same files as other walks, in another order, and can be stopped at any time.
"""

import os
from collections.abc import Callable, Iterator
from heapq import heappop, heappush
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.config.confined import read_descriptor
from ggrep.config.settings import Settings
from ggrep.model.files import SourceFile
from ggrep.parse.source.dir_stack import open_dir_stack
from ggrep.parse.source.entry_rules import DirRules
from ggrep.parse.source.git_listing import Listing
from ggrep.parse.source.ignore_rules import RuleChain
from ggrep.parse.source.notebooks import as_script, is_notebook
from ggrep.parse.source.walker import Walker

_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class VisitedFile(Struct, frozen=True):
    """An eligible file that the walk yields.

    Attributes:
        directory: descriptor of its directory; valid until the next file is requested.
    """

    file: SourceFile
    directory: int

    def read(self) -> bytes | None:
        """Return the file's current bytes; None if the file is unreadable.

        A notebook is returned as a script with the sources of its cells. Secrets are not masked: a
        caller that shows text calls `read_file` instead.
        """
        try:
            descriptor = os.open(
                self.file.path_key.rpartition("/")[2], _FILE, dir_fd=self.directory
            )
        except OSError:
            return None
        try:
            data = read_descriptor(descriptor, most_bytes=self.file.size_bytes)
        except OSError:
            return None
        finally:
            os.close(descriptor)
        script = as_script(data) if is_notebook(self.file.path_key) else None
        return data if script is None else script.data


class PriorityWalk(Walker):
    """The walk of one tree, the most promising directories first."""

    def __init__(
        self,
        root: Path,
        settings: Settings,
        listing: Listing | None,
        apart: frozenset[bytes],
        *,
        promise: Callable[[bytes], float],
        leads: Callable[[bytes], bool],
    ) -> None:
        """Create the walk; nothing is visited yet.

        Args:
            root: the canonical path of the root.
            settings: the settings by which files are eligible.
            listing: git's listing; None outside of a work tree.
            apart: paths of directories that are never entered, spelled as in the walk.
            promise: returns the priority of a directory, by its path with a trailing slash.
            leads: returns whether to visit a directory at all.
        """
        super().__init__(root, settings, listing, apart)
        self._promise = promise
        self._leads = leads

    @property
    def entries(self) -> int:
        """Return the number of visited files and directories, eligible or not."""
        left_out = sum(self.excluded.values()) + len(self.skipped)
        return len(self.directories) + len(self.files) + left_out

    def visited(self) -> Iterator[VisitedFile | None]:
        """Yield the eligible files, directory by directory, and None for each directory.

        A caller with little time can thus check the clock even in directories without eligible
        files.

        Raises:
            InvalidRequest: the root itself cannot be read.
        """
        ahead = [(0.0, 0, b"", DirRules(b"", RuleChain(), RuleChain(), hidden=False))]
        with open_dir_stack(self._root) as stack:
            while ahead:
                place = heappop(ahead)[-1]
                before = len(self.files)
                yield None
                self._visit(place, stack)
                for below in self._ahead:
                    key = below.prefix
                    if self._leads(key):
                        heappush(ahead, (-self._promise(key), key.count(b"/"), key, below))
                self._ahead.clear()
                if len(self.files) > before:
                    directory = stack.enter(place.prefix)
                    for file in self.files[before:]:
                        yield VisitedFile(file, directory)
