"""The files of a snapshot by path, and functions that read their texts."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ggrep.base.clock import Deadline
from ggrep.index.store.view import SnapshotView
from ggrep.model.files import EXAMPLE, MACHINE_WRITTEN, TEST, VENDORED
from ggrep.search.query.file_text import file_texts
from ggrep.search.query.folders import Folder, root_folder
from ggrep.search.query.listing import ListedFile, listed_files
from ggrep.search.query.segments import open_segments

_ASIDE: Final = TEST | EXAMPLE | VENDORED | MACHINE_WRITTEN
_FIXTURES: Final = re.compile(
    r"(?:^|/)(?:_*fixtures_*|testsuite|test-suite)/"
    r"|(?:^|[/_.-])(?:perf(?:_?tests?)?|performance[_-]tests?|bench(?:es|marks?)?|fuzz(?:ing|ers?)?)(?=[/_.-])"
    r"|(?:^|/)build\.rs$"
)

MOST_TEXT_BYTES: Final = 262_144
"""Maximum bytes of a file that is read; build instructions are short."""


@dataclass(frozen=True, slots=True)
class RepositoryFiles:
    """The files of one snapshot.

    Attributes:
        files: the files in the order of the bytes of their paths.
        root: the root of the tree of folders.
    """

    view: SnapshotView
    deadline: Deadline
    files: tuple[ListedFile, ...]
    root: Folder
    by_path: Mapping[str, ListedFile] = field(repr=False)

    def there(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that exist, in the order of `paths`."""
        return [path for path in paths if path in self.by_path]

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of files that are not too large, in the order of `paths`.

        Raises:
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        wanted = [self.by_path[path] for path in dict.fromkeys(paths) if path in self.by_path]
        small = [file for file in wanted if file.size <= MOST_TEXT_BYTES]
        texts: dict[str, str] = {}
        for place, segment in enumerate(open_segments(self.view)):
            listed = [file for file in small if file.segment == place]
            read = file_texts(self.view, segment, [file.file for file in listed], self.deadline)
            texts.update(zip((file.path for file in listed), read, strict=True))
        return {file.path: texts[file.path] for file in small}

    def in_folder(self, path: str) -> Sequence[ListedFile]:
        """Return the files directly in a folder."""
        folder = self.root.at(path)
        return () if folder is None else folder.files


def is_aside(file: ListedFile) -> bool:
    """Return whether a file is a test, a benchmark, an example, vendored or machine-written."""
    return bool(file.traits & _ASIDE) or bool(_FIXTURES.search(file.path))


def repository_files(view: SnapshotView, deadline: Deadline) -> RepositoryFiles:
    """Return the files of a snapshot."""
    files = listed_files(view)
    return RepositoryFiles(
        view, deadline, files, root_folder(view), {file.path: file for file in files}
    )
