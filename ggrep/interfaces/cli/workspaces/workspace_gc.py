"""`ggrep workspace gc`: deletes leftovers of removed workspaces."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ggrep.base.clock import SystemClock
from ggrep.federation.manifest_file import cache_root_of
from ggrep.federation.orphans import OrphansReport, collect_orphans
from ggrep.interfaces.cli.tables import bytes_text, plural
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.interfaces.cli.workspaces.workspace_file import home_of, load
from ggrep.interfaces.cli.workspaces.workspace_json import orphans_json
from ggrep.model.hints import with_file
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    pass


def collect(
    terminal: Terminal, file: Path | None, grace_days: int, *, force: bool, json: bool
) -> int:
    """List leftovers or, with `force`, delete them; with a file, in its cacheRoot too."""
    home = home_of(terminal)
    roots = [home.cache, *([cache_root_of(load(file), home)] if file else [])]
    report = collect_orphans(
        roots,
        # Where a repository is missing, its workspace may claim another directory for a while.
        partial(load, whole=True),
        SystemClock().now(),
        grace=timedelta(days=grace_days),
        force=force,
    )
    if json:
        terminal.write_json(orphans_json(report), pretty=True)
    else:
        _tell(report, terminal, file)
    return 0


def _tell(report: OrphansReport, terminal: Terminal, file: Path | None) -> None:
    verb = "would delete" if report.dry_run else "deleted"
    shown = report.candidates if report.dry_run else report.deleted
    for orphan in shown:
        whose = f", of {orphan.workspace_path}" if orphan.workspace_path else ""
        size = bytes_text(orphan.size_bytes)
        line = f"{verb} {orphan.path}, {size}: {orphan.reason}{whose}"
        terminal.write(sanitise_line(line) + "\n")
    if not shown:
        terminal.note("nothing to delete\n")
    elif report.dry_run:
        told = "nothing was touched; to delete: ggrep workspace gc FILE --force\n"
        terminal.note(with_file(told, file) if file else told.replace(" FILE", ""))
    if report.limit_reached:
        left = plural(len(report.candidates) - len(report.deleted), "directory", "directories")
        terminal.note(f"{left} left; run it again\n")
