"""`ggrep workspace manifest|status|catalog`: the state of a workspace's indexes."""

from collections.abc import Mapping, Sequence
from typing import Final

from ggrep.base.clock import SystemClock
from ggrep.base.ids import RepoId
from ggrep.federation.live import LiveDaemon, ask_daemons
from ggrep.federation.manifest_file import cache_root_of, keep, manifest_path, read_kept
from ggrep.federation.workspace_manifest import RepoState, WorkspaceManifest
from ggrep.interfaces.cli.text_tables import Cell, count_text, plural, render_pairs, render_table
from ggrep.interfaces.cli.workspaces.workspace_file import FileArgument, FileOption, Survey
from ggrep.interfaces.cli.workspaces.workspace_json import catalog_json, status_json, written_json
from ggrep.model.hints import with_file
from ggrep.model.sanitise import sanitise_line
from ggrep.render.style import Style

TITLES: Final = ("repo", "index", "files", "chunks", "commit", "daemon")
_COMMIT: Final = 8
_ROLES: Final = {"ready": "good", "none": "muted", "indexing": "name", "silent": "bad"}
_WORDS: Final = {"none": "-", "silent": "not answering", "other_version": "other version"}


def manifest(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Record the state of the indexes when it has changed."""
    opened = how.open(file, named)
    terminal, workspace, home = opened.terminal, opened.workspace, opened.home
    found = opened.survey()
    written = keep(found, home, SystemClock().now())
    if how.json:
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


def status(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Show each repository's index and daemon; write nothing."""
    opened = how.open(file, named)
    terminal = opened.terminal
    found = opened.survey()
    daemons = ask_daemons(found.repos, opened.home, SystemClock())
    if how.json:
        terminal.write_json(status_json(found, daemons, opened.home), pretty=True)
        return 0
    terminal.write(status_text(found, daemons, terminal.style, terminal.columns))
    terminal.note(diagnostics_text(found, terminal.notes_style))
    if any(state.repo.enabled and state.availability != "present" for state in found.repos):
        terminal.tell(with_file("for fixes: ggrep workspace doctor FILE", opened.file))
    return 0


def catalog(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Show paths, hashes and keys, for troubleshooting; write nothing."""
    opened = how.open(file, named)
    terminal, workspace, home = opened.terminal, opened.workspace, opened.home
    found = opened.survey()
    daemons = ask_daemons(found.repos, home, SystemClock())
    kept = read_kept(manifest_path(workspace, home))
    if how.json:
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


def label(state: RepoState) -> str:
    """Return the display name of a repository."""
    return sanitise_line(state.repo.alias or state.repo_id)


def status_text(
    manifest: WorkspaceManifest,
    daemons: Mapping[RepoId, LiveDaemon],
    style: Style,
    width: int,
) -> str:
    """Return the table of a workspace's repositories, and the notes on them."""
    rows = [_row(state, daemons.get(state.repo_id, LiveDaemon())) for state in manifest.repos]
    return render_table(TITLES, rows, style, width)


def diagnostics_text(manifest: WorkspaceManifest, style: Style) -> str:
    """Return one line for each problem, even if it concerns several corpora."""
    file = manifest.workspace.workspace_path
    labels = {state.repo_id: label(state) for state in manifest.repos}
    found = dict.fromkeys(
        (labels.get(item.repo_id or RepoId(""), ""), with_file(item.message, file))
        for item in (*manifest.errors, *manifest.warnings)
    )
    paint = style.paint("warning", "warning:")
    return "".join(f"{paint} {name}: {sanitise_line(message)}\n" for name, message in found)


def summary_text(manifest: WorkspaceManifest) -> str:
    """Return how many repositories exist and how many can be searched."""
    states: Sequence[RepoState] = manifest.repos
    ready = sum(state.availability == "present" for state in states)
    enabled = sum(state.repo.enabled for state in states)
    return f"{plural(len(states), 'repo')}, {enabled} enabled, {ready} indexed"


def _row(state: RepoState, daemon: LiveDaemon) -> list[Cell]:
    facts = state.index.facts
    git = facts.git if facts else None
    commit = (git.head_sha or "")[:_COMMIT] if git else ""
    dirty = "+" if git and git.dirty else ""
    told = dict(daemon.description.counts) if daemon.description else {}
    chunks = sum(told.values()) if told else facts.counts.chunks_visible if facts else None
    return [
        Cell(label(state), "repo"),
        _index_cell(state),
        Cell(count_text(facts.counts.files_indexed) if facts else "-", figures=True),
        Cell("-" if chunks is None else count_text(chunks), figures=True),
        Cell(f"{commit}{dirty}" or "-"),
        _daemon_cell(daemon),
    ]


def _index_cell(state: RepoState) -> Cell:
    word, role = _index_word(state)
    if state.repo.enabled:
        return Cell(word, role)
    return Cell(f"{word}, disabled", "muted")


def _index_word(state: RepoState) -> tuple[str, str]:
    facts = state.index.facts
    if state.repo.missing is not None:
        found = "missing", "bad"
    elif state.error is not None:
        found = "settings are wrong", "bad"
    elif state.availability == "missing-index-dir":
        found = "none", "warning"
    elif state.availability != "present":
        found = state.availability, "bad"
    elif facts and facts.partial:
        found = "partial", "warning"
    elif facts and facts.degraded:
        found = "degraded", "warning"
    else:
        found = "ready", "good"
    return found


def _daemon_cell(daemon: LiveDaemon) -> Cell:
    word = _WORDS.get(daemon.state, daemon.state)
    pid = f", pid {daemon.pid}" if daemon.pid is not None else ""
    return Cell(f"{word}{pid}", _ROLES.get(daemon.state, "warning"))
