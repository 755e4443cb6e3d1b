"""`ggrep index`: brings one repository, or all repositories of a workspace, up to date."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from ggrep.base.errors import GgrepError, UsageError
from ggrep.base.linux import share_one_heap
from ggrep.base.stable_json import Document
from ggrep.config.fingerprints import repo_id
from ggrep.config.settings import home_from
from ggrep.index.repo_identity import require_modest
from ggrep.interfaces.cli.parsing.flags import (
    Argument,
    EncoderFlag,
    Flag,
    JsonFlag,
    Output,
    PlainFlag,
    ProfileFlag,
    YesFlag,
)
from ggrep.interfaces.cli.terminal import (
    Terminal,
    ask_before_indexing,
    open_terminal,
    show_progress,
)
from ggrep.interfaces.cli.text_tables import bytes_text, count_text, pad, plural
from ggrep.model.sanitise import sanitise_line
from ggrep.model.status import ProfileReport, ProfilesReport
from ggrep.model.suggested_commands import with_file, with_path
from ggrep.model.sync import SyncReport
from ggrep.render.failures import query_error
from ggrep.render.style import Style
from ggrep.service.location import location_of, open_index

if TYPE_CHECKING:
    from ggrep.federation.workspace import WorkspaceRepo
    from ggrep.model.schemas.stores import (
        FailedRepoJson,
        IndexedRepoJson,
        PreviewedRepoJson,
        PreviewJson,
        WorkspaceIndexJson,
    )
    from ggrep.parse.source.walk import Walk
    from ggrep.search.engine.repo_index import RepoIndex

INDEX_SCHEMA: Final = 1


class Indexing(Struct, frozen=True):
    """Options of an index command."""

    title: ClassVar = "Indexing"

    dry_run: Annotated[
        bool,
        Flag("--dry-run -d", "List the files that would be indexed, and why others are skipped."),
    ] = False
    reset: Annotated[
        bool, Flag("--reset -r", "Rebuild the index; searches use the old index until then.")
    ] = False
    strict: Annotated[
        bool, Flag("--strict", "Keep the old index when a file cannot be indexed correctly.")
    ] = False
    allow_degraded: Annotated[
        bool,
        Flag(
            "--allow-degraded", "When max_bytes_indexed is exceeded, index only the files that fit."
        ),
    ] = False
    yes: YesFlag = False
    encoder: EncoderFlag = None
    profile: ProfileFlag = None


def index(
    indexing: Indexing,
    output: Output,
    path: Annotated[
        Path | None, Argument("A directory in the repository; default: the current one.")
    ] = None,
    path_option: Annotated[Path | None, Flag("--path -p", "Same as PATH.")] = None,
    workspace: Annotated[
        Path | None, Flag("--workspace", "Index all enabled repositories of this workspace file.")
    ] = None,
) -> int:
    """Build or update the index of a repository."""
    terminal = open_terminal(plain=output.plain)
    if indexing.strict and indexing.allow_degraded:
        raise UsageError("--strict and --allow-degraded cannot go together")
    share_one_heap()
    job = Job(terminal, indexing, listing=not output.json)
    if workspace is not None:
        if path is not None or path_option is not None:
            raise UsageError("--workspace and a PATH cannot go together")
        from ggrep.interfaces.cli.workspaces.workspace_file import load

        repos = [repo for repo in load(workspace).repos if repo.enabled]
        return _index_all(job, repos, workspace, json=output.json)
    if path is not None and path_option is not None:
        raise UsageError("PATH and --path have the same meaning; use only one")
    root = location_of(path or path_option, directory=True).root
    document = job.run(root.name, root)
    if output.json:
        terminal.write_json(document, pretty=True)
    return 0


def _index_all(job: "Job", repos: "list[WorkspaceRepo]", file: Path, *, json: bool) -> int:
    documents: list[IndexedRepoJson | PreviewedRepoJson | FailedRepoJson] = []
    status = 0
    for repo in repos:
        label = repo.alias or repo.repo_id
        try:
            if repo.failure is not None:
                raise repo.failure
            entry = {"repo": label, "ok": True, **job.run(label, repo.root_canonical)}
            documents.append(cast("IndexedRepoJson | PreviewedRepoJson", entry))
        except GgrepError as error:
            status = status or error.exit_status
            documents.append({"repo": label, "ok": False, "error": query_error(error)["error"]})
            message = with_file(f"{label}: {error}", file)
            job.terminal.tell_error(with_path(message, repo.root_canonical))
    if json:
        # One entry for each repository, in the order of the workspace file.
        report: WorkspaceIndexJson = {
            "schema_version": INDEX_SCHEMA,
            "ok": status == 0,
            "repos": documents,
        }
        job.terminal.write_json(report, pretty=True)
    return status


class Job:
    """Runs the index command for each root, one after another."""

    def __init__(self, terminal: Terminal, indexing: Indexing, *, listing: bool) -> None:
        self.terminal = terminal
        self._indexing = indexing
        self._listing = listing

    def run(self, label: str, root: Path) -> Document:
        """Index one root and print a summary; return the root's part of the JSON."""
        wanted = self._indexing
        flags = {"encoder": wanted.encoder, "profile": wanted.profile}
        opened = open_index(root, self.terminal.environ, flags=flags)
        if wanted.dry_run:
            return self._preview(label, opened)
        ask_before_indexing(require_modest, root, opened.home, yes=wanted.yes)
        swept = opened.sweep()
        if swept.directories:
            count = plural(swept.directories, "directory", "directories")
            size = bytes_text(swept.freed_bytes)
            self.terminal.tell(f"removed leftovers of a killed command: {count}, {size}")
        with show_progress(self.terminal, label) as progress:
            report = opened.sync(
                strict=wanted.strict,
                allow_degraded=wanted.allow_degraded,
                fresh=wanted.reset,
                progress=progress,
            )
        elsewhere = None if Path.cwd().is_relative_to(root) else root
        self.terminal.tell(with_path(summary(label, report), elsewhere))
        for warning in report.warnings:
            self.terminal.tell(f"{label}: warning: {warning.message}")
        return self._keep_up(label, opened, report).to_dict()

    def _keep_up(self, label: str, opened: "RepoIndex", report: SyncReport) -> SyncReport:
        """Compact and clean the store; return the report with the snapshot after the compaction."""
        try:
            upkeep = opened.keep_up()
        except GgrepError as error:
            # The command itself succeeded: the snapshot is active.
            self.terminal.tell(
                f"{label}: warning: compaction or cleaning of the store failed: {error}"
            )
            return report
        done = upkeep.compaction
        if done is None or done.new_snapshot_id is None:
            return report
        return replace(report, snapshot_id=done.new_snapshot_id, segments=done.segments_after)

    def _preview(self, label: str, opened: "RepoIndex") -> "PreviewJson":
        from ggrep.index.sync.dataset_budget import within_budget
        from ggrep.parse.source.walk import walk

        settings = opened.settings
        result, _ = within_budget(
            walk(opened.identity.root, settings, apart=opened.home.own_directories),
            settings.max_bytes_indexed,
            allow_degraded=self._indexing.allow_degraded,
        )
        if self._listing:
            self.terminal.write(
                "".join(f"{sanitise_line(file.path_key)}\n" for file in result.files)
            )
        size = sum(file.size_bytes for file in result.files)
        excluded = ", ".join(f"{number} {rule}" for rule, number in result.excluded) or "none"
        self.terminal.tell(
            f"{label}: {plural(len(result.files), 'file')}, {size / 1e6:.1f} MB would be indexed; "
            f"excluded: {excluded}; skipped: {len(result.skipped)}"
        )
        for skip in result.skipped:
            self.terminal.tell(f"  {skip.path_key}: {skip.reason}, {skip.detail}")
        return preview_json(opened, result)


def preview_json(opened: "RepoIndex", walk: "Walk") -> "PreviewJson":
    """Return the JSON that previews a sync."""
    return {
        "schema_version": INDEX_SCHEMA,
        "store_id": opened.identity.store_id,
        "dry_run": True,
        "eligible": {
            "files": len(walk.files),
            "bytes": sum(file.size_bytes for file in walk.files),
        },
        "files": [file.path_key for file in walk.files],
        "excluded": dict(walk.excluded),
        "left_out": [{"path_key": path, "rule": rule} for path, rule in walk.left_out],
        "skipped": walk.skipped,
    }


def summary(label: str, report: SyncReport) -> str:
    """Return a line about the results of a sync."""
    seconds = report.duration_ms / 1000
    parts = [f"{report.files.indexed} indexed", f"{report.files.unchanged} unchanged"]
    if report.vectors_reused:
        parts.append(f"{report.vectors_reused} vectors reused")
    if report.files.deleted:
        parts.append(f"{report.files.deleted} deleted")
    if report.skipped:
        parts.append(f"{len(report.skipped)} skipped (see: ggrep health)")
    if report.degraded:
        parts.append(f"{len(report.degraded)} degraded")
    return f"{label}: {', '.join(parts)}; {plural(report.chunks, 'chunk')} in {seconds:.1f} s"


_TITLES = ("", "profile", "kind", "state", "files", "chunks", "budget", "store")


def profiles(
    path: Annotated[
        Path | None, Argument("A directory in the repository; default: the current one.")
    ] = None,
    profile: ProfileFlag = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """List the profiles (named settings) of a repository, and the store of each profile."""
    from ggrep.index.maintenance.inventory import list_profiles

    terminal = open_terminal(plain=plain)
    root = location_of(path).root
    home = home_from(terminal.environ)
    states = list_profiles(root, home, terminal.environ, {"profile": profile})
    report = ProfilesReport(repo_id=repo_id(root), profiles=states)
    terminal.show(report.to_dict(), profile_table(states, terminal.style), json=json)
    return 0


def profile_table(states: Sequence[ProfileReport], style: Style) -> str:
    """Return a header line and one line per profile; `*` marks the profile in use."""
    rows = [_TITLES, *map(_cells, states)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    head, *lines = ("  ".join(map(pad, cells, widths)).rstrip() for cells in rows)
    return "".join(f"{line}\n" for line in (style.paint("muted", head), *lines))


def _cells(state: ProfileReport) -> tuple[str, ...]:
    shown = state.state.replace("_", " ") + (", degraded" if state.degraded else "")
    return (
        "*" if state.in_force else "",
        state.name or "(none)",
        state.kind.replace("_", " "),
        shown,
        count_text(state.files),
        count_text(state.chunks),
        bytes_text(state.budgets.max_bytes_indexed) if state.budgets else "",
        state.store_id,
    )
