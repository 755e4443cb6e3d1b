"""Folds copies of a text that several repositories hold: vendored code, forks, templates.

Pure. A text is a chunk's identity within one corpus, so that folding the blended list and folding
each corpus come to the same. The best-ranked copy stays and names the others; copies inside one
repository stay apart, as they do when that repository is searched alone.

Repositories hand over lists of bounded length. Folding may use them up, so some must be asked for
longer ones: exactly those whose unseen hits could stand among the first `top`. That is known
because a list's unseen hits all come after its last one in the merged order.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from ggrep.base.ids import RepoId
from ggrep.federation.federated_request import MAX_PER_REPO_TOP
from ggrep.federation.merge import AlsoIn, MergedHit, RankedList
from ggrep.model.hit import Hit
from ggrep.model.limits import LimitHit

REFILL_LIMIT: Final = "fold_refill"
"""Code of the cut that is made when even the longest lists were used up by folding."""


def fold(ordered: Sequence[MergedHit]) -> tuple[MergedHit, ...]:
    """Return the hits that are not copies of a better-ranked hit of another repository.

    Their order and scores are kept. Whether a hit stays depends on those before it alone, so a
    longer list folds to the same beginning; only `also_in` may name more.

    Args:
        ordered: best first; before quotas, limits per file and the cut to `top`, so that what
            follows takes the places that become free.
    """
    kept: list[MergedHit] = []
    first: dict[tuple[str, str], int] = {}
    copies: dict[int, list[AlsoIn]] = defaultdict(list)
    for merged in ordered:
        place = first.setdefault(_text(merged.hit), len(kept))
        if place < len(kept) and kept[place].repo_id != merged.repo_id:
            copies[place].append(_also_in(merged))
        else:
            kept.append(merged)
    for place, found in copies.items():
        kept[place] = replace(kept[place], also_in=tuple(sorted(found, key=_also_in_order)))
    return tuple(kept)


def used_up(
    lists: Iterable[RankedList], asked: Mapping[RepoId, int], *, top: int
) -> frozenset[RepoId]:
    """Return the repositories whose lists folding may have used up, without merging them.

    A list goes on behind its end when it is as long as was asked for. What is behind matters only
    if the list holds fewer than `top` texts: for each text there is a hit that stays, no worse
    than the list's last one. So it takes copies inside one repository, which are rare. Lists that
    were asked for fewer than `top` hits are as short as the request wants them.
    """
    return frozenset(
        item.repo_id
        for item in lists
        if 0 < top <= asked[item.repo_id] <= len(item.hits)
        and len({_text(hit) for hit in item.hits}) < top
    )


def needs_more(
    ordered: Sequence[MergedHit],
    kept: Sequence[MergedHit],
    lists: Iterable[RankedList],
    asked: Mapping[RepoId, int],
    *,
    top: int,
) -> tuple[RepoId, ...]:
    """Return the repositories whose unseen hits could rank among the first `top` of `kept`.

    When there is none, `kept[:top]` is what lists of any length would come to, and what is dealt
    from such lists over several corpora is as well: a hit behind the first `top` of its corpus
    is never dealt, for each that was passed over for its file had been outdone by a dealt one.

    `kept` is `ordered`, folded, of which the first `top` matter; `asked` says how long a list each
    repository was asked for.
    """
    used = used_up(lists, asked, top=top)
    if not used:
        return ()
    if len(kept) < top:
        return tuple(sorted(used))
    last = kept[top - 1].global_id
    place = next(place for place, merged in enumerate(ordered) if merged.global_id == last)
    # Whoever has a seen hit there or later has its unseen ones later still.
    reaching = {merged.repo_id for merged in ordered[place:]}
    return tuple(sorted(used - reaching))


def deeper(
    named: Iterable[RepoId], asked: Mapping[RepoId, int], *, most: int = MAX_PER_REPO_TOP
) -> dict[RepoId, int]:
    """Return the next list length to request of each repository: doubled, up to `most`.

    A repository that gave its longest list already is not among them.
    """
    return {repo: min(2 * asked[repo], most) for repo in sorted(named) if asked[repo] < most}


def refill_limit(
    named: Iterable[RepoId], asked: Mapping[RepoId, int]
) -> tuple[tuple[RepoId, LimitHit], ...]:
    """Return the limits hit by repositories that would need longer lists but get no more."""
    return tuple((repo, LimitHit(REFILL_LIMIT, asked[repo])) for repo in sorted(named))


def _text(hit: Hit) -> tuple[str, str]:
    return hit.corpus.value, hit.chunk_id


def _also_in(merged: MergedHit) -> AlsoIn:
    hit = merged.hit
    return AlsoIn(
        merged.repo_id, merged.repo_alias, hit.path, hit.start_line, hit.end_line, hit.row_id
    )


def _also_in_order(copy: AlsoIn) -> tuple[RepoId, bytes, int, str]:
    return copy.repo_id, copy.file.encode(), copy.start, copy.row_id
