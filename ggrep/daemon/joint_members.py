"""Stores that a host queries together: members, packs of their segments, and cached lists."""

import hashlib
import logging
import os
import sys
from collections.abc import Hashable, Iterable, Sequence
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
"""Maximum bytes of a store's cached lists; the lists are dropped when the store is idle."""

_VALUE_BYTES: Final = 32
_TERM_BYTES: Final = 200
_HIT_BYTES: Final = 2048
"""Approximate size of a hit without its text, as a value and as JSON."""


class CachedPool(Struct, frozen=True):
    """Ranked lists with their JSON."""

    pool: PoolResponse
    document: Json


class PoolCache:
    """The cached lists of a store; thread-safe."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        """Create an empty cache."""
        self._cache: LruCache[tuple[str, PoolRequest], CachedPool] = LruCache(most_bytes)

    def get(self, snapshot_id: str, request: PoolRequest) -> CachedPool | None:
        """Return the cached lists of a snapshot for a request; None if no lists are cached."""
        if request.snapshot_id not in {None, snapshot_id}:
            return None
        return self._cache.get((snapshot_id, _query_of(request)))

    def put(self, request: PoolRequest, pool: PoolResponse) -> CachedPool:
        """Cache lists, and return them with their JSON."""
        cached = cached_pool(pool)
        lists = (pool.blended, *(hits for _, hits in pool.corpora))
        size = sum(_HIT_BYTES + 2 * len(hit.content) for hits in lists for hit in hits)
        size += _HIT_BYTES + _query_size(request)
        self._cache.put((pool.provenance.snapshot_id, _query_of(request)), cached, size)
        return cached

    def statistics(self) -> LruStatistics:
        """Return the size and hits of the cache."""
        return self._cache.statistics()


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
"""Maximum number of cached views; each view records the visible rows of the packs."""
MANY_UNPACKED: Final = 16
"""Minimum number of unpacked segments that starts packing; a segment costs a query about 0.3 ms."""
_AGAIN_MS: Final = 60_000.0
"""Minimum time between two attempts."""


class HostPacks:
    """Joint views over a host's stores. Thread-safe, except `pack`."""

    def __init__(self, home: Home, clock: Clock) -> None:
        """Start without open packs."""
        self._home = home
        self._clock = clock
        self._lock = Lock()
        self._opened: OpenedPacks | None = None
        # The least recently used view comes first. Values keep the objects behind a key's ids
        # alive, so that no other object can get the same id.
        self._views: dict[tuple[int, ...], tuple[JointView, tuple[Pack, ...]]] = {}
        self.packing = False
        self._tried: frozenset[tuple[str, str]] = frozenset()
        self._not_before_ms = 0.0

    def view(self, members: "Sequence[SnapshotView]") -> "JointView":
        """Return the joint view of several snapshots; cached for unchanged packs and members."""
        from ggrep.index.packs.opened_packs import OpenedPacks
        from ggrep.search.query.joint_view import join

        with self._lock:
            self._opened = self._opened or OpenedPacks(self._home)
        packs = self._opened.packs()
        key = (*map(id, packs), -1, *map(id, members))
        with self._lock:
            cached = self._views.pop(key, None)
        if cached is None:
            cached = join(members, packs), packs  # several threads may do this concurrently
            _give_back(cached[0])
        with self._lock:
            self._views[key] = cached
            while len(self._views) > _MOST_VIEWS:
                del self._views[next(iter(self._views))]
        return cached[0]

    def wants_packing(self, view: "JointView") -> bool:
        """Return whether to start the pack worker now.

        The worker is useful if many segments are unpacked and some of them were never tried.
        """
        late = self._clock.monotonic_ms() >= self._not_before_ms
        wanted = self._many_unpacked(view)
        # Drop packed segments from the set, so that they are packed again if their pack is deleted.
        shown = {str(member.manifest.store_id) for member in view.members}
        self._tried = frozenset(
            segment for segment in self._tried if segment in wanted or segment[0] not in shown
        )
        return late and not self.packing and bool(wanted) and wanted != self._tried

    @staticmethod
    def _many_unpacked(view: "JointView") -> frozenset[tuple[str, str]]:
        """Return the segments of a view to pack; empty if there are fewer than `MANY_UNPACKED`."""
        unpacked = view.packable()
        return unpacked if len(unpacked) >= MANY_UNPACKED else frozenset()

    async def pack(self, view: "JointView") -> None:
        """Pack the unpacked segments of a view in a process of low priority.

        The next query uses the new pack.
        """
        self.packing = True
        try:
            done = await anyio.run_process(
                [sys.executable, "-m", _MODULE],
                input=stable_json.dumps(self._job(view)),
                check=False,
                cwd=_PACKAGE_ROOT,
                start_new_session=True,
            )
            if done.returncode:
                _LOG.warning("segments could not be packed: %s", done.stderr[-500:])
            else:
                # The worker would omit the same segments again.
                self._tried = view.packable()
        except OSError as error:
            _LOG.warning("segments could not be packed: %s", os.strerror(error.errno or 0))
        finally:
            self.packing = False
            self._not_before_ms = self._clock.monotonic_ms() + _AGAIN_MS

    def _job(self, view: "JointView") -> Json:
        """Return the worker's job: the home, and store, name and image digest of each segment."""
        segments: list[Json] = []
        for member, segment in view.unpacked:
            manifest = view.members[member].manifest
            digests = {ref.table: ref.image.sha256 for ref in manifest.segments}
            segments.append([manifest.store_id, segment, digests.get(segment, "")])
        return [str(self._home.base), segments]


def _give_back(view: "JointView") -> None:
    """Release the memory of images whose content is now in packs."""
    unpacked = set(view.unpacked)
    for member, snapshot in enumerate(view.members):
        for segment in snapshot.segments:
            if (member, segment.image.name) not in unpacked:
                segment.image.give_back()


_MOST_EPOCHS: Final = 8
"""Maximum number of cached lists, and of cached epochs: a query follows its description at once."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Described(Struct, frozen=True):
    """The state of a member at one time.

    Attributes:
        engine: engine of the member; None if the member must be queried separately.
        view: the active snapshot; None if `engine` is None.
        description: the member's description; None if `engine` is None.
    """

    engine: "Engine | None" = None
    view: "SnapshotView | None" = None
    description: RepoDescription | None = None


class Epoch(Struct, frozen=True):
    """The members of a list of stores at one time.

    Attributes:
        name: digest of the members' descriptions.
    """

    name: str
    members: tuple[Described, ...]
    document: list[Json]

    @property
    def descriptions(self) -> tuple[RepoDescription | None, ...]:
        """Return the descriptions of the members."""
        return tuple(member.description for member in self.members)


class JointMembers(Struct):
    """A host's cache of lists of stores. Not thread-safe.

    Attributes:
        most: maximum number of lists, and of epochs.
    """

    most: int = _MOST_EPOCHS
    lists: dict[str, tuple[Member, ...]] = field(default_factory=dict)
    _epochs: dict[str, Epoch] = field(default_factory=dict)
    _newest: dict[str, Epoch] = field(default_factory=dict)

    def places(self, key: str, members: tuple[Member, ...]) -> tuple[Member, ...]:
        """Return `members`, or the cached list of `key` if `members` is empty."""
        if members and members_key(members) != key:
            raise InvalidRequest("key: is not the key of these members")
        return _kept(self.lists, key, members or self.lists.get(key, ()), self.most)

    def begin(self, key: str, members: tuple[Described, ...]) -> Epoch:
        """Return a new epoch of a list with the current members."""
        before = self._newest.get(key)
        descriptions = tuple(member.description for member in members)
        if before is not None and before.descriptions == descriptions:
            name, document = before.name, before.document
        else:
            document = _documents(descriptions, before)
            name = hashlib.sha256(stable_json.dumps([key, document])).hexdigest()
        epoch = Epoch(name, members, document)
        _kept(self._newest, key, epoch, self.most)
        return _kept(self._epochs, name, epoch, self.most)

    def keep_only(self, engines: "Iterable[Engine]") -> None:
        """Release the snapshots of other engines, and drop epochs that contain such a snapshot."""
        kept = {None, *engines}
        for epochs in (self._epochs, self._newest):
            for name, epoch in [*epochs.items()]:
                if any(member.engine not in kept for member in epoch.members):
                    del epochs[name]

    def members(self, name: str, places: Sequence[int]) -> "list[tuple[Engine, SnapshotView]]":
        """Return the engines and snapshots of the epoch's members at `places`."""
        epoch = self._epochs.get(name)
        if epoch is None:
            raise SnapshotGone(
                "the cached descriptions of these repositories have expired; send the request again"
            )
        members = [epoch.members[place] for place in places if place < len(epoch.members)]
        views = [(each.engine, each.view) for each in members if each.engine and each.view]
        if len(views) < len(places):
            raise SnapshotGone("one of these repositories must be queried alone")
        return views


def _documents(descriptions: Sequence[RepoDescription | None], before: Epoch | None) -> list[Json]:
    """Return descriptions as JSON, and reuse the JSON of unchanged descriptions."""
    if before is None:
        return [None if each is None else to_builtins(each) for each in descriptions]
    pairs = zip(descriptions, before.descriptions, before.document, strict=True)
    return [
        document if new == old else None if new is None else to_builtins(new)
        for new, old, document in pairs
    ]


def _kept(cache: dict[K, V], key: K, value: V, most: int) -> V:
    """Add a value, and drop the least recently used values beyond `most`."""
    cache.pop(key, None)
    cache[key] = value
    while len(cache) > most:
        del cache[next(iter(cache))]
    return value
