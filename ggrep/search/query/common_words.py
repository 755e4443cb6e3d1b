"""How common words are in programs in general, whatever the collection.

A word that is rare in one repository may be everyday English, which says little of a question. A
word that is rare in programs in general says which domain the question is of.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

FULL: Final = 10
"""The weight of a term without an entry, in the table's unit."""
TABLE: Final = Path(__file__).with_name("common_words.txt")


def general_weight(term: str) -> float:
    """Return the weight of a term: from 0 for one that most texts hold, to 1."""
    return _weights().get(term, FULL) / FULL


@cache
def _weights() -> Mapping[str, int]:
    """Return the table: line by line the terms of a weight, from 0."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {term: weight for weight, line in enumerate(lines) for term in line.split()}


def table_text(weights: Mapping[str, int]) -> str:
    """Return the table's text."""
    lines: list[list[str]] = [[] for _ in range(FULL)]
    for term in sorted(weights, key=str.encode):
        lines[weights[term]].append(term)
    return "".join(f"{' '.join(line)}\n" for line in lines)
