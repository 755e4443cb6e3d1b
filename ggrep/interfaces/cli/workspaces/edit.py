"""`ggrep workspace init|add|remove|validate`: creates, changes and checks workspace files."""

import os
import stat
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.errors import InvalidRequest, UsageError, WorkspaceError
from ggrep.base.stable_json import Document, plain
from ggrep.config.root import canonical_root
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, JsonFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.text_tables import plural
from ggrep.interfaces.cli.workspaces.workspace_file import (
    WORKSPACE_SCHEMA,
    FileArgument,
    FileOption,
    chosen_file,
    load,
)
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import build_index, with_file
from ggrep.render.failures import error_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from ggrep.federation.editing import NewEntry
    from ggrep.federation.workspace import WorkspaceRepo

_AliasOption = Annotated[str | None, Flag("--alias", "Short name of the repository.")]
_TagOption = Annotated[list[str] | None, Flag("--tag", "Tag of the repository; repeatable.")]


def init(
    file: FileArgument = None,
    roots: Annotated[
        list[str] | None, Argument("Directories, each optionally as ALIAS=DIRECTORY.")
    ] = None,
    named: FileOption = None,
    name: Annotated[str, Flag("--name", "Name of the workspace.")] = "",
    force: Annotated[bool, Flag("--force", "Replace an existing file.")] = False,
    json: JsonFlag = False,
) -> int:
    """Create a workspace file for some directories."""
    from ggrep.federation.editing import init_text

    terminal = open_terminal()
    target, words = _target(file, roots or [], named)
    if not words:
        raise UsageError("no directories are given; write them after the name of the file")
    if target.exists() and not force:
        raise InvalidRequest(f"{target} already exists; to replace it: --force")
    if not target.parent.is_dir():
        raise InvalidRequest(f"{target.parent}: no such directory")
    entries = _named([_entry(root, target) for root in words], target)
    text = init_text(name or target.parent.resolve().name, entries)
    return _save(terminal, target, text, json=json)


def add(
    file: FileArgument = None,
    root: Annotated[str | None, Argument("A directory, optionally as ALIAS=DIRECTORY.")] = None,
    named: FileOption = None,
    alias: _AliasOption = None,
    tags: _TagOption = None,
    priority: Annotated[
        int | None,
        Flag(
            "--priority",
            "Among equal scores, hits of the repository with the higher number come first.",
        ),
    ] = None,
    disabled: Annotated[
        bool, Flag("--disabled", "Do not search the repository by default.")
    ] = False,
    json: JsonFlag = False,
) -> int:
    """Add a repository to a workspace file; the rest of the file stays unchanged."""
    from ggrep.federation.editing import NewEntry, add_repo, move_repo

    terminal = open_terminal()
    target, word = _target_and_word(file, root, named, "a directory")
    entry = _entry(word, target)
    alias = alias or entry.alias
    members = load(target).repos
    repos = [repo for repo in members if not repo.included]
    place = canonical_root(target.parent / entry.root)
    if member := next((repo for repo in repos if repo.root_canonical == place), None):
        fact = f"{entry.root} is already repos[{member.index}]; the file is unchanged"
        if alias not in {None, member.alias} or tags or disabled or priority is not None:
            fact += "; edit the file to change alias, tags, priority or enabled"
        return _report(terminal, target, len(repos), fact, json=json)
    moved = _moved_entry(repos, place, alias, terminal)
    if moved is not None:
        text = _edited(target, lambda text: move_repo(text, moved, entry.root))
        fact = f"repos[{moved}] was moved to {entry.root}; its alias and tags stay; for its index:"
        terminal.tell(with_file(f"{fact} {build_index(enabled=True)}", target))
        return _save(terminal, target, text, json=json)
    for repo in repos:
        if alias and (repo.alias or "").casefold() == alias.casefold():
            raise InvalidRequest(
                f"repos[{repo.index}] has the alias {repo.alias!r}; choose another one"
            )
    entry = NewEntry(
        root=entry.root,
        alias=alias,
        enabled=False if disabled else None,
        priority=priority,
        tags=tuple(tags or ()),
    )
    (entry,) = _named(
        [entry],
        target,
        [repo.alias for repo in members if repo.alias and repo.root_canonical != place],
    )
    return _save(terminal, target, _edited(target, lambda text: add_repo(text, entry)), json=json)


def remove(
    file: FileArgument = None,
    repo: Annotated[
        str | None,
        Argument(
            "Alias, id, root as in the file, or position such as repos[2].", takes="repository"
        ),
    ] = None,
    named: FileOption = None,
    json: JsonFlag = False,
) -> int:
    """Remove a repository from a workspace file; keep its index.

    The repository's directory may be missing. Other problems of the file are reported
    as warnings.
    """
    from ggrep.federation.editing import remove_repo
    from ggrep.federation.workspace import names_of_root

    terminal = open_terminal()
    target, word = _target_and_word(file, repo, named, "a repository")
    try:
        text = _edited(
            target,
            lambda text: remove_repo(
                text, word, lambda root: names_of_root(root, target, canonical_root)
            ),
        )
    except WorkspaceError:
        _refuse_included(target, word)
        raise
    return _save(terminal, target, text, json=json, mends=True)


def _moved_entry(
    repos: "list[WorkspaceRepo]", place: Path, alias: str | None, terminal: Terminal
) -> int | None:
    """Return the entry whose directory is missing and whose repository is now at `place`.

    The entry has this alias, or its index in this home belongs to the repository at `place`.
    """
    from ggrep.index.maintenance.moved import was_moved

    home, missing = home_from(terminal.environ), [repo for repo in repos if repo.missing]
    for repo in missing:
        if alias and repo.alias and repo.alias.casefold() == alias.casefold():
            return repo.index
    return next((repo.index for repo in missing if was_moved(home, repo.repo_id, place)), None)


def _refuse_included(target: Path, word: str) -> None:
    """Raise if the repository comes from a glob in the file and has no entry to remove."""
    from ggrep.federation.workspace import names_of_root

    try:
        repos = load(target).repos
    except WorkspaceError:
        return
    typed_here = names_of_root(word, Path.cwd() / target.name, canonical_root)
    wanted = {word.strip().casefold(), *typed_here}
    for repo in repos:
        called = (repo.alias or "", repo.repo_id, repo.root_input)
        if repo.included and wanted & {name.casefold() for name in called if name}:
            raise InvalidRequest(
                f"{word} comes from the glob {repo.included!r}; to exclude it, add"
                f' "!{repo.root_input}" after this glob'
            )


def validate(file: FileArgument = None, named: FileOption = None, json: JsonFlag = False) -> int:
    """Check a workspace file and report every problem with its position."""
    from ggrep.federation.roots import workspace_warnings
    from ggrep.federation.workspace import resolved_object

    terminal = open_terminal()
    target = chosen_file(file, named)
    workspace = load(target, whole=True)
    warnings = workspace_warnings(workspace)
    if json:
        document: Document = {
            "schema_version": WORKSPACE_SCHEMA,
            "ok": True,
            "workspace": resolved_object(workspace),
            "warnings": plain(
                [replace(each, message=sanitise_line(each.message)) for each in warnings]
            ),
        }
        terminal.write_json(document, pretty=True)
        return 0
    enabled = sum(repo.enabled for repo in workspace.repos)
    counts = f"{plural(len(workspace.repos), 'repo')}, {enabled} enabled"
    if servers := len({entry.remote for entry in workspace.remotes}):
        counts += f", {plural(servers, 'team server')}"
    terminal.write(f"{sanitise_line(str(target))}: valid, {counts}\n")
    for warning in warnings:
        terminal.tell(f"warning: {warning.message}")
    return 0


def _target(
    file: Path | None, words: list[str], named: list[Path] | None
) -> tuple[Path, list[str]]:
    """Return the workspace file and the other words; with `--workspace`, `file` is a word too."""
    if not named:
        return chosen_file(file, named), words
    return chosen_file(None, named), [*([str(file)] if file else []), *words]


def _target_and_word(
    file: Path | None, word: str | None, named: list[Path] | None, what: str
) -> tuple[Path, str]:
    target, words = _target(file, [word] if word is not None else [], named)
    if len(words) != 1:
        raise UsageError(f"specify exactly one: {what}")
    return target, words[0]


def _entry(text: str, file: Path) -> "NewEntry":
    """Return the entry for `ALIAS=DIRECTORY` or `DIRECTORY`; its path is relative to the file."""
    from ggrep.federation.editing import NewEntry

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


def _named(entries: list["NewEntry"], file: Path, taken: Sequence[str] = ()) -> list["NewEntry"]:
    """Return the entries; an entry without an alias gets the name of its directory.

    If that name is not unique, already taken or not a valid alias, the entry gets no alias, and
    answers show its id.
    """
    names = [entry.alias or (file.parent / entry.root).resolve().name for entry in entries]
    seen = Counter(name.casefold() for name in (*names, *taken))
    return [
        entry
        if entry.alias or seen[name.casefold()] > 1 or not name.isprintable() or not name.strip()
        else replace(entry, alias=name)
        for entry, name in zip(entries, names, strict=True)
    ]


def _edited(file: Path, edit: "Callable[[str], str]") -> str:
    from ggrep.federation.workspace_text import located, parse_text, read_text

    text = read_text(file)
    parse_text(text, file)
    try:
        return edit(text)
    except WorkspaceError as error:
        raise located(error, file, text) from error


def _save(terminal: Terminal, file: Path, text: str, *, json: bool, mends: bool = False) -> int:
    """Write the text if the resulting workspace is valid; else raise and keep the old file.

    With `mends`, the text is always written, and remaining problems are only reported.
    """
    from ggrep.federation.workspace import workspace_of
    from ggrep.federation.workspace_text import entries_of

    left: list[str] = []
    try:
        workspace_of(text, file, resolve_root=canonical_root)
    except WorkspaceError as error:
        if not mends:
            raise
        left = error_lines(error)
    mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o644
    durable.replace_file(file, text.encode(), mode=mode)
    count = len(entries_of(text))
    _report(terminal, file, count, plural(count, "repo"), json=json)
    for line in left:
        terminal.tell(f"warning: {line}")
    return 0


def _report(terminal: Terminal, file: Path, count: int, fact: str, *, json: bool) -> int:
    if json:
        document = {"schema_version": WORKSPACE_SCHEMA, "ok": True, "repos": count}
        terminal.write_json(document, pretty=True)
    else:
        terminal.tell(f"{file}: {fact}")
    return 0
