"""`ggrep gc|compact|repair`: maintenance of one store."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ggrep.base.deadline import Deadline
from ggrep.interfaces.cli.flags import Flag
from ggrep.interfaces.cli.maintain_json import collection_json, compaction_json, repair_json
from ggrep.interfaces.cli.options import JsonFlag, PathFlag, PlainFlag
from ggrep.interfaces.cli.progress import show_progress
from ggrep.interfaces.cli.stores import collect_stores
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.hints import with_path
from ggrep.model.sanitise import sanitise_line
from ggrep.service.places import open_engine, place_of

if TYPE_CHECKING:
    from ggrep.index.maintenance.collection import CollectionReport
    from ggrep.index.maintenance.repair import RepairReport

_GC_WAIT_MS = 5_000


def gc(
    path: PathFlag = None,
    stores: Annotated[
        bool, Flag("--stores", "Delete whole stores that have long been unused.")
    ] = False,
    force: Annotated[
        bool, Flag("--force", "Delete, instead of only listing what would go.")
    ] = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Delete snapshots and segments that no query needs any more."""
    from ggrep.index.maintenance.collection import collect_garbage, preview

    terminal = open_terminal(plain=plain)
    engine = open_engine(place_of(path).root, terminal.environ)
    if stores:
        return collect_stores(engine, terminal, force=force, json=json)
    if force:
        with engine.target() as target:
            deadline = Deadline.after(engine.clock, _GC_WAIT_MS)
            report = collect_garbage(target, deadline=deadline, readers_ms=_GC_WAIT_MS)
    else:
        report = preview(engine.identity.store, engine.settings, engine.clock)
    if json:
        terminal.write_json(collection_json(engine.identity.store_id, report), pretty=True)
    else:
        _tell_collection(report, terminal, path)
    return 0


def _tell_collection(report: "CollectionReport", terminal: Terminal, path: Path | None) -> None:
    verb = "would delete" if report.dry_run else "deleted"
    terminal.write(
        f"{verb} {len(report.deleted_snapshots)} snapshots and {len(report.deleted_segments)} "
        f"segments, {report.freed_bytes / 1e6:.1f} MB; {len(report.retained_snapshots)} stay\n"
    )
    if report.dry_run and report.freed_bytes:
        told = "nothing was touched; to delete: ggrep gc --force\n"
        terminal.note(with_path(told, path))


def compact(
    path: PathFlag = None,
    force: Annotated[bool, Flag("--force", "Merge all segments, even if not due.")] = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Merge segments into one that holds exactly the visible rows."""
    from ggrep.index.maintenance.compaction import compact as run

    terminal = open_terminal(plain=plain)
    engine = open_engine(place_of(path).root, terminal.environ)
    with engine.target() as target:
        report = run(target, force=force)
    if json:
        terminal.write_json(compaction_json(engine.identity.store_id, report), pretty=True)
    elif report.performed:
        terminal.write(
            f"{report.segments_before} segments became {report.segments_after}, "
            f"{report.rows_before} rows {report.rows_after} ({report.reason}), "
            f"in {report.duration_ms / 1000:.1f} s\n"
        )
    else:
        terminal.write(f"nothing done: {report.reason}\n")
        if report.reason == "not overdue":
            told = "to merge all the same: ggrep compact --force\n"
            terminal.note(with_path(told, path))
    return 0


def repair(path: PathFlag = None, json: JsonFlag = False, plain: PlainFlag = False) -> int:
    """Hash the whole store and rebuild only its damaged parts."""
    from ggrep.index.maintenance.repair import repair as run

    terminal = open_terminal(plain=plain)
    engine = open_engine(place_of(path).root, terminal.environ)
    label = engine.identity.root.name
    with show_progress(terminal, label) as progress, engine.target() as target:
        report = run(target, progress=progress)
    if json:
        terminal.write_json(repair_json(engine.identity.store_id, report), pretty=True)
    else:
        _tell_repair(report, terminal)
    return 0


def _tell_repair(report: "RepairReport", terminal: Terminal) -> None:
    if report.damage is None:
        terminal.write(f"nothing is damaged; snapshot {report.snapshot_id}\n")
        return
    terminal.write(
        f"damaged: {sanitise_line(report.damage)}\n"
        f"made again from the index itself: {len(report.files_healed)}; "
        f"lost segments: {len(report.lost_segments)}; files read anew: {report.files_rebuilt}, "
        f"kept: {report.files_kept}, gone: {report.files_deleted}\n"
        f"snapshot {report.snapshot_id} is whole, in {report.duration_ms / 1000:.1f} s\n"
    )
