"""`ggrep workspace manifest|status|catalog`: the state of a workspace's indexes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import UNSET
from msgspec.structs import replace

from ggrep.base.clock import SystemClock
from ggrep.base.errors import UsageError
from ggrep.base.ids import RepoId
from ggrep.federation.cohort import compatibility_key
from ggrep.federation.workspace_state import (
    MemberState,
    StoredManifest,
    WorkspaceState,
    read_stored,
    store_manifest,
)
from ggrep.interfaces.cli.parsing.flags import Flag
from ggrep.interfaces.cli.text_tables import Cell, count_text, plural, render_pairs, render_table
from ggrep.interfaces.cli.workspaces.workspace_file import (
    WORKSPACE_SCHEMA,
    FileArgument,
    FileOption,
    OpenedWorkspace,
    Survey,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import with_file
from ggrep.model.sync import SyncWarning
from ggrep.model.workspace_state import (
    CacheRoots,
    Catalog,
    CatalogManifest,
    TeamServer,
    WorkspaceStatus,
    WrittenManifest,
)
from ggrep.render.style import Style

if TYPE_CHECKING:
    from ggrep.federation.building import BuildResult
    from ggrep.federation.watch import Change
    from ggrep.federation.workspace import Workspace
    from ggrep.model.schemas.workspace import (
        BuildOutcomeJson,
        WorkspaceBuildJson,
        WorkspaceEventJson,
    )
    from ggrep.model.sync import SyncOutcome


def written_manifest(state: WorkspaceState, *, written: bool) -> WrittenManifest:
    """Return the document of `ggrep workspace manifest`."""
    diagnostics = state.diagnostics
    return WrittenManifest(
        **_named(state),
        ok=not diagnostics.errors,
        written=written,
        warnings=len(diagnostics.warnings),
        errors=len(diagnostics.errors),
    )


def status_of(state: WorkspaceState, servers: tuple[TeamServer, ...] = ()) -> WorkspaceStatus:
    """Return the document of `ggrep workspace status`."""
    return WorkspaceStatus(
        **_named(state),
        name=sanitise_line(state.workspace.name),
        diagnostics=state.diagnostics,
        repos=state.rows(asked=True),
        remotes=servers or UNSET,
    )


def catalog_of(state: WorkspaceState, kept: StoredManifest | None) -> Catalog:
    """Return the document of `ggrep workspace catalog`; `kept` is the stored manifest."""
    workspace, stores = state.workspace, state.home.data
    return Catalog(
        workspace_path=str(workspace.workspace_path),
        name=sanitise_line(workspace.name),
        repo_set_id=workspace.repo_set_id,
        workspace_config_hash=workspace.workspace_config_hash,
        cache_roots=CacheRoots(str(state.cache_root), str(state.manifest_file), str(stores)),
        manifest=CatalogManifest(
            state.hash,
            kept.manifest_hash if kept else None,
            kept.generated_at if kept else None,
            state.diagnostics,
        ),
        repos=tuple(
            replace(row, store_dir=None if row.store_id is None else str(stores / row.store_id))
            for row in state.rows(asked=True)
        ),
    )


def _named(state: WorkspaceState) -> dict[str, Any]:
    return {
        "workspace_path": str(state.workspace.workspace_path),
        "manifest_path": str(state.manifest_file),
        "federation_cache_root": str(state.cache_root),
        "repo_set_id": state.workspace.repo_set_id,
        "manifest_hash": state.hash,
    }


def build_json(state: WorkspaceState, results: "Sequence[BuildResult]") -> "WorkspaceBuildJson":
    """Return the JSON of a build: the outcome of each repository, by id, and the new manifest."""
    failed = sum(result.status == "failed" for result in results)
    skipped = sum(result.status == "skipped" for result in results)
    return {
        "schema_version": WORKSPACE_SCHEMA,
        "ok": failed + skipped == 0,
        "workspacePath": str(state.workspace.workspace_path),
        "manifestPath": str(state.manifest_file),
        "repoSetId": state.workspace.repo_set_id,
        "manifestHash": state.hash,
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
                    "outcome": _outcome_json(result.outcome),
                }
                for result in results
            ],
        },
    }


def _outcome_json(outcome: "SyncOutcome | None") -> "BuildOutcomeJson | None":
    if outcome is None:
        return None
    warnings = (replace(each, message=sanitise_line(each.message)) for each in outcome.notices)
    return {
        "index": outcome.change,
        "pushed": outcome.pushed,
        "warnings": [SyncWarning.of(each) for each in warnings],
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
    """Return the alias of the changed repository; None if it has no alias."""
    results = (repo.alias for repo in workspace.repos if repo.repo_id == change.repo_id)
    return next(results, None)


TITLES: Final = ("repo", "index", "files", "chunks", "commit", "daemon")
_COMMIT: Final = 8
_PAUSE_S: Final = 2.0
_ROLES: Final = {"ready": "good", "none": "muted", "indexing": "name", "silent": "bad"}
_WORDS: Final = {"none": "-", "silent": "not answering", "other_version": "other version"}


def manifest(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Write the state of the indexes to the manifest, if it has changed."""
    opened = how.open(file, named)
    terminal, workspace = opened.terminal, opened.workspace
    result = opened.state()
    written = store_manifest(result, SystemClock().now())
    if how.json:
        document = written_manifest(result, written=written)
        terminal.write_json(document.to_dict(), pretty=True)
        return 0
    pairs = [
        ("workspace", str(workspace.workspace_path)),
        ("manifest", str(result.manifest_file)),
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
    watch: Annotated[bool, Flag("--watch", "Update the view live, until Ctrl-C.")] = False,
    how: Survey,
) -> int:
    """Show each repository's index and daemon; write nothing."""
    if watch and how.json:
        raise UsageError("--watch and --json cannot go together")
    opened = how.open(file, named)
    terminal = opened.terminal
    if watch:
        return _watch(opened)
    result, servers = opened.state(asks=True), opened.servers()
    if how.json:
        terminal.write_json(status_of(result, servers).to_dict(), pretty=True)
        return 0
    terminal.write(status_text(result, terminal.style, terminal.columns))
    for server in servers:
        terminal.write(f"{sanitise_line(server.remote)}: {plural(len(server.repos), 'repo')}\n")
        for problem in server.problems:
            terminal.tell(f"warning: {problem}")
    terminal.note(diagnostics_text(result, terminal.notes_style))
    if any(each.repo.enabled and each.availability != "present" for each in result.members):
        terminal.tell(with_file("for fixes: ggrep workspace doctor FILE", opened.file))
    return 0


def _watch(opened: OpenedWorkspace) -> int:
    """Show the state; refresh it every two seconds."""
    from ggrep.interfaces.cli.screen import require_screen, show_live

    refusal = "--watch requires a terminal; to print the status once: ggrep workspace status FILE"
    require_screen(with_file(refusal, opened.file))
    style = opened.terminal.style

    def text(state: WorkspaceState, columns: int) -> str:
        table = status_text(state, style, columns)
        summary = style.paint("name", summary_text(state))
        return f"{summary}\n\n{table}\n{diagnostics_text(state, style)}"

    show_live(style, lambda: opened.state(asks=True), text, _PAUSE_S)
    return 0


def catalog(*, file: FileArgument = None, named: FileOption = None, how: Survey) -> int:
    """Show the paths, hashes and compatibility keys of indexes; write nothing."""
    opened = how.open(file, named)
    terminal, workspace = opened.terminal, opened.workspace
    result = opened.state(asks=True)
    kept = read_stored(result.manifest_file)
    if how.json:
        terminal.write_json(catalog_of(result, kept).to_dict(), pretty=True)
        return 0
    pairs = [
        ("workspace", str(workspace.workspace_path)),
        ("cache root", str(result.cache_root)),
        ("manifest", str(result.manifest_file)),
        ("repo set", workspace.repo_set_id),
        ("hash now", result.hash),
        ("hash kept", kept.manifest_hash if kept else "none"),
    ]
    rows = [
        [
            Cell(label(each), "repo"),
            Cell(each.availability),
            Cell(each.index.snapshot_id or "-"),
            Cell((compatibility_key(known) if (known := each.description()) else None) or "-"),
            Cell(each.store_id or "-"),
        ]
        for each in result.members
    ]
    titles = ("repo", "index", "snapshot", "compares by", "store")
    terminal.write(render_pairs(pairs, terminal.style) + "\n")
    terminal.write(render_table(titles, rows, terminal.style, terminal.columns))
    terminal.note(diagnostics_text(result, terminal.notes_style))
    return 0


def label(member: MemberState) -> str:
    """Return the display name of a repository."""
    return sanitise_line(member.repo.alias or member.repo_id)


def status_text(state: WorkspaceState, style: Style, width: int) -> str:
    """Return the table of a workspace's repositories, and the notes below the table."""
    return render_table(TITLES, [_row(each) for each in state.members], style, width)


def diagnostics_text(state: WorkspaceState, style: Style) -> str:
    """Return one line for each problem; several corpora with the same problem share the line."""
    file = state.workspace.workspace_path
    labels = {each.repo_id: label(each) for each in state.members}
    result = dict.fromkeys(
        (labels.get(item.repo_id or RepoId(""), ""), with_file(item.message, file))
        for item in (*state.diagnostics.errors, *state.diagnostics.warnings)
    )
    paint = style.paint("warning", "warning:")
    return "".join(f"{paint} {name}: {sanitise_line(message)}\n" for name, message in result)


def summary_text(state: WorkspaceState) -> str:
    """Return a text with the numbers of all, enabled and indexed repositories."""
    members = state.members
    ready = sum(each.availability == "present" for each in members)
    enabled = sum(each.repo.enabled for each in members)
    return f"{plural(len(members), 'repo')}, {enabled} enabled, {ready} indexed"


def _row(member: MemberState) -> list[Cell]:
    index, daemon = member.index, member.daemon
    commit, dirty = (index.head_sha or "")[:_COMMIT], "+" if index.dirty else ""
    counts = dict(member.reported.counts) if member.reported else {}
    chunks = index.counts.chunks_visible if index.counts else None
    chunks = sum(counts.values()) if counts else chunks
    word, role = _index_word(member)
    if not member.repo.enabled:
        word, role = f"{word}, disabled", "muted"
    shown = _WORDS.get(daemon.state, daemon.state)
    if member.progress_percent is not None:
        shown += f" {member.progress_percent} %"
    pid = f", pid {daemon.pid}" if daemon.pid is not None else ""
    return [
        Cell(label(member), "repo"),
        Cell(word, role),
        Cell(count_text(index.counts.files_indexed) if index.counts else "-", figures=True),
        Cell("-" if chunks is None else count_text(chunks), figures=True),
        Cell(f"{commit}{dirty}" or "-"),
        Cell(f"{shown}{pid}", _ROLES.get(daemon.state, "warning")),
    ]


def _index_word(member: MemberState) -> tuple[str, str]:
    if member.repo.missing is not None or member.error is not None:
        return "missing" if member.repo.missing is not None else "invalid settings", "bad"
    if member.availability == "missing-index-dir":
        return "none", "warning"
    if member.availability != "present":
        return member.availability, "bad"
    if member.index.partial or member.index.degraded:
        return "partial" if member.index.partial else "degraded", "warning"
    return "ready", "good"
