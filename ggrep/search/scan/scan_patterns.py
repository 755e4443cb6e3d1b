"""The byte strings (needles) for which a scan searches files: shared prefixes of words of one stem.

A file without any needle contains no term of the query. A file with a needle does not always
contain a term, because `fairy` begins with `fair`. Needles therefore only select files; the chunks
of the best files are ranked by terms.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from msgspec import Struct

from ggrep.base.ids import PathKey
from ggrep.index.lexical.bm25 import inverse_document_frequency
from ggrep.index.lexical.stems import stem
from ggrep.index.lexical.tokens import plain_text
from ggrep.model.files import TEST, SourceFile, traits_of
from ggrep.parse.source.generated import generated_traits
from ggrep.search.query.understand import ParsedQuery
from ggrep.search.query.weights import TRAIT_FACTORS

MOST_NEEDLES: Final = 24
"""Maximum number of needles.

Each needle needs a pass over every file, so the longest words of a query are used.
"""


class Needle(Struct, frozen=True):
    """The common prefix of words of one stem.

    Attributes:
        text: the prefix, normalised by `comparable`.
        terms: the query's terms that the needle represents.
    """

    text: bytes
    terms: tuple[str, ...]


def needles_of(query: ParsedQuery) -> tuple[Needle, ...]:
    """Return the needles of a query's terms, in the order of their bytes."""
    by_text: dict[str, list[str]] = {}
    for term in query.terms:
        by_text.setdefault(_shared(term, query), []).append(term)
    kept = sorted(by_text, key=lambda text: (-len(text), text.encode()))[:MOST_NEEDLES]
    needles = [Needle(text.encode(), tuple(by_text[text])) for text in kept]
    return tuple(sorted(needles, key=lambda needle: needle.text))


def _shared(term: str, query: ParsedQuery) -> str:
    """Return the common prefix of all words that match a term or its stem.

    For `copy` the prefix is `cop`, because `copies` matches. A name of several words is a separate
    needle.
    """
    root = stem(term) if term in query.spellings else term
    if root not in query.terms:
        return term
    return root[:-1] if root.endswith("y") and len(root) > 3 else root


def comparable(data: bytes, *, any_script: bool) -> bytes:
    """Return the bytes in which needles are searched for; in lower case, like terms.

    Args:
        data: text as UTF-8; invalid bytes are left out unless the text is ASCII.
        any_script: whether to normalise letters beyond ASCII. Even ASCII needles need this for
            texts with full-width letters.
    """
    if data.isascii() or not (any_script or b"\xef\xbc" in data or b"\xef\xbd" in data):
        return data.lower()
    return plain_text(data.decode("utf-8", "ignore")).encode()


_K1: Final = 2.5
_B: Final = 0.6
_PATH: Final = 1.5
_STEM: Final = 1.5
_DEFINES: Final = 2.0
"""Weights, in idfs, of a needle in the path, of one in the file's name, and of a definition."""
_MOST_LOOKED_AT: Final = 24
"""Maximum number of positions of a name in a file that are checked for its definition."""
_MOST_NAMES: Final = 6
_RARE_FILES: Final = 4
_RARE_SHARE: Final = 16
"""A needle is rare if it occurs in at most 4 files, and in at most one of 16 files."""
_LARGE_BYTES: Final = 1 << 16
"""Minimum bytes of a file that is checked for generated code; for small files it takes too long."""
_DEFINITION: Final = re.compile(
    rb"(?:def|class|func|fn|function|struct|enum|union|interface|trait|type|typedef|const|let|var"
    rb"|module|namespace|record|object|protocol|#\s*define|define|sub|macro_rules!|static|public"
    rb"|private|protected|pub|async|export|val|impl)\b[^=;({]*$"
)
_HEAD: Final = re.compile(rb"[\w*&:<>,\s\[\]]+$")


class FileCounts(Struct, frozen=True):
    """A file that can contain an answer.

    Attributes:
        counts: how often each needle occurs in the file.
        in_path: bits of the needles in the file's path; `in_name`: bits of the needles in the last
            part of the path.
        defines: bits of the names that the file seems to define.
        traits: the file's traits, from path and content.
    """

    file: SourceFile
    counts: tuple[int, ...]
    in_path: int
    in_name: int
    defines: int
    traits: int


@dataclass(slots=True)
class ScanCounts:
    """The files and counts of a scan so far.

    Attributes:
        any_script: whether the query has letters beyond ASCII.
        candidates: files that can contain an answer, in the order of the scan.
        files: number of files read; `bytes_read` is the total size of these files.
        totals: number of occurrences of each needle; `holding`: number of files that contain it;
            `paths`: number of files with the needle in the path.
    """

    needles: tuple[Needle, ...]
    names: tuple[bytes, ...]
    any_script: bool = False
    candidates: list[FileCounts] = field(default_factory=list)
    files: int = 0
    bytes_read: int = 0
    totals: list[int] = field(init=False)
    holding: list[int] = field(init=False)
    paths: list[int] = field(init=False)
    _counted: list[int | None] = field(init=False)
    """For each name, a needle in it: a file without the needle does not contain the name."""

    def __post_init__(self) -> None:
        """Set all counts to 0."""
        self.totals, self.holding, self.paths = ([0] * len(self.needles) for _ in range(3))
        texts = [needle.text for needle in self.needles]
        self._counted = [
            next((place for place, text in enumerate(texts) if text in name), None)
            for name in self.names
        ]

    def count(self, file: SourceFile, data: bytes, *, matched: bool | None) -> None:
        """Count one file.

        Args:
            file: the file, as the walk of the tree listed it.
            data: the file's bytes.
            matched: whether the file matches the request's text or expression; None if the request
                has none.
        """
        self.files += 1
        self.bytes_read += len(data)
        lowered = comparable(data, any_script=self.any_script)
        counts = tuple([lowered.count(needle.text) for needle in self.needles])
        in_path, in_name = self._in_path(file.path_key)
        if matched is False or not (matched or in_path or any(counts)):
            return
        for place, count in enumerate(counts):
            self.totals[place] += count
            self.holding[place] += count > 0
            self.paths[place] += in_path >> place & 1
        defines = 0
        for place, name in enumerate(self.names):
            counted = self._counted[place]
            if (counted is None or counts[counted]) and _is_defined(name, lowered):
                defines |= 1 << place
        traits = traits_of(file.path_key)
        if len(data) > _LARGE_BYTES:
            traits |= generated_traits(file.path_key, data)
        self.candidates.append(FileCounts(file, counts, in_path, in_name, defines, traits))

    def _in_path(self, key: PathKey) -> tuple[int, int]:
        path = comparable(key.encode(), any_script=self.any_script)
        name = path.rpartition(b"/")[2]
        in_path = in_name = 0
        for place, needle in enumerate(self.needles):
            if needle.text in path:
                in_path |= 1 << place
                in_name |= (needle.text in name) << place
        return in_path, in_name

    def best(self, query: ParsedQuery) -> list[FileCounts]:
        """Return the files that can contain an answer, best first, then by the bytes of the path.

        Files with a rare needle come first, because a long file that contains it once has a low
        score.
        """
        idfs = [inverse_document_frequency(self.files, count) for count in self.holding]
        average = self.bytes_read / max(self.files, 1) or 1.0
        tests = 1.0 if query.wants_tests else TRAIT_FACTORS[TEST]
        defined = [0] * len(self.names)
        for candidate in self.candidates:
            for place in range(len(self.names)):
                defined[place] += candidate.defines >> place & 1
        defining = [inverse_document_frequency(self.files, count) for count in defined]
        rare = self._rare()

        def score(candidate: FileCounts) -> float:
            norm = _K1 * (1 - _B + _B * candidate.file.size_bytes / average)
            total = 0.0
            for place, count in enumerate(candidate.counts):
                if count:
                    total += idfs[place] * count * (_K1 + 1) / (count + norm)
                total += idfs[place] * _PATH * (candidate.in_path >> place & 1)
                total += idfs[place] * _STEM * (candidate.in_name >> place & 1)
            for place, idf in enumerate(defining):
                total += idf * _DEFINES * (candidate.defines >> place & 1)
            return total * _prior(candidate.traits, tests)

        def order(candidate: FileCounts) -> tuple[bool, float, bytes]:
            is_rare = any(candidate.counts[place] for place in rare)
            return not is_rare, -score(candidate), candidate.file.path_key.encode()

        return sorted(self.candidates, key=order)

    def rare_files(self) -> list[frozenset[PathKey]]:
        """Return the files of each rare needle, the rarest and longest needle first."""
        order = sorted(
            self._rare(), key=lambda place: (self.holding[place], -len(self.needles[place].text))
        )
        return [
            frozenset(
                candidate.file.path_key for candidate in self.candidates if candidate.counts[place]
            )
            for place in order
        ]

    def _rare(self) -> list[int]:
        most = min(_RARE_FILES, self.files // _RARE_SHARE)
        return [place for place, files in enumerate(self.holding) if 0 < files <= most]


def counts_for(query: ParsedQuery, needles: Sequence[Needle]) -> ScanCounts:
    """Return a scan's counts for a query, all 0."""
    names = [name.rpartition(".")[2] for name in query.symbols]
    wanted = [name.encode() for name in dict.fromkeys(names) if len(name) > 2 and name.isascii()]
    any_script = not query.text.isascii()
    return ScanCounts(tuple(needles), tuple(wanted[:_MOST_NAMES]), any_script)


def promise_of(paths: Iterable[bytes], needles: Sequence[Needle]) -> dict[bytes, float]:
    """Return how promising directories are, by their paths with a trailing slash.

    The value is the rarity, among all paths, of the needles in the best path below the directory.
    """
    listed = list(paths)
    any_script = not all(needle.text.isascii() for needle in needles)
    lowered = [comparable(path, any_script=any_script) for path in listed]
    # All paths are searched as one text, because in a large tree few paths contain a needle.
    text = b"\0".join(lowered)
    ends = list(accumulate(len(path) + 1 for path in lowered))
    worth: dict[int, float] = {}
    for needle in needles:
        numbers = _holding(text, ends, needle)
        value = math.log1p(len(listed) / (len(numbers) + 1))
        for number in numbers:
            worth[number] = worth.get(number, 0.0) + value
    promise: dict[bytes, float] = {}
    for number, value in worth.items():
        directory = listed[number].rpartition(b"/")[0]
        while directory and promise.get(directory + b"/", 0.0) < value:
            promise[directory + b"/"] = value
            directory = directory.rpartition(b"/")[0]
    return promise


def _holding(text: bytes, ends: Sequence[int], needle: Needle) -> set[int]:
    """Return the numbers of a text's parts that contain a needle; `ends` are the parts' ends."""
    numbers: set[int] = set()
    place = text.find(needle.text)
    while place >= 0:
        number = bisect_right(ends, place)
        numbers.add(number)
        place = text.find(needle.text, ends[number])
    return numbers


def _prior(traits: int, tests: float) -> float:
    factor = 1.0
    for trait, value in TRAIT_FACTORS.items():
        if traits & trait:
            factor *= tests if trait == TEST else value
    return factor


def _is_defined(name: bytes, lowered: bytes) -> bool:
    """Return whether one of the first occurrences of a name looks like its definition."""
    place = lowered.find(name)
    for _ in range(_MOST_LOOKED_AT):
        if place < 0:
            return False
        end = place + len(name)
        alone = not _is_word(lowered[end : end + 1]) and not _is_word(lowered[place - 1 : place])
        if alone and _introduces(lowered, place, end):
            return True
        place = lowered.find(name, end)
    return False


def _is_word(byte: bytes) -> bool:
    return byte.isalnum() or byte == b"_"


def _introduces(lowered: bytes, place: int, end: int) -> bool:
    """Return whether a name's position is usual for a definition, as after a keyword."""
    begin = lowered.rfind(b"\n", 0, place) + 1
    before = lowered[max(begin, place - 120) : place]
    if _DEFINITION.search(before.lstrip()[:120]):
        return True
    if before[:1].isspace() or not _HEAD.match(before) or lowered[end : end + 1] != b"(":
        return False
    stop = lowered.find(b"\n", end)
    return not lowered[end : stop if stop >= 0 else len(lowered)].rstrip().endswith(b";")
