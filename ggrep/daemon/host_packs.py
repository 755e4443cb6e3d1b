"""What a host answers questions to many of its stores from, and keeps packed in the background."""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

import anyio

from ggrep.base import stable_json
from ggrep.base.clock import Clock
from ggrep.base.stable_json import Json
from ggrep.config.home import Home

if TYPE_CHECKING:
    from ggrep.index.packs.opened_packs import OpenedPacks
    from ggrep.index.packs.pack_image import Pack
    from ggrep.index.store.view import SnapshotView
    from ggrep.search.query.joint_view import JointView

_LOG = logging.getLogger(__name__)

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
_MODULE: Final = "ggrep.daemon.pack_worker"
_MOST_VIEWS: Final = 2
"""Of several workspaces; each holds which rows of the packs are visible."""
MANY_LOOSE: Final = 16
"""Segments in no pack, from which on they are packed: each takes a question some 0.3 ms."""
_AGAIN_MS: Final = 60_000.0
"""How long after a try the next one may follow."""


class HostPacks:
    """Joint views over a host's stores. Threads may share it, but for `pack`.

    Attributes:
        packing: a process is at it.
    """

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
        """Return the view of several snapshots; the same object while nothing of it changes.

        Raises:
            SnapshotGone: see `join`.
        """
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

        It makes the texts of packs too. Nobody waits for it, and what becomes of it is seen by the
        next question.
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
