"""A large sync is published piece by piece, what is read soonest first."""

from itertools import chain

from ggrep.base.ids import PathKey
from ggrep.index.sync.portions import FIRST_BYTES, next_portion, portions
from ggrep.model.files import SourceFile


def file(name: str, size: int) -> SourceFile:
    return SourceFile(PathKey(name), size, 0, 0, 0)


def names_of(files: list[SourceFile], most: int) -> list[list[str]]:
    return [[item.path_key for item in run] for run in portions(files, most)]


def test_small_files_come_first_and_what_fits_is_one_portion() -> None:
    """Search works after the first portion; the same tree gives the same portions."""
    assert names_of([file("b", 3), file("a", 1)], 4) == [["b", "a"]]
    assert names_of([], 4) == [[]]

    files = [file("z", 5), file("b", 1), file("a", 9), file("c", 1)]

    assert names_of(files, 6) == [["b", "c"], ["z"], ["a"]]
    assert names_of(list(reversed(files)), 6) == names_of(files, 6)


def test_the_first_portion_is_small_whatever_the_bound() -> None:
    """Nobody should wait for 256 MiB before the first answer."""
    files = [file(f"f{number:02}", 1 << 20) for number in range(40)]
    runs = portions(files, 24 << 20)

    assert [sum(item.size_bytes for item in run) for run in runs] == [
        FIRST_BYTES,
        24 << 20,
        8 << 20,
    ]
    assert sorted(chain.from_iterable(runs), key=lambda item: item.path_key) == files


def keys(run: list[SourceFile]) -> list[str]:
    return [item.path_key for item in run]


def test_a_first_index_begins_with_a_small_run_of_what_was_asked_for() -> None:
    """However large those files are and wherever they stand; unknown ones do no harm."""
    files = [file(f"f{number:02}", 1 << 20) for number in range(40)]

    assert len(next_portion(files, 1 << 30, (), first=True)) == 8
    assert next_portion(files, 1 << 30, (), first=False) == files
    assert next_portion(files[:16], 1 << 30, (), first=True) == files[:16]

    asked = (PathKey("f30"), PathKey("gone"), PathKey("f07"))

    assert keys(next_portion(files, 1 << 30, asked, first=True))[:3] == ["f30", "f07", "f00"]
    assert keys(next_portion(files[:8], 1 << 30, asked, first=True))[:2] == ["f07", "f00"]
    large = [file("a", 1), file("big", 3 * FIRST_BYTES)]
    assert keys(next_portion(large, 1 << 30, (PathKey("big"),), first=True)) == ["big"]

    assert keys(next_portion([file("a", 9), file("b", 8)], 4, (), first=True)) == ["b"]
