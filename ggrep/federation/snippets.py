"""Bounds the snippet text of a whole answer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from ggrep.domain.hit import Hit
from ggrep.domain.limits import LimitHit
from ggrep.federation.merge import MergedHit

Lists: TypeAlias = tuple[tuple[MergedHit, ...], ...]


def cap_snippets(lists: Sequence[Sequence[MergedHit]], total: int) -> tuple[Lists, LimitHit | None]:
    """Return the lists with at most `total` bytes of snippets, and the cut that was made.

    Bytes are given out in the order of the lists; a hit that stands in several of them counts
    once and reads the same in each.
    """
    shown: dict[str, Hit] = {}
    left, wanted = total, 0
    for merged in (merged for hits in lists for merged in hits):
        if merged.global_id in shown:
            continue
        size = len(merged.hit.content.encode())
        given = min(size, left)
        wanted += size
        left -= given
        shown[merged.global_id] = merged.hit if given == size else _cut(merged.hit, given)
    capped = tuple(
        tuple(replace(merged, hit=shown[merged.global_id]) for merged in hits) for hits in lists
    )
    if wanted <= total:
        return capped, None
    return capped, LimitHit("max_total_snippet_bytes", total, wanted)


def _cut(hit: Hit, size: int) -> Hit:
    content = hit.content.encode()[:size].decode(errors="ignore")
    lost = hit.content.count("\n") - content.count("\n")
    return replace(hit, content=content, hidden_lines=hit.hidden_lines + lost)
