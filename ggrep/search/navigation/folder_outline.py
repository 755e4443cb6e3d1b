"""The outline of a folder: its files with their main definitions, its subfolders with counts.

The most important files are chosen first; the chosen files are shown in the order of their paths.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.clock import Deadline
from ggrep.index.store.view import SnapshotView
from ggrep.model.corpus import Corpus
from ggrep.model.files import EXAMPLE, GENERATED, MACHINE_WRITTEN, TEST, VENDORED, traits_of
from ggrep.model.outline import ListedPath, listed_line, size_of
from ggrep.model.sanitise import sanitise_line
from ggrep.parse.languages.registry import corpus_of_language
from ggrep.search.navigation.main_names import main_names
from ggrep.search.query.folders import Folder, joined
from ggrep.search.query.listing import ListedFile

DEEPEST: Final = 4
"""Number of levels that are listed by default, if they fit."""
_PLACES_SHARE: Final = 0.6
"""Share of the bytes for the names of paths; the rest is for definitions of files."""
_MOST_READ: Final = 120
"""Maximum number of files whose definitions are read."""


class Listed(Struct, frozen=True):
    """The shown part of a folder.

    Attributes:
        left_out: numbers of files and folders that are not shown.
        whole_bytes: size of the lines if all files and folders were shown.
    """

    paths: tuple[ListedPath, ...]
    left_out: dict[str, int]
    whole_bytes: int


class _Item(Struct, frozen=True):
    """A file or subfolder that may be shown.

    Attributes:
        parent: index of the item of its parent folder; -1 at the top.
        rank: sort key; items with low ranks are shown first.
        file: the file; None for a folder.
    """

    shown: ListedPath
    parent: int
    rank: tuple[int, ...]
    file: ListedFile | None = None


def listed_folder(
    view: SnapshotView, folder: Folder, room: int, depth: int, deadline: Deadline
) -> Listed:
    """Return the part of a folder to show within a number of bytes.

    Args:
        view: the snapshot.
        folder: a folder of the snapshot.
        room: maximum size of the lines in bytes.
        depth: number of levels to list; 0 for as many as fit, but at least one.
        deadline: checked before files are read.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    levels, every = depth or 1, bool(depth)
    items = list(_items(folder, levels, every=every))
    while not depth and levels < DEEPEST:
        deeper = list(_items(folder, levels + 1, every=every))
        if len(deeper) == len(items) or _size(deeper) > room * _PLACES_SHARE:
            break
        levels, items = levels + 1, deeper
    order = sorted(range(len(items)), key=lambda place: (items[place].rank, place))
    kept = _placed(items, order, {}, int(room * _PLACES_SHARE))
    deadline.check("outlining")
    read = [place for place in order if place in kept and items[place].file][:_MOST_READ]
    names = main_names(view, [file for place in read if (file := items[place].file)], deadline)
    left = room - _size_of(kept)
    for place, (holds, more) in zip(read, names, strict=True):
        longer = replace(kept[place], holds=holds, more=more)
        cost = size_of([listed_line(longer)]) - size_of([listed_line(kept[place])])
        if holds and cost <= left:
            kept[place] = longer
            left -= cost
    kept = _placed(items, order, kept, left)
    missing = [item.shown.folder for place, item in enumerate(items) if place not in kept]
    counts = (("file", missing.count(False)), ("folder", missing.count(True)))
    return Listed(
        tuple(kept[place] for place in sorted(kept)),
        {kind: count for kind, count in counts if count},
        _size(items),
    )


def _placed(
    items: Sequence[_Item], order: Sequence[int], kept: dict[int, ListedPath], room: int
) -> dict[int, ListedPath]:
    """Return the kept items, and as many of the next items, with their parent folders, as fit."""
    result, left = dict(kept), room
    for place in order:
        wanted = [place]
        while (parent := items[wanted[-1]].parent) >= 0:
            wanted.append(parent)
        new = [each for each in wanted if each not in result]
        cost = size_of([listed_line(items[each].shown) for each in new])
        if cost > left:
            break
        left -= cost
        result.update((each, items[each].shown) for each in new)
    return result


def _items(folder: Folder, levels: int, *, every: bool) -> Iterator[_Item]:
    """Yield the content of a folder in the order of paths, each subfolder before its own content.

    Args:
        folder: a folder of the snapshot.
        levels: number of levels of subfolders to list.
        every: whether to list the content of all subfolders, not only of subfolders with code.
    """
    count = 0

    def below(here: Folder, depth: int, parent: int) -> Iterator[_Item]:
        nonlocal count
        both: list[tuple[str, Folder | ListedFile]] = [
            *(joined(name, kept) for name, kept in here.folders.items()),
            *((file.path.rpartition("/")[2], file) for file in here.files),
        ]
        for name, entry in sorted(both, key=lambda each: each[0].encode()):
            index = count
            count += 1
            if isinstance(entry, Folder):
                item = _folder_item(name, entry, depth, parent)
                yield item
                if depth + 1 < levels and (every or item.rank[0] == _CODE):
                    yield from below(entry, depth + 1, index)
            else:
                yield _file_item(name, entry, depth, parent)

    yield from below(folder, 0, -1)


def _folder_item(name: str, folder: Folder, depth: int, parent: int) -> _Item:
    shown = ListedPath(
        depth=depth,
        name=sanitise_line(name),
        folder=True,
        files=folder.count,
        lines=folder.lines,
        language=folder.language,
    )
    return _Item(shown, parent, (_standing(f"{name}/x", 0, folder.language), depth, -folder.count))


def _file_item(name: str, file: ListedFile, depth: int, parent: int) -> _Item:
    shown = ListedPath(
        depth=depth,
        name=sanitise_line(name),
        folder=False,
        files=1,
        lines=file.lines,
        language=file.language,
    )
    standing = _standing(file.path, file.traits, file.language)
    standing -= name.lower().startswith("readme") and standing == _PROSE
    return _Item(shown, parent, (standing, depth, -file.definitions, -file.lines), file)


_CODE: Final = 0
_PROSE: Final = 1


def _standing(path: str, traits: int, language: str) -> int:
    """Return a sort key by importance: code, documents, settings, tests."""
    traits |= traits_of(path)
    hidden = any(part.startswith(".") for part in path.split("/"))
    if traits & (MACHINE_WRITTEN | VENDORED | GENERATED):
        return 5
    if traits & (TEST | EXAMPLE) or hidden:
        return 3
    corpus = corpus_of_language(language)
    return _CODE if corpus is Corpus.CODE else 2 if corpus is Corpus.RECORDS else _PROSE


def _size(items: Sequence[_Item]) -> int:
    return size_of([listed_line(item.shown) for item in items])


def _size_of(kept: dict[int, ListedPath]) -> int:
    return size_of([listed_line(each) for each in kept.values()])
