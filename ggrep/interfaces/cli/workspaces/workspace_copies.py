"""How much of a workspace is copies, as `ggrep workspace status` says it."""

from typing import TYPE_CHECKING

from ggrep.config.home import Home
from ggrep.federation.workspace_manifest import WorkspaceManifest
from ggrep.interfaces.cli.text_tables import count_text
from ggrep.model.copies import Copies

if TYPE_CHECKING:
    from ggrep.model.schemas.workspace import WorkspaceCopiesJson


def copies_of(manifest: WorkspaceManifest, home: Home) -> Copies:
    """Return how much of what is searched are copies, told from packs."""
    present = [
        (state.store_id, state.index.facts)
        for state in manifest.repos
        if state.repo.enabled and state.availability == "present"
    ]
    stores = [(store_id, facts) for store_id, facts in present if store_id and facts]
    chunks = sum(facts.counts.chunks_visible for _, facts in stores)
    if not any(home.packs.glob("*.pack")):
        return Copies(chunks)  # arrays are not even imported
    from ggrep.index.packs.copied_chunks import ShownStore, count_copies

    shown = [
        ShownStore(
            store_id,
            tuple(segment.table for segment in facts.segments),
            home.data / store_id / facts.visibility.path,
        )
        for store_id, facts in stores
    ]
    return Copies(chunks, *count_copies(home, shown))


def copies_text(copies: Copies) -> str:
    """Return a line; nothing where nothing was counted."""
    if copies.share is None:
        return ""
    left = copies.chunks - copies.counted
    rest = f"; {count_text(left)} chunks are in no pack and not counted" if left > 0 else ""
    return (
        f"{count_text(copies.copies)} of {count_text(copies.counted)} chunks "
        f"({copies.share:.1%}) repeat one of another repository{rest}\n"
    )


def copies_json(copies: Copies) -> "WorkspaceCopiesJson":
    """Return the same as JSON."""
    return {
        "chunks": copies.chunks,
        "counted": copies.counted,
        "copies": copies.copies,
        "share": None if copies.share is None else round(copies.share, 4),
    }
