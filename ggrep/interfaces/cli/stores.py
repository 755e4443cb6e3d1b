"""`ggrep gc --stores`: deletes whole stores that have long been unused."""

from typing import TYPE_CHECKING

from ggrep.interfaces.cli.stores_json import stores_gc_json
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.index.maintenance import stores_gc
    from ggrep.search.engine.engine import Engine


def collect_stores(engine: "Engine", terminal: Terminal, *, force: bool, json: bool) -> int:
    """List the stores to delete or, with `force`, delete them.

    The exit status is that of the first that would not go.
    """
    from ggrep.index.maintenance import stores_gc

    report = stores_gc.collect_stores(
        engine.home,
        engine.settings,
        current=engine.identity.store_id,
        force=force,
        clock=engine.clock,
    )
    if json:
        terminal.write_json(stores_gc_json(report), pretty=True)
    else:
        _tell(report, terminal)
    for refusal in report.refused:
        terminal.tell_error(f"{refusal.store_id}: {refusal.error} ({refusal.error.code})")
    return report.refused[0].error.exit_status if report.refused else 0


def _tell(report: "stores_gc.StoresReport", terminal: Terminal) -> None:
    verb = "would delete" if report.dry_run else "deleted"
    shown = report.candidates if report.dry_run else report.deleted
    for item in shown:
        size = f"{item.size_bytes / 1e6:.1f} MB"
        root = f", {item.canonical_root}" if item.canonical_root else ""
        used = f", used {item.last_used_at}" if item.last_used_at else ""
        # What is left of a store is not the store of that name.
        name = item.path.name if item.reason == "remains" else item.store_id
        line = f"{verb} {name}, {size}: {item.reason}{used}{root}"
        terminal.write(sanitise_line(line) + "\n")
    if not shown:
        terminal.note("no store to delete\n")
    elif report.dry_run:
        terminal.note("nothing was touched; to delete: ggrep gc --stores --force\n")
