"""Reports changes below all roots of a host, with a shared watcher.

The kernel limits a user to about a hundred inotify instances, and to a number of inotify watches,
of which each directory needs one. Therefore all roots share one instance, and roots that cannot be
watched are polled.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from msgspec import Struct

from ggrep.base.clock import Clock
from ggrep.daemon.watched_root import OnChange, WatchedRoot
from ggrep.model.status import WatchStatus

WATCH_ERRORS: Final = (OSError, RuntimeError, ValueError)
"""Errors of watching: a missing or unreadable directory, no free watch or instance, invalid
UTF-8."""


class Watch(Protocol):
    """The part of the interface of watchfiles' `RustNotify` that this module uses."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: threading.Event
    ) -> set[tuple[int, str]] | str:
        """Return events, or `stop`, `signal` or `timeout`."""
        ...

    def close(self) -> None:
        """Free the watches."""
        ...


OpenWatch = Callable[[list[str]], Watch]


def open_watch(paths: list[str]) -> Watch:
    """Return a watch on directories and everything below them."""
    from watchfiles._rust_notify import RustNotify  # late: no first answer needs it

    # With `ignore_permission_denied`, RustNotify would also ignore a lack of watches and leave part
    # of a tree unwatched without an error.
    opened: Any = RustNotify(
        paths,
        debug=False,
        force_polling=False,
        poll_delay_ms=0,
        recursive=True,
        ignore_permission_denied=False,
    )
    return opened  # type: ignore[no-any-return] # its stub requires more than it uses


def open_most(roots: Sequence[Path], opener: OpenWatch) -> tuple[Watch | None, dict[Path, str]]:
    """Return a watch on as many roots as possible, and the error of each other root.

    Bisection identifies the roots that cannot be watched. Each attempt walks all trees, so there
    are at most `_MOST_TRIES` attempts; the remaining roots are not watched.
    """
    problems: dict[Path, str] = {}
    taken: list[Path] = []
    waiting, tries = ([roots] if roots else []), 0
    watch: Watch | None = None
    while waiting:
        some, error = waiting.pop(), _TOO_MANY
        if tries < _MOST_TRIES:
            tries += 1
            try:
                if watch is not None:
                    watch.close()  # the old and the new watch together could exceed the limit
                watch = None
                watch = opener([str(root) for root in (*taken, *some)])
                taken.extend(some)
                continue
            except WATCH_ERRORS as failure:
                error = _message(failure)
            if (half := len(some) // 2) and tries < _MOST_TRIES:
                waiting += [some[half:], some[:half]]
                continue
        problems.update(dict.fromkeys(some, error))
    if watch is None and taken:
        try:
            watch = opener([str(root) for root in taken])
        except WATCH_ERRORS as failure:  # although it worked a moment ago
            return None, {root: problems.get(root, _message(failure)) for root in roots}
    return watch, problems


def _message(error: Exception) -> str:
    return f"cannot be watched: {error}"


Mode = Literal["watching", "polling", "off"]

_MOST_TRIES: Final = 48
"""Maximum number of attempts to find the roots that can be watched."""
_TOO_MANY: Final = "cannot be watched; earlier directories could not be watched either"

_GROUP_MS: Final = 200
"""Maximum time for which successive events are collected."""
_STEP_MS: Final = 20
"""Interval of checks for events, and the time without a further event after which they are passed
on. The checks take 0.2 % of a core."""
_SETTLE_S: Final = 0.02
"""Roots added within this time are watched together."""
_SETTLE_EACH_S: Final = 0.002
"""Additional delay for each root: adding a root restarts the watch of all roots."""
_LOOK_MS: Final = 2_000
"""Interval of checks that the roots are still the watched directories."""
_UNDECODED: Final = "Unable to decode path"
_RETRY_MS: Final = 180_000
"""First delay before a failed watch is retried."""
_LONGEST_RETRY_MS: Final = 3_600_000
"""Maximum delay: each attempt with the same failed roots as before doubles the delay."""
_CHECKED_AT_ONCE: Final = 50
"""Number of polled roots that get a full check in each poll, in turn. Other polled roots get a full
check if `seems_changed`. A full check walks the tree, which takes some ten milliseconds."""


class WatchState(Struct, frozen=True):
    """The state of watching a root.

    Attributes:
        mode: `polling` if watching failed and the root is polled every few seconds; `off` before
            watching starts, and for an unknown root.
        problem: reason why the root is not watched; empty if the root is watched.
    """

    mode: Mode
    events_total: int
    last_event_age_ms: int | None
    problem: str

    def load(self) -> WatchStatus:
        """Return the state as status and metrics show it."""
        mode = "events" if self.mode == "watching" else self.mode
        return WatchStatus(mode, self.events_total, self.last_event_age_ms, self.problem)


class HostWatcher:
    """Watches the roots of a host. Thread-safe; one thread runs from the first `add` to `close`."""

    def __init__(
        self, clock: Clock, poll_ms: int = 10_000, *, opener: OpenWatch = open_watch
    ) -> None:
        """Create the watcher without roots.

        A root that cannot be watched is polled every `poll_ms`.
        """
        self._clock = clock
        self._poll_ms = poll_ms
        self._opener = opener
        self._lock = threading.Lock()
        self._roots: dict[Path, WatchedRoot] = {}
        self._left = 0  # removed roots whose watches are not freed yet
        self._retry_ms = _RETRY_MS
        self._unwatched: frozenset[Path] = frozenset()
        self._checked: Path | None = None  # the last root that was polled in turn
        self._interrupt = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, root: Path, apart: tuple[Path, ...], on_change: OnChange) -> None:
        """Watch `root`, replacing an earlier registration of this path.

        Args:
            root: a canonical path.
            apart: directories of ggrep, whose events are dropped.
            on_change: called from the watcher's thread with the number of events; zero for a
                suspected change. It must not block, raise, or call the watcher.
        """
        with self._lock:
            if self._closed:
                return
            self._roots[root] = WatchedRoot(root, apart, on_change)
            self._interrupt.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watching", daemon=True)
                self._thread.start()

    def expect(self, root: Path, products: Collection[str] | None) -> bool:
        """Set the indexed files of a root in build output directories.

        Returns:
            True if earlier events of these files may have been dropped, see `EventFilter.expect`.
        """
        with self._lock:
            watched = self._roots.get(root)
            return watched is not None and watched.expect(products)

    def remove(self, root: Path) -> None:
        """Stop watching `root`; no callback for it runs after the return.

        Watches of removed roots are freed once half of the watched roots were removed: freeing
        watches restarts the watch of all other trees and checks these trees for changes.
        """
        with self._lock:
            removed = self._roots.pop(root, None)
            self._left += removed is not None
            if removed is not None and self._left >= len(self._roots):
                self._interrupt.set()

    def state(self, root: Path) -> WatchState:
        """Return the state of watching `root`."""
        with self._lock:
            entry = self._roots.get(root)
            if entry is None:
                return WatchState("off", 0, None, "")
            last_ms = entry.last_event_ms
            age = None if last_ms is None else round(self._clock.monotonic_ms() - last_ms)
            mode: Mode = "watching" if entry.watched else "polling" if entry.opened else "off"
            return WatchState(mode, entry.events_total, age, entry.problem)

    def close(self) -> None:
        """Stop the thread and free the watches; no callback runs after the return."""
        with self._lock:
            self._closed = True
            self._roots.clear()
        self._interrupt.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._closed:
            self._interrupt.clear()
            if self._interrupt.wait(_SETTLE_S + _SETTLE_EACH_S * len(self._roots)):
                continue  # many roots are added at once when a host starts
            watch = self._open()
            try:
                self._follow(watch)
            finally:
                if watch is not None:
                    watch.close()

    def _open(self) -> Watch | None:
        """Watch all roots that can be watched, and record the state of each root."""
        with self._lock:
            roots = list(self._roots.values())
            self._left = 0
        watch, problems = open_most([entry.root for entry in roots], self._opener)
        again = frozenset(problems) == self._unwatched
        self._unwatched = frozenset(problems)
        self._retry_ms = min(2 * self._retry_ms, _LONGEST_RETRY_MS) if again else _RETRY_MS
        with self._lock:
            for entry in roots:
                if self._roots.get(entry.root) is entry:
                    entry.open(problems.get(entry.root, ""))
        return watch

    def _follow(self, watch: Watch | None) -> None:
        """Pass on events until the set of roots changes or the watch must be restarted.

        After an event with a name that is not UTF-8, a watch delivers no more events. The next
        watch starts after a pause: files with such names can change many times a second, and a new
        watch walks all trees.
        """
        begun_ms = polled_ms = looked_ms = self._clock.monotonic_ms()
        look_ms = min(_LOOK_MS, self._poll_ms)
        while not self._interrupt.is_set():
            try:
                paths = self._events(watch)
            except WATCH_ERRORS as error:
                if _UNDECODED in str(error):
                    self._suspect_all()
                    self._interrupt.wait(look_ms / 1000)
                    return
                watch, paths = None, []
                self._fail(f"watching failed: {error}")
            now_ms = self._clock.monotonic_ms()
            self._pass_on(paths, now_ms)
            # Events can arrive five times a second, too often to check a thousand roots.
            if now_ms - looked_ms < look_ms:
                continue
            looked_ms = now_ms
            poll = now_ms - polled_ms >= self._poll_ms
            polled_ms = now_ms if poll else polled_ms
            unmoved = self._look(now_ms, poll=poll)
            if not unmoved or (now_ms - begun_ms >= self._retry_ms and self._is_any_polled()):
                return

    def _events(self, watch: Watch | None) -> list[str]:
        """Return the paths of the next events; empty after a while without events."""
        wait_ms = min(_LOOK_MS, self._poll_ms)
        if watch is None:
            self._interrupt.wait(wait_ms / 1000)
            return []
        events = watch.watch(_GROUP_MS, _STEP_MS, wait_ms, self._interrupt)
        return [] if isinstance(events, str) else [path for _, path in events]

    def _pass_on(self, paths: list[str], now_ms: float) -> None:
        """Pass each event to the roots that contain it."""
        if not paths:
            return
        with self._lock:
            roots = {str(entry.root): entry for entry in self._roots.values() if entry.opened}
            for root, below in _by_root(paths, roots).items():
                roots[root].take(below, now_ms)

    def _look(self, now_ms: float, *, poll: bool) -> bool:
        """Check all roots; return False if another directory has the path of a root now."""
        unmoved = True
        with self._lock:
            polled = []
            for entry in self._roots.values():
                if entry.opened:
                    unmoved = entry.look(now_ms) and unmoved
                    if not entry.watched:
                        polled.append(entry)
            if poll and polled:
                self._poll(polled)
        return unmoved

    def _poll(self, polled: list[WatchedRoot]) -> None:
        """Request full checks of `_CHECKED_AT_ONCE` roots, and of others that seem changed."""
        places = [place for place, entry in enumerate(polled) if entry.root == self._checked]
        first = places[0] + 1 if places else 0
        turn = [*polled[first:], *polled[:first]]
        for entry in turn[:_CHECKED_AT_ONCE]:
            entry.suspect()
        for entry in turn[_CHECKED_AT_ONCE:]:
            if entry.seems_changed():
                entry.suspect()
        self._checked = turn[min(_CHECKED_AT_ONCE, len(turn)) - 1].root

    def _suspect_all(self) -> None:
        with self._lock:
            for entry in self._roots.values():
                if entry.opened:
                    entry.suspect()

    def _fail(self, problem: str) -> None:
        with self._lock:
            for entry in self._roots.values():
                if entry.watched:
                    entry.fail(problem)

    def _is_any_polled(self) -> bool:
        with self._lock:
            return any(not entry.watched for entry in self._roots.values())


def _by_root(paths: list[str], roots: Collection[str]) -> dict[str, list[str]]:
    """Return the paths at or below each root; a path below nested roots is in each list."""
    below: dict[str, list[str]] = {}
    for path in paths:
        above = path
        while above:
            if above in roots:
                below.setdefault(above, []).append(path)
            above = above.rpartition("/")[0]
        if "/" in roots:
            below.setdefault("/", []).append(path)
    return below
