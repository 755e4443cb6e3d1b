"""The tasks of a daemon: listener, sync loop, settings watch and idle timer."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import anyio
from anyio import to_thread
from anyio.abc import SocketStream, TaskGroup, TaskStatus

from ggrep.base.build import build_id
from ggrep.base.errors import NoIndex
from ggrep.config.settings import PROFILE_VARIABLE
from ggrep.daemon.accept_loop import AcceptLoop
from ggrep.daemon.admitting import is_published
from ggrep.daemon.endpoint_files import Endpoint
from ggrep.daemon.event_log import place_of_error
from ggrep.daemon.session import Session
from ggrep.daemon.store_daemon import StoreDaemon
from ggrep.model.operations import load_answerers

MOST_CONNECTIONS: Final = 256
"""Maximum connections of a daemon; a further connection closes the longest idle connection."""

_CONFIG_DEBOUNCE_MS: Final = 2_000.0
_CONFIG_DEBOUNCE_LOW_IMPACT_MS: Final = 4_000.0
_GONE_MS: Final = 60_000.0
_FIRST_ANSWER_S: Final = 3.0
"""Longest wait of indexing for a first answer."""
_DRAIN_S: Final = 5.0
"""Time for last replies to cancelled requests."""


class DaemonTasks:
    """Runs a daemon at its endpoint until the daemon is stopped."""

    def __init__(
        self,
        daemon: StoreDaemon,
        endpoint: Endpoint,
        *,
        eager: bool = True,
        awaited: bool = False,
    ) -> None:
        """Prepare the tasks without running them.

        With `eager`, the store is opened before the first request. With `awaited`, a first request
        is expected at once.
        """
        self.daemon = daemon
        self._eager = eager
        self._awaited = awaited
        self._endpoint = endpoint
        self._sessions: set[Session] = set()
        self._scopes: dict[Session, anyio.CancelScope] = {}
        self._group: TaskGroup | None = None
        self._build = build_id()
        self._began_ms = daemon.shared.clock.monotonic_ms()
        self._seen_ms: dict[str, float] = {}

    @property
    def socket(self) -> Path:
        """Return the path of the daemon's socket."""
        return self._endpoint.path

    @property
    def key(self) -> tuple[str, str]:
        """Return the store id and configuration fingerprint that a client's hello names."""
        return self.daemon.key

    async def run(
        self,
        accept_loop: AcceptLoop | None = None,
        *,
        task_status: TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Serve; `task_status` is set to started once clients can connect.

        The daemon's files are removed at the end, also after an error.
        """
        daemon, endpoint = self.daemon, self._endpoint
        fault: OSError | None = None
        try:
            async with anyio.create_task_group() as group:
                self._group = group
                accepting = accept_loop or AcceptLoop(group, lone=True)
                try:
                    await accepting.open(self, endpoint.path, endpoint.mode)
                except OSError as error:
                    fault = error  # raised here, it would be wrapped into a group
                else:
                    try:
                        await self._serve_until_ended(group, task_status)
                    finally:
                        accepting.close(self, endpoint.path)
                        self._group = None
                    group.cancel_scope.cancel()
            if fault is not None:
                raise fault
        finally:
            with suppress(Exception):
                daemon.shared.watcher.remove(daemon.identity.root)
            daemon.log.lifecycle("stopped", reason=daemon.stopping or "")
            daemon.log.close()
            daemon.close_engine()
            endpoint.release()

    async def _serve_until_ended(self, group: TaskGroup, task_status: TaskStatus[None]) -> None:
        self._announce()
        with self.daemon.serving(group):
            task_status.started()
            # Slow tasks start after the socket listens, so that clients are answered during these
            # tasks.
            group.start_soon(self._watch_config)
            group.start_soon(self._evict)
            group.start_soon(self._index)
            await self.daemon.ended.wait()
            await self._end()

    def end(self, reason: str) -> None:
        """Cancel all requests of the daemon for a reason, and let its tasks end."""
        self.daemon.end(reason)

    def _announce(self) -> None:
        daemon, endpoint = self.daemon, self._endpoint
        record = daemon.record(endpoint.path)
        endpoint.publish(record)
        if daemon.leads:
            profile = daemon.shared.environ.get(PROFILE_VARIABLE, "")
            endpoint.lead(daemon.identity.root, record, profile)

    async def _end(self) -> None:
        """Stop, after a short time for final replies."""
        self._endpoint.remove_locator()
        with anyio.move_on_after(_DRAIN_S):
            for session in list(self._sessions):
                await session.idle()

    def receive(self, stream: SocketStream, received: bytes) -> None:
        """Serve a connected client; `received` contains the bytes that it has already sent."""
        if self._group is not None:
            self._group.start_soon(self._serve, stream, received)

    async def _serve(self, stream: SocketStream, received: bytes) -> None:
        if len(self._sessions) >= MOST_CONNECTIONS and not self._drop_most_silent():
            await stream.aclose()
            return
        session = Session(self.daemon, stream, received)
        with anyio.CancelScope() as scope, self.daemon.connected():
            self._sessions.add(session)
            self._scopes[session] = scope
            try:
                await session.run()
            except Exception as error:  # noqa: BLE001 - one connection must not end the others
                self.daemon.log.lifecycle("fault", reason=place_of_error(error))
            finally:
                self._sessions.discard(session)
                del self._scopes[session]

    def silence_ms(self) -> float | None:
        """Return when the longest idle connection last received bytes; None if none is idle."""
        idle = (session for session in self._sessions if session.is_idle)
        return min((session.last_received_ms for session in idle), default=None)

    def make_room(self, error: BaseException) -> None:
        """Close the longest idle connection after a failed accept."""
        self.daemon.log.lifecycle("cannot_accept", error_code=str(getattr(error, "errno", "")))
        self._drop_most_silent()

    def _drop_most_silent(self) -> bool:
        """Close the longest idle connection; return False if none is idle."""
        idle = [session for session in self._sessions if session.is_idle]
        if not idle:
            return False
        self._scopes[min(idle, key=lambda session: session.last_received_ms)].cancel()
        return True

    async def _index(self) -> None:
        """Open the index, wait until an awaited first request is answered, then watch and sync.

        Watching and syncing read the whole tree and would slow down a concurrent first answer by
        half. The first answer needs an open index, if the index exists.
        """
        daemon = self.daemon
        async with anyio.create_task_group() as group:
            if is_published(daemon):
                group.start_soon(self._warm)
                await self._first_answer()
            else:
                await self._first_answer()
                group.start_soon(self._warm)
            self._watch()
            group.start_soon(daemon.syncs.run)

    async def _first_answer(self) -> None:
        """Wait until the awaited request is answered or needs a sync, or until a timeout."""
        daemon = self.daemon
        while self._awaited and not daemon.free.is_set():
            with anyio.move_on_after(_FIRST_ANSWER_S):
                await daemon.free.wait()
            if not daemon.requests:
                break

    async def _warm(self) -> None:
        """Preload everything for a first search, then all modules, then each published snapshot.

        A process that serves many stores opens each store at its first request.
        """
        daemon = self.daemon

        def work() -> None:
            daemon.engine().warm()

        wanted = self._eager
        while True:
            event = daemon.published
            if wanted or daemon.is_open:
                try:
                    await to_thread.run_sync(work, limiter=daemon.shared.threads)
                except NoIndex:
                    pass  # tried again after the first publish
                except Exception as error:  # noqa: BLE001 - the next search reports it
                    daemon.log.lifecycle("not_warm", reason=place_of_error(error))
                await daemon.shared.queries.refresh(daemon.store_to_open)
            if wanted:
                await self._first_answer()
                await to_thread.run_sync(load_answerers, limiter=daemon.shared.threads)
            wanted = False
            await event.wait()

    def _watch(self) -> None:
        daemon = self.daemon
        if daemon.config.settings.watch:
            apart = daemon.shared.home.own_directories
            daemon.shared.watcher.add(daemon.identity.root, apart, daemon.syncs.note_change)

    async def _watch_config(self) -> None:
        """Load changed settings files once they have been stable for a while.

        Each check also tests whether the socket and lock in the file system still belong to this
        daemon, and releases query workers that have ended.
        """
        daemon = self.daemon
        low = daemon.config.settings.low_impact
        patience_ms = _CONFIG_DEBOUNCE_LOW_IMPACT_MS if low else _CONFIG_DEBOUNCE_MS
        quiet = Debouncer(patience_ms, daemon.shared.clock.monotonic_ms)
        taken = daemon.config.files  # a stale daemon keeps its settings although the files differ
        while True:
            await anyio.sleep(daemon.shared.look_s)
            if not self._is_in_place():
                return
            await daemon.shared.queries.reap()
            seen = await to_thread.run_sync(daemon.config.present)
            if not quiet.settled(seen, changed=seen != taken):
                continue
            taken = seen
            daemon.reload(await to_thread.run_sync(daemon.read_config))
            if daemon.stale:
                self._endpoint.remove_locator()
            else:
                self._announce_again()

    def _is_in_place(self) -> bool:
        """Return whether clients can find this daemon; otherwise another daemon must replace it."""
        if not self._endpoint.is_ours():
            self.end("its socket was removed")
            return False
        build = _installed()
        if build not in {None, self._build}:
            self.end("another build of ggrep was installed")
            return False
        # During an installation, no build is installed for a moment.
        if not self._seen("build", there=build is not None):
            self.end("ggrep was removed")
            return False
        # Checking out another commit may restore the root.
        if not self._seen("root", there=self.daemon.identity.root.is_dir()):
            self.end("its root was removed")
            return False
        if not self._endpoint.is_announced() and not self.daemon.stale:
            self._announce_again()
        return True

    def _announce_again(self) -> None:
        """Write the daemon's record and locator again; the next check retries after a failure."""
        with suppress(OSError):
            self._announce()

    def _seen(self, name: str, *, there: bool) -> bool:
        """Return False if `name` has been missing for a while; `there`: whether it exists now."""
        now_ms = self.daemon.shared.clock.monotonic_ms()
        if there:
            self._seen_ms[name] = now_ms
        return now_ms - self._seen_ms.get(name, self._began_ms) < _GONE_MS

    async def _evict(self) -> None:
        """Close an unused store; the next request opens it again."""
        daemon = self.daemon
        while True:
            idle_ms = 1000.0 * daemon.config.settings.store_idle_secs
            await anyio.sleep(min(idle_ms / 4, 30_000.0) / 1000.0)
            silent_ms = daemon.shared.clock.monotonic_ms() - daemon.last_asked_ms
            working = daemon.admission.statistics().in_flight
            if silent_ms >= idle_ms and not working and daemon.close_engine():
                daemon.log.lifecycle("store_closed")


def _installed() -> str | None:
    """Return the installed build; None if no build is installed now."""
    try:
        return build_id()
    except OSError:
        return None


class Debouncer:
    """Detects that a changed value has been stable for long enough."""

    def __init__(self, patience_ms: float, now_ms: Callable[[], float]) -> None:
        self._patience_ms = patience_ms
        self._now_ms = now_ms
        self._last: object = None
        self._since_ms = 0.0

    def settled(self, seen: object, *, changed: bool) -> bool:
        """Return whether `seen` is a change that is now stable; each change is reported once."""
        if not changed:
            self._last = None
            return False
        if seen != self._last:
            self._last, self._since_ms = seen, self._now_ms()
            return False
        if self._now_ms() - self._since_ms < self._patience_ms:
            return False
        self._since_ms = self._now_ms()
        return True
