"""The folders of a snapshot with what lies below each; worked out once of each snapshot."""

from collections import Counter
from typing import Final

from msgspec import Struct, field

from ggrep.base.cache import CacheKey
from ggrep.index.store.view import SnapshotView
from ggrep.search.query.listing import ListedFile, listed_files


class Folder(Struct):
    """One folder; nothing of it changes once it is made.

    Attributes:
        folders: by name, in the order of their paths, as `files`.
        count: of all files below it, as `lines`.
        languages: lines of each, below it.
    """

    folders: "dict[str, Folder]" = field(default_factory=dict)
    files: list[ListedFile] = field(default_factory=list)
    count: int = 0
    lines: int = 0
    languages: Counter[str] = field(default_factory=Counter)

    @property
    def language(self) -> str:
        """Return the language of most lines below it; empty without any file."""
        order = sorted(self.languages.items(), key=lambda one: (-one[1], one[0]))
        return order[0][0] if order else ""

    def at(self, path: str) -> "Folder | None":
        """Return a folder below it; itself for the empty path, None where there is none."""
        found: Folder | None = self
        for part in path.split("/") if path else ():
            found = None if found is None else found.folders.get(part)
        return found


def joined(path: str, folder: Folder) -> tuple[str, Folder]:
    """Return a folder; one that holds another and nothing else is one with it, as its path."""
    while not folder.files and len(folder.folders) == 1:
        ((name, folder),) = folder.folders.items()
        path = f"{path}/{name}"
    return path, folder


_FOLDERS: Final = CacheKey[Folder]()


def root_folder(view: SnapshotView) -> Folder:
    """Return the root of a snapshot."""
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
