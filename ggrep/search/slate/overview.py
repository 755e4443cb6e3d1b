"""The summary of a slate: the query, where its answer lies, and useful next steps.

No claim about the code is made: every word is the query's, a path's or a definition's name.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit
from ggrep.model.slate import (
    DEFINITIONS,
    SECTIONS,
    Budgets,
    ContextGraph,
    Evidence,
    NextAction,
    Overview,
    Pack,
    Section,
    Slate,
)
from ggrep.search.slate.document import file_id, overview_json
from ggrep.search.slate.packing import RankedPack, filled, reserved

TOP_PATHS: Final = 5
TOP_NAMES: Final = 8

_LEFT: Final = "matching files were left out; a session can show them"
_NEXT: Final = "matching files were left out; delta_only shows them"


class Asked(Struct, frozen=True):
    """What a question was taken for.

    Attributes:
        terms: as they were looked for.
        kind: how it reads.
    """

    terms: tuple[str, ...]
    kind: str


def overview(asked: Asked, packs: Sequence[Pack], most_bytes: int) -> Overview:
    """Return where the answer lies, in at most so many bytes of canonical JSON."""
    ordered = sorted(packs, key=lambda pack: (-pack.score, pack.repo, pack.path))
    counts = {section: sum(pack.section is section for pack in packs) for section in SECTIONS}
    found = Overview(
        terms=asked.terms,
        kind=asked.kind,
        files=tuple((section, number) for section, number in counts.items() if number),
        top_paths=tuple(file_id(pack.repo, pack.path) for pack in ordered[:TOP_PATHS]),
        names=_names(ordered)[:TOP_NAMES],
        missing=tuple(section for section, number in counts.items() if not number),
    )
    while len(stable_json.dumps(overview_json(found))) > most_bytes:
        for field in ("names", "top_paths", "terms"):
            if values := getattr(found, field):
                found = replace(found, **{field: values[:-1]})
                break
        else:
            return found
    return found


def _names(ordered: Sequence[Pack]) -> tuple[str, ...]:
    """Return the names that the best evidence of code defines."""
    found: dict[str, None] = {}
    for pack in ordered:
        if pack.section is Section.CODE:
            best = sorted(pack.evidence, key=lambda item: (-item.score, item.start_line))
            defining = [item for item in best[:2] if item.chunk_type in DEFINITIONS]
            found.update((name, None) for item in defining if (name := _telling(item)))
    return tuple(found)


def _telling(item: Evidence) -> str:
    """Return a definition's name; of `__init__` and its like that of the class."""
    if item.name.startswith("__") and item.breadcrumb:
        return item.breadcrumb[-1]
    return item.name


class Standing(Struct, frozen=True):
    """What decides which hints help.

    Attributes:
        left: files that match and had no place.
        cut: snippets were cut for their budget.
        has_session: the caller goes on in a session.
    """

    level: int
    confidence: Confidence
    left: int
    cut: bool
    has_session: bool


def assembled(
    packs: Sequence[RankedPack],
    asked: Asked,
    standing: Standing,
    graph: ContextGraph | None,
    budgets: Budgets,
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return the slate of some packs, and the cuts of what is shown of them.

    Args:
        packs: as `kept_packs` returned them.
        asked: what the question was taken for.
        standing: which hints help.
        graph: within `room_for_graph`; None for none.
        budgets: in force.
    """
    room = reserved(budgets, standing.level)
    shown = [one.pack for one in packs]
    draft = Slate(
        level=standing.level,
        overview=overview(asked, shown, room["overview"]),
        sections=(),
        graph=graph,
        next_actions=next_actions(shown, standing, room["next_actions"]),
        limits=budgets,
    )
    return filled(draft, packs, budgets)


def next_actions(
    packs: Sequence[Pack], standing: Standing, most_bytes: int
) -> tuple[NextAction, ...]:
    """Return what would help further, the most useful first, in so many bytes of canonical JSON."""
    found: list[NextAction] = []
    if not packs or standing.confidence is not Confidence.STRONG:
        found.append(NextAction("refine", "", "use words that occur in the code or its documents"))
    deeper = NextAction("level", str(standing.level + 1), "show more of these files")
    if packs and standing.level == 0:
        found.append(deeper)
    found += _into_code(packs)
    if packs and standing.level == 1 and standing.cut:
        found.append(deeper)
    if standing.left and packs:
        going_on = NextAction("refine", "", _NEXT)
        found.append(going_on if standing.has_session else NextAction("refine", "session", _LEFT))
    kept: list[NextAction] = []
    for action in found:
        if _size([*kept, action]) > most_bytes:
            break
        kept.append(action)
    return tuple(kept)


def _into_code(packs: Sequence[Pack]) -> list[NextAction]:
    """Return hints that lead from the best match into the code around it."""
    code = [pack for pack in packs if pack.section is Section.CODE]
    if not code:
        return []
    code.sort(key=lambda pack: (-pack.score, pack.repo, pack.path))
    target = f"{file_id(code[0].repo, code[0].path)}:{code[0].line}"
    found = [NextAction("expand", target, "read all of the best match")]
    hints = (("refs", "see what calls or uses it"), ("symbol", "see its definition"))
    named = [(pack, name) for pack in code for name in _names([pack])]
    for (pack, name), (action, why) in zip(named, hints, strict=False):
        found.append(NextAction(action, file_id(pack.repo, name), why))
    return found


def _size(actions: Sequence[NextAction]) -> int:
    return len(stable_json.dumps(to_builtins(list(actions))))
