"""A parsed workspace file becomes a draft, or all that is wrong with it in the file's order."""

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from ggrep.domain.hints import remove_entry
from ggrep.errors import Issue, WorkspaceError
from ggrep.federation.draft import (
    EntryDraft,
    LocatedRoot,
    MergeDefaults,
    WorkspaceDefaults,
    WorkspaceDraft,
)
from ggrep.federation.fields import SHAPE, Problems, kind_of
from ggrep.federation.strategies import STRATEGIES

SCHEMA_VERSION: Final = 1
MAX_REPOS: Final = 4096
"""Most repositories of one workspace; each costs a look at the disk."""

_TOP = frozenset({"schemaVersion", "name", "cacheRoot", "defaults", "merge", "repos"})
_DEFAULTS = frozenset({"enabled", "priority", "tags"})
_MERGE = frozenset({"strategy", "rrfK"})
_ENTRY = frozenset({"root", "alias", "enabled", "priority", "tags"})


class RootProblem(Exception):
    """A root cannot be used; the message follows the field's name."""

    def __init__(self, code: str, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


Locate: TypeAlias = Callable[[str], LocatedRoot | None]
"""Finds a root as written, or raises RootProblem."""


def validate(value: object, path: str, locate: Locate) -> WorkspaceDraft:
    """Return the draft of a parsed file.

    Args:
        value: as parsed.
        path: of the file, for messages.
        locate: called for each entry's root.

    Raises:
        WorkspaceError: anything is wrong; it holds every issue found.
    """
    if not isinstance(value, Mapping):
        message = f"workspace file {path} must hold an object, holds {kind_of(value)}"
        raise WorkspaceError(
            (Issue("ERR_WORKSPACE_ROOT_NOT_OBJECT", message, path, "$", "type", "write { ... }"),)
        )
    problems = Problems(path)
    draft = _draft(value, problems, locate)
    _check_unique(draft.entries, problems)
    if problems.found:
        raise WorkspaceError(problems.found)
    return draft


def _draft(value: Mapping[str, object], problems: Problems, locate: Locate) -> WorkspaceDraft:
    problems.unknown_keys(value, _TOP, "$")
    _check_version(value, problems)
    name = problems.text(value.get("name"), "$.name") or ""
    defaults = _defaults(value.get("defaults"), problems)
    cache_root = problems.text(value.get("cacheRoot"), "$.cacheRoot")
    merge = _merge(value.get("merge"), problems)
    repos = value.get("repos")
    if not isinstance(repos, list) or not repos:
        problems.add(
            "ERR_WORKSPACE_REPOS_EMPTY",
            "$.repos",
            "required" if "repos" not in value or repos == [] else "type",
            "must be an array of at least one repository; add one",
            hint='write "repos": [{ "root": "../path" }]',
        )
        repos = []
    if len(repos) > MAX_REPOS:
        message = f"holds {len(repos)} repositories, at most {MAX_REPOS} are read"
        problems.add(SHAPE, "$.repos", "too-many", message, hint="split the workspace")
        repos = []
    entries = tuple(
        _entry(entry, index, defaults, problems, locate) for index, entry in enumerate(repos)
    )
    return WorkspaceDraft(name, cache_root, defaults, merge, entries)


def _check_version(value: Mapping[str, object], problems: Problems) -> None:
    version = value.get("schemaVersion")
    if isinstance(version, int) and not isinstance(version, bool) and version == SCHEMA_VERSION:
        return
    missing = "schemaVersion" not in value
    problems.add(
        "ERR_WORKSPACE_SCHEMA_VERSION",
        "$.schemaVersion",
        "required" if missing else "unsupported",
        f"{'missing' if missing else 'unsupported'}; supported versions: {SCHEMA_VERSION}",
        hint=f'write "schemaVersion": {SCHEMA_VERSION}',
    )


def _object(value: object, problems: Problems, field: str) -> Mapping[str, object]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        problems.add(SHAPE, field, "type", f"must be an object, is {kind_of(value)}")
        return {}
    return value


def _defaults(value: object, problems: Problems) -> WorkspaceDefaults:
    given = _object(value, problems, "$.defaults")
    problems.unknown_keys(given, _DEFAULTS, "$.defaults")
    return WorkspaceDefaults(
        enabled=problems.boolean(given.get("enabled"), "$.defaults.enabled", default=True),
        priority=problems.integer(given.get("priority"), "$.defaults.priority", 0),
        tags=problems.tags(given.get("tags"), "$.defaults.tags", ()),
    )


def _merge(value: object, problems: Problems) -> MergeDefaults:
    given = _object(value, problems, "$.merge")
    problems.unknown_keys(given, _MERGE, "$.merge")
    strategy = problems.text(given.get("strategy"), "$.merge.strategy")
    if strategy is not None and strategy not in STRATEGIES:
        problems.add(
            SHAPE,
            "$.merge.strategy",
            "unsupported",
            f"{strategy!a} is not one of {', '.join(STRATEGIES)}",
        )
    rrf_k = problems.integer(given.get("rrfK"), "$.merge.rrfK", 0, least=1)
    return MergeDefaults(strategy, rrf_k or None)


def _entry(
    value: object, index: int, defaults: WorkspaceDefaults, problems: Problems, locate: Locate
) -> EntryDraft:
    field = f"$.repos[{index}]"
    if value is None:
        problems.add(SHAPE, field, "type", "must be an object, is null")
    given = _object(value, problems, field)
    problems.unknown_keys(given, _ENTRY, field)
    root = ""
    located = None
    if isinstance(value, Mapping):
        root = _root(given, field, problems)
        located = _located(root, index, problems, locate) if root else None
    return EntryDraft(
        index=index,
        root=root,
        located=located,
        alias=problems.text(given.get("alias"), f"{field}.alias"),
        tags=problems.tags(given.get("tags"), f"{field}.tags", defaults.tags),
        enabled=problems.boolean(
            given.get("enabled"), f"{field}.enabled", default=defaults.enabled
        ),
        priority=problems.integer(given.get("priority"), f"{field}.priority", defaults.priority),
    )


def _root(given: Mapping[str, object], field: str, problems: Problems) -> str:
    value = given.get("root")
    if not isinstance(value, str) or not value.strip():
        blank = value is None or isinstance(value, str)
        problems.add(
            SHAPE,
            f"{field}.root",
            "required" if blank else "type",
            "must be the path of a directory",
        )
        return ""
    return value.strip()


def _located(root: str, index: int, problems: Problems, locate: Locate) -> LocatedRoot | None:
    try:
        return locate(root)
    except RootProblem as problem:
        hint = f"bring it back, or run: {remove_entry(index)}"
        field = f"$.repos[{index}].root"
        problems.add(problem.code, field, problem.reason, str(problem), hint=hint)
        return None


def _check_unique(entries: tuple[EntryDraft, ...], problems: Problems) -> None:
    roots: dict[object, EntryDraft] = {}
    ids: dict[object, EntryDraft] = {}
    aliases: dict[object, EntryDraft] = {}
    for entry in entries:
        if entry.located is not None:
            first = roots.setdefault(entry.located.canonical, entry)
            if first is not entry:
                _duplicate(problems, first, entry, "ROOT", f"both mean {entry.located.canonical}")
            elif (same := ids.setdefault(entry.located.repo_id, entry)) is not entry:
                _duplicate(problems, same, entry, "ID", f"both are {entry.located.repo_id}")
        if entry.alias is not None:
            first = aliases.setdefault(entry.alias.casefold(), entry)
            if first is not entry:
                named = f"both are named {first.alias!r}, case aside"
                _duplicate(problems, first, entry, "ALIAS", named)


def _duplicate(
    problems: Problems, first: EntryDraft, second: EntryDraft, what: str, message: str
) -> None:
    code = (
        "ERR_WORKSPACE_DUPLICATE_ALIAS"
        if what == "ALIAS"
        else f"ERR_WORKSPACE_DUPLICATE_REPO_{what}"
    )
    field = f"$.repos[{second.index}]." + ("alias" if what == "ALIAS" else "root")
    pair = f"repos[{first.index}] ({first.root!r}) and repos[{second.index}] ({second.root!r})"
    hint = f"rename one, or run: {remove_entry(second.index)}"
    problems.add(code, field, "duplicate", f"{pair} {message}", hint=hint)
