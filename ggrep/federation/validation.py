"""Validates a parsed workspace file: returns its draft or raises all its errors."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, TypeAlias, TypeVar

from ggrep.base.errors import InvalidRequest, Issue, WorkspaceError
from ggrep.config.remotes import server_url
from ggrep.config.repo_key import is_key
from ggrep.federation.workspace_draft import (
    EVERY,
    GLOBAL,
    MAX_INCLUDES,
    MAX_REPOS,
    REMOVED,
    EntryDraft,
    IncludeDraft,
    LocatedRoot,
    MergeDefaults,
    RemoteEntry,
    WorkspaceDefaults,
    WorkspaceDraft,
)
from ggrep.model.field_meta import MAX_INTEGER, DeclaredKey, Key, declared_keys
from ggrep.model.sanitise import sanitise_line
from ggrep.model.suggested_commands import bring_back, remove_entry

SHAPE: Final = "ERR_WORKSPACE_INVALID_SHAPE"
MAX_ISSUES: Final = 1000
"""Maximum number of reported issues in a file."""


class Problems:
    """The issues of a file, in the order of detection."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._further = 0
        self._issues: list[Issue] = []

    @property
    def issues(self) -> tuple[Issue, ...]:
        """Return the issues; beyond `MAX_ISSUES`, the last entry counts the omitted issues."""
        if not self._further:
            return tuple(self._issues)
        message = f"$: {self._further} further issues are not listed"
        hint = "fix the listed issues, then load the file again"
        return (*self._issues, Issue(SHAPE, message, self._path, "$", "too-many", hint))

    def add(self, code: str, field: str, reason: str, message: str, *, hint: str = "") -> None:
        """Record an issue; `message` follows the field's name."""
        text = sanitise_line(f"{field}: {message}")
        if len(self._issues) < MAX_ISSUES:
            self._issues.append(Issue(code, text, self._path, field, reason, hint))
        else:
            self._further += 1

    def unknown_keys(self, value: Mapping[str, object], known: Collection[str], field: str) -> None:
        """Record an issue for each unknown key of `value`."""
        for key in value:
            if key not in known:
                self.add(
                    "ERR_WORKSPACE_UNKNOWN_KEY",
                    f"{field}.{key}" if key.isidentifier() else f"{field}[{key!a}]",
                    "unknown-key",
                    f"unknown key {key!a}",
                    hint=f"known keys: {', '.join(sorted(known))}",
                )

    def value(self, wanted: DeclaredKey, value: object, field: str, default: Any) -> Any:  # noqa: ANN401 - of the declared type
        """Return the value of a declared key; `default` if the value is null or invalid."""
        if wanted.is_list:
            return self.tags(value, field, default)
        if wanted.kind is bool:
            return self.boolean(value, field, default=default)
        if wanted.kind is int:
            return self.integer(value, field, default, least=wanted.says.least)
        text = self.text(value, field)
        if text is not None and wanted.words and text not in wanted.words:
            known = ", ".join(wanted.words)
            self.add(SHAPE, field, "unsupported", f"{text!a} is not one of {known}")
        return text

    def text(self, value: object, field: str) -> str | None:
        """Return the trimmed text; None if the value is null, blank or invalid."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.add(SHAPE, field, "type", f"must be a string, is {kind_of(value)}")
            return None
        trimmed = value.strip()
        if not trimmed.isprintable():
            self.add(SHAPE, field, "unprintable", f"{trimmed!a} contains control characters")
            return None
        return trimmed or None

    def integer(self, value: object, field: str, default: int, *, least: int = -MAX_INTEGER) -> int:
        """Return the integer; `default` if the value is null or invalid."""
        if value is None:
            return default
        if isinstance(value, float) and value.is_integer() and abs(value) > MAX_INTEGER:
            # The parser reads integers with too many digits as floats.
            self.add(SHAPE, field, "range", f"must be from {least} to {MAX_INTEGER}")
            return default
        # bool is a subclass of int: `"priority": true` must not mean 1.
        if isinstance(value, bool) or not isinstance(value, int):
            self.add(SHAPE, field, "type", f"must be an integer, is {kind_of(value)}")
            return default
        if not least <= value <= MAX_INTEGER:
            self.add(SHAPE, field, "range", f"must be from {least} to {MAX_INTEGER}")
            return default
        return value

    def boolean(self, value: object, field: str, *, default: bool) -> bool:
        """Return the boolean; `default` if the value is null or invalid."""
        if value is None:
            return default
        if not isinstance(value, bool):
            self.add(SHAPE, field, "type", f"must be true or false, is {kind_of(value)}")
            return default
        return value

    def tags(self, value: object, field: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the distinct tags in lower case, trimmed and sorted."""
        return tuple(sorted({tag.lower() for tag in self.texts(value, field, default)}))

    def texts(self, value: object, field: str, default: tuple[str, ...]) -> tuple[str, ...]:
        """Return the distinct texts, trimmed and sorted."""
        if value is None:
            return default
        if not isinstance(value, list):
            self.add(SHAPE, field, "type", f"must be an array of strings, is {kind_of(value)}")
            return default
        texts = set()
        for index, item in enumerate(value):
            place = f"{field}[{index}]"
            if item is None:
                self.add(SHAPE, place, "type", "must be a string, is null")
            else:
                texts.add(self.text(item, place) or "")
        return tuple(sorted(texts - {""}))


def kind_of(value: object) -> str:
    """Return the name of a value's JSON type."""
    if value is None:
        return "null"
    names = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return names.get(type(value), "an array" if isinstance(value, list) else "an object")


SCHEMA_VERSION: Final = 1
_VERSION: Final = Key("Version of this shape.", SCHEMA_VERSION, SCHEMA_VERSION, key="schemaVersion")
TOP: Final[Mapping[str, DeclaredKey]] = {
    _VERSION.key: DeclaredKey("schema_version", int, _VERSION),
    **declared_keys(WorkspaceDraft),
}
"""All top-level keys of a workspace file."""


T = TypeVar("T", WorkspaceDefaults, MergeDefaults)


class RootProblem(Exception):
    """A root cannot be used; its field's name precedes the message."""

    def __init__(self, code: str, reason: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


Locate: TypeAlias = Callable[[str], LocatedRoot | None]
"""Returns the location of a root as written in the file, or raises RootProblem."""


def validate(value: object, path: str, locate: Locate) -> WorkspaceDraft:
    """Return the draft of a parsed file.

    `locate` finds the root of each entry; messages contain `path`.
    """
    if not isinstance(value, Mapping):
        message = f"workspace file {path} must contain a JSON object, but contains {kind_of(value)}"
        raise WorkspaceError(
            (
                Issue(
                    "ERR_WORKSPACE_ROOT_NOT_OBJECT",
                    message,
                    path,
                    "$",
                    "type",
                    "put all keys into one object: { ... }",
                ),
            )
        )
    problems = Problems(path)
    draft = _draft(value, problems, locate)
    _check_unique(draft.entries, problems)
    if problems.issues:
        raise WorkspaceError(problems.issues)
    return draft


def _draft(value: Mapping[str, object], problems: Problems, locate: Locate) -> WorkspaceDraft:
    problems.unknown_keys(value, TOP, "$")
    _check_version(value, problems)
    name = problems.text(value.get("name"), "$.name") or ""
    defaults = _table(WorkspaceDefaults, value.get("defaults"), problems, "$.defaults")
    cache_root = problems.text(value.get("cacheRoot"), "$.cacheRoot")
    current, removed = _current(value.get("merge"))
    merge = _table(MergeDefaults, current, problems, "$.merge")
    include = _includes(value.get("include"), defaults, problems)
    repos = value.get("repos")
    if repos in (None, []) and value.get("include"):
        repos = []
    elif not isinstance(repos, list) or not repos:
        problems.add(
            "ERR_WORKSPACE_REPOS_EMPTY",
            "$.repos",
            "required" if "repos" not in value or repos == [] else "type",
            "must be an array of at least one repository; add one",
            hint='write "repos": [{ "root": "../path" }]',
        )
        repos = []
    if len(repos) > MAX_REPOS:
        message = f"has {len(repos)} repositories; the maximum is {MAX_REPOS}"
        problems.add(SHAPE, "$.repos", "too-many", message, hint="split the workspace")
        repos = []
    remotes = tuple(
        _remote(entry, index, defaults, problems)
        for index, entry in enumerate(repos)
        if _is_remote(entry)
    )
    entries = tuple(
        _entry(entry, index, defaults, problems, locate)
        for index, entry in enumerate(repos)
        if not _is_remote(entry)
    )
    number = len(entries) + sum(len(each.repos) for each in remotes)
    if number > MAX_REPOS:
        message = f"names {number} repositories; the maximum is {MAX_REPOS}"
        problems.add(SHAPE, "$.repos", "too-many", message, hint="split the workspace")
    return WorkspaceDraft(
        name, cache_root, defaults, merge, entries, include, remotes, removed_strategy=removed
    )


def _current(merge: object) -> tuple[object, str]:
    """Return `merge` with `global` for a strategy in `REMOVED`, and the replaced strategy."""
    name = merge.get("strategy") if isinstance(merge, Mapping) else None
    if isinstance(merge, Mapping) and isinstance(name, str) and name.strip() in REMOVED:
        return {**merge, "strategy": GLOBAL}, name.strip()
    return merge, ""


def _includes(
    value: object, defaults: WorkspaceDefaults, problems: Problems
) -> tuple[IncludeDraft, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        problems.add(SHAPE, "$.include", "type", f"must be an array, is {kind_of(value)}")
        return ()
    if len(value) > MAX_INCLUDES:
        message = f"has {len(value)} globs; the maximum is {MAX_INCLUDES}"
        problems.add(SHAPE, "$.include", "too-many", message)
        return ()
    drafts = (
        _include(item, f"$.include[{index}]", defaults, problems)
        for index, item in enumerate(value)
    )
    return tuple(draft for draft in drafts if draft is not None)


def _include(
    value: object, field: str, defaults: WorkspaceDefaults, problems: Problems
) -> IncludeDraft | None:
    if not isinstance(value, str | Mapping):
        problems.add(
            SHAPE, field, "type", f"must be a glob or an object with one, is {kind_of(value)}"
        )
        return None
    keys: Mapping[str, object] = {"glob": value} if isinstance(value, str) else value
    known = declared_keys(IncludeDraft)
    problems.unknown_keys(keys, known, field)
    values = {
        each.name: problems.value(
            each, keys.get(key), f"{field}.{key}", getattr(defaults, each.name, None)
        )
        for key, each in known.items()
    }
    if not values["glob"] or not values["glob"].removeprefix("!"):
        problems.add(SHAPE, f"{field}.glob", "required", "must be a glob such as ../services/*")
        return None
    return IncludeDraft(**values)


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


def _table(kind: type[T], value: object, problems: Problems, field: str) -> T:
    """Return a JSON object as a `kind`; null and invalid values become defaults."""
    wanted: Any = kind
    known, keys = declared_keys(wanted), _object(value, problems, field)
    problems.unknown_keys(keys, known, field)
    values = {
        each.name: problems.value(each, keys.get(key), f"{field}.{key}", each.default)
        for key, each in known.items()
    }
    return kind(**values)


def _is_remote(value: object) -> bool:
    return isinstance(value, Mapping) and "remote" in value


def _remote(
    value: Mapping[str, object], index: int, defaults: WorkspaceDefaults, problems: Problems
) -> RemoteEntry:
    field = f"$.repos[{index}]"
    known = declared_keys(RemoteEntry)
    problems.unknown_keys(value, known, field)
    values: dict[str, Any] = {
        key: problems.value(each, value.get(key), f"{field}.{key}", getattr(defaults, key, None))
        for key, each in known.items()
        if key != "repos"
    }
    names = problems.texts(value.get("repos"), f"{field}.repos", (EVERY,))
    if not names:
        problems.add(SHAPE, f"{field}.repos", "empty", "names no repository; omit it for all")
    for name in names:
        if name != EVERY and not is_key(name.removesuffix("/")):
            message = f"{name!a} must be a key, a key followed by /, or {EVERY}"
            problems.add(SHAPE, f"{field}.repos", "name", message)
    try:
        values["remote"] = server_url(values["remote"] or "")
    except InvalidRequest as error:
        problems.add(SHAPE, f"{field}.remote", "url", str(error))
    return RemoteEntry(index, repos=names, **values)


def _entry(
    value: object, index: int, defaults: WorkspaceDefaults, problems: Problems, locate: Locate
) -> EntryDraft:
    field = f"$.repos[{index}]"
    if value is None:
        problems.add(SHAPE, field, "type", "must be an object, is null")
    known, keys = declared_keys(EntryDraft), _object(value, problems, field)
    problems.unknown_keys(keys, known, field)
    root = ""
    located = None
    if isinstance(value, Mapping):
        root = _root(keys, field, problems)
        named = keys.get("alias")
        alias = named if isinstance(named, str) else None
        located = _located(root, alias, index, problems, locate) if root else None
    values = {
        each.name: problems.value(
            each, keys.get(key), f"{field}.{key}", getattr(defaults, each.name, None)
        )
        for key, each in known.items()
        if key != "root"
    }
    return EntryDraft(index=index, root=root, located=located, **values)


def _root(keys: Mapping[str, object], field: str, problems: Problems) -> str:
    value = keys.get("root")
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


def _located(
    root: str, alias: str | None, index: int, problems: Problems, locate: Locate
) -> LocatedRoot | None:
    try:
        return locate(root)
    except RootProblem as problem:
        hint = bring_back(alias, f"repos[{index}]")
        field = f"$.repos[{index}].root"
        problems.add(problem.code, field, problem.reason, str(problem), hint=hint)
        return None


def _check_unique(entries: tuple[EntryDraft, ...], problems: Problems) -> None:
    roots: dict[object, EntryDraft] = {}
    ids: dict[object, EntryDraft] = {}
    aliases: dict[object, EntryDraft] = {}
    for entry in entries:
        if entry.located is not None:
            root, repo_id = entry.located.canonical, entry.located.repo_id
            if (first := roots.setdefault(root, entry)) is not entry:
                _duplicate(problems, first, entry, "REPO_ROOT", f"are the same directory {root}")
            elif (first := ids.setdefault(repo_id, entry)) is not entry:
                _duplicate(problems, first, entry, "REPO_ID", f"have the same id {repo_id}")
        alias = entry.alias
        if (
            alias is not None
            and (first := aliases.setdefault(alias.casefold(), entry)) is not entry
        ):
            message = f"have the same alias {first.alias!r}; letter case is ignored"
            _duplicate(problems, first, entry, "ALIAS", message)


def _duplicate(
    problems: Problems, first: EntryDraft, second: EntryDraft, what: str, message: str
) -> None:
    code = f"ERR_WORKSPACE_DUPLICATE_{what}"
    field = f"$.repos[{second.index}]." + ("alias" if what == "ALIAS" else "root")
    pair = f"repos[{first.index}] ({first.root!r}) and repos[{second.index}] ({second.root!r})"
    hint = f"run: {remove_entry(second.index)}"
    if what == "ALIAS":
        hint = f"rename one, or {hint}"
    problems.add(code, field, "duplicate", f"{pair} {message}", hint=hint)
