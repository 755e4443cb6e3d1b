"""The lexical layout: the fields of chunks and files, and the form of terms.

`LEXICAL_LAYOUT` is part of the configuration fingerprint and of the cohort key, so statistics of
different layouts are never added.

Each layout adds to the layouts before it:

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
"""The documentation of the chunk's definition; its words are also in the body."""
SYMBOL: Final = 4
"""Names of the definitions in the chunk, only whole.

Not part of BM25: the field shows whether the chunk defines a queried name. The chunk's own name is
counted twice, to distinguish it from names of members in it.
"""
SPELLED: Final = 5
"""The same names in their original letter case and with underscores; not part of BM25."""
CHUNK_FIELDS: Final = 6
SCORED_FIELDS: Final = 4
"""Number of scored fields: BM25F sums over these first fields, and they have length totals."""

PATH: Final = 0
"""Directory and file names, whole and split."""
STEM: Final = 1
"""The file's name without its endings, whole and split."""
FILE_FIELDS: Final = 2

MAX_QUERY_TERMS: Final = 64
"""Maximum number of terms of a query that are scored; more terms are reported in `limits_hit`."""
