"""Merges duplicate evidence: shown once, with the other places where it occurs."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.slate_material import PackMaterial, TextPiece

_WINDOW: Final = 5
"""Words of a shingle."""

_ALIKE: Final = 0.9
"""Share of common shingles above which two texts say the same."""

_WORDS_ALIKE: Final = 0.8
"""Share of common words below which no two texts say the same, whatever their shingles."""

_FEWEST: Final = 12
"""Words below which texts must be equal: a few common ones make short texts alike."""

MOST_PLACES: Final = 5
"""Places of copies that are told."""


class Merged(Struct, frozen=True):
    """A file whose evidence was compared with that of the files before it.

    Attributes:
        also: for each of the material's pieces of evidence, the places of its copies.
    """

    material: PackMaterial
    also: tuple[tuple[str, ...], ...]


def merged(materials: Sequence[PackMaterial]) -> tuple[Merged, ...]:
    """Return the files with copies of earlier evidence left out, and adjoining pieces joined.

    Earlier is what stands in a better file: by score, then path. A file that is nothing but copies
    of others of its section is left out itself. The order of the files stays.
    """
    joined = [replace(m, evidence=_joined(m.evidence)) for m in materials]
    order = sorted(range(len(joined)), key=lambda i: _precedence(joined[i]))
    kept = _KeptTexts()
    also: dict[tuple[int, int], list[str]] = {}
    copies: dict[tuple[int, int], int] = {}
    for file in order:
        for place, piece in enumerate(joined[file].evidence):
            one = _Kept(tuple(piece.text.split()), file, place)
            asked_for = joined[file].pick.reason == "expand_target"
            original = None if asked_for else kept.original_of(one)
            if original is None:
                kept.keep(one)
                also[file, place] = []
            else:
                copies[file, place] = original.file
                if _is_same_file(joined, file, original.file):
                    also[file, place] = []
                else:
                    where = f"{joined[file].pick.candidate.path}:{piece.start_line}"
                    also[original.file, original.place].append(where)
    return tuple(
        _without(joined, file, copies, also)
        for file in range(len(joined))
        if not _is_copy(joined, file, copies)
    )


def _is_copy(files: Sequence[PackMaterial], file: int, copies: dict[tuple[int, int], int]) -> bool:
    """Return whether all evidence of a file stands in others of its section already."""
    originals = [copies.get((file, place)) for place in range(len(files[file].evidence))]
    section = files[file].pick.candidate.section
    return (
        bool(originals)
        and not files[file].unread
        and all(
            one is not None and one != file and files[one].pick.candidate.section is section
            for one in originals
        )
    )


def _is_same_file(files: Sequence[PackMaterial], one: int, other: int) -> bool:
    """Return whether two entries are of one file, which stands in two sections."""
    paths = files[one].pick.candidate.path, files[other].pick.candidate.path
    return one != other and paths[0] == paths[1]


def _without(
    files: Sequence[PackMaterial],
    file: int,
    copies: dict[tuple[int, int], int],
    also: dict[tuple[int, int], list[str]],
) -> Merged:
    """Return a file without copies; what its other section shows is named, and not shown again."""
    evidence: list[TextPiece] = []
    found: list[tuple[str, ...]] = []
    for place, piece in enumerate(files[file].evidence):
        original = copies.get((file, place))
        if original is None:
            evidence.append(piece)
        elif _is_same_file(files, file, original):
            hidden = piece.end_line - piece.start_line + 1
            evidence.append(replace(piece, snippet="", hidden_lines=hidden))
        else:
            continue
        found.append(tuple(sorted(also[file, place])[:MOST_PLACES]))
    return Merged(replace(files[file], evidence=tuple(evidence)), tuple(found))


def _precedence(material: PackMaterial) -> tuple[float, str]:
    candidate = material.pick.candidate
    return -candidate.score, candidate.path


def _joined(pieces: Sequence[TextPiece]) -> tuple[TextPiece, ...]:
    """Return the pieces with those of one definition that follow each other made one."""
    found: list[TextPiece] = []
    for piece in pieces:
        last = found[-1] if found else None
        if last is not None and _continues(last, piece):
            found[-1] = _together(last, piece)
        else:
            found.append(piece)
    return tuple(found)


def _continues(first: TextPiece, second: TextPiece) -> bool:
    same = first.name == second.name and first.breadcrumb == second.breadcrumb
    return same and second.start_line <= first.end_line + 1


def _together(first: TextPiece, second: TextPiece) -> TextPiece:
    """Return two pieces as one under the better one's id; only what lies between is hidden."""
    better = first if first.score >= second.score else second
    shown_to = first.snippet_start_line + first.snippet.count("\n")
    adjoining = bool(first.snippet) and second.snippet_start_line == shown_to + 1
    snippet = f"{first.snippet}\n{second.snippet}" if adjoining else better.snippet
    lines = second.end_line - first.start_line + 1
    shown = snippet.count("\n") + 1 if snippet else 0
    return replace(
        better,
        start_line=first.start_line,
        end_line=second.end_line,
        names=tuple(dict.fromkeys((*first.names, *second.names))),
        text=f"{first.text}\n{second.text}",
        extra="\n".join(filter(None, (first.extra, second.extra))),
        snippet=snippet,
        snippet_start_line=(first if adjoining else better).snippet_start_line,
        hidden_lines=max(0, lines - shown),
        priority=max(first.priority, second.priority),
    )


class _Kept:
    """A piece of evidence that is shown, and what its text is compared by."""

    def __init__(self, words: tuple[str, ...], file: int, place: int) -> None:
        """Take the words of a text; `place` is the piece's among the evidence of its file."""
        self.words = words
        self.file = file
        self.place = place

    @cached_property
    def distinct(self) -> frozenset[str]:
        """Return the words, once each."""
        return frozenset(self.words)

    @cached_property
    def shingles(self) -> frozenset[tuple[str, ...]]:
        """Return all runs of `_WINDOW` words, once each."""
        words = self.words
        return frozenset(zip(*(words[start:] for start in range(_WINDOW)), strict=False))

    def says_the_same_as(self, other: "_Kept") -> bool:
        """Return whether the texts have nearly all their words and shingles in common.

        Most are told apart by how many words they have and share.
        """
        small, large = sorted((len(self.words), len(other.words)))
        if small < _FEWEST or small < _ALIKE * large:
            return self.words == other.words
        common = len(self.distinct & other.distinct)
        if common < _WORDS_ALIKE * max(len(self.distinct), len(other.distinct)):
            return False
        small, large = sorted((len(self.shingles), len(other.shingles)))
        if small < _ALIKE * large:
            return False
        common = len(self.shingles & other.shingles)
        return common >= _ALIKE * (small + large - common)


class _KeptTexts:
    """The pieces that are shown so far, found by how many words they have."""

    def __init__(self) -> None:
        self._kept: dict[int, list[tuple[int, _Kept]]] = {}
        self._equal: dict[tuple[str, ...], tuple[int, _Kept]] = {}
        self._words: set[str] = set()
        self._number = 0

    def keep(self, one: _Kept) -> None:
        """Show a piece."""
        held = self._number, one
        self._number += 1
        self._words.update(one.words)
        self._equal.setdefault(one.words, held)
        self._kept.setdefault(len(one.words), []).append(held)

    def original_of(self, one: _Kept) -> _Kept | None:
        """Return the first piece that says the same; None where none does, or nothing is said."""
        words = len(one.words)
        if not words:
            return None
        best = self._equal.get(one.words)
        if words < _FEWEST:
            return None if best is None else best[1]
        if self._tells_more(one):
            return None
        for length in range(int(words * _ALIKE), int(words / _ALIKE) + 2):
            for held in self._kept.get(length, ()):
                if best is not None and held[0] >= best[0]:
                    break
                if held[1].says_the_same_as(one):
                    best = held
        return None if best is None else best[1]

    def _tells_more(self, one: _Kept) -> bool:
        """Return whether too many words are new for any piece to say the same.

        Of shingles a text that says the same lacks a tenth at most, for it has nine tenths as many
        at least. Each of the new words begins a shingle, another one each, that no piece has.
        """
        starts = len(one.words) - _WINDOW + 1
        return len(set(one.words[:starts]) - self._words) >= int((1 - _ALIKE) * starts) + 2
