"""Fits files and their evidence into byte budgets, in the order of priority.

Every budget counts bytes of canonical JSON, or of the text for agents (`measures`). A share of the
bytes is for names of files. The rest is for lines of evidence, the best pieces of all files first.
If a piece does not fit, its last lines are cut, or only its line numbers are shown. All cuts are
reported in `limits_hit`.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ggrep.model.limits import LimitHit
from ggrep.model.line_numbers import last_line, numbered_lines
from ggrep.model.slate import SECTIONS, Budgets, Evidence, Pack, Section, Slate
from ggrep.search.slate.document import file_id
from ggrep.search.slate.measures import Measure, measure_of

_FEWEST_LINES: Final = 3
"""Minimum number of lines to show of a longer piece."""

_FRAME: Final = -1
"""The key in `sizes` for the bytes of the file without pieces."""

_EVIDENCE: Final = 0
_KINDS: Final = {"anchor_for_context": 1, "neighbour_context": 2}


class RankedPack(Struct, frozen=True):
    """A pack (a file of a slate) with its rank; files with the largest ranks are dropped first.

    Attributes:
        rank: rank within its section; 0 for the best file.
        sizes: cached numbers of bytes: of pieces by index, and of the file without pieces; all
            packs of a slate use the same measure.
    """

    pack: Pack
    rank: int
    sizes: dict[int, int] = field(default_factory=dict)


def kept_packs(
    packs: Sequence[RankedPack], budgets: Budgets, level: int
) -> tuple[tuple[RankedPack, ...], tuple[LimitHit, ...]]:
    """Return the packs whose file names fit, by rank, and the limits that cut them.

    Bytes for the other parts of a slate are reserved. `filled` decides which lines are shown.
    """
    limits: list[LimitHit] = []
    kept: list[RankedPack] = []
    measure = measure_of(budgets)
    fixed = measure.fixed
    room = budgets.total_bytes - fixed.skeleton - _aside(budgets, level)
    share = measure.for_names(room) if level else room
    used = 0.0
    for each in sorted(packs, key=_standing):
        size = _frame(each, level, measure)
        if size > budgets.file_bytes:
            limits.append(_OpenPack(each, budgets.file_bytes, level, measure).file_cut())
            continue
        is_first = all(each.pack.section is not other.pack.section for other in kept)
        used += size + fixed.between + fixed.section * is_first
        if used > (share if kept else room):
            break
        kept.append(each)
    if len(kept) < len(packs):
        limits.append(LimitHit("max_slate_files_by_bytes", len(kept), len(packs)))
    return tuple(kept), tuple(limits)


def reserved(budgets: Budgets, level: int) -> dict[str, int]:
    """Return the numbers of bytes that are reserved for the parts of a slate other than packs.

    At level 0 no bytes are reserved for the graph; it uses the bytes that remain after the paths.
    At other levels the graph can also use bytes that remain if all lines fit.
    """
    total = budgets.total_bytes
    return {
        "overview": max(min(total // 40, 2_048), 192),
        "next_actions": max(min(total // 64, 1_024), min(total // 8, 256)),
        "graph": min(total // 32, 8_192) if level else 0,
    }


def _aside(budgets: Budgets, level: int) -> int:
    """Return the number of reserved bytes that count in the budget's measure."""
    kept = reserved(budgets, level)
    return sum(kept.values()) if measure_of(budgets).fixed.tells_advice else kept["graph"]


def room_for_graph(packs: Sequence[RankedPack], budgets: Budgets, level: int) -> int:
    """Return the maximum number of bytes of the graph of some packs."""
    measure = measure_of(budgets)
    fixed = measure.fixed
    if level:
        size = shown_size(packs, level, measure)
    else:
        size = sum(_frame(each, 0, measure) + fixed.between for each in packs)
    left = budgets.total_bytes - fixed.skeleton - _aside(budgets, level) - size
    left -= _overhead(packs, measure)
    return reserved(budgets, level)["graph"] + max(left, 0)


def filled(
    draft: Slate, packs: Sequence[RankedPack], budgets: Budgets
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return the slate with as many lines of its packs as fit, and the limits that cut them.

    Args:
        draft: the slate without sections; its other parts are at most as large as reserved.
        packs: the packs that `kept_packs` returned.
        budgets: the effective budgets.
    """
    measure = measure_of(budgets)
    if not draft.level:
        whole = replace(draft, sections=_sections([each.pack for each in packs]))
        return _counted(whole, measure), ()
    taken = [_OpenPack(each, budgets.file_bytes, draft.level, measure) for each in packs]
    left = budgets.total_bytes - measure.slate(draft) - measure.fixed.aside
    left -= _overhead(packs, measure) + sum(each.size + measure.fixed.between for each in taken)
    turns = sorted((turn, place) for place, each in enumerate(taken) for turn in each.turns())
    for (*_, piece), place in turns:
        left -= taken[place].show(piece, left)
    whole = replace(draft, sections=_sections([each.pack() for each in taken]))
    slate = _counted(whole, measure)
    limits = [each.file_cut() for each in taken if each.has_no_room]
    if missing := sum(each.full_size() - each.size for each in taken if each.gave_way):
        wanted = slate.total_bytes + missing
        limits.append(LimitHit("max_slate_bytes", budgets.total_bytes, wanted))
    return slate, tuple(limits)


class _OpenPack:
    """A pack to which pieces are added as long as they fit.

    Attributes:
        size: number of bytes of the pack, or a few bytes less.
        has_no_room: whether the file's own budget cut something.
        gave_way: whether the budget of the whole slate cut something.
    """

    def __init__(self, ranked: RankedPack, allowed: int, level: int, measure: Measure) -> None:
        """Begin with only the file's name; the pack may have at most `allowed` bytes."""
        self._measure = measure
        self._whole = ranked.pack
        self._rank = ranked.rank
        self._sizes = ranked.sizes
        self._allowed = allowed
        self._pieces = _pieces(ranked.pack)
        self._taken: dict[int, Evidence] = {}
        self._keys: set[str] = set()
        self._frame = self.size = _frame(ranked, level, measure)
        self.has_no_room = self.gave_way = False

    def turns(self) -> list[tuple[int, float, int, int]]:
        """Return a sort key for each piece, which ends with the piece's index."""
        return [
            (
                kind := _kind(piece),
                -(self._whole.score if kind else piece.priority)
                - (piece.reason == "expand_target"),
                self._rank,
                place,
            )
            for place, piece in enumerate(self._pieces)
        ]

    def show(self, place: int, left: int) -> int:
        """Add the lines of a piece that fit, or only its line numbers; return the added size."""
        piece = self._pieces[place]
        if not piece.snippet and _kind(piece):
            return 0
        key = "anchor" if piece is self._whole.anchor else "shown" if piece.snippet else "named"
        opens = 0 if key in self._keys else self._fixed(key)
        size = self._whole_size(place) + opens
        if not self._fits(size, left):
            room = min(left, self._allowed - self.size)
            if (cut := self._cut(piece, room - opens)) is not None:
                piece, size = cut, self._shown(cut) + opens
            elif _kind(piece):
                return 0
            else:
                key, piece = "named", _blank(piece)
                size = self._measure.named(piece) + (0 if key in self._keys else self._fixed(key))
                if size > room:
                    return 0
        self._keys.add(key)
        self._taken[place] = piece
        self.size += size
        return size

    def pack(self) -> Pack:
        """Return the file with the added pieces."""
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
        """Return the limit to report if the file's own budget cut something."""
        named = file_id(self._whole.repo, self._whole.path)
        return LimitHit("max_slate_file_bytes", self._allowed, self.full_size(), named)

    def full_size(self) -> int:
        """Return the number of bytes of the file with all pieces."""
        shown = (
            self._whole_size(place)
            for place, each in enumerate(self._pieces)
            if each.snippet or _kind(each) == _EVIDENCE
        )
        return self._frame + sum(map(self._fixed, self._keys)) + sum(shown)

    def _fixed(self, key: str) -> int:
        size: int = getattr(self._measure.fixed, key)
        return size

    def _whole_size(self, place: int) -> int:
        """Return the number of bytes of a piece with all lines; the result is cached."""
        if (size := self._sizes.get(place)) is None:
            piece = self._pieces[place]
            size = self._shown(piece) if piece.snippet else self._measure.named(piece)
            self._sizes[place] = size
        return size

    def _shown(self, piece: Evidence) -> int:
        return self._measure.shown(piece, self._whole.section)

    def _cut(self, piece: Evidence, allowed: int) -> Evidence | None:
        """Return the piece with those first lines of its snippet that fit; None if too few fit."""
        if not piece.snippet:
            return None
        first = piece.snippet.split("\n", _FEWEST_LINES)[:_FEWEST_LINES]
        if sum(len(line.strip()) for line in first) > allowed:
            return None
        lines = piece.snippet.split("\n")
        sizes = self._measure.lines(piece, self._whole.section)
        # With one line, the count of hidden lines is longest, so other cuts take no more bytes for
        # it.
        alone = _with_lines(piece, lines, 1)
        left = allowed - self._shown(alone) + self._measure.lines(alone, self._whole.section)[0]
        shown = 0
        for size in sizes:
            left -= size
            if left < 0:
                break
            shown += 1
        fewest = min(_FEWEST_LINES, len(lines))
        result = _with_lines(piece, lines, shown)
        return result if shown >= fewest and result.snippet else None

    def _fits(self, size: int, left: int) -> bool:
        rest = self._allowed - self.size
        self.has_no_room |= rest < min(size, left)
        self.gave_way |= left < size and left <= rest
        return size <= min(left, rest)


def shown_size(packs: Sequence[RankedPack], level: int, measure: Measure) -> int:
    """Return the number of bytes of some packs with all pieces."""
    whole = sum(_OpenPack(each, 0, level, measure).full_size() for each in packs)
    return whole + measure.fixed.between * len(packs)


def _counted(slate: Slate, measure: Measure) -> Slate:
    """Return the slate with its fields for its own size set."""
    plain = size = measure.slate(slate)  # both fields are 0, one digit each
    for _ in range(7 if measure.fixed.counts_itself else 0):  # the digits of the two fields count
        size = plain - 2 + len(f"{size}{-(-size // 4)}")
    return replace(slate, total_bytes=size, estimated_tokens=-(-size // 4))


def _frame(pack: RankedPack, level: int, measure: Measure) -> int:
    """Return the number of bytes of a file without pieces; the result is cached."""
    if (size := pack.sizes.get(_FRAME)) is None:
        size = pack.sizes[_FRAME] = measure.frame(pack.pack, level)
    return size


def _sections(packs: Sequence[Pack]) -> tuple[tuple[Section, tuple[Pack, ...]], ...]:
    """Return the packs by section, ordered by score, then by path."""
    results = []
    for section in SECTIONS:
        members = [pack for pack in packs if pack.section is section]
        if members:
            ordered = sorted(members, key=lambda pack: (-pack.score, pack.repo, pack.path))
            results.append((section, tuple(ordered)))
    return tuple(results)


def _overhead(packs: Sequence[RankedPack], measure: Measure) -> int:
    return measure.fixed.section * len({each.pack.section for each in packs})


def _pieces(pack: Pack) -> list[Evidence]:
    """Return the pieces of a pack; the first lines of the file are the first piece."""
    return [*([pack.anchor] if pack.anchor else []), *pack.evidence]


def _blank(piece: Evidence) -> Evidence:
    """Return a piece without its snippet, with all lines counted as hidden."""
    lines = piece.end_line - piece.start_line + 1
    shown = (
        piece.snippet.count("\n") + 1 if piece.snippet else 0
    )  # a diagram can have more relations than lines
    hidden = max(lines, piece.hidden_lines + shown)
    return replace(piece, snippet="", snippet_start_line=0, hidden_lines=hidden)


def _kind(piece: Evidence) -> int:
    return _KINDS.get(piece.reason, _EVIDENCE)


def _with_lines(piece: Evidence, lines: Sequence[str], shown: int) -> Evidence:
    ends = [last_line(*each) for each in numbered_lines(lines, piece.snippet_start_line)]
    hidden = piece.hidden_lines + (ends[-1] - ends[shown - 1] if shown else 0)
    return replace(piece, snippet="\n".join(lines[:shown]), hidden_lines=hidden)


def _standing(pack: RankedPack) -> tuple[int, int, float, str, str]:
    section = SECTIONS.index(pack.pack.section)
    return pack.rank, section, -pack.pack.score, pack.pack.repo, pack.pack.path
