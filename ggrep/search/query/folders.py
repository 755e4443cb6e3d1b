"""The folder tree of a snapshot, with totals; computed once for each snapshot."""

from collections import Counter
from typing import Final

from msgspec import Struct, field

from ggrep.base.cache import CacheKey
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.listing import ListedFile, listed_files


class Folder(Struct):
    """One folder; not changed after the tree is complete.

    Attributes:
        folders: direct subfolders by name, in the order of their paths.
        files: direct files, in the order of their paths.
        count: number of all files below the folder.
        lines: number of lines of all files below the folder.
        languages: number of lines of each language below the folder.
    """

    folders: "dict[str, Folder]" = field(default_factory=dict)
    files: list[ListedFile] = field(default_factory=list)
    count: int = 0
    lines: int = 0
    languages: Counter[str] = field(default_factory=Counter)

    @property
    def language(self) -> str:
        """Return the language with most lines below the folder; empty without files."""
        order = sorted(self.languages.items(), key=lambda item: (-item[1], item[0]))
        return order[0][0] if order else ""

    def at(self, path: str) -> "Folder | None":
        """Return the folder at a path below this folder; itself for an empty path.

        Return None if no folder has the path.
        """
        folder: Folder | None = self
        for part in path.split("/") if path else ():
            folder = None if folder is None else folder.folders.get(part)
        return folder


def joined(path: str, folder: Folder) -> tuple[str, Folder]:
    """Return the first folder, at or below `folder`, that has files or more than one subfolder."""
    while not folder.files and len(folder.folders) == 1:
        ((name, folder),) = folder.folders.items()
        path = f"{path}/{name}"
    return path, folder


_FOLDERS: Final = CacheKey[Folder]()


def root_folder(view: SnapshotView) -> Folder:
    """Return the root folder of a snapshot."""
    kept = view.derived.get(_FOLDERS)
    if kept is not None:
        return kept
    root = Folder()
    for file in listed_files(view):
        here = root
        _count(here, file)
        *parts, _ = file.path.split("/")
        for part in parts:
            here = here.folders.setdefault(part, Folder())
            _count(here, file)
        here.files.append(file)
    return view.derived.keep(_FOLDERS, root)


def _count(folder: Folder, file: ListedFile) -> None:
    folder.count += 1
    folder.lines += file.lines
    folder.languages[file.language] += file.lines
