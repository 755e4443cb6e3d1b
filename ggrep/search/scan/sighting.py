"""The byte strings that a scan searches files for: prefixes shared by words of one stem.

A file without any of them holds no term of the query; one that has some may still hold none, as
`fair` begins `fairy` too. So needles choose files, and say nothing of their rank.
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
from ggrep.parse.source.made import made_traits
from ggrep.search.query.understand import ParsedQuery
from ggrep.search.query.weights import TRAIT_FACTORS

MOST_NEEDLES: Final = 24
"""Each is another pass over every file; of longer queries the longest words count."""


class Needle(Struct, frozen=True):
    """What words of one stem have in common.

    Attributes:
        text: in the form of `comparable`.
        terms: the query's terms that it stands for.
    """

    text: bytes
    terms: tuple[str, ...]


def needles_of(query: ParsedQuery) -> tuple[Needle, ...]:
    """Return the needles of a query's terms, in the order of their bytes."""
    held: dict[str, list[str]] = {}
    for term in query.terms:
        held.setdefault(_shared(term, query), []).append(term)
    kept = sorted(held, key=lambda text: (-len(text), text.encode()))[:MOST_NEEDLES]
    needles = [Needle(text.encode(), tuple(held[text])) for text in kept]
    return tuple(sorted(needles, key=lambda needle: needle.text))


def _shared(term: str, query: ParsedQuery) -> str:
    """Return the beginning of all words that a term, or its stem, stands for.

    That of `copy` is `cop`, because of `copies`. A name of several words has its own.
    """
    root = stem(term) if term in query.spellings else term
    if root not in query.terms:
        return term
    return root[:-1] if root.endswith("y") and len(root) > 3 else root


def comparable(data: bytes, *, any_script: bool) -> bytes:
    """Return bytes in which needles are looked for: in lower case, as terms are.

    Args:
        data: UTF-8; what is none is left out where the text is not ASCII.
        any_script: normalise letters beyond ASCII. Needles of ASCII need it where a text has
            full-width letters.
    """
    if data.isascii() or not (any_script or b"\xef\xbc" in data or b"\xef\xbd" in data):
        return data.lower()
    return plain_text(data.decode("utf-8", "ignore")).encode()


_K1: Final = 2.5
_B: Final = 0.6
_PATH: Final = 1.5
_STEM: Final = 1.5
_DEFINES: Final = 2.0
"""What a needle in the path, in the file's own name, and a definition add, in idfs."""
_MOST_LOOKED_AT: Final = 24
"""Places of a name in a file that are looked at for its definition."""
_MOST_NAMES: Final = 6
_RARE_FILES: Final = 4
_RARE_SHARE: Final = 16
"""A needle is rare if it stands in at most 4 files, and at most 1 of 16."""
_LARGE_BYTES: Final = 1 << 16
"""Of larger files it is looked at what they were made by: small ones are not worth the time."""
_DEFINITION: Final = re.compile(
    rb"(?:def|class|func|fn|function|struct|enum|union|interface|trait|type|typedef|const|let|var"
    rb"|module|namespace|record|object|protocol|#\s*define|define|sub|macro_rules!|static|public"
    rb"|private|protected|pub|async|export|val|impl)\b[^=;({]*$"
)
_HEAD: Final = re.compile(rb"[\w*&:<>,\s\[\]]+$")


class Sighted(Struct, frozen=True):
    """A file that may answer.

    Attributes:
        counts: how often each needle stands in it.
        in_path: bits of the needles that its path holds; `in_name` those in its own name.
        defines: bits of the names that it seems to define.
        traits: what path and content say about it.
    """

    file: SourceFile
    counts: tuple[int, ...]
    in_path: int
    in_name: int
    defines: int
    traits: int


@dataclass(slots=True)
class Sightings:
    """What was seen of a tree.

    Attributes:
        any_script: the query has letters beyond ASCII.
        found: files that may answer, in the order they were met.
        files: that were looked into; `bytes_read` those of all of them.
        totals: of all counts; `holding` files that have any; `paths` that do.
    """

    needles: tuple[Needle, ...]
    names: tuple[bytes, ...]
    any_script: bool = False
    found: list[Sighted] = field(default_factory=list)
    files: int = 0
    bytes_read: int = 0
    totals: list[int] = field(init=False)
    holding: list[int] = field(init=False)
    paths: list[int] = field(init=False)
    _counted: list[int | None] = field(init=False)
    """For each name a needle within it: a file without the needle does not hold the name."""

    def __post_init__(self) -> None:
        """Begin to count."""
        self.totals, self.holding, self.paths = ([0] * len(self.needles) for _ in range(3))
        texts = [needle.text for needle in self.needles]
        self._counted = [
            next((place for place, text in enumerate(texts) if text in name), None)
            for name in self.names
        ]

    def look(self, file: SourceFile, data: bytes, *, matched: bool | None) -> None:
        """Take up one file.

        Args:
            file: as the walk saw it.
            data: its bytes.
            matched: whether it holds what every hit has to hold; None where nothing is.
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
            traits |= made_traits(file.path_key, data)
        self.found.append(Sighted(file, counts, in_path, in_name, defines, traits))

    def _in_path(self, key: PathKey) -> tuple[int, int]:
        path = comparable(key.encode(), any_script=self.any_script)
        name = path.rpartition(b"/")[2]
        in_path = in_name = 0
        for place, needle in enumerate(self.needles):
            if needle.text in path:
                in_path |= 1 << place
                in_name |= (needle.text in name) << place
        return in_path, in_name

    def best(self, query: ParsedQuery) -> list[Sighted]:
        """Return the files that may answer, the best first; ties by the bytes of the path.

        Files that hold a rare needle come first: a long file with a single mention scores low.
        """
        idfs = [inverse_document_frequency(self.files, count) for count in self.holding]
        average = self.bytes_read / max(self.files, 1) or 1.0
        tests = 1.0 if query.wants_tests else TRAIT_FACTORS[TEST]
        defined = [0] * len(self.names)
        for one in self.found:
            for place in range(len(self.names)):
                defined[place] += one.defines >> place & 1
        defining = [inverse_document_frequency(self.files, count) for count in defined]
        rare = self._rare()

        def score(one: Sighted) -> float:
            norm = _K1 * (1 - _B + _B * one.file.size_bytes / average)
            total = 0.0
            for place, count in enumerate(one.counts):
                if count:
                    total += idfs[place] * count * (_K1 + 1) / (count + norm)
                total += idfs[place] * _PATH * (one.in_path >> place & 1)
                total += idfs[place] * _STEM * (one.in_name >> place & 1)
            for place, idf in enumerate(defining):
                total += idf * _DEFINES * (one.defines >> place & 1)
            return total * _prior(one.traits, tests)

        def order(one: Sighted) -> tuple[bool, float, bytes]:
            is_rare = any(one.counts[place] for place in rare)
            return not is_rare, -score(one), one.file.path_key.encode()

        return sorted(self.found, key=order)

    def rare_files(self) -> list[frozenset[PathKey]]:
        """Return the files of each rare needle, the rarest and longest needle first."""
        order = sorted(
            self._rare(), key=lambda place: (self.holding[place], -len(self.needles[place].text))
        )
        return [
            frozenset(one.file.path_key for one in self.found if one.counts[place])
            for place in order
        ]

    def _rare(self) -> list[int]:
        most = min(_RARE_FILES, self.files // _RARE_SHARE)
        return [place for place, files in enumerate(self.holding) if 0 < files <= most]


def sightings_for(query: ParsedQuery, needles: Sequence[Needle]) -> Sightings:
    """Return what nothing was seen of yet."""
    names = [name.rpartition(".")[2] for name in query.symbols]
    wanted = [name.encode() for name in dict.fromkeys(names) if len(name) > 2 and name.isascii()]
    any_script = not query.text.isascii()
    return Sightings(tuple(needles), tuple(wanted[:_MOST_NAMES]), any_script)


def promise_of(paths: Iterable[bytes], needles: Sequence[Needle]) -> dict[bytes, float]:
    """Return how much directories promise, by their paths with a trailing slash.

    That is how rare the needles are, among all paths, that the best path below it holds.
    """
    listed = list(paths)
    any_script = not all(needle.text.isascii() for needle in needles)
    lowered = [comparable(path, any_script=any_script) for path in listed]
    # All are searched as one text: of a large tree's paths few hold a needle.
    text = b"\0".join(lowered)
    ends = list(accumulate(len(path) + 1 for path in lowered))
    worth: dict[int, float] = {}
    for needle in needles:
        numbers = _holding(text, ends, needle)
        value = math.log1p(len(listed) / (len(numbers) + 1))
        for number in numbers:
            worth[number] = worth.get(number, 0.0) + value
    found: dict[bytes, float] = {}
    for number, value in worth.items():
        directory = listed[number].rpartition(b"/")[0]
        while directory and found.get(directory + b"/", 0.0) < value:
            found[directory + b"/"] = value
            directory = directory.rpartition(b"/")[0]
    return found


def _holding(text: bytes, ends: Sequence[int], needle: Needle) -> set[int]:
    """Return the numbers of the pieces of a text, by their ends, that hold a needle."""
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
    """Return whether one of the first places of a name looks like its definition."""
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
    """Return whether a name stands where definitions have it: behind a keyword, or as a head."""
    begin = lowered.rfind(b"\n", 0, place) + 1
    before = lowered[max(begin, place - 120) : place]
    if _DEFINITION.search(before.lstrip()[:120]):
        return True
    if before[:1].isspace() or not _HEAD.match(before) or lowered[end : end + 1] != b"(":
        return False
    stop = lowered.find(b"\n", end)
    return not lowered[end : stop if stop >= 0 else len(lowered)].rstrip().endswith(b";")
