"""`ggrep workspace init|add|remove|validate|status`: looking after workspace files."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ggrep import durable
from ggrep.cli.roots import open_engine
from ggrep.cli.terminal import Terminal, open_terminal
from ggrep.clock import SystemClock
from ggrep.domain.deadline import Deadline
from ggrep.domain.response import RepoDescription
from ggrep.domain.sanitise import sanitise_line
from ggrep.errors import GgrepError, InvalidRequest
from ggrep.federation.editing import NewEntry, add_repo, init_text, remove_repo
from ggrep.federation.workspace import Workspace, WorkspaceRepo, load_workspace, resolved_object
from ggrep.identity.root import canonical_root
from ggrep.stable_json import Json

if TYPE_CHECKING:
    from ggrep.cli.searchers import EngineSearcher
    from ggrep.federation.searcher import SearcherFactory

WORKSPACE_SCHEMA = 1
CONVENTIONAL_NAME = ".ggrep-workspace.jsonc"

_FileArgument = Annotated[Path, typer.Argument(help="The workspace file.")]
_JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document.")]
_AliasOption = Annotated[str | None, typer.Option("--alias", help="Short name of the repo.")]
_TagOption = Annotated[list[str] | None, typer.Option("--tag", help="Tag of the repo; repeatable.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the tree."""
    group = typer.Typer(help="Make, change and check workspace files.", no_args_is_help=True)
    group.command("init")(init)
    group.command("add")(add)
    group.command("remove")(remove)
    group.command("validate")(validate)
    group.command("status")(status)
    app.add_typer(group, name="workspace")


def load(path: Path) -> Workspace:
    """Return the workspace of a file.

    Raises:
        WorkspaceError: the file is wrong; every issue is in it.
    """
    return load_workspace(path, resolve_root=canonical_root)


def init(
    file: _FileArgument,
    roots: Annotated[
        list[str], typer.Argument(help="Directories, each optionally as ALIAS=DIRECTORY.")
    ],
    name: Annotated[str, typer.Option("--name", help="Name of the workspace.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: _JsonOption = False,
) -> int:
    """Write a workspace file over some directories."""
    terminal = open_terminal()
    if file.exists() and not force:
        raise InvalidRequest(f"{file}: exists already; --force replaces it")
    if not file.parent.is_dir():
        raise InvalidRequest(f"{file.parent}: no such directory")
    entries = [_entry(root, file) for root in roots]
    return _save(terminal, file, init_text(name or file.parent.resolve().name, entries), json=json)


def add(
    file: _FileArgument,
    root: Annotated[str, typer.Argument(help="A directory, optionally as ALIAS=DIRECTORY.")],
    alias: _AliasOption = None,
    tags: _TagOption = None,
    priority: Annotated[int | None, typer.Option("--priority", help="Higher wins ties.")] = None,
    disabled: Annotated[bool, typer.Option("--disabled", help="Not searched by default.")] = False,
    json: _JsonOption = False,
) -> int:
    """Add a repository to a workspace file; comments and form of the rest stay."""
    terminal = open_terminal()
    load(file)
    entry = _entry(root, file)
    entry = NewEntry(
        root=entry.root,
        alias=alias or entry.alias,
        enabled=False if disabled else None,
        priority=priority,
        tags=tuple(tags or ()),
    )
    return _save(terminal, file, add_repo(_read(file), entry), json=json)


def remove(
    file: _FileArgument,
    repo: Annotated[str, typer.Argument(help="Alias, or root as written in the file.")],
    json: _JsonOption = False,
) -> int:
    """Remove a repository from a workspace file; its index stays."""
    terminal = open_terminal()
    return _save(terminal, file, remove_repo(_read(file), repo), json=json)


def validate(file: _FileArgument, json: _JsonOption = False) -> int:
    """Check a workspace file; every problem is named with its place."""
    terminal = open_terminal()
    workspace = load(file)
    if json:
        document: dict[str, Json] = {"schema_version": WORKSPACE_SCHEMA, "ok": True}
        terminal.write_json({**document, "workspace": resolved_object(workspace)}, pretty=True)
        return 0
    enabled = sum(repo.enabled for repo in workspace.repos)
    terminal.write(
        f"{sanitise_line(str(file))}: valid, {len(workspace.repos)} repos, {enabled} enabled\n"
    )
    return 0


def status(file: _FileArgument, json: _JsonOption = False) -> int:
    """Show what is indexed of each repository; nothing is written."""
    terminal = open_terminal()
    workspace = load(file)
    rows = [(repo, _describe(repo, terminal)) for repo in workspace.repos]
    if json:
        document: dict[str, Json] = {
            "schema_version": WORKSPACE_SCHEMA,
            "name": workspace.name,
            "repoSetId": workspace.repo_set_id,
            "repos": [_row_json(repo, found) for repo, found in rows],
        }
        terminal.write_json(document, pretty=True)
        return 0
    width = max(len(_label(repo)) for repo, _ in rows)
    for repo, found in rows:
        label = terminal.style.paint("repo", f"{_label(repo):<{width}}")
        terminal.write(f"{label}  {_state(repo, found)}\n")
    return 0


def searcher_factory(terminal: Terminal, flags: dict[str, object]) -> "SearcherFactory":
    """Return what hands the coordinator an engine-backed searcher for each repository."""
    from ggrep.cli.searchers import EngineSearcher

    def open_searcher(repo: WorkspaceRepo) -> "EngineSearcher":
        return EngineSearcher(lambda: open_engine(repo.root_canonical, terminal, flags=flags))

    return open_searcher


def _describe(repo: WorkspaceRepo, terminal: Terminal) -> RepoDescription | GgrepError:
    import anyio

    searcher = searcher_factory(terminal, {})(repo)
    try:
        return anyio.run(searcher.describe, Deadline.never(SystemClock()))
    except GgrepError as error:
        return error


def _label(repo: WorkspaceRepo) -> str:
    return sanitise_line(repo.alias or repo.repo_id)


def _state(repo: WorkspaceRepo, found: RepoDescription | GgrepError) -> str:
    off = "" if repo.enabled else "  disabled"
    if isinstance(found, GgrepError):
        return f"error: {sanitise_line(str(found))}{off}"
    if found.snapshot_id is None:
        return f"no index; run: ggrep index {sanitise_line(str(repo.root_canonical))}{off}"
    chunks = sum(number for _, number in found.counts)
    degraded = "  degraded" if found.degraded else ""
    return f"{chunks} chunks, snapshot {found.snapshot_id}{degraded}{off}"


def _row_json(repo: WorkspaceRepo, found: RepoDescription | GgrepError) -> Json:
    row: dict[str, Json] = {
        "repoId": repo.repo_id,
        "alias": repo.alias,
        "enabled": repo.enabled,
        "priority": repo.priority,
        "tags": list(repo.tags),
    }
    if isinstance(found, GgrepError):
        return {**row, "error": {"code": found.code, "message": sanitise_line(str(found))}}
    return {
        **row,
        "storeId": found.store_id,
        "snapshotId": found.snapshot_id,
        "degraded": found.degraded,
        "chunks": {corpus.value: number for corpus, number in found.counts},
    }


def _entry(text: str, file: Path) -> NewEntry:
    """Return the entry for `ALIAS=DIRECTORY` or `DIRECTORY`, written relative to the file."""
    alias, separator, directory = text.partition("=")
    if not separator or "/" in alias:
        alias, directory = "", text
    given = Path(directory)
    if not given.is_dir():
        raise InvalidRequest(f"{directory}: no such directory")
    base = file.parent.resolve()
    root = os.path.relpath(given.resolve(), base)
    outside = root.startswith(".." + os.sep + ".." + os.sep + "..")
    return NewEntry(root=str(given.resolve()) if outside else root, alias=alias or None)


def _read(file: Path) -> str:
    load(file)
    return file.read_text(encoding="utf-8")


def _save(terminal: Terminal, file: Path, text: str, *, json: bool) -> int:
    """Write the text if the workspace it describes can be loaded; else leave the file alone."""
    draft = file.with_name(f".{file.name}.draft")
    try:
        durable.write_file(draft, text.encode(), mode=0o644)
        workspace = load(draft)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)
    if json:
        document: dict[str, Json] = {"schema_version": WORKSPACE_SCHEMA, "ok": True}
        terminal.write_json({**document, "repos": len(workspace.repos)}, pretty=True)
    else:
        terminal.tell(f"{file}: {len(workspace.repos)} repos")
    return 0
