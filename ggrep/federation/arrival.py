"""An event: one repository has answered while others are still being queried."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from ggrep.base.ids import RepoId


@dataclass(frozen=True, slots=True)
class Arrival:
    """One repository of a workspace search is done.

    Attributes:
        status: as in the answer's `repos`; `ok` for each that gave lists.
        count: hits that it gave for the blended list.
        done: repositories that are, this one included; `total` is how many were selected.
    """

    repo_id: RepoId
    alias: str | None
    status: str
    count: int
    done: int
    total: int


Arrived: TypeAlias = Callable[[Arrival], None]
