"""The cache of vectors: what it gives is right or nothing, whatever happened to its files."""

import hashlib
import resource
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random

import pytest

from ggrep.index.embedding.vector_budget import file_sizes
from ggrep.index.embedding.vector_cache import VectorStatistics
from ggrep.index.embedding.vector_database import VectorDatabase
from tests.fakes.clocks import ManualClock
from tests.fakes.vectors import (
    DIED,
    DIMENSION,
    FINGERPRINT,
    START,
    fill,
    hash_of,
    held,
    open_cache,
    vectors_of,
)

HOUR_MS = 3_600_000
OTHER = hashlib.sha256(b"another encoder").hexdigest()


def cache_bytes(directory: Path) -> int:
    return sum(file_sizes(directory).values())


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Return where the files go; it is not there yet."""
    return tmp_path / "cache" / "vectors"


def database(directory: Path, fingerprint: str = FINGERPRINT) -> Path:
    return directory / f"{fingerprint[:16]}.sqlite3"


def test_what_was_put_is_found_again_by_another_process(directory: Path) -> None:
    """Bit for bit: a vector from the cache must not differ from one that is computed."""
    with open_cache(directory) as cache:
        fill(cache, range(1200))
    with open_cache(directory) as cache:
        result = held(cache, range(1300))

    assert result == list(range(1200))
    assert cache.statistics() == VectorStatistics(hits=1200, misses=100)


def test_nothing_is_made_before_it_is_asked(directory: Path) -> None:
    """A sync without news costs nothing."""
    with open_cache(directory):
        pass

    assert not directory.parent.exists()


def test_files_are_private(directory: Path) -> None:
    """Vectors tell about the texts they stand for."""
    with open_cache(directory) as cache:
        fill(cache, range(3))
        modes = {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()}

    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert modes == {0o600}


def test_another_dimension_is_a_miss(directory: Path) -> None:
    """A vector of another length would break the arrays it is put into."""
    with open_cache(directory) as cache:
        fill(cache, [1])
    with open_cache(directory, dimension=DIMENSION + 1) as cache:
        assert cache.get([hash_of(1)]) == {}


def test_a_file_under_another_fingerprint_gives_nothing(directory: Path) -> None:
    """Not even when someone renamed it: the encoder is part of every entry's digest."""
    with open_cache(directory) as cache:
        fill(cache, range(5))
    database(directory).rename(database(directory, OTHER))
    with open_cache(directory, fingerprint=OTHER) as cache:
        assert held(cache, range(5)) == []


def test_two_hashes_of_one_key_are_told_apart(directory: Path) -> None:
    """The key is 64 bits long, which somebody may collide on purpose."""
    twin = hash_of(1)[:8] + bytes(24)
    with open_cache(directory) as cache:
        fill(cache, [1])

        assert cache.get([twin]) == {}
        assert cache.get([twin, hash_of(1)]).keys() <= {hash_of(1)}


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:100],
        lambda data: data[: len(data) // 2],
        lambda data: Random(1).randbytes(len(data)),
        lambda data: data[:4096] + Random(2).randbytes(len(data) - 4096),
        lambda data: b"not a database, only text\n",
    ],
    ids=["empty", "header", "half", "random", "random pages", "text"],
)
def test_a_damaged_file_is_begun_anew(directory: Path, damage: object) -> None:
    """It is derived: losing it costs time once, and the next write works again."""
    with open_cache(directory) as cache:
        fill(cache, range(500))
    path = database(directory)
    assert callable(damage)
    path.write_bytes(damage(path.read_bytes()))
    with open_cache(directory) as cache:
        lost = held(cache, range(500))
        fill(cache, range(500))
        fill(cache, range(500))
        result = held(cache, range(500))

    assert len(lost) < 500
    assert result == list(range(500))


def test_a_database_of_another_kind_is_begun_anew(directory: Path) -> None:
    """One of an older format, or one that lost its table."""
    with open_cache(directory) as cache:
        fill(cache, range(5))
    with closing(sqlite3.connect(database(directory), isolation_level=None)) as connection:
        connection.execute("DROP TABLE vectors")
    with open_cache(directory) as cache:
        assert held(cache, range(5)) == []
        fill(cache, range(5))
        assert held(cache, range(5)) == list(range(5))


@pytest.mark.slow
def test_a_flipped_bit_never_gives_a_wrong_vector(directory: Path) -> None:
    """Wherever it is: in a vector, its key, its length, or the pages that lead to it."""
    with open_cache(directory) as cache:
        fill(cache, range(200))
    path, chance = database(directory), Random(7)
    sound = path.read_bytes()
    results = []
    for _ in range(60):
        data = bytearray(sound)
        for _ in range(20):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.unlink()
        path.write_bytes(data)
        with open_cache(directory) as cache:
            results.append(len(held(cache, range(200))))

    assert max(results) > 0, "every file was lost: nothing was tried"
    assert min(results) < 200


def test_a_place_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """A file stands where the directory should be."""
    (tmp_path / "cache").write_bytes(b"")
    with open_cache(tmp_path / "cache" / "vectors") as cache:
        fill(cache, range(5))

        assert held(cache, range(5)) == []
    assert cache.statistics().failures == 1, "it is not tried again and again"


@contextmanager
def full_disk(size_bytes: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("size_bytes", [0, 4096, 20_000, 60_000])
def test_a_full_disk_is_no_error(directory: Path, size_bytes: int) -> None:
    """The sync goes on without the cache, and later ones with it."""
    with full_disk(size_bytes), open_cache(directory) as cache:
        fill(cache, range(2000))
        held(cache, range(2000))
    with open_cache(directory) as cache:
        held(cache, range(2000))
        fill(cache, range(2000))
        fill(cache, range(2000))

        assert held(cache, range(2000)) == list(range(2000))


def test_a_lock_is_waited_for_briefly(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that hangs in a transaction must not make others hang."""
    monkeypatch.setattr("ggrep.index.embedding.vector_database.WAIT_SECONDS", 0.01)
    with open_cache(directory) as cache:
        fill(cache, [1])
    with closing(sqlite3.connect(database(directory), isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        with open_cache(directory) as cache:
            for number in range(2, 9):
                fill(cache, [number])
    with open_cache(directory) as later:
        assert held(later, range(9)) == [1]
    assert cache.statistics().failures == 3


def test_a_damaged_file_in_use_stays_until_it_is_not(directory: Path) -> None:
    """Taking it away under another process would mix the log of one file into the next."""
    with open_cache(directory) as cache:
        fill(cache, [1])
        opened = VectorDatabase(database(directory), wait=lambda _: None)
        opened.open()
        inode = database(directory).stat().st_ino
        with pytest.raises(Exception, match="sqlite3"):
            opened.begin_anew()

        assert not opened.remove()
        assert database(directory).stat().st_ino == inode


def test_the_bound_holds_and_the_least_recently_used_go_first(directory: Path) -> None:
    clock = ManualClock(START)
    with open_cache(directory, clock=clock) as cache:
        fill(cache, range(3000))
        clock.advance(HOUR_MS)
        held(cache, range(100))
    bound = cache_bytes(directory) // 2
    with open_cache(directory, clock=clock, max_bytes=bound) as cache:
        cache.trim()
        result = held(cache, range(3000))
        evicted = cache.statistics().evicted

    assert cache_bytes(directory) <= bound
    assert result[:100] == list(range(100)), "these were used last"
    assert result[100:] == list(range(3000 - len(result) + 100, 3000)), "of the others the newest"
    assert evicted == 3000 - len(result)
    assert len(result) > 1000, "no more goes than must"


@pytest.mark.slow
def test_writing_on_and_on_keeps_the_bound(directory: Path) -> None:
    """Free pages are used again and given back."""
    bound = 300_000
    sizes = []
    for start in range(0, 10_000, 2000):
        with open_cache(directory, max_bytes=bound) as cache:
            fill(cache, range(start, start + 2000))
            assert start + 1999 in held(cache, range(start, start + 2000))
        sizes.append(cache_bytes(directory))

    assert max(sizes) <= bound
    assert min(sizes[1:]) > bound // 2


def test_files_that_were_not_opened_for_longest_go_first(directory: Path) -> None:
    """An encoder that nobody uses any more makes room for the one in use."""
    clock = ManualClock(START)
    for name in (b"old", b"older"):
        with open_cache(
            directory, fingerprint=hashlib.sha256(name).hexdigest(), clock=clock
        ) as cache:
            fill(cache, range(1000))
        clock.advance(-HOUR_MS * 30)
    clock.advance(HOUR_MS * 90)
    old, older = (
        database(directory, hashlib.sha256(name).hexdigest()) for name in (b"old", b"older")
    )
    with open_cache(directory, clock=clock, max_bytes=old.stat().st_size * 2) as cache:
        fill(cache, range(1000))
        result = held(cache, range(1000))

    assert not older.exists()
    assert old.exists()
    assert result == list(range(1000))
    assert cache_bytes(directory) <= old.stat().st_size * 2 + 4096 * 20


def test_a_file_that_is_open_elsewhere_is_not_removed(directory: Path) -> None:
    """Two encoders may be at work at once; the own file makes room."""
    with open_cache(directory, fingerprint=OTHER) as other:
        fill(other, range(500))
        with open_cache(directory, max_bytes=1) as cache:
            fill(cache, range(500))

        assert held(other, range(500)) == list(range(500))
    assert held(cache, range(500)) == []
    cache.close()


def run_child(*arguments: object) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.vectors", *map(str, arguments)],
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "point",
    ["cache.before_write", "cache.after_write", "cache.before_evict", "cache.after_evict"],
)
def test_death_at_a_fault_point_leaves_a_usable_cache(directory: Path, point: str) -> None:
    with open_cache(directory) as cache:
        fill(cache, range(1000))
    bound = cache_bytes(directory)
    child = run_child(directory, 1000, 3000, bound, point)

    assert child.wait(timeout=1_200) == DIED
    with open_cache(directory, max_bytes=bound) as cache:
        held(cache, range(3000))
        fill(cache, range(2000, 2500))
        assert held(cache, range(2000, 2500)) == list(range(2000, 2500))
    assert cache.statistics().failures == 0
    assert cache_bytes(directory) <= bound


@pytest.mark.slow
def test_processes_write_at_once(directory: Path) -> None:
    """They begin together, on a directory that none has made yet."""
    children = [run_child(directory, 1000 * n, 1000 * n + 1500) for n in range(4)]

    assert [child.wait(timeout=1_200) for child in children] == [0] * 4
    with open_cache(directory) as cache:
        assert held(cache, range(4500)) == list(range(4500))


@pytest.mark.deep
def test_many_processes_write_and_evict_at_once(directory: Path) -> None:
    """Twice over the bound, eight at a time, again and again."""
    for turn in range(6):
        children = [
            run_child(directory, 500 * n, 500 * n + 4000, 500_000) for n in range(turn, turn + 8)
        ]
        assert [child.wait(timeout=1_200) for child in children] == [0] * 8
        with open_cache(directory, max_bytes=500_000) as cache:
            held(cache, range(12_000))
            cache.trim()
            assert cache.statistics().failures == 0
        assert cache_bytes(directory) <= 500_000


def test_a_vector_comes_with_its_scale(directory: Path) -> None:
    """Scales are float64 and must stay so."""
    numbers = [3, 1 << 40]
    with open_cache(directory) as cache:
        fill(cache, numbers)
        result = cache.get([hash_of(number) for number in numbers])

    assert [result[hash_of(number)][1] for number in numbers] == vectors_of(numbers)[1].tolist()
