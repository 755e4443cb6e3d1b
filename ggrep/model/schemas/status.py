"""The status document of a repository, as a server passes it on."""

from typing import Literal, TypedDict

from ggrep.model.constraints import DocumentJson, StoreId, extends
from ggrep.model.status import Status


@extends(Status)
class ServedStatusJson(TypedDict):
    """The status document of a repository that a daemon serves, as a server passes it on."""

    running: Literal[True]
    """A daemon serves it."""


class UnservedStatusJson(DocumentJson):
    """What a server tells of a repository that no daemon serves; none is started to tell more."""

    running: Literal[False]
    """A daemon serves it."""
    root: str
    """The repository."""
    store_id: StoreId
    """Its store."""
    indexed: bool
    """There is an index."""
