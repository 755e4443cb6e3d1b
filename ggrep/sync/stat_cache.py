"""What is remembered of files so that an unchanged one is not read again.

Derived, and never an authority: a missing or damaged cache costs reading, not correctness. An
entry is kept only when the file was older than RACY_NS when it was read; a file that changed
twice within one tick of the file system's clock would otherwise look unchanged.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ggrep import durable, stable_json
from ggrep.domain.ids import PathKey
from ggrep.domain.source import SourceFile

RACY_NS = 100_000_000


@dataclass(frozen=True, slots=True)
class KnownFile:
    """A file as it was when its digest was taken."""

    file: SourceFile
    digest: str


def load(path: Path) -> dict[PathKey, KnownFile]:
    """Return the remembered files; none when the cache cannot be read."""
    try:
        values = stable_json.loads(path.read_bytes())
        return {
            PathKey(key): KnownFile(SourceFile(PathKey(key), *stat), digest)
            for key, (*stat, digest) in values.items()
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def save(path: Path, known: Mapping[PathKey, KnownFile], *, read_at_ns: int) -> None:
    """Remember `known`, files younger than RACY_NS at `read_at_ns` left out."""
    settled: dict[str, stable_json.Json] = {
        key: [
            item.file.size_bytes,
            item.file.mtime_ns,
            item.file.ctime_ns,
            item.file.inode,
            item.digest,
        ]
        for key, item in known.items()
        if max(item.file.mtime_ns, item.file.ctime_ns) + RACY_NS < read_at_ns
    }
    durable.make_directory(path.parent)
    durable.replace_file(path, stable_json.dumps(settled))
