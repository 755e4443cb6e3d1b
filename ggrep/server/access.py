"""The repositories that each user may see, from a file of rules.

The file names users, groups and repositories. A repository is named by its key; a name that ends
with a slash means all repositories below it, and `*` means all. Groups are those of the user's
token and those of the file. A user without a rule sees nothing.

The work for a user grows with the repositories that the user may see, and not with all: otherwise
the time of an answer would reveal how many are hidden.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

from ggrep.base.errors import InvalidRequest, WorkspaceError
from ggrep.base.stable_json import DecodeError, decode
from ggrep.federation.workspace_text import parse_text, read_text

T = TypeVar("T", bound=Struct)

EVERY: Final = "*"


class Identity(Struct, frozen=True):
    """A user, as a verified token names it.

    Attributes:
        groups: the groups that the token names.
    """

    user: str
    groups: frozenset[str] = frozenset()


class Rule(Struct, frozen=True, forbid_unknown_fields=True):
    """Repositories that some users and groups may see."""

    repos: tuple[str, ...]
    users: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()


class Access(Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The rules of a server.

    Attributes:
        groups: members of further groups.
    """

    rules: tuple[Rule, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = {}

    def allowed(self, identity: Identity, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the repositories that a user may see, in order.

        Args:
            identity: the user.
            keys: all repositories, in order.
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
    """Return the keys, given in order, that match a name of a rule."""
    if name == EVERY:
        return keys
    first = bisect_left(keys, name)
    if name.endswith("/"):
        return keys[first : bisect_left(keys, f"{name[:-1]}0", first)]  # "0" follows "/"
    return [name] if first < len(keys) and keys[first] == name else []


def _inverted(
    pairs: Iterable[tuple[Iterable[str], Iterable[str]]],
) -> Mapping[str, frozenset[str]]:
    """Return the names of the first part of each pair, by each name of the second."""
    names: dict[str, set[str]] = {}
    for values, owners in pairs:
        for owner in owners:
            names.setdefault(owner, set()).update(values)
    return {owner: frozenset(values) for owner, values in names.items()}


def read_file(kind: type[T], file: Path) -> T:
    """Return the value in a file of JSON with comments.

    Raises:
        InvalidRequest: the file cannot be read, or has another shape; the message names the place.
    """
    if not file.is_file():
        raise InvalidRequest(f"{file}: no such file")
    try:
        return decode(kind, parse_text(read_text(file), file), file.name)
    except (WorkspaceError, DecodeError) as error:
        reason = str(error).removeprefix(f"workspace file {file} ")
        raise InvalidRequest(f"{file}: {reason}") from error
