"""`ggrep workspace manifest|status|catalog`: the state of a workspace's indexes."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

from ggrep.base.clock import SystemClock
from ggrep.base.errors import UsageError
from ggrep.base.ids import RepoId
from ggrep.config.home import Home
from ggrep.federation.daemon_upkeep import DaemonState, ask_daemons
from ggrep.federation.manifest_builder import (
    StoredManifest,
    cache_root_of,
    manifest_path,
    read_stored,
    store_manifest,
)
from ggrep.federation.workspace_manifest import (
    RepoState,
    WorkspaceManifest,
    diagnostics_json,
    repo_json,
)
from ggrep.interfaces.cli.parsing.flags import Flag
from ggrep.interfaces.cli.text_tables import Cell, count_text, plural, render_pairs, render_table
from ggrep.interfaces.cli.workspaces.workspace_file import (
    WORKSPACE_SCHEMA,
    FileArgument,
    FileOption,
    Survey,
    Surveyed,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_file
from ggrep.render.style import Style

if TYPE_CHECKING:
    from ggrep.federation.building import BuildResult
    from ggrep.federation.daemon_upkeep import Change
    from ggrep.federation.workspace import Workspace
    from ggrep.model.schemas.workspace import (
        CatalogJson,
        KeptWorkspaceJson,
        WorkspaceBuildJson,
        WorkspaceEventJson,
        WorkspaceStatusJson,
        WrittenManifestJson,
    )
    from ggrep.model.schemas.workspace_manifest import ManifestRepoJson, RepoDaemonJson

Daemons = Mapping[RepoId, DaemonState]


def written_json(
    manifest: WorkspaceManifest, home: Home, *, written: bool
) -> "WrittenManifestJson":
    """Return the document of `ggrep workspace manifest`."""
    return {
        **_named(manifest, home),
        "ok": not manifest.errors,
        "written": written,
        "warnings": len(manifest.warnings),
        "errors": len(manifest.errors),
    }


def status_json(manifest: WorkspaceManifest, daemons: Daemons, home: Home) -> "WorkspaceStatusJson":
    """Return the document of `ggrep workspace status`."""
    return {
        **_named(manifest, home),
        "name": sanitise_line(manifest.workspace.name),
        "diagnostics": diagnostics_json(manifest),
        "repos": [_repo_json(state, daemons) for state in manifest.repos],
    }


def catalog_json(
    manifest: WorkspaceManifest, daemons: Daemons, home: Home, kept: StoredManifest | None
) -> "CatalogJson":
    """Return the document of `ggrep workspace catalog`; `kept` is the manifest on disk."""
    workspace = manifest.workspace
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "workspacePath": str(workspace.workspace_path),
        "name": sanitise_line(workspace.name),
        "repoSetId": workspace.repo_set_id,
        "workspaceConfigHash": workspace.workspace_config_hash,
        "cacheRoots": {
            "federationCacheRoot": str(cache_root_of(workspace, home)),
            "workspaceManifestPath": str(manifest_path(workspace, home)),
            "storesRoot": str(home.data),
        },
        "manifest": {
            "manifestHash": manifest.hash,
            "keptHash": kept.manifestHash if kept else None,
            "generatedAt": kept.generatedAt if kept else None,
            "diagnostics": diagnostics_json(manifest),
        },
        "repos": [
            {
                **_repo_json(state, daemons),
                "storeDir": None if state.store_id is None else str(home.data / state.store_id),
            }
            for state in manifest.repos
        ],
    }


def daemon_json(daemon: DaemonState) -> "RepoDaemonJson":
    """Return the state of a repository's daemon."""
    return {
        "running": daemon.running,
        "state": daemon.state,
        "pid": daemon.pid,
        "protocol": daemon.protocol,
        "freshness": daemon.description.freshness if daemon.description else None,
        "problem": sanitise_line(daemon.problem) if daemon.problem else None,
    }


def _named(manifest: WorkspaceManifest, home: Home) -> "KeptWorkspaceJson":
    workspace = manifest.workspace
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "workspacePath": str(workspace.workspace_path),
        "manifestPath": str(manifest_path(workspace, home)),
        "federationCacheRoot": str(cache_root_of(workspace, home)),
        "repoSetId": workspace.repo_set_id,
        "manifestHash": manifest.hash,
    }


def _repo_json(state: RepoState, daemons: Daemons) -> "ManifestRepoJson":
    daemon = daemons.get(state.repo_id, DaemonState())
    description = daemon.description
    # Counts of a daemon that has not loaded the snapshot on disk are left out.
    is_current = description is not None and description.snapshot_id == state.index.snapshot_id
    document = repo_json(
        state, dict(description.counts) if description is not None and is_current else {}
    )
    document["daemon"] = daemon_json(daemon)
    return document


def build_json(
    manifest: WorkspaceManifest, results: "Sequence[BuildResult]", home: Home
) -> "WorkspaceBuildJson":
    """Return the outcome of each repository, by id, and the resulting manifest."""
    failed = sum(result.status == "failed" for result in results)
    skipped = sum(result.status == "skipped" for result in results)
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "ok": failed + skipped == 0,
        "workspacePath": str(manifest.workspace.workspace_path),
        "manifestPath": str(manifest_path(manifest.workspace, home)),
        "repoSetId": manifest.workspace.repo_set_id,
        "manifestHash": manifest.hash,
        "diagnostics": {
            "total": len(results),
            "failed": failed,
            "skipped": skipped,
            "entries": [
                {
                    "repoId": result.repo.repo_id,
                    "repoRootCanonical": str(result.repo.root_canonical),
                    "alias": result.repo.alias,
                    "status": result.status,
                    "exitCode": result.exit_code,
                    "signal": result.signal,
                    "durationMs": result.duration_ms,
                    "error": result.error,
                }
                for result in results
            ],
        },
    }


def event_json(change: "Change", workspace: "Workspace") -> "WorkspaceEventJson":
    """Return one change as `ggrep workspace watch --json` prints it."""
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "event": change.kind,
        "repoId": change.repo_id,
        "alias": alias_of(change, workspace),
        "message": sanitise_line(change.message),
    }


def alias_of(change: "Change", workspace: "Workspace") -> str | None:
    """Return the alias of the changed repository; None without one."""
    results = (repo.alias for repo in workspace.repos if repo.repo_id == change.repo_id)
    return next(results, None)


TITLES: Final = ("repo", "index", "files", "chunks", "commit", "daemon")
_COMMIT: Final = 8
_PAUSE_S: Final = 2.0
_ROLES: Final = {"ready": "good", "none": "muted", "indexing": "name", "silent": "bad"}
_WORDS: Final = {"none": "-", "silent": "not answering", "other_version": "other version"}


def manifest(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Record the state of the indexes when it has changed."""
    opened = how.open(file, named)
    terminal, workspace, home = opened.terminal, opened.workspace, opened.home
    result = opened.survey()
    written = store_manifest(result, home, SystemClock().now())
    if how.json:
        terminal.write_json(written_json(result, home, written=written), pretty=True)
        return 0
    pairs = [
        ("workspace", str(workspace.workspace_path)),
        ("manifest", str(manifest_path(workspace, home))),
        ("repo set", workspace.repo_set_id),
        ("hash", result.hash),
        ("repos", summary_text(result)),
        ("file", "written" if written else "unchanged"),
    ]
    terminal.write(render_pairs(pairs, terminal.style))
    terminal.note(diagnostics_text(result, terminal.notes_style))
    return 0


def status(
    *,
    file: FileArgument = None,
    named: FileOption = None,
    watch: Annotated[bool, Flag("--watch", "Show them live, until Ctrl-C.")] = False,
    how: Survey,
) -> int:
    """Show each repository's index and daemon; write nothing."""
    if watch and how.json:
        raise UsageError("--watch and --json cannot go together")
    opened = how.open(file, named)
    terminal = opened.terminal
    if watch:
        return _watch(opened)
    result = opened.survey()
    daemons = ask_daemons(result.repos, opened.home, SystemClock())
    if how.json:
        terminal.write_json(status_json(result, daemons, opened.home), pretty=True)
        return 0
    terminal.write(status_text(result, daemons, terminal.style, terminal.columns))
    terminal.note(diagnostics_text(result, terminal.notes_style))
    if any(state.repo.enabled and state.availability != "present" for state in result.repos):
        terminal.tell(with_file("for fixes: ggrep workspace doctor FILE", opened.file))
    return 0


def _watch(opened: Surveyed) -> int:
    """Show the state, read again two seconds after each reading."""
    from ggrep.interfaces.cli.screen import require_screen, show_live

    refusal = "--watch needs a terminal; for one look: ggrep workspace status FILE"
    require_screen(with_file(refusal, opened.file))
    style = opened.terminal.style

    def read() -> tuple[WorkspaceManifest, Daemons]:
        manifest = opened.survey()
        return manifest, ask_daemons(manifest.repos, opened.home, SystemClock())

    def text(read: tuple[WorkspaceManifest, Daemons], columns: int) -> str:
        manifest, daemons = read
        table = status_text(manifest, daemons, style, columns)
        summary = style.paint("name", summary_text(manifest))
        return f"{summary}\n\n{table}\n{diagnostics_text(manifest, style)}"

    show_live(style, read, text, _PAUSE_S)
    return 0


def catalog(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Show paths, hashes and keys, for troubleshooting; write nothing."""
    opened = how.open(file, named)
    terminal, workspace, home = opened.terminal, opened.workspace, opened.home
    result = opened.survey()
    daemons = ask_daemons(result.repos, home, SystemClock())
    kept = read_stored(manifest_path(workspace, home))
    if how.json:
        terminal.write_json(catalog_json(result, daemons, home, kept), pretty=True)
        return 0
    pairs = [
        ("workspace", str(workspace.workspace_path)),
        ("cache root", str(cache_root_of(workspace, home))),
        ("manifest", str(manifest_path(workspace, home))),
        ("repo set", workspace.repo_set_id),
        ("hash now", result.hash),
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
        for state in result.repos
    ]
    titles = ("repo", "index", "snapshot", "compares by", "store")
    terminal.write(render_pairs(pairs, terminal.style) + "\n")
    terminal.write(render_table(titles, rows, terminal.style, terminal.columns))
    terminal.note(diagnostics_text(result, terminal.notes_style))
    return 0


def label(state: RepoState) -> str:
    """Return the display name of a repository."""
    return sanitise_line(state.repo.alias or state.repo_id)


def status_text(
    manifest: WorkspaceManifest, daemons: Mapping[RepoId, DaemonState], style: Style, width: int
) -> str:
    """Return the table of a workspace's repositories, and the notes on them."""
    rows = [_row(state, daemons.get(state.repo_id, DaemonState())) for state in manifest.repos]
    return render_table(TITLES, rows, style, width)


def diagnostics_text(manifest: WorkspaceManifest, style: Style) -> str:
    """Return one line for each problem, even if it concerns several corpora."""
    file = manifest.workspace.workspace_path
    labels = {state.repo_id: label(state) for state in manifest.repos}
    result = dict.fromkeys(
        (labels.get(item.repo_id or RepoId(""), ""), with_file(item.message, file))
        for item in (*manifest.errors, *manifest.warnings)
    )
    paint = style.paint("warning", "warning:")
    return "".join(f"{paint} {name}: {sanitise_line(message)}\n" for name, message in result)


def summary_text(manifest: WorkspaceManifest) -> str:
    """Return how many repositories exist and how many can be searched."""
    states = manifest.repos
    ready = sum(state.availability == "present" for state in states)
    enabled = sum(state.repo.enabled for state in states)
    return f"{plural(len(states), 'repo')}, {enabled} enabled, {ready} indexed"


def _row(state: RepoState, daemon: DaemonState) -> list[Cell]:
    facts = state.index.facts
    git = facts.git if facts else None
    commit = (git.head_sha or "")[:_COMMIT] if git else ""
    dirty = "+" if git and git.dirty else ""
    counts = dict(daemon.description.counts) if daemon.description else {}
    chunks = sum(counts.values()) if counts else facts.counts.chunks_visible if facts else None
    word, role = _index_word(state)
    if not state.repo.enabled:
        word, role = f"{word}, disabled", "muted"
    shown = _WORDS.get(daemon.state, daemon.state)
    if daemon.progress_percent is not None:
        shown += f" {daemon.progress_percent} %"
    pid = f", pid {daemon.pid}" if daemon.pid is not None else ""
    return [
        Cell(label(state), "repo"),
        Cell(word, role),
        Cell(count_text(facts.counts.files_indexed) if facts else "-", figures=True),
        Cell("-" if chunks is None else count_text(chunks), figures=True),
        Cell(f"{commit}{dirty}" or "-"),
        Cell(f"{shown}{pid}", _ROLES.get(daemon.state, "warning")),
    ]


def _index_word(state: RepoState) -> tuple[str, str]:
    facts = state.index.facts
    if state.repo.missing is not None or state.error is not None:
        return "missing" if state.repo.missing is not None else "settings are wrong", "bad"
    if state.availability == "missing-index-dir":
        return "none", "warning"
    if state.availability != "present":
        return state.availability, "bad"
    if facts and (facts.partial or facts.degraded):
        return "partial" if facts.partial else "degraded", "warning"
    return "ready", "good"
