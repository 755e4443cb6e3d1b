"""The repositories that each user may see, from a file of rules.

The file names users, groups and repositories. A repository is named by its key; a name that ends
with a slash means all repositories below it, and `*` means all. Groups are those of the user's
token and those of the file. A user without a rule sees nothing.
"""

from collections.abc import Iterable, Mapping
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

    def grants(self, key: str) -> bool:
        """Return whether the rule is about a repository."""
        return any(
            name in {key, EVERY} or (name.endswith("/") and key.startswith(name))
            for name in self.repos
        )


class Access(Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of a server.

    Attributes:
        groups: members of further groups.
    """

    rules: tuple[Rule, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = {}

    def allowed(self, identity: Identity, keys: Iterable[str]) -> tuple[str, ...]:
        """Return the repositories that a user may see, in order."""
        groups = identity.groups | {
            name for name, members in self.groups.items() if identity.user in members
        }
        rules = [
            rule
            for rule in self.rules
            if {identity.user, EVERY} & {*rule.users} or groups & {*rule.groups}
        ]
        return tuple(sorted(key for key in keys if any(rule.grants(key) for rule in rules)))


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
