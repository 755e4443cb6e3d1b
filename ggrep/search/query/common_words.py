"""A table of how common words are in programs in general, independent of the collection.

A word that is rare in one repository can still be an everyday word, which says little about the
query. A word that is rare in programs in general indicates the subject of the query.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

FULL: Final = 10
"""The weight of a term without an entry, in the table's unit."""
TABLE: Final = Path(__file__).with_name("common_words.txt")


def general_weight(term: str) -> float:
    """Return the weight of a term, 0 to 1; 0 for a term that occurs in most texts."""
    return _weights().get(term, FULL) / FULL


@cache
def _weights() -> Mapping[str, int]:
    """Return the table.

    Line n of the table's file, counted from 0, lists the terms of weight n.
    """
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return {term: weight for weight, line in enumerate(lines) for term in line.split()}


def table_text(weights: Mapping[str, int]) -> str:
    """Return the table as the text of its file."""
    lines: list[list[str]] = [[] for _ in range(FULL)]
    for term in sorted(weights, key=str.encode):
        lines[weights[term]].append(term)
    return "".join(f"{' '.join(line)}\n" for line in lines)
