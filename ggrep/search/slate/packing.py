"""Fits packs into byte budgets: the lines of the best pieces are shown in the order of priority.

Every budget counts canonical JSON, or the text that agents read (`measures`). Names of files have
their share of the bytes; the rest is for lines, the best pieces of all files first. A piece that
does not fit is cut at its end, or named. All cuts are in `limits_hit`.
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
"""Fewer lines of a longer piece say less than its range."""

_FRAME: Final = -1
"""The place of a file's own bytes among those of its pieces."""

_EVIDENCE: Final = 0
_KINDS: Final = {"anchor_for_context": 1, "neighbour_context": 2}


class RankedPack(Struct, frozen=True):
    """A pack with its rank; files of higher ranks are dropped first.

    Attributes:
        rank: place within its section, 0 for the best.
        sizes: bytes of its pieces, each by its place, and of the file without them, as far as they
            were counted; a slate counts all of its packs in one way.
    """

    pack: Pack
    rank: int
    sizes: dict[int, int] = field(default_factory=dict)


def kept_packs(
    packs: Sequence[RankedPack], budgets: Budgets, level: int
) -> tuple[tuple[RankedPack, ...], tuple[LimitHit, ...]]:
    """Return the packs whose names fit, the best of each section first, and the cuts.

    The other parts of a slate have a reserved share of the bytes. `filled` decides which lines of
    the packs are shown.
    """
    limits: list[LimitHit] = []
    kept: list[RankedPack] = []
    measure = measure_of(budgets)
    fixed = measure.fixed
    room = budgets.total_bytes - fixed.skeleton - _aside(budgets, level)
    share = measure.for_names(room) if level else room
    held = 0.0
    for one in sorted(packs, key=_standing):
        size = _frame(one, level, measure)
        if size > budgets.file_bytes:
            limits.append(_OpenPack(one, budgets.file_bytes, level, measure).file_cut())
            continue
        is_first = all(one.pack.section is not other.pack.section for other in kept)
        held += size + fixed.between + fixed.section * is_first
        if held > (share if kept else room):
            break
        kept.append(one)
    if len(kept) < len(packs):
        limits.append(LimitHit("max_slate_files_by_bytes", len(kept), len(packs)))
    return tuple(kept), tuple(limits)


def reserved(budgets: Budgets, level: int) -> dict[str, int]:
    """Return the bytes that are reserved for the parts of a slate other than packs.

    On level 0 the graph has no reserve and uses the bytes that the paths leave. On other levels it
    can also use the bytes that remain if all packs fit.
    """
    total = budgets.total_bytes
    return {
        "overview": max(min(total // 40, 2_048), 192),
        "next_actions": max(min(total // 64, 1_024), min(total // 8, 256)),
        "graph": min(total // 32, 8_192) if level else 0,
    }


def _aside(budgets: Budgets, level: int) -> int:
    """Return the reserved bytes of the budget that count in its measure."""
    kept = reserved(budgets, level)
    return sum(kept.values()) if measure_of(budgets).fixed.tells_advice else kept["graph"]


def room_for_graph(packs: Sequence[RankedPack], budgets: Budgets, level: int) -> int:
    """Return the bytes that the graph of some packs may take."""
    measure = measure_of(budgets)
    fixed = measure.fixed
    if level:
        size = shown_size(packs, level, measure)
    else:
        size = sum(_frame(one, 0, measure) + fixed.between for one in packs)
    left = budgets.total_bytes - fixed.skeleton - _aside(budgets, level) - size
    left -= _overhead(packs, measure)
    return reserved(budgets, level)["graph"] + max(left, 0)


def filled(
    draft: Slate, packs: Sequence[RankedPack], budgets: Budgets
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return the slate with its packs, as much of each as the budgets leave, and the cuts.

    Args:
        draft: the slate without sections, each of its other parts within its reserve.
        packs: as `kept_packs` returned them.
        budgets: the effective budgets.
    """
    measure = measure_of(budgets)
    if not draft.level:
        whole = replace(draft, sections=_sections([one.pack for one in packs]))
        return _counted(whole, measure), ()
    taken = [_OpenPack(one, budgets.file_bytes, draft.level, measure) for one in packs]
    left = budgets.total_bytes - measure.slate(draft) - measure.fixed.aside
    left -= _overhead(packs, measure) + sum(one.size + measure.fixed.between for one in taken)
    turns = sorted((turn, place) for place, one in enumerate(taken) for turn in one.turns())
    for (*_, piece), place in turns:
        left -= taken[place].show(piece, left)
    whole = replace(draft, sections=_sections([one.pack() for one in taken]))
    slate = _counted(whole, measure)
    limits = [one.file_cut() for one in taken if one.has_no_room]
    if missing := sum(one.full_size() - one.size for one in taken if one.gave_way):
        wanted = slate.total_bytes + missing
        limits.append(LimitHit("max_slate_bytes", budgets.total_bytes, wanted))
    return slate, tuple(limits)


class _OpenPack:
    """A pack that accepts pieces as long as they fit.

    Attributes:
        size: bytes that it takes, or a few less.
        has_no_room: something was left out for the file's own budget.
        gave_way: something was left out for that of the slate.
    """

    def __init__(self, ranked: RankedPack, allowed: int, level: int, measure: Measure) -> None:
        """Begin with the file's name alone, within `allowed` bytes."""
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
        """Return the sort key of each piece with its index; the first pieces are added first."""
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
        """Add as many lines of a piece as fit, or only its place; return their bytes."""
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
        """Return the limit that reports that the file's own budget cut it."""
        named = file_id(self._whole.repo, self._whole.path)
        return LimitHit("max_slate_file_bytes", self._allowed, self.full_size(), named)

    def full_size(self) -> int:
        """Return the bytes of the file if it is shown completely."""
        shown = (
            self._whole_size(place)
            for place, one in enumerate(self._pieces)
            if one.snippet or _kind(one) == _EVIDENCE
        )
        return self._frame + sum(map(self._fixed, self._keys)) + sum(shown)

    def _fixed(self, key: str) -> int:
        size: int = getattr(self._measure.fixed, key)
        return size

    def _whole_size(self, place: int) -> int:
        """Return the bytes of a piece with all of its lines; the result is cached."""
        if (size := self._sizes.get(place)) is None:
            piece = self._pieces[place]
            size = self._shown(piece) if piece.snippet else self._measure.named(piece)
            self._sizes[place] = size
        return size

    def _shown(self, piece: Evidence) -> int:
        return self._measure.shown(piece, self._whole.section)

    def _cut(self, piece: Evidence, allowed: int) -> Evidence | None:
        """Return the piece with the first lines of its snippet that fit; None if too few fit."""
        if not piece.snippet:
            return None
        first = piece.snippet.split("\n", _FEWEST_LINES)[:_FEWEST_LINES]
        if sum(len(line.strip()) for line in first) > allowed:
            return None
        lines = piece.snippet.split("\n")
        sizes = self._measure.lines(piece, self._whole.section)
        # The first line alone hides most, so no other number of lines takes more bytes for that.
        alone = _with_lines(piece, lines, 1)
        left = allowed - self._shown(alone) + self._measure.lines(alone, self._whole.section)[0]
        shown = 0
        for size in sizes:
            left -= size
            if left < 0:
                break
            shown += 1
        fewest = min(_FEWEST_LINES, len(lines))
        found = _with_lines(piece, lines, shown)
        return found if shown >= fewest and found.snippet else None

    def _fits(self, size: int, left: int) -> bool:
        own = self._allowed - self.size
        self.has_no_room |= own < min(size, left)
        self.gave_way |= left < size and left <= own
        return size <= min(left, own)


def shown_size(packs: Sequence[RankedPack], level: int, measure: Measure) -> int:
    """Return the bytes of some packs that are shown completely."""
    whole = sum(_OpenPack(one, 0, level, measure).full_size() for one in packs)
    return whole + measure.fixed.between * len(packs)


def _counted(slate: Slate, measure: Measure) -> Slate:
    """Return the slate with its own size in it."""
    plain = size = measure.slate(slate)  # its figures are 0: one digit each
    for _ in range(7 if measure.fixed.counts_itself else 0):  # their digits are counted too
        size = plain - 2 + len(f"{size}{-(-size // 4)}")
    return replace(slate, total_bytes=size, estimated_tokens=-(-size // 4))


def _frame(one: RankedPack, level: int, measure: Measure) -> int:
    """Return the bytes of a file with none of its pieces; the result is cached."""
    if (size := one.sizes.get(_FRAME)) is None:
        size = one.sizes[_FRAME] = measure.frame(one.pack, level)
    return size


def _sections(packs: Sequence[Pack]) -> tuple[tuple[Section, tuple[Pack, ...]], ...]:
    """Return the packs by section: files by score, then path."""
    found = []
    for section in SECTIONS:
        own = [pack for pack in packs if pack.section is section]
        if own:
            ordered = sorted(own, key=lambda pack: (-pack.score, pack.repo, pack.path))
            found.append((section, tuple(ordered)))
    return tuple(found)


def _overhead(packs: Sequence[RankedPack], measure: Measure) -> int:
    return measure.fixed.section * len({one.pack.section for one in packs})


def _pieces(pack: Pack) -> list[Evidence]:
    """Return the pieces of a pack, its anchor first."""
    return [*([pack.anchor] if pack.anchor else []), *pack.evidence]


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


def _with_lines(piece: Evidence, lines: Sequence[str], shown: int) -> Evidence:
    ends = [last_line(*each) for each in numbered_lines(lines, piece.snippet_start_line)]
    hidden = piece.hidden_lines + (ends[-1] - ends[shown - 1] if shown else 0)
    return replace(piece, snippet="\n".join(lines[:shown]), hidden_lines=hidden)


def _standing(one: RankedPack) -> tuple[int, int, float, str, str]:
    section = SECTIONS.index(one.pack.section)
    return one.rank, section, -one.pack.score, one.pack.repo, one.pack.path
