"""Determines the repositories that each user may see, from a file of access rules.

A rule names users, groups and keys of repositories. A name that ends with a slash matches all keys
that begin with it, and `*` matches all keys. A user belongs to the groups in the user's token and
to the groups that the file assigns. A user without a matching rule sees no repository. The file can
also name databases and exports of code hosts that contain further rules.

The time to find a user's repositories grows with their number, not with the number of all
repositories: otherwise response times would reveal how many repositories are hidden.
"""

import sqlite3
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import InvalidRequest, WorkspaceError
from ggrep.base.stable_json import DecodeError, decode
from ggrep.config.repo_key import is_key
from ggrep.federation.workspace_text import parse_text, read_text

T = TypeVar("T", bound=Struct)

EVERY: Final = "*"


class Identity(Struct, frozen=True):
    """A user and the user's groups, from a verified token."""

    user: str
    groups: frozenset[str] = frozenset()


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """A rule: the users, and all members of the groups, may see the repositories."""

    repos: tuple[str, ...]
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class SqlRights(Struct, frozen=True, forbid_unknown_fields=True):
    """A source of access rules: a query to an SQLite database.

    Attributes:
        query: SQL that returns rows of a user and a repository, both named as in a rule.
    """

    database: str
    query: str


class ExportedRights(Struct, frozen=True, forbid_unknown_fields=True):
    """A source of access rules: teams of a code host with their members and repositories.

    Attributes:
        file: JSON array of `_Team` objects, as the APIs of GitHub and GitLab return them.
        host: first part of the repositories' keys, such as `github.com`.
    """

    file: str
    host: str


class Access(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The access rules of a server.

    Attributes:
        groups: users of each group, in addition to the groups in tokens.
    """

    rules: tuple[Rule, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = {}
    sql: tuple[SqlRights, ...] = ()
    exports: tuple[ExportedRights, ...] = ()

    def allowed(self, identity: Identity, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the sorted keys of the repositories that a user may see.

        Args:
            identity: the user.
            keys: sorted keys of all repositories.
        """
        member = self._groups_of.get(identity.user, frozenset())
        names = {
            *self._repos_of_users.get(identity.user, ()),
            *self._repos_of_users.get(EVERY, ()),
            *(
                name
                for group in identity.groups | member
                for name in self._repos_of_groups.get(group, ())
            ),
        }
        return tuple(sorted({key for name in names for key in granted(name, keys)}))

    @cached_property
    def _repos_of_users(self) -> Mapping[str, frozenset[str]]:
        return _inverted((rule.repos, rule.users) for rule in self.rules)

    @cached_property
    def _repos_of_groups(self) -> Mapping[str, frozenset[str]]:
        return _inverted((rule.repos, rule.groups) for rule in self.rules)

    @cached_property
    def _groups_of(self) -> Mapping[str, frozenset[str]]:
        return _inverted(((name,), members) for name, members in self.groups.items())


def granted(name: str, keys: Sequence[str]) -> Sequence[str]:
    """Return the keys that a name in a rule matches; `keys` is sorted."""
    if name == EVERY:
        return keys
    first = bisect_left(keys, name)
    if name.endswith("/"):
        return keys[first : bisect_left(keys, f"{name[:-1]}0", first)]  # "0" follows "/"
    return [name] if first < len(keys) and keys[first] == name else []


def _inverted(
    pairs: Iterable[tuple[Iterable[str], Iterable[str]]],
) -> Mapping[str, frozenset[str]]:
    """Return all values of each owner; each pair contains values and the owners of all of them."""
    names: dict[str, set[str]] = {}
    for values, owners in pairs:
        for owner in owners:
            names.setdefault(owner, set()).update(values)
    return {owner: frozenset(values) for owner, values in names.items()}


class _Member(Struct, frozen=True):
    """A member of a team: GitHub writes the name into `login`, GitLab into `username`."""

    login: str = ""
    username: str = ""
    state: str = "active"
    access_level: int = 50


class _Permissions(Struct, frozen=True):
    pull: bool = True


class _Repository(Struct, frozen=True):
    """A repository of GitHub (`full_name`), or a project of GitLab (`path_with_namespace`)."""

    full_name: str = ""
    path_with_namespace: str = ""
    permissions: _Permissions = _Permissions()


class _Team(Struct, frozen=True):
    """A team of GitHub (with `repos`), or a group of GitLab (with `projects`)."""

    members: tuple[_Member, ...]
    repos: tuple[_Repository, ...] = ()
    projects: tuple[_Repository, ...] = ()


_MOST_EXPORT: Final = 64 << 20
"""Maximum size of an export in bytes."""
_QUERY_MS: Final = 10_000.0
_MOST_ROWS: Final = 1_000_000
_STEPS: Final = 100_000
"""Number of SQLite instructions between two checks of the deadline."""
_READS_CODE: Final = 20
"""Minimum access level of GitLab members who may read code."""


def read_access(file: Path) -> Access:
    """Return the rules in a file and in the databases and exports that the file names.

    Raises:
        InvalidRequest: a file cannot be read or is invalid; the message names it.
    """
    access = read_file(Access, file)
    rules = [*access.rules]
    for source in access.sql:
        rules += _rules_of_database(file.parent / source.database, source.query)
    for export in access.exports:
        rules += _rules_of_export(file.parent / export.file, export.host)
    return Access(tuple(rules), access.groups)


def _rules_of_database(file: Path, query: str) -> list[Rule]:
    # A query that never ends would block later reads, and withdrawn rights would remain valid.
    deadline = Deadline.after(SystemClock(), _QUERY_MS)
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as database:
            database.set_progress_handler(lambda: not deadline.remaining_ms(), _STEPS)
            records = database.execute(query).fetchmany(_MOST_ROWS + 1)
        rows = decode(tuple[tuple[str, str], ...], records, "rows")
    except (sqlite3.Error, sqlite3.Warning, DecodeError) as error:
        raise InvalidRequest(f"{file}: {error}") from error
    if len(rows) > _MOST_ROWS:
        raise InvalidRequest(f"{file}: the query returns more than {_MOST_ROWS} rows")
    return [Rule((repo,), (user,)) for user, repo in rows]


def _rules_of_export(file: Path, host: str) -> list[Rule]:
    """Return a rule for each team, without the members who cannot read code."""
    try:
        if not file.is_file():
            raise InvalidRequest(f"{file}: no such file")
        if file.stat().st_size > _MOST_EXPORT:
            raise InvalidRequest(f"{file}: larger than {_MOST_EXPORT} bytes")
        teams = decode(tuple[_Team, ...], stable_json.loads(file.read_bytes()), file.name)
    except (OSError, ValueError, DecodeError) as error:
        raise InvalidRequest(f"{file}: {error}") from error
    rules = []
    for team in teams:
        users = tuple(
            member.login or member.username
            for member in team.members
            if member.state == "active" and member.access_level >= _READS_CODE
        )
        repos = tuple(
            f"{host}/{repo.full_name or repo.path_with_namespace}"
            for repo in (*team.repos, *team.projects)
            if repo.permissions.pull
        )
        # An empty name of a repository would match all repositories of the host.
        if wrong := [name for name in repos if not is_key(name)]:
            raise InvalidRequest(f"{file}: {wrong[0]!r} is not the key of a repository")
        if {"", EVERY} & {*users}:
            raise InvalidRequest(f"{file}: a member has no name")
        rules.append(Rule(repos, users))
    return rules


def read_file(kind: type[T], file: Path) -> T:
    """Return the content of a file in JSON with comments, as a `kind`.

    Raises:
        InvalidRequest: the file cannot be read or does not fit `kind`; the message names the file.
    """
    if not file.is_file():
        raise InvalidRequest(f"{file}: no such file")
    try:
        return decode(kind, parse_text(read_text(file), file), file.name)
    except (WorkspaceError, DecodeError) as error:
        reason = str(error).removeprefix(f"workspace file {file} ")
        raise InvalidRequest(f"{file}: {reason}") from error
