"""Combines the slates of several repositories: a fair share for each, the rest by score.

Pure. Every repository that matches keeps some of its best files; the others go where the scores
are best, section by section, as in a slate of one.
"""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from ggrep.model.confidence import Confidence
from ggrep.model.limits import LimitHit
from ggrep.model.slate import (
    SECTIONS,
    Budgets,
    FileFacts,
    GraphBounds,
    GraphEdge,
    Pack,
    Slate,
)
from ggrep.search.slate.cross_repo import cross_repo_edges
from ggrep.search.slate.document import file_id
from ggrep.search.slate.file_choice import QUOTAS, shares
from ggrep.search.slate.graph import bounded_graph
from ggrep.search.slate.levels import files_shown
from ggrep.search.slate.overview import Asked, Standing, assembled
from ggrep.search.slate.packing import RankedPack, kept_packs, room_for_graph

_DECIMALS = 9
"""Shares are rounded as scores are, before anything is ordered by them."""


class RepoSlate(Struct, frozen=True):
    """What one repository gave.

    Attributes:
        repo: how it is named in the answer.
        facts: of its files, for what joins them with those of others.
        left: files that match and had no place in its slate.
    """

    repo: str
    slate: Slate
    facts: tuple[FileFacts, ...]
    left: int = 0


class Combining(Struct, frozen=True):
    """How slates are combined.

    Attributes:
        comparable: scores are on one scale; else each counts as a share of its repository's best.
        confidence: in the answer of the whole workspace; a doubtful one shows fewer files, or none.
        keep_weak: show all of it nevertheless.
        has_session: the caller goes on in a session.
        named: the caller names what is shown, whatever it has to do with the question.
    """

    level: int
    budgets: Budgets
    comparable: bool
    confidence: Confidence
    graph: bool
    keep_weak: bool = False
    has_session: bool = False
    named: bool = False


def combined(
    slates: Sequence[RepoSlate], asked: Asked, how: Combining
) -> tuple[Slate, tuple[LimitHit, ...]]:
    """Return one slate of several, and the cuts that its budgets made.

    Args:
        slates: the order decides nothing.
        asked: what the question was taken for.
        how: level, budgets and what scores mean.
    """
    named = [_named(one, how) for one in sorted(slates, key=lambda one: one.repo)]
    every = _chosen(named, how.budgets.files)
    total = sum(len(packs) for packs in named)
    chosen, weak = _trusted(named, every, how)
    kept, cuts = kept_packs(chosen, how.budgets, how.level)
    packs = [one.pack for one in kept]
    bounds: tuple[LimitHit, ...] = ()
    graph = None
    if how.graph:
        edges = _edges(slates, packs)
        most_bytes = room_for_graph(kept, how.budgets, how.level)
        graph, bounds = bounded_graph(packs, edges, GraphBounds(bytes=most_bytes))
    standing = Standing(
        level=how.level,
        confidence=how.confidence,
        left=total - len(packs) + sum(one.left for one in slates),
        cut=bool(cuts) or any(item.hidden_lines for pack in packs for item in pack.evidence),
        has_session=how.has_session,
    )
    slate, shrunk = assembled(kept, asked, standing, graph, how.budgets)
    over: tuple[LimitHit, ...] = ()
    if total > len(every):
        over = (LimitHit("max_slate_files", how.budgets.files, total),)
    return slate, (*over, *weak, *cuts, *bounds, *shrunk)


def _named(one: RepoSlate, how: Combining) -> list[RankedPack]:
    """Return a repository's packs under its name, the first to be shown first."""
    found = [
        RankedPack(replace(pack, repo=one.repo), rank)
        for _, packs in one.slate.sections
        for rank, pack in enumerate(packs)
    ]
    if not how.comparable:
        best = max((item.pack.score for item in found), default=0.0) or 1.0
        found = [_scaled(item, best) for item in found]
    return sorted(found, key=_precedence)


def _scaled(item: RankedPack, best: float) -> RankedPack:
    """Return a pack with its scores as shares of its repository's best."""
    pack = item.pack
    evidence = tuple(
        replace(piece, score=_share(piece.score, best), priority=piece.priority / best)
        for piece in pack.evidence
    )
    return replace(item, pack=replace(pack, score=_share(pack.score, best), evidence=evidence))


def _share(score: float, best: float) -> float:
    return round(score / best, _DECIMALS)


def _precedence(item: RankedPack) -> tuple[float, int, float, str]:
    pack = item.pack
    return item.rank / QUOTAS[pack.section], SECTIONS.index(pack.section), -pack.score, pack.path


def _merit(item: RankedPack) -> tuple[float, str, str]:
    return -item.pack.score, item.pack.repo, item.pack.path


def _chosen(repos: Sequence[Sequence[RankedPack]], files: int) -> list[RankedPack]:
    """Return the packs to show: half of them in equal shares, the others by section and score."""
    matching = sorted((packs for packs in repos if packs), key=lambda packs: _merit(_best(packs)))
    matching = matching[:files]
    if not matching:
        return []
    share = max(1, files // (2 * len(matching)))
    chosen = [item for packs in matching for item in packs[:share]]
    rest = sorted((item for packs in matching for item in packs[share:]), key=_merit)
    quotas = shares(files)
    for section in SECTIONS:
        held = sum(item.pack.section is section for item in chosen)
        own = [item for item in rest if item.pack.section is section]
        room = min(max(quotas[section] - held, 0), files - len(chosen))
        chosen += own[:room]
    taken = {id(item) for item in chosen}
    chosen += [item for item in rest if id(item) not in taken][: files - len(chosen)]
    return _ranked(chosen[:files])


def _trusted(
    repos: Sequence[Sequence[RankedPack]], every: list[RankedPack], how: Combining
) -> tuple[list[RankedPack], tuple[LimitHit, ...]]:
    """Return what is shown of `every`, as of one repository, and that cut."""
    number = files_shown(len(every), how.confidence, keep_weak=how.keep_weak or how.named)
    if number >= len(every):
        return every, ()
    return _chosen(repos, number), (LimitHit("low_confidence", number, len(every)),)


def _best(packs: Sequence[RankedPack]) -> RankedPack:
    return min(packs, key=_merit)


def _ranked(chosen: Sequence[RankedPack]) -> list[RankedPack]:
    """Return the packs with their places within the sections of the combined slate."""
    found: list[RankedPack] = []
    for section in SECTIONS:
        own = sorted((item for item in chosen if item.pack.section is section), key=_merit)
        found += [replace(item, rank=rank) for rank, item in enumerate(own)]
    return found


def _edges(slates: Sequence[RepoSlate], packs: Sequence[Pack]) -> list[GraphEdge]:
    """Return what joins the files of each repository, and the repositories with each other."""
    shown = {file_id(pack.repo, pack.path) for pack in packs}
    found = [
        replace(edge, source=file_id(one.repo, edge.source), target=file_id(one.repo, edge.target))
        for one in slates
        for edge in (one.slate.graph.edges if one.slate.graph else ())
    ]
    facts: Mapping[str, Sequence[FileFacts]] = {
        one.repo: [item for item in one.facts if file_id(one.repo, item.path) in shown]
        for one in slates
    }
    return [*found, *cross_repo_edges(facts)]
