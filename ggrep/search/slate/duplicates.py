"""Merges duplicate evidence: shows it once, and lists the places of its copies."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from ggrep.model.slate_material import PackMaterial, TextPiece

_ALIKE: Final = 0.9
"""Minimum share of common lines of two texts that count as copies."""

MOST_PLACES: Final = 5
"""Maximum number of listed places of copies."""

_Place: TypeAlias = tuple[int, int]
"""Indices of a file and of a piece of its evidence."""


def merged(files: Sequence[PackMaterial]) -> tuple[PackMaterial, ...]:
    """Return the files without copies of earlier evidence; originals list the copies' places.

    Evidence is earlier if its file has a higher score; of equal scores, the first path is earlier.
    A file is omitted if all of its evidence is in other files of its section. The order of the
    files does not change.
    """
    order = sorted(range(len(files)), key=lambda i: _precedence(files[i]))
    kept: list[tuple[frozenset[str], _Place]] = []
    holders: defaultdict[str, list[int]] = defaultdict(list)
    also: defaultdict[_Place, list[str]] = defaultdict(list)
    copies: dict[_Place, int] = {}
    for file in order:
        for place, piece in enumerate(files[file].evidence):
            lines = frozenset(filter(None, map(str.strip, piece.text.split("\n"))))
            # Each copy contains at least one of these lines, because copies share most lines.
            few = sorted(lines, key=len, reverse=True)[: len(lines) // 10 + 1]
            near = sorted({number for line in few for number in holders.get(line, ())})
            same = (kept[number][1] for number in near if _are_alike(lines, kept[number][0]))
            original = next(same, None)
            if original is None or files[file].pick.reason == "expand_target":
                for line in lines:
                    holders[line].append(len(kept))
                kept.append((lines, (file, place)))
            else:
                copies[file, place] = original[0]
                if not _is_same_file(files, file, original[0]):
                    where = f"{files[file].pick.candidate.path}:{piece.start_line}"
                    also[original].append(where)
    return tuple(
        replace(material, evidence=tuple(_left(files, file, copies, also)))
        for file, material in enumerate(files)
        if not _is_copy(files, file, copies)
    )


def _left(
    files: Sequence[PackMaterial],
    file: int,
    copies: Mapping[_Place, int],
    also: Mapping[_Place, Sequence[str]],
) -> Iterator[TextPiece]:
    """Yield a file's evidence without copies; hide text that the file shows in another section."""
    for place, piece in enumerate(files[file].evidence):
        original = copies.get((file, place))
        if original is None:
            yield replace(piece, also=tuple(sorted(also.get((file, place), ()))[:MOST_PLACES]))
        elif _is_same_file(files, file, original):
            hidden = piece.end_line - piece.start_line + 1
            yield replace(piece, snippet="", hidden_lines=hidden)


def _are_alike(lines: frozenset[str], other: frozenset[str]) -> bool:
    return len(lines & other) >= _ALIKE * len(lines | other)


def _is_copy(files: Sequence[PackMaterial], file: int, copies: Mapping[_Place, int]) -> bool:
    """Return whether all evidence of a file is in other files of its section."""
    originals = [copies.get((file, place)) for place in range(len(files[file].evidence))]
    section = files[file].pick.candidate.section
    return (
        bool(originals)
        and not files[file].unread
        and all(
            each is not None and each != file and files[each].pick.candidate.section is section
            for each in originals
        )
    )


def _is_same_file(files: Sequence[PackMaterial], file: int, other: int) -> bool:
    return file != other and files[file].pick.candidate.path == files[other].pick.candidate.path


def _precedence(material: PackMaterial) -> tuple[float, str]:
    candidate = material.pick.candidate
    return -candidate.score, candidate.path
