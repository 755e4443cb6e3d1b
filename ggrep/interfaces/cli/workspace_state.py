"""`ggrep workspace manifest|status|catalog`: the state of a workspace's indexes."""

from pathlib import Path

from ggrep.base.clock import SystemClock
from ggrep.federation.live import ask_daemons
from ggrep.federation.manifest_file import cache_root_of, keep, manifest_path, read_kept
from ggrep.federation.survey import survey
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.interfaces.cli.workspace_file import home_of, load
from ggrep.interfaces.cli.workspace_state_json import catalog_json, status_json, written_json
from ggrep.interfaces.cli.workspace_state_text import (
    diagnostics_text,
    label,
    status_text,
    summary_text,
)
from ggrep.interfaces.cli.workspace_table import Cell, render_pairs, render_table
from ggrep.model.hints import with_file


def write_manifest(terminal: Terminal, file: Path, encoder: str | None, *, json: bool) -> int:
    """Record the state of the indexes when it has changed."""
    workspace, home = load(file), home_of(terminal)
    found = survey(workspace, home, terminal.environ, flags={"encoder": encoder})
    written = keep(found, home, SystemClock().now())
    if json:
        terminal.write_json(written_json(found, home, written=written), pretty=True)
        return 0
    pairs = [
        ("workspace", str(workspace.workspace_path)),
        ("manifest", str(manifest_path(workspace, home))),
        ("repo set", workspace.repo_set_id),
        ("hash", found.hash),
        ("repos", summary_text(found)),
        ("file", "written" if written else "unchanged"),
    ]
    terminal.write(render_pairs(pairs, terminal.style))
    terminal.note(diagnostics_text(found, terminal.notes_style))
    return 0


def show_status(terminal: Terminal, file: Path, encoder: str | None, *, json: bool) -> int:
    """Show each repository's index and daemon; write nothing."""
    workspace, home = load(file), home_of(terminal)
    found = survey(workspace, home, terminal.environ, flags={"encoder": encoder})
    daemons = ask_daemons(found.repos, home, SystemClock())
    if json:
        terminal.write_json(status_json(found, daemons, home), pretty=True)
        return 0
    terminal.write(status_text(found, daemons, terminal.style, terminal.columns))
    terminal.note(diagnostics_text(found, terminal.notes_style))
    if any(state.repo.enabled and state.availability != "present" for state in found.repos):
        terminal.tell(with_file("what to do about it: ggrep workspace doctor FILE", file))
    return 0


def show_catalog(terminal: Terminal, file: Path, encoder: str | None, *, json: bool) -> int:
    """Show paths, hashes and keys, for troubleshooting; write nothing."""
    workspace, home = load(file), home_of(terminal)
    found = survey(workspace, home, terminal.environ, flags={"encoder": encoder})
    daemons = ask_daemons(found.repos, home, SystemClock())
    kept = read_kept(manifest_path(workspace, home))
    if json:
        terminal.write_json(catalog_json(found, daemons, home, kept), pretty=True)
        return 0
    pairs = [
        ("workspace", str(workspace.workspace_path)),
        ("cache root", str(cache_root_of(workspace, home))),
        ("manifest", str(manifest_path(workspace, home))),
        ("repo set", workspace.repo_set_id),
        ("hash now", found.hash),
        ("hash kept", kept.manifestHash if kept else "none"),
    ]
    rows = [
        [
            Cell(label(state), "repo"),
            Cell(state.availability),
            Cell(state.index.snapshot_id or "-"),
            Cell(state.compatibility_key() or "-"),
            Cell(state.store_id or "-"),
        ]
        for state in found.repos
    ]
    titles = ("repo", "index", "snapshot", "compares by", "store")
    terminal.write(render_pairs(pairs, terminal.style) + "\n")
    terminal.write(render_table(titles, rows, terminal.style, terminal.columns))
    terminal.note(diagnostics_text(found, terminal.notes_style))
    return 0
