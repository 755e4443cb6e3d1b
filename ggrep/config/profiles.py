"""Named profiles of a repository, and their effects on its index and its answers.

A profile with `include` makes files eligible that the built-in lists exclude, and has a separate
store with budgets. Every other profile uses the repository's store and only restricts answers.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeVar

from msgspec import Struct
from msgspec.structs import asdict, replace

from ggrep.base.errors import InvalidRequest
from ggrep.config.declarations import (
    MAX_FILE_SIZE_BYTES,
    MAX_QUERY_PER_FILE,
    MAX_QUERY_RESULTS,
    MAX_STORE_BYTES,
    MAX_TOTAL_SNIPPET_BYTES,
    NO_NEGATION,
)
from ggrep.config.settings_files import (
    REPO_FILE,
    check_profile_name,
    check_texts,
    read_repo_file,
    read_table,
    table_of,
)
from ggrep.model.corpus import CORPORA, CORPUS_WORDS, Corpus, Mode
from ggrep.model.field_meta import MOST_LIST_ITEMS, DeclaredKey, Key, declared_keys
from ggrep.model.filters import Filter, parse_view_filter
from ggrep.model.request import Request, SearchRequest, SnippetMode
from ggrep.model.slate import ROLES, Budgets, Role, SlateRequest

T = TypeVar("T", SearchRequest, SlateRequest, Budgets)

RoleGlobs = tuple[tuple[Role, tuple[str, ...]], ...]
"""Globs by role, in the order of `ROLES`; only roles that have globs."""


# A repository's file cannot select whole chunks or whole files; only a request can.
_MOST_LEVEL: Final = 2
_SNIPPETS: Final = tuple(mode.value for mode in SnippetMode if mode is not SnippetMode.FULL)


class QueryDefaults(Struct, frozen=True):
    """Defaults for requests; None for a field that a profile does not set.

    `level`, `graph` and the last four fields are only for slates.
    """

    mode: Annotated[Mode | None, Key("Task to rank the hits for.")] = None
    snippet: Annotated[
        SnippetMode | None, Key("Shown amount of a hit's text.", words=_SNIPPETS)
    ] = None
    top: Annotated[int | None, Key("Maximum number of hits.", 1, MAX_QUERY_RESULTS)] = None
    per_file: Annotated[
        int | None,
        Key("Maximum number of hits of one file; 0 for no bound.", 0, MAX_QUERY_PER_FILE),
    ] = None
    anchors: Annotated[bool | None, Key("Show the opening lines of files.")] = None
    level: Annotated[int | None, Key("Level of detail of a slate.", 0, _MOST_LEVEL)] = None
    graph: Annotated[bool | None, Key("Show the relations between a slate's files.")] = None
    max_files: Annotated[
        int | None, Key("Maximum number of files of a slate.", 1, MAX_QUERY_RESULTS)
    ] = None
    evidence_per_file: Annotated[
        int | None, Key("Maximum number of pieces of evidence of a file.", 1, MAX_QUERY_PER_FILE)
    ] = None
    total_bytes: Annotated[
        int | None, Key("Maximum bytes of a slate.", 1, MAX_TOTAL_SNIPPET_BYTES)
    ] = None
    file_bytes: Annotated[
        int | None, Key("Maximum bytes of one file in a slate.", 1, MAX_TOTAL_SNIPPET_BYTES)
    ] = None

    @property
    def given(self) -> tuple[tuple[str, object], ...]:
        """Return the defaults that the profile sets, as name and value."""
        return tuple((name, value) for name, value in asdict(self).items() if value is not None)


class ProfileView(Struct, frozen=True):
    """The restrictions by which a profile limits answers.

    Attributes:
        within: further filters for hits.
        corpora: corpora of the chunks that are searched.
    """

    within: tuple[Filter, ...] = ()
    corpora: tuple[Corpus, ...] = CORPORA


class Profile(Struct, frozen=True):
    """One profile of a repository.

    In a profile without `include`, exclusions are filters in `view`; they do not change the index.
    """

    name: str
    include: Annotated[
        tuple[str, ...],
        Key(
            "Gitignore patterns of files to index that the built-in lists leave out.",
            1,
            MOST_LIST_ITEMS,
            pattern=NO_NEGATION,
            misfit="is a negation; use `exclude`",
        ),
    ] = ()
    exclude: Annotated[
        tuple[str, ...],
        Key(
            "Gitignore patterns of files to leave out; without `include` they hide hits.",
            1,
            MOST_LIST_ITEMS,
            pattern=NO_NEGATION,
            misfit="may only add to what is ignored",
        ),
    ] = ()
    max_bytes_indexed: Annotated[
        int, Key("Bytes of files that only `include` makes eligible.", 1, MAX_STORE_BYTES)
    ] = 0
    max_file_size_bytes: Annotated[
        int,
        Key(
            "Largest file in the profile's store, at most the value without the profile.",
            1,
            MAX_FILE_SIZE_BYTES,
        ),
    ] = 0
    max_store_bytes: Annotated[
        int,
        Key(
            "Bound on the profile's store, at most the value without the profile.",
            1,
            MAX_STORE_BYTES,
        ),
    ] = 0
    query: Annotated[QueryDefaults, Key("Defaults of queries.")] = QueryDefaults()
    view: ProfileView = ProfileView()

    @property
    def has_own_store(self) -> bool:
        """Return whether the profile has a separate index."""
        return bool(self.include)

    @property
    def shapes_answers(self) -> bool:
        """Return whether the profile changes queries or answers."""
        return bool(self.query.given) or self.view != ProfileView()


class Profiles(Struct, frozen=True):
    """The profiles in a repository's settings file.

    Attributes:
        default: name of the default profile; empty for none.
        roles: globs of roles, for all profiles, because one daemon serves several profiles.
    """

    default: str = ""
    profiles: tuple[Profile, ...] = ()
    roles: RoleGlobs = ()

    def named(self, name: str) -> Profile:
        """Return the profile with a name; an empty profile for the empty name."""
        for profile in self.profiles:
            if profile.name == name:
                return profile
        if not name:
            return Profile("")
        known = ", ".join(profile.name for profile in self.profiles) or "none"
        raise InvalidRequest(f"unknown profile {name!r}; .ggrep.toml has: {known}")


_SEARCH_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "mode": "mode",
        "snippet": "snippet",
        "limit": "top",
        "per_file": "per_file",
        "include_anchors": "anchors",
    }
)
_BUDGET_FIELDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "total_bytes": "total_bytes",
        "file_bytes": "file_bytes",
        "files": "max_files",
        "evidence_per_file": "evidence_per_file",
    }
)
_SLATE_FIELDS: Final = ("level", "anchors", "graph")


def apply_to_request(
    request: SearchRequest, given: frozenset[str], profile: Profile
) -> SearchRequest:
    """Return a request with the defaults and restrictions of a profile."""
    wanted = replace(request, **_defaults(profile, _SEARCH_FIELDS, given))
    corpora = tuple(corpus for corpus in request.corpora if corpus in profile.view.corpora)
    if not corpora and request.corpora:
        shown = ", ".join(corpus.value for corpus in profile.view.corpora)
        raise InvalidRequest(f"profile {profile.name} shows only these corpora: {shown}")
    within = dict.fromkeys((*request.within, *profile.view.within))
    return replace(wanted, corpora=corpora, within=tuple(within))


def unusual_fields(request: SearchRequest) -> frozenset[str]:
    """Return a request's fields that differ from the usual defaults.

    The function is for interfaces that do not record which fields a caller has set. A field that is
    set to its default counts as not set.
    """
    return _unusual(request, SearchRequest(request.query))


def unusual_slate_fields(request: SlateRequest) -> frozenset[str]:
    """Return a slate request's fields, in slate, budgets and search, that are not the defaults."""
    usual = SlateRequest(request.search)
    budgets = _unusual(request.budgets, usual.budgets)
    return _unusual(request, usual) | budgets | unusual_fields(request.search)


def apply_to_slate(request: SlateRequest, given: frozenset[str], profile: Profile) -> SlateRequest:
    """Return a request for a slate with the defaults and restrictions of a profile."""
    names = {name: name for name in _SLATE_FIELDS}
    return replace(
        request,
        **_defaults(profile, names, given),
        search=apply_to_request(request.search, given, profile),
        budgets=replace(request.budgets, **_defaults(profile, _BUDGET_FIELDS, given)),
    )


def applied(request: Request[Any], profile: Profile, given: frozenset[str] | None = None) -> Any:  # noqa: ANN401 - as the request
    """Return a request of any operation with the defaults and restrictions of a profile."""
    match request:
        case SearchRequest():
            return apply_to_request(
                request, unusual_fields(request) if given is None else given, profile
            )
        case SlateRequest():
            return apply_to_slate(
                request, unusual_slate_fields(request) if given is None else given, profile
            )
        case _:
            return request


def _unusual(value: T, usual: T) -> frozenset[str]:
    names = value.__struct_fields__
    return frozenset(name for name in names if getattr(value, name) != getattr(usual, name))


def _defaults(
    profile: Profile, names: Mapping[str, str], given: frozenset[str]
) -> dict[str, object]:
    defaults = dict(profile.query.given)
    wanted = {field: name for field, name in names.items() if field not in given}
    return {field: defaults[name] for field, name in wanted.items() if name in defaults}


TABLES: Final = frozenset({"profiles", "roles"})
"""Top-level keys of the file that are not settings."""

MAX_PROFILES: Final = 32
_INNER: Final = re.compile(r"[*?\[\\]")
_BUDGETS: Final = ("max_bytes_indexed", "max_file_size_bytes", "max_store_bytes")
_GLOBS: Final = Key("Globs of paths with the role.", 0, MOST_LIST_ITEMS)
_ROLES: Final = {role.value: role for role in ROLES}
ROLE_TABLE: Final = {name: DeclaredKey(name, tuple[str, ...], _GLOBS, ()) for name in _ROLES}
"""Keys of `[roles]`."""

_VIEW: Final = {
    "paths": Key("Values of `path:`; a hit is in one of them.", 0, MOST_LIST_ITEMS),
    "corpora": Key(
        "Corpora of shown chunks; a query for only other corpora is an error.",
        most=MOST_LIST_ITEMS,
        words=tuple(CORPUS_WORDS),
    ),
    "filters": Key("Filters as in `--filter`.", 0, MOST_LIST_ITEMS),
}
VIEW_TABLE: Final = {name: DeclaredKey(name, tuple[str, ...], _VIEW[name], ()) for name in _VIEW}
"""Keys of `[profiles.NAME.view]`."""


def load_profiles(root: Path) -> Profiles:
    """Return the profiles in the file of a canonical root; none without a file."""
    return parse_profiles(read_repo_file(root))


def parse_profiles(file: Mapping[str, object]) -> Profiles:
    """Return the profiles in a file's top-level keys."""
    tables = table_of(file.get("profiles", {}), REPO_FILE, "profiles")
    if len(tables) > MAX_PROFILES:
        raise _refused(
            "profiles", f"{len(tables)} profiles are more than the maximum of {MAX_PROFILES}"
        )
    profiles = Profiles(
        default=check_profile_name(REPO_FILE, file["profile"]) if "profile" in file else "",
        profiles=tuple(_profile(name, tables[name]) for name in sorted(tables)),
        roles=_roles(file.get("roles", {})),
    )
    profiles.named(profiles.default)
    return profiles


def _profile(name: str, value: object) -> Profile:
    check_profile_name(REPO_FILE, name)
    place = f"profiles.{name}"
    table = {**table_of(value, REPO_FILE, place, {**declared_keys(Profile), "view": VIEW_TABLE})}
    view = _view(table.pop("view", {}), f"{place}.view")
    profile = Profile(
        name, **read_table(declared_keys(Profile), table, REPO_FILE, place), view=view
    )
    for key in _BUDGETS:
        if profile.include and key not in table:
            raise _refused(f"{place}.{key}", "is required with `include`")
        if key in table and not profile.include:
            raise _refused(f"{place}.{key}", "this key has no effect without `include`")
    if profile.include:
        return profile
    hidden = exclusions(profile.exclude, f"{REPO_FILE}: {place}.exclude")
    return replace(profile, view=ProfileView((*view.within, *hidden), view.corpora))


def _view(value: object, place: str) -> ProfileView:
    table = read_table(VIEW_TABLE, value, REPO_FILE, place)
    corpora = {CORPUS_WORDS[word] for word in table.get("corpora", ())} or set(CORPORA)
    return ProfileView(
        within=(
            *(Filter("path", path) for path in table.get("paths", ())),
            *(
                parse_view_filter(text, f"{REPO_FILE}: {place}.filters")
                for text in table.get("filters", ())
            ),
        ),
        corpora=tuple(corpus for corpus in CORPORA if corpus in corpora),
    )


def _roles(value: object) -> RoleGlobs:
    table = table_of(value, REPO_FILE, "roles", ROLE_TABLE)
    globs = [
        (role, check_texts(f"{REPO_FILE}: roles.{name}", ROLE_TABLE[name], table[name]))
        for name, role in _ROLES.items()
        if name in table
    ]
    if not globs:
        return ()
    # Imported here, because few repositories configure roles, and the parser of globs is a tenth of
    # the loaded code.
    from ggrep.config.roles import rules_of

    try:
        return rules_of(globs).added
    except InvalidRequest as error:
        raise InvalidRequest(f"{REPO_FILE}: {error}") from error


def _refused(place: str, why: str) -> InvalidRequest:
    return InvalidRequest(f"{REPO_FILE}: {place}: {why}")


def exclusions(patterns: Iterable[str], where: str) -> tuple[Filter, ...]:
    """Return filters that hide the paths of gitignore patterns; letter case is ignored.

    A filter `path:` without wildcards names a directory or file; a filter with wildcards is a glob
    whose `*` also matches slashes. A gitignore pattern that such filters cannot express is
    rejected, because a filter would hide more paths than the pattern.
    """
    values = dict.fromkeys(value for text in patterns for value in _values(text, where))
    return tuple(Filter("path", value, negated=True) for value in values)


def _values(pattern: str, where: str) -> Sequence[str]:
    """Return the values of `path:` that together express a pattern."""
    text = pattern.rstrip("/").removesuffix("/**")
    by_name = "/" not in text and pattern.rstrip("/") == text
    core = text.lstrip("/")
    if core.startswith("**/") and not _INNER.search(core[3:]):
        by_name, core = True, core[3:]
    if by_name:
        # A file with the name, or files below a directory with the name, at any depth.
        inner = core.strip("*")
        if not inner or _INNER.search(inner) or "**" in core:
            raise _inexpressible(pattern, where)
        starred = core != inner
        top = (core, f"{core}/*") if starred else (core,)
        return (*top, f"*/{core}", f"*/{core}/*")
    if not core or _INNER.search(core):
        raise _inexpressible(pattern, where)
    return (core,)


def _inexpressible(pattern: str, where: str) -> InvalidRequest:
    return InvalidRequest(
        f"{where}: {pattern!r} cannot hide hits; name directories (`a/b/`), files, or names"
        " that begin or end with a star (`*.csv`)"
    )
