"""A large sync is published piece by piece, what is read soonest first."""

from itertools import chain

from ggrep.domain.ids import PathKey
from ggrep.domain.source import SourceFile
from ggrep.sync.portions import FIRST_BYTES, portions


def file(name: str, size: int) -> SourceFile:
    return SourceFile(PathKey(name), size, 0, 0, 0)


def names_of(files: list[SourceFile], most: int) -> list[list[str]]:
    return [[item.path_key for item in run] for run in portions(files, most)]


def test_what_fits_is_one_portion_in_its_order() -> None:
    """A partial snapshot would only cost a publish more; none at all still publishes."""
    assert names_of([file("b", 3), file("a", 1)], 4) == [["b", "a"]]
    assert names_of([], 4) == [[]]


def test_small_files_come_first_and_paths_break_ties() -> None:
    """Search works after the first portion; the same tree gives the same portions."""
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


def test_who_waits_for_a_first_index_gets_a_small_run_first() -> None:
    """It would fit in one, which is searchable only when all of it is."""
    files = [file(f"f{number:02}", 1 << 20) for number in range(40)]

    runs = portions(files, 1 << 30, early=True)

    assert [len(run) for run in runs] == [8, 32]
    assert portions(files[:16], 1 << 30, early=True) == [files[:16]]
