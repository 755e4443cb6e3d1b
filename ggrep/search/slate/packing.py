"""Fits packs into byte budgets: the best places are shown, others named, and what is left goes.

Every budget counts canonical JSON, as surfaces print it. Fewer bytes mean fewer files rather than
files without a line: names have their share of the bytes, the ranges of pieces theirs, and the rest
is for lines, the best pieces of all files first. Whatever was cut is in `limits_hit`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ggrep.base import stable_json
from ggrep.model.limits import LimitHit
from ggrep.model.slate import SECTIONS, Budgets, Evidence, Pack, Section, Slate
from ggrep.search.slate.document import (
    evidence_json,
    file_id,
    outlined,
    pack_json,
    slate_json,
)

SKELETON: Final = 400
"""Bytes of a slate with neither packs nor anything else in it, its figures at their longest."""

_WRAP: Final = len(b'{"files":[],"kind":"diagrams"},')
_COMMA: Final = 1
_DIGITS: Final = 14
"""What `total_bytes` and `estimated_tokens` may be longer than the zeros they are counted with."""

_NAMES: Final = 0.35
"""Share of the bytes for packs that the names of files may take."""

_LINES: Final = 0.75
"""Share of what names leave that is kept for lines; the rest is for where other pieces stand."""

_FURTHER: Final = 0.97
"""Factor of each further piece of a file, so that one file does not take all the lines."""

_OF_SECTION: Final = {Section.DOCS: 0.7, Section.DIAGRAMS: 0.7, Section.TESTS: 0.5}
"""Factor of the pieces of a section: a question is answered by code first."""

_FEWEST_LINES: Final = 3
"""Fewer lines of a longer piece say less than its range."""

_EVIDENCE: Final = 0
_KINDS: Final = {"anchor_for_context": 1, "neighbour_context": 2}
_QUOTES: Final = 2
_NEWLINE: Final = 2
_SHOWN_KEY: Final = len(b',"evidence":[]') - _COMMA
_NAMED_KEY: Final = len(b',"outline":[]') - _COMMA
_ANCHOR_KEY: Final = len(b',"anchor":') - _COMMA


@dataclass(frozen=True, slots=True)
class RankedPack:
    """A pack with its place in the order in which files give way.

    Attributes:
        rank: place within its section, 0 for the best.
    """

    pack: Pack
    rank: int


def kept_packs(
    packs: Sequence[RankedPack], budgets: Budgets, level: int
) -> tuple[tuple[RankedPack, ...], tuple[LimitHit, ...]]:
    """Return the packs whose names there is room for, the best of each section first, and the cuts.

    What a slate says beside its packs has its share of the bytes set aside; what is shown of the
    packs is decided by `filled`.
    """
    limits: list[LimitHit] = []
    kept: list[RankedPack] = []
    room = budgets.total_bytes - SKELETON - sum(reserved(budgets, level).values())
    share = room * _NAMES if level else room
    held = 0.0
    for one in sorted(packs, key=_standing):
        size = _frame(one.pack, level)
        if size > budgets.file_bytes:
            limits.append(_OpenPack(one, budgets.file_bytes, level).file_cut())
            continue
        held += size + _COMMA + _WRAP * all(one.pack.section is not k.pack.section for k in kept)
        if held > (share if kept else room):
            break
        kept.append(one)
    if len(kept) < len(packs):
        limits.append(LimitHit("max_slate_files_by_bytes", len(kept), len(packs)))
    return tuple(kept), tuple(limits)


def reserved(budgets: Budgets, level: int) -> dict[str, int]:
    """Return the bytes that are set aside for what a slate says beside its packs.

    On the least level none are for the graph: it takes what the paths leave. On others it may take
    what is left where all of the packs fits.
    """
    total = budgets.total_bytes
    return {
        "overview": max(min(total // 40, 2_048), 192),
        "next_actions": max(min(total // 64, 1_024), min(total // 8, 256)),
        "graph": min(total // 32, 8_192) if level else 0,
    }


def room_for_graph(packs: Sequence[RankedPack], budgets: Budgets, level: int) -> int:
    """Return the bytes that the graph of some packs may take."""
    aside = reserved(budgets, level)
    size = shown_size(packs, level) if level else sum(_frame(one.pack, 0) + _COMMA for one in packs)
    left = budgets.total_bytes - SKELETON - sum(aside.values()) - _overhead(packs) - size
    return aside["graph"] + max(left, 0)


def filled(
    draft: Slate, packs: Sequence[RankedPack], budgets: Budgets
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return the slate with its packs, as much of each as the budgets leave, and the cuts.

    Args:
        draft: the slate without sections, each of its other parts within its reserve.
        packs: as `kept_packs` returned them.
        budgets: in force.
    """
    if not draft.level:
        return _counted(replace(draft, sections=_sections([one.pack for one in packs]))), ()
    taken = [_OpenPack(one, budgets.file_bytes, draft.level) for one in packs]
    left = budgets.total_bytes - _size_of(draft) - _DIGITS - _overhead(packs)
    left -= sum(one.size + _COMMA for one in taken)
    turns = sorted((worth, place) for place, one in enumerate(taken) for worth in one.worths())
    for_lines = int(max(left, 0) * _LINES)
    left -= for_lines
    for (kind, *_, piece), place in turns:
        if kind == _EVIDENCE:
            left -= taken[place].name(piece, left)
    left += for_lines
    for (*_, piece), place in turns:
        left -= taken[place].show(piece, left)
    slate = _counted(replace(draft, sections=_sections([one.pack() for one in taken])))
    limits = [one.file_cut() for one in taken if one.has_no_room]
    if missing := sum(one.full_size() - one.size for one in taken if one.gave_way):
        wanted = slate.total_bytes + missing
        limits.append(LimitHit("max_slate_bytes", budgets.total_bytes, wanted))
    return slate, tuple(limits)


class _OpenPack:
    """A pack that takes pieces in while there is room for them.

    Attributes:
        size: bytes that it takes, or a few less.
        has_no_room: something was left out for the file's own budget.
        gave_way: something was left out for that of the slate.
    """

    def __init__(self, ranked: RankedPack, allowed: int, level: int) -> None:
        """Begin with the file's name alone; `allowed` are the bytes that it may take."""
        self._whole = ranked.pack
        self._rank = ranked.rank
        self._allowed = allowed
        self._pieces = _pieces(ranked.pack)
        self._taken: dict[int, Evidence] = {}
        self._keys: set[int] = set()
        self.size = _frame(ranked.pack, level)
        self.has_no_room = self.gave_way = False

    def worths(self) -> list[tuple[int, float, int, int]]:
        """Return what decides the turn of each piece, and its place here: the first come first."""
        order = sorted(range(len(self._pieces)), key=lambda i: _importance(self._pieces[i]))
        factor = _OF_SECTION.get(self._whole.section, 1.0) * self._whole.factor
        found = []
        for further, place in enumerate(order):
            piece = self._pieces[place]
            kind = _kind(piece)
            worth = piece.score if kind == _EVIDENCE else self._whole.score
            asked_for = piece.reason == "expand_target"
            worth *= factor * _FURTHER**further
            found.append((kind, -worth - asked_for, self._rank, place))
        return found

    def name(self, place: int, left: int) -> int:
        """Take in where a piece stands, if that fits; return the bytes that it takes."""
        size = _named_size(self._pieces[place]) + self._key(_NAMED_KEY)
        if not self._fits(size, left):
            return 0
        self._keys.add(_NAMED_KEY)
        return self._take(place, _blank(self._pieces[place]), size)

    def show(self, place: int, left: int) -> int:
        """Take in as many lines of a piece as fit; return the bytes that they take."""
        piece, held = self._pieces[place], self._taken.get(place)
        if not piece.snippet:
            return 0 if held or _kind(piece) != _EVIDENCE else self.name(place, left)
        key = _ANCHOR_KEY if piece is self._whole.anchor else _SHOWN_KEY
        before = (_named_size(piece) if held else 0) - self._key(key)
        size = _shown_size(piece) - before
        if not self._fits(size, left):
            found = _cut(piece, min(left, self._allowed - self.size) + before)
            if found is None:
                return 0
            piece, size = found, _shown_size(found) - before
        self._keys.add(key)
        return self._take(place, piece, size)

    def pack(self) -> Pack:
        """Return the file with what was taken in."""
        evidence, anchor = [], None
        for place, piece in sorted(self._taken.items()):
            if self._pieces[place] is self._whole.anchor:
                anchor = piece
            else:
                evidence.append(piece)
        given = sum(item.reason != "neighbour_context" for item in evidence)
        every = sum(item.reason != "neighbour_context" for item in self._whole.evidence)
        more = self._whole.more_evidence + every - given
        return replace(self._whole, anchor=anchor, evidence=tuple(evidence), more_evidence=more)

    def file_cut(self) -> LimitHit:
        """Return what says that the file's own budget does not hold all of it."""
        named = file_id(self._whole.repo, self._whole.path)
        return LimitHit("max_slate_file_bytes", self._allowed, self.full_size(), named)

    def full_size(self) -> int:
        """Return the bytes that the file takes with all that there is to show."""
        shown = [
            _shown_size(one) if one.snippet else _named_size(one)
            for one in self._pieces
            if one.snippet or _kind(one) == _EVIDENCE
        ]
        return self.size - sum(map(self._held, self._taken)) + sum(shown)

    def _key(self, size: int) -> int:
        """Return the bytes of a key that no piece stands at yet; 0 where one does."""
        return 0 if size in self._keys else size

    def _held(self, place: int) -> int:
        piece = self._taken[place]
        return _shown_size(piece) if piece.snippet else _named_size(piece)

    def _fits(self, size: int, left: int) -> bool:
        own = self._allowed - self.size
        self.has_no_room |= own < min(size, left)
        self.gave_way |= left < size and left <= own
        return size <= min(left, own)

    def _take(self, place: int, piece: Evidence, size: int) -> int:
        self._taken[place] = piece
        self.size += size
        return size


def shown_size(packs: Sequence[RankedPack], level: int) -> int:
    """Return the bytes of some packs with all that there is to show of them."""
    return sum(_OpenPack(one, 0, level).full_size() + _COMMA for one in packs)


def _size_of(slate: Slate) -> int:
    return len(stable_json.dumps(slate_json(slate)))


def _counted(slate: Slate) -> Slate:
    """Return the slate with its own size in it."""
    size = 0
    for _ in range(8):  # the figure's own digits are counted too; twice is usually enough
        found = _size_of(replace(slate, total_bytes=size, estimated_tokens=-(-size // 4)))
        if found == size:
            break
        size = found
    return replace(slate, total_bytes=size, estimated_tokens=-(-size // 4))


def _sections(packs: Sequence[Pack]) -> tuple[tuple[Section, tuple[Pack, ...]], ...]:
    """Return the packs by section: files by score, then path."""
    found = []
    for section in SECTIONS:
        own = [pack for pack in packs if pack.section is section]
        if own:
            ordered = sorted(own, key=lambda pack: (-pack.score, pack.repo, pack.path))
            found.append((section, tuple(ordered)))
    return tuple(found)


def _overhead(packs: Sequence[RankedPack]) -> int:
    return _WRAP * len({one.pack.section for one in packs})


def _frame(pack: Pack, level: int) -> int:
    """Return a pack's size with none of its pieces."""
    more = pack.more_evidence + len(pack.evidence)
    bare = replace(pack, anchor=None, evidence=(), more_evidence=more)
    return len(stable_json.dumps(pack_json(bare, level)))


def _pieces(pack: Pack) -> list[Evidence]:
    """Return what a pack may show, its anchor first."""
    return [*([pack.anchor] if pack.anchor else []), *pack.evidence]


def _named_size(piece: Evidence) -> int:
    return len(stable_json.dumps(outlined(piece))) + _COMMA


def _shown_size(piece: Evidence) -> int:
    return len(stable_json.dumps(evidence_json(piece))) + _COMMA


def _blank(piece: Evidence) -> Evidence:
    """Return a piece without its snippet; all its lines are hidden then."""
    lines = piece.end_line - piece.start_line + 1
    shown = (
        piece.snippet.count("\n") + 1 if piece.snippet else 0
    )  # relations may be more than lines
    hidden = max(lines, piece.hidden_lines + shown)
    return replace(piece, snippet="", snippet_start_line=0, hidden_lines=hidden)


def _kind(piece: Evidence) -> int:
    return _KINDS.get(piece.reason, _EVIDENCE)


def _importance(piece: Evidence) -> tuple[int, float, int]:
    """Return what decides which pieces of a file come first: evidence, then what is beside it."""
    return _kind(piece), -piece.score, piece.start_line


def _cut(piece: Evidence, allowed: int) -> Evidence | None:
    """Return the piece with the first lines of its snippet that fit; None where few do."""
    lines = piece.snippet.split("\n")
    first = _with_lines(piece, lines, 1)
    # The first line alone hides most lines, so no other number of lines takes more bytes for that.
    left = allowed - _shown_size(first) + len(stable_json.dumps(first.snippet)) - _QUOTES
    shown = 0
    for line in lines:
        left -= len(stable_json.dumps(line)) - _QUOTES + (_NEWLINE if shown else 0)
        if left < 0:
            break
        shown += 1
    fewest = min(_FEWEST_LINES, len(lines))
    found = _with_lines(piece, lines, shown)
    return found if shown >= fewest and found.snippet else None


def _with_lines(piece: Evidence, lines: Sequence[str], shown: int) -> Evidence:
    hidden = piece.hidden_lines + len(lines) - shown
    return replace(piece, snippet="\n".join(lines[:shown]), hidden_lines=hidden)


def _standing(one: RankedPack) -> tuple[int, int, float, str, str]:
    section = SECTIONS.index(one.pack.section)
    return one.rank, section, -one.pack.score, one.pack.repo, one.pack.path
