"""Makes the overview of a slate, and suggests next commands.

The overview contains only words of the query, paths and names of definitions.
"""

from collections.abc import Iterable, Iterator, Sequence
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


class SlatePlan(Struct, frozen=True):
    """The form of a slate, and facts about its answer that are known before its lines are chosen.

    Attributes:
        budgets: the effective budgets.
        terms: the searched words of the query.
        kind: kind of the query.
        graph: show how files are related.
        left: number of matching files that are not shown.
        cut: whether snippets were cut.
        has_session: whether the request is part of a session.
        keep_weak: show all files, even if the answer is weak.
    """

    level: int
    budgets: Budgets
    confidence: Confidence
    terms: tuple[str, ...] = ()
    kind: str = "words"
    graph: bool = True
    left: int = 0
    cut: bool = False
    has_session: bool = False
    keep_weak: bool = False


def assembled(
    packs: Sequence[RankedPack], plan: SlatePlan, graph: ContextGraph | None
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return the slate of the files from `kept_packs`, and the limits that cut their lines.

    The graph, if any, is at most as large as `room_for_graph` permits.
    """
    room = reserved(plan.budgets, plan.level)
    shown = [each.pack for each in packs]
    draft = Slate(
        level=plan.level,
        overview=overview(plan, shown, room["overview"]),
        sections=(),
        graph=graph,
        next_actions=next_actions(plan, shown, room["next_actions"]),
        limits=plan.budgets,
    )
    return filled(draft, packs, plan.budgets)


def overview(plan: SlatePlan, packs: Sequence[Pack], most_bytes: int) -> Overview:
    """Return the overview, with at most `most_bytes` bytes of canonical JSON."""
    ordered = _by_score(packs)
    counts = {section: sum(pack.section is section for pack in packs) for section in SECTIONS}
    summary = Overview(
        terms=plan.terms,
        kind=plan.kind,
        files=tuple((section, number) for section, number in counts.items() if number),
        top_paths=tuple(file_id(pack.repo, pack.path) for pack in ordered[:TOP_PATHS]),
        names=_names(ordered)[:TOP_NAMES],
        missing=tuple(section for section, number in counts.items() if not number),
    )
    for field in ("names", "top_paths", "terms"):
        while _size(overview_json(summary)) > most_bytes and (values := getattr(summary, field)):
            summary = replace(summary, **{field: values[:-1]})
    return summary


def _by_score(packs: Iterable[Pack]) -> list[Pack]:
    return sorted(packs, key=lambda pack: (-pack.score, pack.repo, pack.path))


def _names(ordered: Sequence[Pack]) -> tuple[str, ...]:
    """Return the names that the best evidence in code defines."""
    names: dict[str, None] = {}
    for pack in ordered:
        if pack.section is Section.CODE:
            best = sorted(pack.evidence, key=lambda item: (-item.score, item.start_line))
            for item in best[:2]:
                # The name of a class says more than a special name such as `__init__`.
                is_special = item.name.startswith("__") and item.breadcrumb
                name = item.breadcrumb[-1] if is_special else item.name
                if name and item.chunk_type in DEFINITIONS:
                    names[name] = None
    return tuple(names)


def next_actions(plan: SlatePlan, packs: Sequence[Pack], most_bytes: int) -> tuple[NextAction, ...]:
    """Return suggested commands, best first, with at most `most_bytes` bytes of canonical JSON."""
    actions: list[NextAction] = []
    if not packs or plan.confidence is not Confidence.STRONG:
        actions.append(
            NextAction("refine", "", "use words that occur in the code or its documents")
        )
    deeper = NextAction("level", str(plan.level + 1), "show more of these files")
    if packs and plan.level == 0:
        actions.append(deeper)
    actions += _into_code(packs)
    if packs and plan.level == 1 and plan.cut:
        actions.append(deeper)
    if plan.left and packs:
        going_on = ("", _NEXT) if plan.has_session else ("session", _LEFT)
        actions.append(NextAction("refine", *going_on))
    while actions and _size(to_builtins(actions)) > most_bytes:
        actions.pop()
    return tuple(actions)


def _into_code(packs: Sequence[Pack]) -> Iterator[NextAction]:
    """Yield suggested commands that show the code around the best match."""
    code = _by_score(pack for pack in packs if pack.section is Section.CODE)
    for pack in code[:1]:
        target = f"{file_id(pack.repo, pack.path)}:{pack.line}"
        yield NextAction("expand", target, "read all of the best match")
    hints = (("refs", "see what calls or uses it"), ("symbol", "see its definition"))
    named = [file_id(pack.repo, name) for pack in code for name in _names([pack])]
    for target, (action, why) in zip(named, hints, strict=False):
        yield NextAction(action, target, why)


def _size(document: stable_json.Document) -> int:
    return len(stable_json.dumps(document))
