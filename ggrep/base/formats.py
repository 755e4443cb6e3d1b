"""Versions of ggrep's formats; each version is part of a fingerprint, a file or an answer."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from ggrep.base.errors import Incompatible


class Format(Struct, frozen=True):
    """Versions of one artifact that this build reads and writes.

    Attributes:
        oldest: lowest version that this build reads.
        place: fields with the document's location. The digest excludes them; readers compare them
            with the actual location.
        place_since: the first version whose digest excludes these fields.
    """

    artifact: str
    field: str
    oldest: int
    writes: int
    place: tuple[str, ...] = ()
    place_since: int = 0

    def apart(self, version: object) -> tuple[str, ...]:
        """Return the fields that the digest of a document in this version excludes."""
        return self.place if isinstance(version, int) and version >= self.place_since else ()

    def check(self, version: object) -> None:
        """Raise unless this build reads the version.

        Raises:
            Incompatible: the version is newer or older than the versions that this build reads.
        """
        if isinstance(version, bool) or not isinstance(version, int):
            return  # not a version number: the document is damaged, which the reader reports
        if not self.oldest <= version <= self.writes:
            readable = f"{self.oldest} to {self.writes}"
            raise Incompatible(
                f"{self.artifact}: {self.field} is {version}, but this build of ggrep "
                f"reads {readable}"
            )


MANIFEST: Final = Format(
    "manifest.json", "schema_version", 1, 3, place=("canonical_root", "store_id"), place_since=3
)
"""Layout of a snapshot manifest.

1. First layout: names every segment, tombstone file, map and image with size and digest.
2. `ref_type` of every reference, `path` of segments, `sha256` of all other fields.
3. `index_id`; `sha256` excludes the location.
"""

ROW: Final = Format("manifest.json", "chunk_row_schema_version", 2, 5)
"""Columns of a segment table.

1. First layout; this build reads none of its images, so the repository is indexed again.
2. `signature` and `doc`.
3. `encoding` and `traits`.
4. `tail`, with which the text of a whole file can be assembled from its chunks.
5. `row_id` and `chunk_id` as bytes.
"""

ROW_CONTENT: Final = 4
"""The first version of `ROW` with the present content, whose indexes are read and updated."""

INDEX_STATE: Final = Format("index_state.json", "schema_version", 1, 2)
"""Record of the last sync.

1. First layout.
2. `git.last_head_sha`, the times of upkeep, `sha256` of all other fields.
"""

LEASE: Final = Format("writer lease", "schema_version", 1, 2)
"""Record of the writer lease.

1. Owner, pid, epoch, heartbeat.
2. Host, boot, monotonic heartbeat, time to live, transaction, `sha256` of all other fields.
"""

IMAGE_FORMAT: Final = "ggrep-image-2"
"""Layout of a segment image, the memory-mapped read side of a segment.

1. First layout: int8 vectors with scales, postings, field lengths, row table. 2. Rows of postings
as u16 where they fit, counts as u8, with large counts in a separate array.
"""

IMAGE_FORMAT_BEFORE: Final = "ggrep-image-1"
"""The previous layout, which this build can also read."""

INDEX_REVISION: Final = "ggrep-index-3"
"""Revision of indexing, beyond chunker, grammars and encoder.

1. First revision.
2. Text in any encoding is decoded, and secrets in it are masked.
3. Scripts without spaces are indexed as bigrams, words in NFC; notebooks in every form.
"""

RANKING_REVISION: Final = "ranking-5"
"""Revision of scoring; scores of two revisions are not comparable."""

SCHEMA_KEY: Final = f"row-{ROW_CONTENT}|{IMAGE_FORMAT}|{RANKING_REVISION}"
"""A key that is equal for all indexes that the same code can read and score."""

# Versions of JSON documents whose format has never changed.
QUERY_SCHEMA: Final = 1
SLATE_SCHEMA: Final = 1
SYMBOL_SCHEMA: Final = 1
REFERENCES_SCHEMA: Final = 1
EXPAND_SCHEMA: Final = 1
ANSWERS_SCHEMA: Final = 1
OUTLINE_SCHEMA: Final = 1
TOUR_SCHEMA: Final = 1
STATUS_SCHEMA: Final = 1
HEALTH_SCHEMA: Final = 1
REPLAY_SCHEMA: Final = 1

FEDERATED_SCHEMA: Final = 1
"""JSON of a federated answer.

1. The contract's shape, with `results`, `limits_hit` and further keys of `meta`.
"""

RECEIPT: Final = Format("receipt", "schema_version", 1, 1)
"""The file that `search --receipt` writes and `replay` reads. 1. First shape.
"""

SCHEMA_VERSIONS: Final[Mapping[str, tuple[int, ...]]] = {
    "query_success": (QUERY_SCHEMA,),
    "query_error": (QUERY_SCHEMA,),
    "slate_success": (SLATE_SCHEMA,),
    "symbol_success": (SYMBOL_SCHEMA,),
    "references_success": (REFERENCES_SCHEMA,),
    "expand_success": (EXPAND_SCHEMA,),
    "outline_success": (OUTLINE_SCHEMA,),
    "tour_success": (TOUR_SCHEMA,),
    "status": (STATUS_SCHEMA,),
    "health": (HEALTH_SCHEMA,),
}
"""Versions of a daemon's documents by name; failures have the version of the replaced answers."""
