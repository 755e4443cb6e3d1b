"""Versions of what ggrep writes; each enters a fingerprint, a file on disk or an answer."""

from typing import Final

MANIFEST_SCHEMA: Final = 1
"""Layout of a snapshot manifest.

1. First layout: names every segment, tombstone file, map and image with size and digest.
"""

ROW_SCHEMA: Final = 2
"""Columns of a segment table.

1. First layout.
2. `signature` and `doc`.
"""

IMAGE_FORMAT: Final = "ggrep-image-1"
"""Layout of a segment image, the memory-mapped read side of a segment.

1. First layout: int8 vectors with scales, postings, field lengths, row table.
"""

INDEX_REVISION: Final = "ggrep-index-1"
"""What indexing computes from a file beyond chunker, grammars and encoder.

1. First revision.
"""

QUERY_SCHEMA: Final = 1
"""JSON of a search answer.

1. First shape.
"""

STATUS_SCHEMA: Final = 1
"""JSON of `status`.

1. First shape.
"""

HEALTH_SCHEMA: Final = 1
"""JSON of `health`.

1. First shape.
"""
