"""`ggrep workspace gc`: deletes leftovers of removed workspaces."""

from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated

from ggrep.base.clock import SystemClock
from ggrep.config.settings import home_from
from ggrep.federation.manifest_file import cache_root_of
from ggrep.federation.orphans import OrphansReport, collect_orphans
from ggrep.federation.upkeep_limits import GRACE_DAYS
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.text_tables import bytes_text, plural
from ggrep.interfaces.cli.workspaces.workspace_file import (
    FileArgument,
    FileOption,
    chosen_file,
    load,
)
from ggrep.interfaces.cli.workspaces.workspace_json import orphans_json
from ggrep.model.hints import with_file
from ggrep.model.sanitise import sanitise_line


def gc(
    file: FileArgument = None,
    named: FileOption = None,
    force: Annotated[
        bool, Flag("--force", "Delete, instead of only listing what would go.")
    ] = False,
    grace_days: Annotated[
        int, Flag("--grace-days", "Keep directories younger than this many days.", least=0)
    ] = GRACE_DAYS,
    json: JsonFlag = False,
) -> int:
    """Delete leftovers of removed workspaces; with FILE, in its cacheRoot too."""
    chosen = chosen_file(file, named) if file is not None or named else None
    terminal = open_terminal()
    home = home_from(terminal.environ)
    roots = [home.cache, *([cache_root_of(load(chosen), home)] if chosen else [])]
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
        _tell(report, terminal, chosen)
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
        told = "nothing was deleted; to delete: ggrep workspace gc FILE --force\n"
        terminal.note(with_file(told, file) if file else told.replace(" FILE", ""))
    if report.limit_reached:
        left = plural(len(report.candidates) - len(report.deleted), "directory", "directories")
        terminal.note(f"{left} left; run it again\n")
