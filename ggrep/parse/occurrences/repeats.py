"""Drops repeats: a definition that names itself at several places is reported once."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from ggrep.parse.occurrences.words import Occurrence

_CLAUSE_GAP: Final = 4
"""Lines between two clauses of one function at most."""


def without_repeats(
    told: Iterable[tuple[Occurrence, int]], *, merging: bool
) -> Iterable[Occurrence]:
    """Return the mentions, each definition told once.

    Args:
        told: mentions in source order, each with where what it defines has its body or begins.
        merging: make clauses in a row one definition.
    """
    out: list[Occurrence] = []
    last: dict[tuple[str, str], tuple[int, int]] = {}
    for mention, first in told:
        defined = mention.defined
        if defined is None:
            out.append(mention)
            continue
        key = (mention.container, mention.text)
        place, first_byte = last.get(key, (-1, -1))
        held = out[place].defined if place >= 0 else None
        near = held is not None and defined.start_line - held.end_line <= _CLAUSE_GAP
        if held is not None and (first == first_byte or (merging and near)):
            grown = replace(held, end_line=max(held.end_line, defined.end_line))
            grown = replace(grown, declared_only=held.declared_only and defined.declared_only)
            out[place] = replace(out[place], defined=grown)
            out.append(replace(mention, defined=None))
            continue
        last[key] = (len(out), first)
        out.append(mention)
    return out
