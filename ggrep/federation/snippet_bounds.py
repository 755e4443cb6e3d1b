"""Limits the snippet text of a whole answer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from ggrep.federation.merge import MergedHit
from ggrep.federation.workspace_answer import RepoLimit
from ggrep.model.hit import Hit, shortened
from ggrep.model.limits import LimitHit

Lists: TypeAlias = tuple[tuple[MergedHit, ...], ...]


def cap_snippets(
    lists: Sequence[Sequence[MergedHit]], *, per_hit: int, total: int
) -> tuple[Lists, tuple[RepoLimit, ...]]:
    """Return the lists with at most `per_hit` and `total` bytes of snippets, and the cuts made.

    Bytes are given out in the order of the lists; a hit that stands in several of them counts
    once and reads the same in each. Only hits that are shown are spoken of.
    """
    shown: dict[str, Hit] = {}
    cuts: dict[tuple[str, str], RepoLimit] = {}
    left, wanted = total, 0
    for merged in (merged for hits in lists for merged in hits):
        if merged.global_id in shown:
            continue
        size = len(merged.hit.content.encode())
        if size > per_hit:
            cut = LimitHit("max_snippet_bytes_per_result", per_hit, size, merged.hit.path)
            cuts.setdefault((merged.repo_id, merged.hit.path), RepoLimit(cut, merged.repo_id))
        allowed = min(size, per_hit)
        given = min(allowed, left)
        wanted += allowed
        left -= given
        shown[merged.global_id] = merged.hit if given == size else shortened(merged.hit, given)
    capped = tuple(
        tuple(replace(merged, hit=shown[merged.global_id]) for merged in hits) for hits in lists
    )
    limits = list(cuts.values())
    if wanted > total:
        limits.append(RepoLimit(LimitHit("max_total_snippet_bytes", total, wanted)))
    return capped, tuple(limits)
