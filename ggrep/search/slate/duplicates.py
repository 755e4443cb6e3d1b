"""Merges duplicate evidence: shown once, with the other places where it occurs."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.slate_material import PackMaterial, TextPiece

_ALIKE: Final = 0.9
"""Share of common lines from which two texts say the same."""

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
    """Return the files with copies of earlier evidence left out.

    Earlier is what stands in a better file: by score, then path. A file that is nothing but copies
    of others of its section is left out itself. The order of the files stays.
    """
    order = sorted(range(len(materials)), key=lambda i: _precedence(materials[i]))
    kept: list[tuple[frozenset[str], int, int]] = []
    holders: dict[str, list[int]] = {}
    also: dict[tuple[int, int], list[str]] = {}
    copies: dict[tuple[int, int], int] = {}
    for file in order:
        for place, piece in enumerate(materials[file].evidence):
            also[file, place] = []
            lines = frozenset(filter(None, map(str.strip, piece.text.split("\n"))))
            # A text that says the same has one of so many lines, whichever they are.
            few = sorted(lines, key=len, reverse=True)[: len(lines) // 10 + 1]
            near = sorted({number for line in few for number in holders.get(line, ())})
            same = (kept[number] for number in near if _are_alike(lines, kept[number][0]))
            original = next(same, None)
            if original is None or materials[file].pick.reason == "expand_target":
                for line in lines:
                    holders.setdefault(line, []).append(len(kept))
                kept.append((lines, file, place))
            else:
                copies[file, place] = original[1]
                if not _is_same_file(materials, file, original[1]):
                    where = f"{materials[file].pick.candidate.path}:{piece.start_line}"
                    also[original[1:]].append(where)
    return tuple(
        _without(materials, file, copies, also)
        for file in range(len(materials))
        if not _is_copy(materials, file, copies)
    )


def _are_alike(lines: frozenset[str], other: frozenset[str]) -> bool:
    return len(lines & other) >= _ALIKE * len(lines | other)


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
