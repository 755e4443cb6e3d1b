"""Combines the slates of several repositories into one slate. Performs no I/O.

Every matching repository keeps some of its best files. The other files are chosen by score, section
by section, as in the slate of a single repository.
"""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.limits import LimitHit
from ggrep.model.slate import SECTIONS, FileFacts, GraphBounds, GraphEdge, Pack, Slate
from ggrep.search.slate.cross_repo import cross_repo_edges
from ggrep.search.slate.document import file_id
from ggrep.search.slate.file_choice import QUOTAS, shares
from ggrep.search.slate.graph import bounded_graph
from ggrep.search.slate.levels import files_shown
from ggrep.search.slate.overview import SlatePlan, assembled
from ggrep.search.slate.packing import RankedPack, kept_packs, room_for_graph

DECIMALS: Final = 9
"""Decimals to which scaled scores are rounded before anything is ordered by them."""


class RepoSlate(Struct, frozen=True):
    """The slate of one repository.

    Attributes:
        repo: the repository's name in the answer.
        facts: names in its files, for edges to files of other repositories.
        left: number of matching files that are not in its slate.
    """

    repo: str
    slate: Slate
    facts: tuple[FileFacts, ...]
    left: int = 0


def combined(
    slates: Sequence[RepoSlate], plan: SlatePlan, *, comparable: bool
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return one slate of all repositories, and the limits that cut it.

    Args:
        slates: the slates of the repositories; their order does not matter.
        plan: the form of the slate; a weak answer shows fewer files, or none.
        comparable: whether scores of different repositories are comparable; if not, each score is
            divided by the best score of its repository.
    """
    budgets, level = plan.budgets, plan.level
    repos = [_of_repo(each, comparable=comparable) for each in sorted(slates, key=lambda s: s.repo)]
    total = sum(map(len, repos))
    every = chosen = _chosen(repos, budgets.files)
    number = files_shown(len(every), plan.confidence, keep_weak=plan.keep_weak)
    limits = []
    if total > len(every):
        limits.append(LimitHit("max_slate_files", budgets.files, total))
    if number < len(every):
        chosen = _chosen(repos, number)
        limits.append(LimitHit("low_confidence", number, len(every)))
    kept, cuts = kept_packs(chosen, budgets, level)
    packs, graph = [each.pack for each in kept], None
    limits += cuts
    if plan.graph:
        bounds = GraphBounds(bytes=room_for_graph(kept, budgets, level))
        graph, over = bounded_graph(packs, _edges(slates, packs), bounds)
        limits += over
    plan = replace(
        plan,
        left=total - len(packs) + sum(each.left for each in slates),
        cut=bool(cuts) or any(item.hidden_lines for pack in packs for item in pack.evidence),
    )
    slate, shrunk = assembled(kept, plan, graph)
    return slate, (*limits, *shrunk)


def _of_repo(slate: RepoSlate, *, comparable: bool) -> list[RankedPack]:
    """Return a repository's packs (files of a slate) with its name, in the order of display."""
    packs = [
        (pack, rank)
        for _, of_section in slate.slate.sections
        for rank, pack in enumerate(of_section)
    ]
    best = max((pack.score for pack, _ in packs), default=0.0) or 1.0
    if comparable:
        ranked = [RankedPack(replace(pack, repo=slate.repo), rank) for pack, rank in packs]
    else:
        ranked = [RankedPack(_scaled(pack, slate.repo, best), rank) for pack, rank in packs]
    return sorted(ranked, key=_precedence)


def _scaled(pack: Pack, repo: str, best: float) -> Pack:
    """Return a pack with its scores divided by the best score of its repository."""
    evidence = tuple(
        replace(
            piece,
            score=round(piece.score / best, DECIMALS),
            priority=piece.priority / best,
        )
        for piece in pack.evidence
    )
    score = round(pack.score / best, DECIMALS)
    return replace(pack, repo=repo, score=score, evidence=evidence)


def _precedence(item: RankedPack) -> tuple[float, int, float, str]:
    pack = item.pack
    return item.rank / QUOTAS[pack.section], SECTIONS.index(pack.section), -pack.score, pack.path


def _merit(item: RankedPack) -> tuple[float, str, str]:
    return -item.pack.score, item.pack.repo, item.pack.path


def _chosen(repos: Sequence[Sequence[RankedPack]], files: int) -> list[RankedPack]:
    """Return the files (packs) to show, each with its rank in its section.

    One half of the files is divided equally among the repositories; the other half is chosen by
    section and score.
    """
    matching = sorted(filter(None, repos), key=lambda packs: min(map(_merit, packs)))[:files]
    share = max(1, files // (2 * len(matching))) if matching else 0
    chosen = [item for packs in matching for item in packs[:share]]
    rest = sorted((item for packs in matching for item in packs[share:]), key=_merit)
    for section, quota in shares(files).items():
        taken = sum(item.pack.section is section for item in chosen)
        room = min(max(quota - taken, 0), files - len(chosen))
        of_section = [item for item in rest if item.pack.section is section][:room]
        chosen += of_section
        rest = [item for item in rest if item not in of_section]
    chosen = [*chosen, *rest][:files]
    return [
        replace(item, rank=rank)
        for section in SECTIONS
        for rank, item in enumerate(
            sorted((item for item in chosen if item.pack.section is section), key=_merit)
        )
    ]


def _edges(slates: Sequence[RepoSlate], packs: Sequence[Pack]) -> list[GraphEdge]:
    shown = {file_id(pack.repo, pack.path) for pack in packs}
    edges = [
        replace(
            edge, source=file_id(each.repo, edge.source), target=file_id(each.repo, edge.target)
        )
        for each in slates
        for edge in (each.slate.graph.edges if each.slate.graph else ())
    ]
    facts = {
        each.repo: [item for item in each.facts if file_id(each.repo, item.path) in shown]
        for each in slates
    }
    return [*edges, *cross_repo_edges(facts)]
