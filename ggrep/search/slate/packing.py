"""Fits packs into byte budgets: keeps what is selected and shortens what is shown of it.

Every budget counts canonical JSON, as surfaces print it. Snippets are cut first, by whole lines
and fairly among the files; then pieces of evidence go, the weakest first; at last whole files, the
lowest ranks first. Whatever was cut is in `limits_hit`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ggrep.base import stable_json
from ggrep.model.limits import LimitHit
from ggrep.model.slate import SECTIONS, Budgets, Evidence, Pack, Section, Slate
from ggrep.search.slate.document import file_id, pack_json, slate_json

_QUOTES: Final = 2
_SNIPPET_KEYS: Final = len(b'"snippet":,"snippet_start_line":1000000,')
"""Bytes that a snippet costs beside its own."""

SKELETON: Final = 400
"""Bytes of a slate with neither packs nor anything else in it, its figures at their longest."""

_WRAP: Final = len(b'{"files":[],"kind":"diagrams"},')
_COMMA: Final = 1
_DIGITS: Final = 14
"""What `total_bytes` and `estimated_tokens` may be longer than the zeros they are counted with."""


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
    """Return the packs that there is room for, none larger than a file's budget, and the cuts.

    What a slate says beside its packs has its share of the bytes set aside; snippets take what is
    left, see `filled`.
    """
    limits: list[LimitHit] = []
    fitting = [_within_file(one, budgets.file_bytes, level, limits) for one in packs]
    within = [one for one in fitting if _bare_size(one.pack, level) <= budgets.file_bytes]
    room = budgets.total_bytes - SKELETON - sum(reserved(budgets, level).values())
    kept = _kept(within, level, room)
    whole = {id(one) for one in within}
    if any(id(one) not in whole for one in kept):
        wanted = _overhead(within) + sum(_bare_size(one.pack, level) + _COMMA for one in within)
        wanted += budgets.total_bytes - room
        limits.append(LimitHit("max_slate_bytes", budgets.total_bytes, wanted))
    if len(kept) < len(packs):
        limits.append(LimitHit("max_slate_files_by_bytes", len(kept), len(packs)))
    return tuple(kept), tuple(limits)


def reserved(budgets: Budgets, level: int) -> dict[str, int]:
    """Return the bytes that are set aside for what a slate says beside its packs.

    On the least level none are for the graph: it takes what the paths leave.
    """
    total = budgets.total_bytes
    return {
        "overview": min(total // 6, 4_096),
        "next_actions": min(total // 10, 2_048),
        "graph": min(total // 6, 16_384) if level else 0,
    }


def room_for_graph(packs: Sequence[RankedPack], budgets: Budgets, level: int) -> int:
    """Return the bytes that the graph of some packs may take."""
    aside = reserved(budgets, level)
    if level:
        return aside["graph"]
    held = _overhead(packs) + sum(_bare_size(one.pack, level) + _COMMA for one in packs)
    return max(budgets.total_bytes - SKELETON - sum(aside.values()) - held, 0)


def filled(
    draft: Slate, packs: Sequence[RankedPack], budgets: Budgets
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return the slate with its packs, their snippets cut to what the budget leaves.

    Args:
        draft: the slate without sections, each of its other parts within its reserve.
        packs: as `kept_packs` returned them.
        budgets: in force.
    """
    bare = sum(_bare_size(one.pack, draft.level) + _COMMA for one in packs)
    left = budgets.total_bytes - _size_of(draft) - _DIGITS - _overhead(packs) - bare
    wants = [_snippet_size(one.pack) if draft.level else 0 for one in packs]
    given = shared_out(wants, max(left, 0))
    limits: tuple[LimitHit, ...] = ()
    if sum(given) < sum(wants):
        wanted = budgets.total_bytes - left + sum(wants)
        limits = (LimitHit("max_slate_bytes", budgets.total_bytes, wanted),)
    chosen = [
        one.pack if size == wish else _shrunk(one.pack, size)
        for one, size, wish in zip(packs, given, wants, strict=True)
    ]
    return _counted(replace(draft, sections=_sections(chosen))), limits


def shared_out(wants: Sequence[int], total: int) -> list[int]:
    """Return shares that add up to no more than `total`: nobody gets more than it wants.

    Max-min fair: who wants less than an equal share gets all of it, and the others what is left
    over, in equal parts.
    """
    given = [0] * len(wants)
    left = total
    for position, i in enumerate(sorted(range(len(wants)), key=lambda i: (wants[i], i))):
        given[i] = min(wants[i], left // (len(wants) - position))
        left -= given[i]
    return given


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


def _pack_size(pack: Pack, level: int) -> int:
    return len(stable_json.dumps(pack_json(pack, level)))


def _bare_size(pack: Pack, level: int) -> int:
    """Return a pack's size without its snippets."""
    return _pack_size(_with_pieces(pack, [_blank(piece) for piece in _pieces(pack)]), level)


def _pieces(pack: Pack) -> list[Evidence]:
    """Return what a pack shows, its anchor first."""
    return [*([pack.anchor] if pack.anchor else []), *pack.evidence]


def _with_pieces(pack: Pack, pieces: Sequence[Evidence]) -> Pack:
    if pack.anchor is None:
        return replace(pack, evidence=tuple(pieces))
    return replace(pack, anchor=pieces[0], evidence=tuple(pieces[1:]))


def _blank(piece: Evidence) -> Evidence:
    """Return a piece without its snippet; all its lines are hidden then."""
    lines = piece.end_line - piece.start_line + 1
    shown = (
        piece.snippet.count("\n") + 1 if piece.snippet else 0
    )  # relations may be more than lines
    hidden = max(lines, piece.hidden_lines + shown)
    return replace(piece, snippet="", snippet_start_line=0, hidden_lines=hidden)


def _cost(piece: Evidence) -> int:
    """Return the bytes that a piece's snippet takes."""
    return len(stable_json.dumps(piece.snippet)) + _SNIPPET_KEYS if piece.snippet else 0


def _snippet_size(pack: Pack) -> int:
    return sum(_cost(piece) for piece in _pieces(pack))


def _shrunk(pack: Pack, allowed: int) -> Pack:
    """Return the pack with snippets of at most so many bytes: the best evidence keeps its own."""
    pieces = _pieces(pack)
    if sum(map(_cost, pieces)) <= allowed:
        return pack
    left, cut = allowed, list(pieces)
    for place in sorted(range(len(pieces)), key=lambda i: _importance(pieces[i])):
        cut[place] = _cut(pieces[place], left)
        left -= _cost(cut[place])
    return _with_pieces(pack, cut)


def _importance(piece: Evidence) -> tuple[int, float, int]:
    """Return what decides whose snippet stays: evidence, then the anchor, then neighbours."""
    kind = {"anchor_for_context": 1, "neighbour_context": 2}.get(piece.reason, 0)
    return kind, -piece.score, piece.start_line


def _cut(piece: Evidence, allowed: int) -> Evidence:
    """Return the piece with the first lines of its snippet that fit."""
    if _cost(piece) <= allowed:
        return piece
    lines = piece.snippet.split("\n")
    left, shown = allowed - _SNIPPET_KEYS - _QUOTES, 0
    for line in lines:
        left -= len(stable_json.dumps(line)) - _QUOTES + (2 if shown else 0)  # and an escaped \n
        if left < 0:
            break
        shown += 1
    if not (text := "\n".join(lines[:shown])):
        return _blank(piece)
    return replace(piece, snippet=text, hidden_lines=piece.hidden_lines + len(lines) - shown)


def _within_file(one: RankedPack, allowed: int, level: int, limits: list[LimitHit]) -> RankedPack:
    """Return a pack of at most so many bytes, and say so where it was cut."""
    pack = one.pack
    size = _pack_size(pack, level)
    if size <= allowed:
        return one
    if level:
        limits.append(
            LimitHit("max_slate_file_bytes", allowed, size, file_id(pack.repo, pack.path))
        )
    bare = _bare_size(pack, level)
    while bare > allowed and (lesser := _lesser(pack)) is not None:
        pack = lesser
        bare = _bare_size(pack, level)
    return replace(one, pack=_shrunk(pack, max(allowed - bare, 0)))


def _lesser(pack: Pack) -> Pack | None:
    """Return the pack without its least important piece; None when only the file's name is left."""
    pieces = _pieces(pack)
    if not pieces:
        return None
    last = max(pieces, key=_importance)
    if pack.anchor is last:
        return replace(pack, anchor=None)
    evidence = tuple(piece for piece in pack.evidence if piece is not last)
    more = pack.more_evidence + (last.reason != "neighbour_context")
    return replace(pack, evidence=evidence, more_evidence=more)


def _kept(packs: Sequence[RankedPack], level: int, room: int) -> list[RankedPack]:
    """Return the packs that there is room for without snippets, the best of each section first.

    Packs lose pieces before any file goes; the lowest ranks go first, from all sections in turn.
    """
    kept = sorted(packs, key=_standing)
    sizes = [_bare_size(one.pack, level) + _COMMA for one in kept]
    needed = _overhead(kept) + sum(sizes)
    for place in reversed(range(len(kept))):
        while level and needed > room and (lesser := _lesser(kept[place].pack)) is not None:
            kept[place] = replace(kept[place], pack=lesser)
            smaller = _bare_size(lesser, level) + _COMMA
            needed += smaller - sizes[place]
            sizes[place] = smaller
    while kept and _overhead(kept) + sum(sizes[: len(kept)]) > room:
        kept.pop()
    return kept


def _standing(one: RankedPack) -> tuple[int, int, float, str, str]:
    section = SECTIONS.index(one.pack.section)
    return one.rank, section, -one.pack.score, one.pack.repo, one.pack.path
