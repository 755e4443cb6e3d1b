"""Reads format versions of a store, and converts manifests' references to the current layout."""

from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import Incompatible, StoreError
from ggrep.base.formats import ROW, Format
from ggrep.config import store_files
from ggrep.index.store.manifest import SegmentRef, read_active_manifest


def version_in(file: Path, artifact: Format) -> int | None:
    """Return the version in an artifact's JSON; None if it has no version."""
    try:
        values = stable_json.loads(file.read_bytes())
    except (OSError, ValueError):
        return None
    version = values.get(artifact.field) if isinstance(values, dict) else None
    return version if isinstance(version, int) and not isinstance(version, bool) else None


def require_readable(store: Path) -> None:
    """Raise if a newer build wrote the active snapshot.

    Raises:
        Incompatible: a newer build wrote the store, so this build cannot describe it.
    """
    with suppress(StoreError):
        read_active_manifest(store)


def require_rows(manifest_file: Path) -> None:
    """Raise if the rows of a manifest have a schema that is too old.

    Raises:
        Incompatible: the schema is too old; the rows cannot be converted.
    """
    version = version_in(manifest_file, ROW)
    if version is not None and version < ROW.oldest:
        raise Incompatible(
            f"{ROW.artifact}: {ROW.field} {version} is older than {ROW.oldest}:"
            " reindex required; run: ggrep index --reset"
        )


def in_current_layout(store: Path, ref: SegmentRef) -> SegmentRef:
    """Return a segment's reference with all fields of the current manifest schema."""
    table = store_files.table_dir(store, ref.table).relative_to(store).as_posix()
    return replace(ref, path=table, image=replace(ref.image, ref_type="image"))
