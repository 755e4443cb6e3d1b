"""Reads the tables `profiles` and `roles` of a repository's file, which nobody vouches for.

Every key is known or refused by its full name; nothing is clamped.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

from ggrep.config.caps import (
    BOUNDS,
    MAX_QUERY_PER_FILE,
    MAX_QUERY_RESULTS,
    MAX_TOTAL_SNIPPET_BYTES,
)
from ggrep.config.files import REPO_FILE, read_repo_file
from ggrep.config.profiles import (
    Profile,
    Profiles,
    ProfileView,
    QueryDefaults,
    RoleGlobs,
)
from ggrep.config.role_rules import rules_of
from ggrep.config.values import check_patterns, check_profile_name, check_texts
from ggrep.config.view_filters import exclusions
from ggrep.domain.corpus import CORPORA, CORPUS_WORDS, Mode
from ggrep.domain.filters import Filter, parse_view_filter
from ggrep.domain.request import SnippetMode
from ggrep.domain.slate import ROLES
from ggrep.errors import InvalidRequest

TABLES: Final = frozenset({"profiles", "roles"})
"""Top-level keys of the file that are no settings."""

MAX_PROFILES: Final = 32
_BUDGETS: Final = ("max_bytes_indexed", "max_file_size_bytes", "max_store_bytes")
_PROFILE_KEYS: Final = frozenset({"include", "exclude", "query", "view", *_BUDGETS})
_VIEW_KEYS: Final = frozenset({"paths", "corpora", "filters"})
_ROLES: Final = {role.value: role for role in ROLES}
_MODES: Final = {mode.value: mode for mode in Mode}
# Whole chunks and whole files are shown to who asks for them, not to who opens a repository.
_SNIPPETS: Final = {mode.value: mode for mode in SnippetMode if mode is not SnippetMode.FULL}
_NUMBERS: Final[Mapping[str, tuple[int, int]]] = {
    "level": (0, 2),
    "top": (1, MAX_QUERY_RESULTS),
    "per_file": (0, MAX_QUERY_PER_FILE),
    "max_files": (1, MAX_QUERY_RESULTS),
    "evidence_per_file": (1, MAX_QUERY_PER_FILE),
    "total_bytes": (1, MAX_TOTAL_SNIPPET_BYTES),
    "file_bytes": (1, MAX_TOTAL_SNIPPET_BYTES),
}
_FLAGS: Final = frozenset({"anchors", "graph"})
_WORDS: Final[Mapping[str, Mapping[str, object]]] = {"mode": _MODES, "snippet": _SNIPPETS}
_QUERY_KEYS: Final = frozenset(_NUMBERS.keys() | _FLAGS | _WORDS.keys())

T = TypeVar("T")

_MOST_PLACE = 200


def load_profiles(root: Path) -> Profiles:
    """Return what the file of a canonical root says of profiles; nothing where there is none.

    Raises:
        InvalidRequest: the file cannot be read, or holds what cannot stand.
    """
    return parse_profiles(read_repo_file(root))


def parse_profiles(file: Mapping[str, object]) -> Profiles:
    """Return what a file's top-level keys say of profiles.

    Raises:
        InvalidRequest: names the key that cannot stand.
    """
    tables = _table(file.get("profiles", {}), "profiles")
    if len(tables) > MAX_PROFILES:
        raise _refused("profiles", f"{len(tables)} exceeds the cap {MAX_PROFILES}")
    found = Profiles(
        default=check_profile_name(REPO_FILE, file["profile"]) if "profile" in file else "",
        profiles=tuple(_profile(name, tables[name]) for name in sorted(tables)),
        roles=_roles(file.get("roles", {})),
    )
    found.named(found.default)
    return found


def _profile(name: str, value: object) -> Profile:
    place = f"profiles.{name}"
    check_profile_name(REPO_FILE, name)
    table = _table(value, place, _PROFILE_KEYS)
    include = _patterns(table, place, "include")
    exclude = _patterns(table, place, "exclude")
    budgets = _budgets(table, place, wanted=bool(include))
    view = _view(table.get("view", {}), f"{place}.view")
    if not include:
        hidden = exclusions(exclude, f"{REPO_FILE}: {place}.exclude")
        view = ProfileView((*view.within, *hidden), view.corpora)
    return Profile(
        name=name,
        include=include,
        exclude=exclude,
        **budgets,
        query=_query(table.get("query", {}), f"{place}.query"),
        view=view,
    )


def _budgets(table: Mapping[str, object], place: str, *, wanted: bool) -> dict[str, int]:
    found = {}
    for key in _BUDGETS:
        if wanted and key not in table:
            raise _refused(f"{place}.{key}", "is wanted where `include` is")
        if not wanted and key in table:
            raise _refused(f"{place}.{key}", "means nothing without `include`")
        if wanted:
            found[key] = _number(table[key], f"{place}.{key}", (1, BOUNDS[key][1]))
    return found


def _query(value: object, place: str) -> QueryDefaults:
    table = _table(value, place, _QUERY_KEYS)
    found: dict[str, object] = {}
    for key, given in table.items():
        where = f"{place}.{key}"
        if key in _FLAGS:
            found[key] = _flag(given, where)
        elif key in _WORDS:
            found[key] = _word(given, where, _WORDS[key])
        else:
            found[key] = _number(given, where, _NUMBERS[key])
    return QueryDefaults(**found)  # type: ignore[arg-type] # each was checked for its field


def _view(value: object, place: str) -> ProfileView:
    table = _table(value, place, _VIEW_KEYS)
    paths = check_texts(f"{REPO_FILE}: {place}", "paths", table.get("paths", []))
    texts = check_texts(f"{REPO_FILE}: {place}", "filters", table.get("filters", []))
    words = check_texts(f"{REPO_FILE}: {place}", "corpora", table.get("corpora", []))
    corpora = {_word(word, f"{place}.corpora", CORPUS_WORDS) for word in words}
    return ProfileView(
        within=(
            *(Filter("path", path) for path in paths),
            *(parse_view_filter(text, f"{REPO_FILE}: {place}.filters") for text in texts),
        ),
        corpora=tuple(corpus for corpus in CORPORA if not words or corpus in corpora),
    )


def _roles(value: object) -> RoleGlobs:
    table = _table(value, "roles", frozenset(_ROLES))
    found = [
        (role, check_texts(f"{REPO_FILE}: roles", name, table[name]))
        for name, role in _ROLES.items()
        if name in table
    ]
    try:
        return rules_of(found).added
    except InvalidRequest as error:
        raise InvalidRequest(f"{REPO_FILE}: {error}") from error


def _patterns(table: Mapping[str, object], place: str, key: str) -> tuple[str, ...]:
    if key in table and not table[key]:
        raise _refused(f"{place}.{key}", "is empty")
    return check_patterns(f"{REPO_FILE}: {place}", key, table.get(key, []))


def _table(value: object, place: str, keys: frozenset[str] | None = None) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise _refused(place, "must be a table")
    for key in value:
        if keys is not None and key not in keys:
            raise _refused(f"{place}.{key}", f"unknown key; there are {', '.join(sorted(keys))}")
    return value


def _number(value: object, place: str, bounds: tuple[int, int]) -> int:
    least, most = bounds
    if isinstance(value, bool) or not isinstance(value, int):
        raise _refused(place, "must be a whole number")
    if not least <= value <= most:
        raise _refused(place, f"must be {least} to {most}")
    return value


def _flag(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise _refused(place, "must be true or false")
    return value


def _word(value: object, place: str, words: Mapping[str, T]) -> T:
    if not isinstance(value, str) or value not in words:
        raise _refused(place, f"must be one of {', '.join(words)}")
    return words[value]


def _refused(place: str, why: str) -> InvalidRequest:
    shown = place if len(place) <= _MOST_PLACE else f"{place[:_MOST_PLACE]}..."
    return InvalidRequest(f"{REPO_FILE}: {shown}: {why}")
