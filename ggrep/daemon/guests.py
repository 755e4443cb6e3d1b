"""Stores that a host reads and does not serve: their daemons live in another process, or nowhere.

A workspace's question is answered by one process. What it reads of a store that it does not serve
is the same snapshot that the store's own daemon would answer from; how current that is only the
daemon knows.
"""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from ggrep.base.clock import Clock
from ggrep.base.errors import GgrepError
from ggrep.config.home import Home
from ggrep.model.joint_pools import Member

if TYPE_CHECKING:
    from ggrep.search.engine.engine import Engine

_MOST: Final = 16_384
_HELD_MS: Final = 30_000.0
"""How long settings are taken for those that were read: nobody here watches their files."""


class Guests:
    """Engines of stores that others serve. Threads may share it."""

    def __init__(self, home: Home, environ: Mapping[str, str], clock: Clock) -> None:
        """Open nothing yet."""
        self._home = home
        self._environ = environ
        self._clock = clock
        self._lock = Lock()
        self._held: dict[Member, tuple[float, Engine]] = {}

    def engine(self, place: Member, flags: Mapping[str, object]) -> "Engine | None":
        """Return the engine of a store; None where its settings lead to another store by now.

        `flags` are those of the daemon that was asked.
        """
        now_ms = self._clock.monotonic_ms()
        with self._lock:
            until_ms, held = self._held.get(place, (0.0, None))
            if held is not None and now_ms < until_ms:
                return held
        opened = self._opened(place, flags)
        with self._lock:
            if opened is None:
                self._held.pop(place, None)
                return None
            if len(self._held) >= _MOST:
                self._held.clear()
            if held is not None and held.settings == opened.settings:
                opened = held  # what it has opened is as good as before
            self._held[place] = now_ms + _HELD_MS, opened
            return opened

    def _opened(self, place: Member, flags: Mapping[str, object]) -> "Engine | None":
        from ggrep.search.engine.engine import Engine

        try:
            engine = Engine(
                Path(place.root), self._home, environ=self._environ, flags=flags, clock=self._clock
            )
        except GgrepError:
            return None
        found = engine.identity
        same = (found.store_id, found.config_fingerprint)
        return engine if same == (place.store_id, place.config_fingerprint) else None
