"""Finds and orders the definitions of a name, or similar names if the name is not defined."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.scripts import folded
from ggrep.index.lexical.layout import SYMBOL
from ggrep.index.lexical.tokens import folded_name, whole_names
from ggrep.model.containers import FITTING, OTHER_CONTAINER, Fit, nothing_but
from ggrep.model.limits import Notice
from ggrep.model.name_pools import MAX_SUGGESTIONS, NearName, other_case
from ggrep.model.navigation import DefinedAt
from ggrep.model.sanitise import sanitise_line
from ggrep.model.written_names import bare_name, is_same_name
from ggrep.parse.occurrences.keyed_names import SECTION
from ggrep.parse.occurrences.words import Defined
from ggrep.search.navigation.name_candidates import AskedName, NameFile, Searched, defining_files
from ggrep.search.navigation.name_reading import Place, Reading
from ggrep.search.query.row_reading import row_details
from ggrep.search.query.segments import SearchableSegment

_ENTRANCES: Final = frozenset({"__init__", "index", "lib", "main", "mod"})
"""Stems of files whose module has the name of the directory."""


class Definitions(Struct, frozen=True):
    """The definitions of a name.

    Attributes:
        places: the definitions, in the order of the answer.
        others: definitions of the name's last part in other containers.
        suggestions: other names, if there is no definition.
        notices: a notice if the name is defined only in another letter case or another container.
    """

    places: tuple[Place, ...]
    others: tuple[Place, ...] = ()
    suggestions: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def find_definitions(reading: Reading, asked: AskedName) -> Definitions:
    """Return the definitions of a name in its letter case; if there are none, in any letter case.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    files = defining_files(reading.content, asked, reading.deadline)
    beside: list[Place] = []
    for any_case in (False, True):
        result = fitting(reading, files, asked, any_case=any_case)
        if result.fits:
            notices = other_case(asked.last, spellings(result.places)) if any_case else ()
            return Definitions(result.places, result.others, notices=notices)
        beside += result.others
    if beside:
        names = dict.fromkeys(sanitise_line(qualified_name(place)) for place in beside)
        shown = tuple(names)[:MAX_SUGGESTIONS]
        message = nothing_but((*asked.owners, asked.last), shown)
        return Definitions((), tuple(beside), shown, (Notice(OTHER_CONTAINER, message),))
    near = near_names(reading.content, asked, reading.deadline)
    return Definitions((), (), tuple(dict.fromkeys(each.name for each in near)))


class Fitting(Struct, frozen=True):
    """The definitions of a name's last part that fit best.

    Attributes:
        fit: how the definitions match the requested container; `beside` if none of them matches.
        places: the definitions, in the order of an answer.
        others: definitions with a worse fit, in the order in which they were read.
    """

    fit: Fit
    places: tuple[Place, ...]
    others: tuple[Place, ...] = ()

    @property
    def fits(self) -> bool:
        """Return whether the definitions match the requested container."""
        return self.fit in FITTING


def fitting(
    reading: Reading, files: Sequence[NameFile], asked: AskedName, *, any_case: bool
) -> Fitting:
    """Return the definitions that fit a name best, in the requested or in any letter case.

    The container is compared with the enclosing definitions first, then with the file's path.
    """
    every = _defining(reading, files, asked.typed, any_case=any_case)
    fits = [fit_of(place, asked) for place in every]
    for fit in FITTING:
        if kept := [place for place, each in zip(every, fits, strict=True) if each == fit]:
            others = tuple(place for place, each in zip(every, fits, strict=True) if each != fit)
            return Fitting(fit, tuple(sorted(kept, key=_order)), others)
    return Fitting("beside" if every else "none", (), tuple(every))


def fit_of(place: Place, asked: AskedName) -> Fit:
    """Return how a definition matches the requested container: by enclosing names or path."""
    owners, defined = asked.owners_of(place.mention.text), place.mention.defined
    if defined is not None and defined.kind == SECTION:
        return "key" if _ends(_parts(place.mention.container), owners) else "beside"
    if _ends(_parts(place.mention.container), owners):
        return "enclosing"
    return "path" if _ends(_path_parts(place), owners) else "beside"


def spellings(places: Iterable[Place]) -> list[str]:
    """Return the distinct spellings of the name at some places, sorted."""
    return sorted({place.mention.text for place in places})


def qualified_name(place: Place) -> str:
    """Return the name at a place, qualified by the enclosing definitions."""
    return ".".join(filter(None, (place.mention.container, place.mention.text)))


def defined_at(place: Place, defined: Defined, name: str) -> DefinedAt:
    """Return a definition in the file of a place, with `name` as its qualified name."""
    return DefinedAt(
        path=sanitise_line(place.file.path),
        start_line=defined.start_line,
        end_line=defined.end_line,
        kind=defined.kind,
        qualified_name=sanitise_line(name),
        signature=sanitise_line(defined.signature),
    )


def _defining(
    reading: Reading, files: Sequence[NameFile], name: str, *, any_case: bool
) -> list[Place]:
    return [
        place
        for file in reading.read(files, name, any_case=any_case)
        for place in file.places
        if place.mention.defined is not None
    ]


def _parts(container: str) -> list[str]:
    return [bare_name(part) for part in container.replace("::", ".").split(".") if part]


def _path_parts(place: Place) -> list[str]:
    """Return the parts of module name and container: `json`, `decoder`, `JSONDecoder`."""
    path = PurePosixPath(place.file.path)
    stem = path.name.partition(".")[0]
    parts = [*path.parts[:-1], *([] if stem in _ENTRANCES else [stem])]
    return [*parts, *_parts(place.mention.container)]


def _ends(parts: Sequence[str], owners: tuple[str, ...]) -> bool:
    """Return whether `parts` ends with `owners`, which can be empty."""
    ending = parts[len(parts) - len(owners) :]
    return list(map(folded, ending)) == list(map(folded, owners))


def _order(place: Place) -> tuple[bool, bool, bool, str, int, int]:
    """Return the sort key: sources first, namespaces and mere declarations last, then by place."""
    mention = place.mention
    defined = mention.defined
    return (
        place.file.test,
        defined is not None and defined.kind == "module",
        defined is not None and defined.declared_only,
        place.file.path,
        mention.line,
        mention.column,
    )


MAX_TERMS: Final = 500_000
"""Maximum number of names that are compared."""
_TERMS_AT_ONCE: Final = 8192
_MOST_EDITS: Final = 2
_FOREIGN: Final = np.uint32(1 << 31)
_LETTERS: Final = np.array(
    [0 if byte in b"_-" else 1 << byte % 31 if byte < 128 else _FOREIGN for byte in range(256)],
    dtype=np.uint32,
)
"""A bit for each byte of a term; some letters share a bit, and separators have none."""
_FEWEST_LETTERS: Final = 4
"""Minimum length of a part of a name that is compared; too many names contain a shorter part."""


def near_names(content: Searched, asked: AskedName, deadline: Deadline) -> tuple[NearName, ...]:
    """Return a few defined names with a spelling similar to the requested name, most similar first.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    wanted = _plain(folded_name(bare_name(asked.last)))
    best: dict[str, tuple[int, int, int]] = {}
    for place, segment in enumerate(content.segments):
        for term, row in _defined_terms(segment, content, place, wanted, deadline):
            if term not in best and (score := _distance(wanted, _plain(term))) is not None:
                best[term] = (score, place, row)
    results: list[NearName] = []
    for term, (score, place, row) in sorted(best.items(), key=_nearness):
        name = _spelled(content, place, row, term)
        if name and not is_same_name(name, asked.typed):
            path = _path_of(content, place, row)
            results.append(NearName(sanitise_line(name), (score, len(term)), term, path))
        if len(results) == MAX_SUGGESTIONS:
            break
    return tuple(results)


def _nearness(item: tuple[str, tuple[int, int, int]]) -> tuple[int, int, str]:
    term, (score, _, _) = item
    return score, len(term), term


def _path_of(content: Searched, place: int, row: int) -> str:
    image = content.segments[place].image
    return image.path(int(image.row_files[row]))


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "")


def _defined_terms(
    segment: SearchableSegment, content: Searched, place: int, wanted: str, deadline: Deadline
) -> Iterator[tuple[str, int]]:
    """Yield defined names that can be similar to `wanted`, each with the first row to show."""
    postings, eligible = segment.row_postings, content.eligible[place]
    offsets = postings.fields[SYMBOL].offsets
    defined = np.flatnonzero(offsets[1:] > offsets[:-1])[:MAX_TERMS]
    blob, bounds = postings.term_bytes, postings.term_offsets
    defined = defined[may_be_near(wanted, blob, bounds[:-1])[defined]]
    for start in range(0, len(defined), _TERMS_AT_ONCE):
        deadline.check("looking for near names")
        for term in defined[start : start + _TERMS_AT_ONCE].tolist():
            rows = postings.rows_of(term, SYMBOL)
            row = int(rows[0])
            if not eligible[row]:
                shown = rows[eligible[rows]]
                if not len(shown):
                    continue
                row = int(shown[0])
            yield blob[int(bounds[term]) : int(bounds[term + 1])].tobytes().decode(), row


def may_be_near(
    wanted: str, blob: npt.NDArray[np.uint8], starts: npt.NDArray[np.uint32]
) -> npt.NDArray[np.bool_]:
    """Return, for each term in a blob, whether its letters permit a spelling similar to a name.

    Args:
        wanted: the name in lower case, without `_` and `-`.
        blob: the concatenated terms as UTF-8.
        starts: offset of each term; no term is empty.
    """
    if not wanted.isascii() or not len(starts):
        return np.ones(len(starts), dtype=np.bool_)
    present = np.bitwise_or.reduceat(_LETTERS.take(blob), starts.astype(np.int64))
    sought = np.bitwise_or.reduce(_LETTERS[np.frombuffer(wanted.encode(), dtype=np.uint8)])
    other = present ^ sought
    # An edit removes at most one letter and adds at most one.
    near: npt.NDArray[np.bool_] = _bits(other) <= 2 * _MOST_EDITS
    near |= (other & present == 0) | (other & sought == 0) | (present & _FOREIGN != 0)
    return near


def _bits(values: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Return the number of set bits in each value."""
    pairs = values - (values >> 1 & 0x55555555)
    fours = (pairs & 0x33333333) + (pairs >> 2 & 0x33333333)
    bits: npt.NDArray[np.uint32] = ((fours + (fours >> 4) & 0x0F0F0F0F) * 0x01010101 >> 24).astype(
        np.uint32
    )
    return bits


def _distance(wanted: str, term: str) -> int | None:
    """Return the edit distance of two names; None if they are too different."""
    if wanted == term:
        return 0
    if abs(len(wanted) - len(term)) <= _MOST_EDITS and len(wanted) > _MOST_EDITS:
        edits = _edits(wanted, term, 1 if len(wanted) <= _FEWEST_LETTERS else _MOST_EDITS)
        if edits is not None:
            return edits
    if min(len(wanted), len(term)) >= _FEWEST_LETTERS and (wanted in term or term in wanted):
        return _MOST_EDITS + abs(len(wanted) - len(term))
    return None


def _edits(first: str, second: str, most: int) -> int | None:
    """Return the edit distance with transpositions; None if more than `most`."""
    if not set(first[:2]) & set(second[:2]):
        return None
    before, row = [0] * (len(second) + 1), list(range(len(second) + 1))
    for place, (last, letter) in enumerate(pairwise(" " + first), start=1):
        older, before, row = before, row, [place] + [0] * len(second)
        for other, (beside, their) in enumerate(pairwise(" " + second), start=1):
            cost = before[other - 1] + (letter != their)
            row[other] = min(cost, before[other] + 1, row[other - 1] + 1)
            if place > 1 and other > 1 and letter == beside and last == their:
                row[other] = min(row[other], older[other - 2] + 1)
        if min(row) > most:
            return None
    return row[-1] if row[-1] <= most else None


def _spelled(content: Searched, place: int, row: int, term: str) -> str:
    """Return the row's name whose folded form is `term`; empty if the row has no such name."""
    (row_names,) = row_details(content.view, content.segments[place], [row])
    names = (*row_names.names, row_names.qualified_name)
    return next((name for name in names if term in whole_names((name,))), "")
