"""Which stores of a host are asked together, and what they were when they were described."""

import hashlib
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import Struct, field, to_builtins

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.base.stable_json import Json
from ggrep.model.joint_pools import Place, members_key
from ggrep.model.response import RepoDescription

if TYPE_CHECKING:
    from ggrep.index.store.view import SnapshotView
    from ggrep.search.engine.engine import Engine

_MOST_LISTS: Final = 8
"""Lists of members that are known by their key."""
_MOST_EPOCHS: Final = 8
"""A question follows its description at once."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Described(Struct, frozen=True):
    """A member at one moment.

    Attributes:
        engine: what it is read by; None for one that must be asked by itself.
        view: its active snapshot; None likewise.
        told: what it is; None likewise.
    """

    engine: "Engine | None" = None
    view: "SnapshotView | None" = None
    told: RepoDescription | None = None


class Epoch(Struct, frozen=True):
    """The members of a list at one moment.

    Attributes:
        name: stands for what they are; the same for the same.
        document: what they are, as a client reads it.
    """

    name: str
    members: tuple[Described, ...]
    document: list[Json]

    @property
    def told(self) -> tuple[RepoDescription | None, ...]:
        """Return what they are."""
        return tuple(member.told for member in self.members)


class JointMembers(Struct):
    """What a host remembers of lists of its stores; used by its event loop alone."""

    lists: dict[str, tuple[Place, ...]] = field(default_factory=dict)
    _epochs: dict[str, Epoch] = field(default_factory=dict)
    _newest: dict[str, Epoch] = field(default_factory=dict)

    def places(self, key: str, said: tuple[Place, ...]) -> tuple[Place, ...]:
        """Return the members of a list, as they are said or as they were; none if unknown.

        Raises:
            InvalidRequest: the key is not that of the list.
        """
        if said and members_key(said) != key:
            raise InvalidRequest("key: it is not that of the members")
        return _kept(self.lists, key, said or self.lists.get(key, ()), _MOST_LISTS)

    def begin(self, key: str, members: tuple[Described, ...]) -> Epoch:
        """Return the epoch of a list whose members are such now."""
        before, told = self._newest.get(key), tuple(member.told for member in members)
        if before is not None and before.told == told:
            name, document = before.name, before.document
        else:
            document = _documents(told, before)
            name = hashlib.sha256(stable_json.dumps([key, document])).hexdigest()
        epoch = Epoch(name, members, document)
        _kept(self._newest, key, epoch, _MOST_LISTS)
        return _kept(self._epochs, name, epoch, _MOST_EPOCHS)

    def members(self, name: str, places: Sequence[int]) -> "list[tuple[Engine, SnapshotView]]":
        """Return some members of an epoch, with their snapshots.

        Raises:
            SnapshotGone: it was too long ago, or one has none.
        """
        epoch = self._epochs.get(name)
        if epoch is None:
            raise SnapshotGone("these repositories were described too long ago; ask again")
        held = [epoch.members[place] for place in places if place < len(epoch.members)]
        found = [(one.engine, one.view) for one in held if one.engine and one.view]
        if len(found) < len(places):
            raise SnapshotGone("one of these repositories must be asked by itself")
        return found


def _documents(told: Sequence[RepoDescription | None], before: Epoch | None) -> list[Json]:
    """Return descriptions as JSON; while a host starts, some change with every question."""
    if before is None:
        return [None if one is None else to_builtins(one) for one in told]
    known = zip(told, before.told, before.document, strict=True)
    return [
        written if one == same else None if one is None else to_builtins(one)
        for one, same, written in known
    ]


def _kept(held: dict[K, V], key: K, value: V, most: int) -> V:
    """Put a value in as the one used last, and let those go that were not used for longest."""
    held.pop(key, None)
    held[key] = value
    while len(held) > most:
        del held[next(iter(held))]
    return value
