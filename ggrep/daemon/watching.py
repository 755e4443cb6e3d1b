"""Reports changes below all roots of a host, from one shared watcher.

A user may have some hundred inotify instances, and watches one for each directory: hence one
instance, and a plain look at the clock where it cannot be had.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, Protocol

from watchfiles._rust_notify import RustNotify

from ggrep.base.clock import Clock
from ggrep.daemon.watched_root import OnChange, WatchedRoot
from ggrep.model.load import WatchLoad

WATCH_ERRORS: Final = (OSError, RuntimeError, ValueError)
"""A directory that is gone or closed to us, or no watches left; no instances left; no UTF-8."""


class Watch(Protocol):
    """The interface of `RustNotify` that is used."""

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
    """Return a watch on directories and all below them.

    Raises:
        OSError: a directory is gone or cannot be read, or there are no watches left.
        RuntimeError: there are no instances left.
        ValueError: a path is not UTF-8.
    """
    # Told to ignore missing permissions it would ignore a lack of watches as well, and leave
    # part of a tree unwatched without a word.
    opened: Any = RustNotify(
        paths,
        debug=False,
        force_polling=False,
        poll_delay_ms=0,
        recursive=True,
        ignore_permission_denied=False,
    )
    return opened  # type: ignore[no-any-return] # its stub asks for more than it uses


def open_most(roots: Sequence[Path], opener: OpenWatch) -> tuple[Watch | None, dict[Path, str]]:
    """Return one watch on as many roots as possible, and the error of each other root.

    Where not all can be, one after another is tried with those that can; earlier ones win.
    """
    try:
        return (opener([str(root) for root in roots]) if roots else None), {}
    except WATCH_ERRORS:
        paths, problems = _watchable(roots, opener)
    try:
        return (opener(paths) if paths else None), problems
    except WATCH_ERRORS as error:  # what went a moment ago does not go now
        return None, {root: problems.get(root, _told(error)) for root in roots}


def _watchable(roots: Sequence[Path], opener: OpenWatch) -> tuple[list[str], dict[Path, str]]:
    paths: list[str] = []
    problems: dict[Path, str] = {}
    for root in roots:
        try:
            opener([*paths, str(root)]).close()
            paths.append(str(root))
        except WATCH_ERRORS as error:
            problems[root] = _told(error)
    return paths, problems


def _told(error: Exception) -> str:
    return f"cannot be watched: {error}"


Mode = Literal["watching", "polling", "off"]

_GROUP_MS: Final = 200
"""Events that come one upon another are handed over together, after so long at most."""
_STEP_MS: Final = 50
_SETTLE_S: Final = 0.02
"""Roots that come within so short a time are taken up together."""
_LOOK_MS: Final = 2_000
"""How often it is seen whether the roots are still the directories that are watched."""
_RETRY_MS: Final = 180_000
"""How often watching is tried again where it failed."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """How a root is watched.

    Attributes:
        mode: `polling` where watching failed: the root is looked at every few seconds instead.
            `off` before watching begins, and for a root that nobody added.
        events_total: events that may concern its index.
        last_event_age_ms: time since the last of them.
        problem: why it is not watched; empty when it is.
    """

    mode: Mode
    events_total: int
    last_event_age_ms: int | None
    problem: str

    def load(self) -> WatchLoad:
        """Return what status and metrics show of it."""
        mode = "events" if self.mode == "watching" else self.mode
        return WatchLoad(mode, self.events_total, self.last_event_age_ms, self.problem)


class HostWatcher:
    """See the module. Safe for threads; one thread runs from the first `add` to `close`."""

    def __init__(
        self, clock: Clock, poll_ms: int = 10_000, *, opener: OpenWatch = open_watch
    ) -> None:
        """Watch nothing yet.

        Args:
            clock: tells the age of events.
            poll_ms: how often a root is looked at that cannot be watched.
            opener: watches directories.
        """
        self._clock = clock
        self._poll_ms = poll_ms
        self._opener = opener
        self._lock = threading.Lock()
        self._roots: dict[Path, WatchedRoot] = {}
        self._interrupt = threading.Event()
        self._thread: threading.Thread | None = None
        self._closed = False

    def add(self, root: Path, apart: tuple[Path, ...], on_change: OnChange) -> None:
        """Watch `root` from now on, replacing an earlier registration of this path.

        Args:
            root: canonical.
            apart: directories whose content concerns no index: ggrep's own.
            on_change: called from the watcher's thread with the number of events, zero when it
                is not known whether anything changed. It must not block, raise, or call us.
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
        """Set which files of a root in build output directories count.

        Returns:
            Whether something of theirs may have been dropped before, see `EventFilter.expect`.
        """
        with self._lock:
            found = self._roots.get(root)
            return found is not None and found.expect(products)

    def remove(self, root: Path) -> None:
        """Stop watching `root`; its callbacks have ended when this returns."""
        with self._lock:
            found = self._roots.pop(root, None)
        if found is not None:
            self._interrupt.set()

    def state(self, root: Path) -> WatchState:
        """Return how `root` is watched."""
        with self._lock:
            found = self._roots.get(root)
            if found is None:
                return WatchState("off", 0, None, "")
            last_ms = found.last_event_ms
            age = None if last_ms is None else round(self._clock.monotonic_ms() - last_ms)
            mode: Mode = "watching" if found.watched else "polling" if found.opened else "off"
            return WatchState(mode, found.events_total, age, found.problem)

    def close(self) -> None:
        """Stop the thread and free the watches; no callback runs afterwards."""
        with self._lock:
            self._closed = True
            self._roots.clear()
        self._interrupt.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while not self._closed:
            self._interrupt.clear()
            if self._interrupt.wait(_SETTLE_S):
                continue  # roots come many at once when a host starts
            watch = self._open()
            try:
                self._follow(watch)
            finally:
                if watch is not None:
                    watch.close()

    def _open(self) -> Watch | None:
        """Watch all roots that can be watched, and report the state of each."""
        with self._lock:
            roots = list(self._roots.values())
        watch, problems = open_most([known.root for known in roots], self._opener)
        with self._lock:
            for known in roots:
                if self._roots.get(known.root) is known:
                    known.open(problems.get(known.root, ""))
        return watch

    def _follow(self, watch: Watch | None) -> None:
        """Pass on events until the roots change or watching must be retried."""
        begun_ms = polled_ms = self._clock.monotonic_ms()
        while not self._interrupt.is_set():
            try:
                paths = self._events(watch)
            except WATCH_ERRORS as error:
                watch, paths = None, []
                self._fail(f"watching failed: {error}")
            now_ms = self._clock.monotonic_ms()
            poll = now_ms - polled_ms >= self._poll_ms
            polled_ms = now_ms if poll else polled_ms
            stands = self._pass_on(paths, now_ms, poll=poll)
            if not stands or (now_ms - begun_ms >= _RETRY_MS and self._is_any_polled()):
                return

    def _events(self, watch: Watch | None) -> list[str]:
        """Return the paths of the next events; empty after a while without any."""
        wait_ms = min(_LOOK_MS, self._poll_ms)
        if watch is None:
            self._interrupt.wait(wait_ms / 1000)
            return []
        found = watch.watch(_GROUP_MS, _STEP_MS, wait_ms, self._interrupt)
        return [] if isinstance(found, str) else [path for _, path in found]

    def _pass_on(self, paths: list[str], now_ms: float, *, poll: bool) -> bool:
        """Pass each root its events; return False if a root is no longer the watched directory."""
        stands = True
        with self._lock:
            for known in self._roots.values():
                if known.opened:
                    known.take(paths, now_ms)
                    stands = known.look(now_ms) and stands
                    if poll and not known.watched:
                        known.suspect()
        return stands

    def _fail(self, problem: str) -> None:
        with self._lock:
            for known in self._roots.values():
                if known.watched:
                    known.fail(problem)

    def _is_any_polled(self) -> bool:
        with self._lock:
            return any(not known.watched for known in self._roots.values())
