"""What was seen already, wholly or nearly: vendored copies, and sources that must stay unseen."""

import re
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from training.encoder.file_headers import without_licence
from training.encoder.pairs import Group, Pair

Digests: TypeAlias = npt.NDArray[np.uint64]

BANDS: Final = 8
_ROWS: Final = 2
_GRAM_WORDS: Final = 5
_COLLIDING_BANDS: Final = 3
_SLOTS: Final = 4
_BUCKETS: Final = 1 << 19
"""Of a band: four slots of eight bytes each, 128 MiB for all bands; half of them are taken after a
million texts."""

MOST_QUERY_COPIES: Final = 3
_QUERY_CELLS: Final = 1 << 26

SHINGLE_WORDS: Final = 8
_KEPT_SHINGLES: Final = 4
"""One in so many shingles is kept, the same ones in every file."""

MOST_SHARED: Final = 0.3
_COMMON_IN_FILES: Final = 20
"""A shingle of more files than that is a licence or another formula and tells nothing."""

_MOST_FILE_BYTES: Final = 1_000_000
_WORD: Final = re.compile(r"[A-Za-z_]\w*|\d+")
_FACTOR: Final = np.uint64(0x9E3779B97F4A7C15)
_MIX: Final = np.uint64(0xBF58476D1CE4E5B9)
_SEEDS: Final = np.arange(1, BANDS * _ROWS + 1, dtype=np.uint64)[:, None] * np.uint64(
    0xD6E8FEB86659FD93
)


def fingerprint(text: str) -> Digests:
    """Return what tells a text from others: uint64 (1 + BANDS,).

    The first is of its words in order, with numbers alike; each other one is the least of its
    runs of five words under two orders that differ from band to band.
    """
    words = _hashes(text, numbers_alike=True)
    grams = _grams(words, _GRAM_WORDS)
    least = _mixed(grams[None, :] ^ _SEEDS).min(axis=1).reshape(BANDS, _ROWS)
    bands = _mixed(least[:, 0] * _FACTOR + least[:, 1])
    places = np.arange(1, len(words) + 1, dtype=np.uint64)
    whole = _mixed(words + places * _FACTOR).sum(dtype=np.uint64)
    return np.concatenate([np.array([whole], np.uint64), bands])


class Seen:
    """The texts and queries that were let through so far; memory does not grow with them."""

    def __init__(self) -> None:
        self._texts = np.zeros((BANDS, _BUCKETS, _SLOTS), np.uint64)
        self._queries = np.zeros(_QUERY_CELLS, np.uint8)
        self._whole: set[int] = set()
        self._count = 0

    def is_new(self, found: Digests) -> bool:
        """Return whether a text of that fingerprint is unlike all earlier ones, and note it."""
        whole = int(found[0])
        if whole in self._whole:
            return False
        bands = np.arange(BANDS)
        buckets = (found[1:] % np.uint64(_BUCKETS)).astype(np.int64)
        checks = found[1:] >> np.uint64(32)
        slots = self._texts[bands, buckets]
        numbers = slots & np.uint64(0xFFFFFFFF)
        alike = numbers[((slots >> np.uint64(32)) == checks[:, None]) & (numbers > 0)]
        if len(alike) and int(np.bincount(np.unique(alike, return_inverse=True)[1]).max()) >= (
            _COLLIDING_BANDS
        ):
            return False
        self._count += 1
        empty = slots == 0
        # A full bucket forgets one of its texts, another one each time.
        target = np.where(empty.any(axis=1), empty.argmax(axis=1), self._count % _SLOTS)
        self._texts[bands, buckets, target] = (checks << np.uint64(32)) | np.uint64(self._count)
        self._whole.add(whole)
        return True

    def is_new_question(self, pair: Pair) -> bool:
        """Return whether a question was asked less often than is enough, and note it."""
        asked = f"{pair.query.lower()}\0{pair.language}\0{pair.kind == 'module2'}"
        cell = int(_mixed(np.array([_digest(asked)], np.uint64))[0] % np.uint64(_QUERY_CELLS))
        if self._queries[cell] >= MOST_QUERY_COPIES:
            return False
        self._queries[cell] += 1
        return True

    def kept(self, group: Group, found: Digests) -> Group:
        """Return what is new of the pairs of one chunk."""
        if not self.is_new(found):
            return ()
        return tuple(pair for pair in group if self.is_new_question(pair))


def group_fingerprint(group: Group) -> Digests:
    """Return the fingerprint of the text that the pairs of a chunk share."""
    return fingerprint(max((pair.text for pair in group), key=len))


def fingerprints_of(folders: Iterable[Path], suffixes: Sequence[str] = ()) -> Digests:
    """Return the shingles of all texts below folders, sorted, each once.

    Args:
        folders: walked whole; what is no text or too large is left out.
        suffixes: of the files to look at; none for all.
    """
    found = [np.zeros(0, np.uint64)]
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and (not suffixes or path.name.endswith(tuple(suffixes))):
                data = path.read_bytes() if path.stat().st_size <= _MOST_FILE_BYTES else b"\0"
                if b"\0" not in data[:8192]:
                    found.append(_shingles(data.decode("utf-8", "replace")))
    digests, files = np.unique(np.concatenate(found), return_counts=True)
    return np.asarray(digests[files <= _COMMON_IN_FILES], np.uint64)


def is_near(text: str, fingerprints: Digests) -> bool:
    """Return whether a file shares more than `MOST_SHARED` of its shingles with those folders."""
    own = _shingles(text)
    if not len(own) or not len(fingerprints):
        return False
    at = np.minimum(np.searchsorted(fingerprints, own), len(fingerprints) - 1)
    return int((fingerprints[at] == own).sum()) > MOST_SHARED * len(own)


def _shingles(text: str) -> Digests:
    """Return the kept runs of eight words of a text, each once."""
    words = _hashes(without_licence(text), numbers_alike=False)
    if len(words) < SHINGLE_WORDS:
        return np.zeros(0, np.uint64)
    grams = np.unique(_grams(words, SHINGLE_WORDS))
    few = grams[grams % np.uint64(_KEPT_SHINGLES) == 0]
    return few if len(few) >= SHINGLE_WORDS else grams


def _hashes(text: str, *, numbers_alike: bool) -> Digests:
    words = _WORD.findall(text.lower())
    if numbers_alike:
        words = ["0" if word[0].isdigit() else word for word in words]
    return _mixed(np.array([zlib.crc32(word.encode()) for word in words] or [0], np.uint64))


def _grams(words: Digests, length: int) -> Digests:
    """Return a digest of each run of that many words; of all of them when there are fewer."""
    length = min(length, len(words))
    total = np.zeros(len(words) - length + 1, np.uint64)
    for offset in range(length):
        total = total * _FACTOR + words[offset : offset + len(total)]
    return _mixed(total)


def _mixed(values: Digests) -> Digests:
    values = (values ^ (values >> np.uint64(30))) * _MIX
    return values ^ (values >> np.uint64(27))


def _digest(text: str) -> int:
    data = text.encode("utf-8", "replace")
    return zlib.crc32(data) | zlib.adler32(data) << 32
