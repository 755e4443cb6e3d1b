"""Cached vectors of encoded texts, shared by all stores of a home.

A vector depends only on its text and the encoder, so the chunks of a linked work tree, a clone, a
renamed file or a branch that is checked out again need not be encoded again. The cache can be
deleted at any time. After any error a vector counts as not cached, and no operation waits
longer than about a second.

An entry is `digest (16 bytes) | scale (float64) | vector (int8)`. The digest is BLAKE2b, with the
encoder's fingerprint as key, of the text's SHA-256, the scale and the vector. Therefore neither a
flipped bit nor two texts with equal 64-bit keys result in a wrong vector.
"""

import hashlib
import struct
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base import durable
from ggrep.base.clock import Clock
from ggrep.base.durable import make_directory
from ggrep.index.embedding.quantise import Int8
from ggrep.index.embedding.vector_budget import keep_bound
from ggrep.index.embedding.vector_database import (
    SUFFIX,
    Damaged,
    InUse,
    Row,
    StoredRow,
    VectorDatabase,
    note_use,
)

_DIGEST_BYTES = 16
_HEAD_BYTES = _DIGEST_BYTES + 8
_READ_ROWS = 500
_WRITE_ROWS = 1000
_HOUR_SECONDS = 3600
_PATIENCE = 3
"""After so many operations failed because of another process, the cache is no longer used."""

Cached = tuple[Int8, float]
"""A vector, int8 (dim,), and its scale."""
_Result = TypeVar("_Result")


class VectorStatistics(Struct, frozen=True):
    """Counts of one VectorCache since it was created.

    Attributes:
        misses: requested vectors that were not returned, for any reason.
        written: new entries, and used entries that were written again with a new hour of use.
        evicted: rows deleted because of the size limit, without those of removed files.
        failures: failed operations on the file.
    """

    hits: int = 0
    misses: int = 0
    written: int = 0
    evicted: int = 0
    failures: int = 0


class VectorCache:
    """The vectors of one encoder; the file is opened at the first use. Not thread-safe."""

    def __init__(
        self,
        directory: Path,
        fingerprint: str,
        dimension: int,
        *,
        max_bytes: int,
        clock: Clock,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Prepare a cache in `directory`; nothing is read or created yet.

        Args:
            directory: contains one file for each fingerprint.
            fingerprint: `embed_config_fingerprint`, SHA-256 hex.
            dimension: the length of every vector.
            max_bytes: maximum size of all files in the directory together; 0 means no limit.
            clock: time source for the last use of entries.
            wait: sleeps for a number of seconds.
        """
        self._file = VectorDatabase(directory / f"{fingerprint[:16]}{SUFFIX}", wait=wait)
        self._entry_bytes = _HEAD_BYTES + dimension
        self._digest = hashlib.blake2b(digest_size=_DIGEST_BYTES, key=bytes.fromhex(fingerprint))
        self._max_bytes = max_bytes
        self._clock = clock
        self._wait = wait
        self._patience = _PATIENCE
        self._was_begun_anew = False
        self._renewed: list[Row] = []
        self._hits = self._misses = self._written = self._evicted = self._failures = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def get(self, hashes: Sequence[bytes]) -> dict[bytes, Cached]:
        """Return the cached vectors of texts by the raw SHA-256 of the texts."""
        cached: dict[bytes, Cached] = {}
        for start in range(0, len(hashes), _READ_ROWS):
            cached |= self._read(hashes[start : start + _READ_ROWS])
        hits = sum(digest in cached for digest in hashes)
        self._hits += hits
        self._misses += len(hashes) - hits
        if len(self._renewed) >= _WRITE_ROWS:
            self._write([])
        return cached

    def put(self, hashes: Sequence[bytes], vectors: Int8, scales: npt.NDArray[np.float64]) -> None:
        """Cache vectors (n, dim) with scales (n,) under the raw SHA-256 of their texts."""
        hour = self._hour()
        rows: list[Row] = []
        for digest, row, scale in zip(hashes, vectors, scales.tolist(), strict=True):
            payload = struct.pack("<d", scale) + row.tobytes()
            rows.append((_key_of(digest), hour, self._sealed(digest, payload)))
        self._write(rows)

    def trim(self) -> None:
        """Evict the least recently used vectors if the files exceed the limit (`vector_budget`)."""
        if self._max_bytes:
            self._evicted += self._attempt(
                lambda file: keep_bound(file, self._max_bytes, wait=self._wait), 0
            )

    def close(self) -> None:
        """Write the entries that were used, with the new hour of their use, and close the file."""
        if self._renewed:
            self._write([])
        self._close_file()

    def statistics(self) -> VectorStatistics:
        """Return the counts so far."""
        return VectorStatistics(
            hits=self._hits,
            misses=self._misses,
            written=self._written,
            evicted=self._evicted,
            failures=self._failures,
        )

    def _read(self, hashes: Sequence[bytes]) -> dict[bytes, Cached]:
        by_key = {_key_of(digest): digest for digest in hashes}
        nothing: list[StoredRow] = []
        cached: dict[bytes, Cached] = {}
        hour = self._hour()
        for row in self._attempt(lambda file: file.read(list(by_key)), nothing):
            sound = self._sound(row, by_key)
            if sound is not None:
                cached[by_key[sound[0]]] = self._open_entry(sound, hour)
        return cached

    def _sound(self, row: StoredRow, by_key: Mapping[int, bytes]) -> Row | None:
        """Return a row whose entry is intact, else None; an invalid hour becomes 0."""
        key, used, entry = row
        if not isinstance(key, int) or not isinstance(entry, bytes) or key not in by_key:
            return None
        if len(entry) != self._entry_bytes:
            return None
        if entry != self._sealed(by_key[key], entry[_DIGEST_BYTES:]):
            return None
        return key, used if isinstance(used, int) else 0, entry

    def _open_entry(self, row: Row, hour: int) -> Cached:
        """Return the vector of an intact row; a row with an older hour is written again later."""
        key, used, entry = row
        if used < hour:
            self._renewed.append((key, hour, entry))
        (scale,) = struct.unpack_from("<d", entry, _DIGEST_BYTES)
        return np.frombuffer(entry, np.int8, offset=_HEAD_BYTES), scale

    def _sealed(self, digest: bytes, payload: bytes) -> bytes:
        seal = self._digest.copy()
        seal.update(digest)
        seal.update(payload)
        return seal.digest() + payload

    def _write(self, rows: list[Row]) -> None:
        """Write the renewed rows, then `rows`; of rows with the same key the last remains."""
        rows, self._renewed = [*self._renewed, *rows], []
        for start in range(0, len(rows), _WRITE_ROWS):
            batch = rows[start : start + _WRITE_ROWS]
            durable.reach("cache.before_write")
            self._written += self._attempt(partial(_write_rows, rows=batch), 0)
            durable.reach("cache.after_write")
        if rows:
            self.trim()

    def _attempt(self, act: Callable[[VectorDatabase], _Result], otherwise: _Result) -> _Result:
        """Return the result of `act` on the open file; after an error, return `otherwise`."""
        if not self._patience:
            return otherwise
        try:
            self._open()
            return act(self._file)
        except InUse:
            self._fail(self._patience - 1)
        except Damaged:
            self._fail(self._patience)
            self._begin_anew()
        except OSError:
            self._fail(0)
        return otherwise

    def _open(self) -> None:
        if not self._file.is_open:
            make_directory(self._file.path.parent)
            self._file.open()
            note_use(self._file.path, self._clock)

    def _begin_anew(self) -> None:
        """Replace a damaged file, but only once: a file that is damaged again means a bad disk."""
        if self._was_begun_anew:
            self._fail(0)
            return
        self._was_begun_anew = True
        try:
            self._file.begin_anew()
        except (InUse, Damaged, OSError):
            self._fail(0)

    def _fail(self, patience: int) -> None:
        self._failures += 1
        self._patience = patience
        if not patience:
            self._close_file()

    def _close_file(self) -> None:
        try:
            self._file.close()
        except (InUse, Damaged, OSError):
            self._failures += 1

    def _hour(self) -> int:
        return int(self._clock.now().timestamp()) // _HOUR_SECONDS


def _key_of(digest: bytes) -> int:
    return int.from_bytes(digest[:8], "big", signed=True)


def _write_rows(file: VectorDatabase, rows: Sequence[Row]) -> int:
    file.write(rows)
    return len(rows)
