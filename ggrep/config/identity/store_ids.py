"""The parts of a store's name: repository, configuration, and a suffix for copies."""

import re
from dataclasses import dataclass
from typing import Final

from ggrep.base.errors import InvalidRequest
from ggrep.base.ids import RepoId, StoreId

_NAME: Final = re.compile(
    r"(?P<repo>[a-z0-9][a-z0-9-]{0,23}-[0-9a-f]{12})-(?P<config>[0-9a-f]{12})"
    r"(?P<suffix>(?:-[a-z0-9]{1,16})*)"
)


@dataclass(frozen=True, slots=True)
class StoreName:
    """A store's name, taken apart.

    Attributes:
        config: the first digits of its configuration fingerprint.
        suffix: `-eval`, say, of a copy beside the store proper; empty of that.
    """

    store_id: StoreId
    repo_id: RepoId
    config: str
    suffix: str


def parse_store_id(text: str) -> StoreName:
    """Return the parts of a store id.

    Raises:
        InvalidRequest: `text` is none, and so no name of a directory either.
    """
    found = _NAME.fullmatch(text)
    if found is None:
        raise InvalidRequest(f"not a store id: {text!r}; see: ggrep list")
    return StoreName(StoreId(text), RepoId(found["repo"]), found["config"], found["suffix"])
