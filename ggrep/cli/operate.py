"""`ggrep status|health|list|clean`: looking after stores."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggrep.cli.operate_json import health_json, inventory_json, removal_json, status_json
from ggrep.cli.roots import open_engine, place_of
from ggrep.cli.terminal import Terminal, open_terminal
from ggrep.clock import rfc3339
from ggrep.config.settings import home_from
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import NoIndex, UsageError

if TYPE_CHECKING:
    from ggrep.maintenance.health import HealthReport
    from ggrep.maintenance.inventory import StoreEntry
    from ggrep.store.view import SnapshotView

_PathOption = Annotated[
    Path | None, typer.Option("--path", "-p", help="A directory in the repository.")
]
_JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document.")]
_PlainOption = Annotated[bool, typer.Option("--plain", help="No colour.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    app.command("status")(status)
    app.command("health")(health)
    app.command("list")(list_command)
    app.command("stores")(list_command)
    app.command("clean")(clean)


def status(path: _PathOption = None, json: _JsonOption = False, plain: _PlainOption = False) -> int:
    """Show what is indexed of a repository."""
    from ggrep.maintenance.status import read_status

    terminal = open_terminal(plain=plain)
    engine = open_engine(place_of(path).root, terminal)
    identity = engine.identity
    try:
        view: SnapshotView | None = engine.view()
    except NoIndex:
        view = None
    report = read_status(
        engine.settings,
        view,
        engine.home,
        root=identity.root,
        store_id=identity.store_id,
        config_fingerprint=identity.config_fingerprint,
    )
    if json:
        terminal.write_json(status_json(report), pretty=True)
        return 0
    rows = {"root": report.canonical_root, "store": report.store_id, "encoder": report.encoder}
    if report.manifest is None:
        rows["index"] = "none yet; run: ggrep index"
    else:
        counts, manifest = report.manifest.counts, report.manifest
        rows["snapshot"] = f"{manifest.snapshot_id} of {manifest.created_at}"
        rows["indexed"] = f"{counts.files_indexed} files, {counts.chunks_visible} chunks"
        rows["segments"] = str(len(manifest.segments))
        rows["complete"] = "no, degraded" if manifest.degraded else "yes"
        rows["writer"] = "at work" if report.writing else "none"
        rows["size"] = f"{report.store_bytes / 1e6:.1f} MB"
    width = max(len(key) for key in rows)
    for key, value in rows.items():
        label = terminal.style.paint("muted", f"{key:<{width}}")
        terminal.write(f"{label}  {sanitise_line(value)}\n")
    return 0


def health(
    path: _PathOption = None,
    deep: Annotated[bool, typer.Option("--deep", help="Hash every artifact again.")] = False,
    json: _JsonOption = False,
    plain: _PlainOption = False,
) -> int:
    """Check a repository's store; exit status 1 when a check fails."""
    from ggrep.maintenance.health import check_health

    terminal = open_terminal(plain=plain)
    engine = open_engine(place_of(path).root, terminal)
    identity = engine.identity
    report = check_health(
        identity.store,
        identity.store_id,
        engine.settings,
        deep=deep,
        root=identity.root,
        clock=engine.clock,
    )
    if json:
        terminal.write_json(health_json(report), pretty=True)
    else:
        _print_health(report, terminal)
    return 0 if report.ok else 1


def _print_health(report: "HealthReport", terminal: Terminal) -> None:
    from ggrep.maintenance.health import FAIL, OK

    for check in report.checks:
        role = {OK: "good", FAIL: "bad"}.get(check.severity, "warning")
        mark = terminal.style.paint(role, f"{check.severity:<4}")
        terminal.write(f"{mark}  {check.code}: {sanitise_line(check.message)}\n")
        for path in check.paths[:10]:
            terminal.write(f"        {sanitise_line(path)}\n")
        if len(check.paths) > 10:
            terminal.write(f"        and {len(check.paths) - 10} more (--json has all)\n")


def list_command(json: _JsonOption = False, plain: _PlainOption = False) -> int:
    """List the stores of this home, the one used last first."""
    from ggrep.maintenance.inventory import list_stores

    terminal = open_terminal(plain=plain)
    entries = list_stores(home_from(terminal.environ))
    if json:
        terminal.write_json(inventory_json(entries), pretty=True)
        return 0
    for entry in entries:
        terminal.write(_line(entry, terminal))
    if not entries:
        terminal.note("no stores yet; run: ggrep index\n")
    return 0


def _line(entry: "StoreEntry", terminal: Terminal) -> str:
    name = terminal.style.paint("name", entry.store_id)
    size = f"{entry.size_bytes / 1e6:8.1f} MB"
    used = rfc3339(entry.last_used_at or entry.modified_at)
    gone = " (gone)" if entry.root_exists is False else ""
    root = entry.canonical_root or "(not synced by its root yet)"
    what = entry.problem or f"{entry.files} files, {entry.chunks} chunks  {root}{gone}"
    return f"{name}  {size}  used {used}  {sanitise_line(what)}\n"


def clean(
    store: Annotated[str | None, typer.Argument(help="A store id from `ggrep list`.")] = None,
    path: _PathOption = None,
    everything: Annotated[bool, typer.Option("--all", help="Every store of this home.")] = False,
    json: _JsonOption = False,
) -> int:
    """Delete an index: of this repository, of a store id, or all."""
    from ggrep.maintenance.inventory import list_stores, remove_store

    terminal = open_terminal()
    home = home_from(terminal.environ)
    if sum((store is not None, path is not None, everything)) > 1:
        raise UsageError("give one of STORE, --path and --all")
    if everything:
        ids: list[str] = [entry.store_id for entry in list_stores(home)]
    elif store is not None:
        ids = [store]
    else:
        ids = [open_engine(place_of(path).root, terminal).identity.store_id]
    freed = {store_id: remove_store(home, store_id) for store_id in ids}
    if json:
        terminal.write_json(removal_json(freed), pretty=True)
    else:
        for key, size in freed.items():
            terminal.tell(f"removed {key}, {size / 1e6:.1f} MB")
    return 0
