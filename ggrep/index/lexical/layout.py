"""The lexical layout: which fields exist and how a term's digest is formed.

`LEXICAL_LAYOUT` enters the configuration fingerprint and the cohort key: figures of different
layouts are never added up.

lexical-1: chunk fields body, name, crumb, symbol; file fields path, stem.
lexical-2: chunk field doc; parts of words by their stems.
lexical-3: chunk field spelled; a chunk's own name counts twice in symbol and spelled.
lexical-4: words in NFKC; scripts without spaces as pairs of letters; combining marks in words.
"""

from typing import Final

LEXICAL_LAYOUT: Final = "lexical-4"

BODY: Final = 0
"""The chunk's own text and its extra words."""
NAME: Final = 1
"""Names of the definitions in the chunk, whole and split."""
CRUMB: Final = 2
"""Enclosing definitions or headings, whole and split."""
DOC: Final = 3
"""What documents the chunk's definition; those words lie in the body as well."""
SYMBOL: Final = 4
"""Names of the definitions in the chunk, whole only. Never part of BM25: it answers whether the
chunk defines a queried name. What the chunk itself is called counts twice, so that a class is
told from the field of another."""
SPELLED: Final = 5
"""The same names in their own letter case and with their underscores; never part of BM25."""
CHUNK_FIELDS: Final = 6
SCORED_FIELDS: Final = 4
"""The first fields, those that BM25F sums over and that have length totals."""

PATH: Final = 0
"""Directory and file names, whole and split."""
STEM: Final = 1
"""The file's name without its endings, whole and split."""
FILE_FIELDS: Final = 2

MAX_QUERY_TERMS: Final = 64
"""Most terms of a query that enter scoring; the rest is a `limits_hit`."""
