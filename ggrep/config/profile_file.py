"""Reads the tables `profiles` and `roles` of a repository's untrusted file.

Every key is known or refused by its full name; nothing is clamped.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest
from ggrep.config.files import REPO_FILE, read_repo_file
from ggrep.config.profiles import Profile, Profiles, ProfileView, RoleGlobs
from ggrep.config.values import check_profile_name, check_texts, read_table, table_of
from ggrep.model.corpus import CORPORA, CORPUS_WORDS
from ggrep.model.filters import Filter, parse_view_filter
from ggrep.model.keys import MOST_ITEMS, Declared, Key, declared
from ggrep.model.slate import ROLES

TABLES: Final = frozenset({"profiles", "roles"})
"""Top-level keys of the file that are no settings."""

MAX_PROFILES: Final = 32
_INNER: Final = re.compile(r"[*?\[\\]")
_BUDGETS: Final = ("max_bytes_indexed", "max_file_size_bytes", "max_store_bytes")
_GLOBS: Final = Key("Globs of paths that play the role.", 0, MOST_ITEMS)
_ROLES: Final = {role.value: role for role in ROLES}
ROLE_TABLE: Final = {name: Declared(name, tuple[str, ...], _GLOBS, ()) for name in _ROLES}
"""What `[roles]` may hold."""

_VIEW: Final = {
    "paths": Key("Values of `path:`; a hit lies in one of them.", 0, MOST_ITEMS),
    "corpora": Key(
        "Chunks of other corpora are not shown; asking for those alone is an error.",
        most=MOST_ITEMS,
        words=tuple(CORPUS_WORDS),
    ),
    "filters": Key("As `--filter` has them.", 0, MOST_ITEMS),
}
VIEW_TABLE: Final = {name: Declared(name, tuple[str, ...], _VIEW[name], ()) for name in _VIEW}
"""What `[profiles.NAME.view]` may hold."""


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
    tables = table_of(file.get("profiles", {}), REPO_FILE, "profiles")
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
    check_profile_name(REPO_FILE, name)
    place = f"profiles.{name}"
    table = {**table_of(value, REPO_FILE, place, {**declared(Profile), "view": VIEW_TABLE})}
    view = _view(table.pop("view", {}), f"{place}.view")
    profile = Profile(name, **read_table(declared(Profile), table, REPO_FILE, place), view=view)
    for key in _BUDGETS:
        if profile.include and key not in table:
            raise _refused(f"{place}.{key}", "is wanted where `include` is")
        if key in table and not profile.include:
            raise _refused(f"{place}.{key}", "means nothing without `include`")
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
    found = [
        (role, check_texts(f"{REPO_FILE}: roles.{name}", ROLE_TABLE[name], table[name]))
        for name, role in _ROLES.items()
        if name in table
    ]
    if not found:
        return ()
    # Few repositories say anything of roles, and what reads globs is a tenth of what is loaded.
    from ggrep.config.role_rules import rules_of

    try:
        return rules_of(found).added
    except InvalidRequest as error:
        raise InvalidRequest(f"{REPO_FILE}: {error}") from error


def _refused(place: str, why: str) -> InvalidRequest:
    return InvalidRequest(f"{REPO_FILE}: {place}: {why}")


def exclusions(patterns: Iterable[str], where: str) -> tuple[Filter, ...]:
    """Return filters that hide what gitignore patterns name; case does not count.

    A filter `path:` is a directory or file where it has no wildcards, else a glob whose `*` passes
    over slashes. Not every gitignore pattern can be said so; one that cannot is refused, for it
    would hide more than its author meant.

    Args:
        patterns: none is negated.
        where: file and key, for the message.

    Raises:
        InvalidRequest: filters cannot say it.
    """
    values = dict.fromkeys(value for text in patterns for value in _values(text, where))
    return tuple(Filter("path", value, negated=True) for value in values)


def _values(pattern: str, where: str) -> Sequence[str]:
    """Return the values of `path:` that together stand for a pattern."""
    text = pattern.rstrip("/").removesuffix("/**")
    by_name = "/" not in text and pattern.rstrip("/") == text
    core = text.lstrip("/")
    if core.startswith("**/") and not _INNER.search(core[3:]):
        by_name, core = True, core[3:]
    if by_name:
        # Below a directory of that name, or a file of it, at the top or further down.
        inner = core.strip("*")
        if not inner or _INNER.search(inner) or "**" in core:
            raise _unsaid(pattern, where)
        starred = core != inner
        top = (core, f"{core}/*") if starred else (core,)
        return (*top, f"*/{core}", f"*/{core}/*")
    if not core or _INNER.search(core):
        raise _unsaid(pattern, where)
    return (core,)


def _unsaid(pattern: str, where: str) -> InvalidRequest:
    return InvalidRequest(
        f"{where}: {pattern!r} cannot narrow an answer; name directories (`a/b/`), files, or names"
        " with stars at their ends (`*.csv`)"
    )
