"""Stores of a host that are queried together: members, packs, and cached lists."""

import hashlib
import logging
import os
import sys
from collections.abc import Hashable, Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final, TypeVar

import anyio
from msgspec import Struct, field, to_builtins
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.errors import InvalidRequest, SnapshotGone
from ggrep.base.stable_json import Json
from ggrep.config.home import Home
from ggrep.model.batched_query import Member, members_key
from ggrep.model.lru_cache import LruCache, LruStatistics
from ggrep.model.request import PoolRequest
from ggrep.model.response import PoolResponse, RepoDescription

if TYPE_CHECKING:
    from ggrep.index.packs.opened_packs import OpenedPacks
    from ggrep.index.packs.pack_image import Pack
    from ggrep.index.store.view import SnapshotView
    from ggrep.search.engine.engine import Engine
    from ggrep.search.query.joint_view import JointView

MOST_BYTES: Final = 4 * 1024 * 1024
"""Most bytes that one store's remembered lists take; they go when the store has been idle."""

_VALUE_BYTES: Final = 32
_TERM_BYTES: Final = 200
_HIT_BYTES: Final = 2048
"""Approximate size of a hit without its text, as a value and as JSON."""


class CachedPool(Struct, frozen=True):
    """Lists, with the JSON that they are sent as."""

    pool: PoolResponse
    document: Json


class PoolCache:
    """The cached lists of one store; threads may share it."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Start empty."""
        self._held: LruCache[tuple[str, PoolRequest], CachedPool] = LruCache(most_bytes)

    def get(self, snapshot_id: str, request: PoolRequest) -> CachedPool | None:
        """Return the cached lists of a snapshot, or None."""
        if request.snapshot_id not in {None, snapshot_id}:
            return None
        return self._held.get((snapshot_id, _query_of(request)))

    def put(self, request: PoolRequest, pool: PoolResponse) -> CachedPool:
        """Cache lists, and return them with their JSON."""
        found = cached_pool(pool)
        lists = (pool.blended, *(hits for _, hits in pool.corpora))
        size = sum(_HIT_BYTES + 2 * len(hit.content) for hits in lists for hit in hits)
        size += _HIT_BYTES + _query_size(request)
        self._held.put((pool.provenance.snapshot_id, _query_of(request)), found, size)
        return found

    def statistics(self) -> LruStatistics:
        """Return how full the cache is, and its hits."""
        return self._held.statistics()


def cached_pool(pool: PoolResponse) -> CachedPool:
    """Return lists with their JSON."""
    return CachedPool(pool, to_builtins(pool))


def _query_of(request: PoolRequest) -> PoolRequest:
    """Return the request without the fields that do not affect the answer."""
    return replace(request, snapshot_id=None, search=replace(request.search, timeout_ms=0))


def _query_size(request: PoolRequest) -> int:
    """Return the approximate size of the request in bytes."""
    values = len(request.vector.values) if request.vector else 0
    terms = len(request.statistics.terms) if request.statistics else 0
    return len(request.search.query) + _VALUE_BYTES * values + _TERM_BYTES * terms


_LOG = logging.getLogger(__name__)

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_MODULE: Final = "ggrep.daemon.pack_worker"
_MOST_VIEWS: Final = 2
"""Cached views; each records the visible rows of the packs."""
MANY_LOOSE: Final = 16
"""Segments in no pack, from which on they are packed: each takes a question some 0.3 ms."""
_AGAIN_MS: Final = 60_000.0
"""Least time between two attempts."""


class HostPacks:
    """Joint views over a host's stores. Threads may share it, but for `pack`."""

    def __init__(self, home: Home, clock: Clock) -> None:
        """Open nothing yet."""
        self._home = home
        self._clock = clock
        self._lock = Lock()
        self._opened: OpenedPacks | None = None
        # The least recently used first. What ids stand for is kept, so that no other has them.
        self._views: dict[tuple[int, ...], tuple[JointView, tuple[Pack, ...]]] = {}
        self.packing = False
        self._tried: frozenset[tuple[str, str]] = frozenset()
        self._tried_bare: frozenset[str] = frozenset()
        self._not_before_ms = 0.0

    def view(self, members: "Sequence[SnapshotView]") -> "JointView":
        """Return the view of several snapshots; the same object while nothing of it changes."""
        from ggrep.index.packs.opened_packs import OpenedPacks
        from ggrep.search.query.joint_view import join

        with self._lock:
            self._opened = self._opened or OpenedPacks(self._home)
        packs = self._opened.packs()
        key = (*map(id, packs), -1, *map(id, members))
        with self._lock:
            held = self._views.pop(key, None)
        if held is None:
            held = join(members, packs), packs  # threads may do this at once
            _give_back(held[0])
        with self._lock:
            self._views[key] = held
            while len(self._views) > _MOST_VIEWS:
                del self._views[next(iter(self._views))]
        return held[0]

    def wants_packing(self, view: "JointView") -> bool:
        """Return whether to pack segments now, or to make the texts of packs without.

        Of many segments, or of such packs, not all were tried before.
        """
        late = self._clock.monotonic_ms() >= self._not_before_ms
        wanted, bare = self._many_loose(view), self._bare(view)
        # What was packed is wanted again once somebody deletes the pack or its texts.
        shown = {str(member.manifest.store_id) for member in view.members}
        self._tried = frozenset(one for one in self._tried if one in wanted or one[0] not in shown)
        self._tried_bare &= bare
        untried = (wanted and wanted != self._tried) or (bare and bare != self._tried_bare)
        return late and not self.packing and bool(untried)

    @staticmethod
    def _many_loose(view: "JointView") -> frozenset[tuple[str, str]]:
        """Return the segments of a view to pack; none where they are few."""
        loose = view.packable()
        return loose if len(loose) >= MANY_LOOSE else frozenset()

    def _bare(self, view: "JointView") -> frozenset[str]:
        """Return the packs of a view that have no texts."""
        with self._lock:
            own = [packs for held, packs in self._views.values() if held is view]
        return frozenset(pack.name for packs in own for pack in packs if pack.texts is None)

    async def pack(self, view: "JointView") -> None:
        """Pack the segments of a view that are in no pack, in a process that steps back.

        It makes the texts of packs too. The next query sees its result.
        """
        self.packing, bare = True, self._bare(view)
        try:
            done = await anyio.run_process(
                [sys.executable, "-m", _MODULE],
                input=stable_json.dumps(self._job(view)),
                check=False,
                cwd=_PACKAGE_ROOT,
                start_new_session=True,
            )
            if done.returncode:
                _LOG.warning("packing failed: %s", done.stderr[-500:])
            else:
                # What is left out now is left out next time.
                self._tried, self._tried_bare = view.packable(), bare
        except OSError as error:
            _LOG.warning("packing failed: %s", os.strerror(error.errno or 0))
        finally:
            self.packing = False
            self._not_before_ms = self._clock.monotonic_ms() + _AGAIN_MS

    def _job(self, view: "JointView") -> Json:
        """Return what the worker is told: the home; of each segment store, name and image."""
        told: list[Json] = []
        for member, segment in view.loose if self._many_loose(view) else ():
            manifest = view.members[member].manifest
            digests = {ref.table: ref.image.sha256 for ref in manifest.segments}
            told.append([manifest.store_id, segment, digests.get(segment, "")])
        return [str(self._home.base), told]


def _give_back(view: "JointView") -> None:
    """Let go of the images whose content is read from packs; opening them touched most of it."""
    loose = set(view.loose)
    for member, snapshot in enumerate(view.members):
        for segment in snapshot.segments:
            if (member, segment.image.name) not in loose:
                segment.image.give_back()


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
    """

    name: str
    members: tuple[Described, ...]
    document: list[Json]

    @property
    def told(self) -> tuple[RepoDescription | None, ...]:
        """Return what they are."""
        return tuple(member.told for member in self.members)


class JointMembers(Struct):
    """A host's cache of lists of its stores; for its event loop only."""

    lists: dict[str, tuple[Member, ...]] = field(default_factory=dict)
    _epochs: dict[str, Epoch] = field(default_factory=dict)
    _newest: dict[str, Epoch] = field(default_factory=dict)

    def places(self, key: str, said: tuple[Member, ...]) -> tuple[Member, ...]:
        """Return the members of a list, as they are said or as they were; none if unknown."""
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
        """Return some members of an epoch, with their snapshots."""
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
