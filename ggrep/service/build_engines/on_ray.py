"""A Ray cluster, driven by a child process.

Ray kills its driver process if the cluster is unreachable for a minute, and Ray prints to standard
output. Therefore the driver (`ray_driver`) is a separate process that exchanges tasks and replies
as lines of JSON. If the driver ends, only the running tasks fail.
"""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.config.settings import environment
from ggrep.model.sync import SyncFailed
from ggrep.service.build_engines.cluster import NoCluster, require_answer

_PACKAGE_ROOT: Final = Path(__file__).resolve().parents[3]
_MODULE: Final = "ggrep.service.build_engines.ray_driver"
_QUIET: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Without these variables, Ray retries an unresponsive head node for minutes.
    "RAY_gcs_server_port_wait_time_s": "1",
    "RAY_gcs_rpc_server_connect_timeout_s": "1",
    "RAY_py_gcs_connect_timeout_s": "2",
}
_END_S: Final = 10.0


class RayCluster:
    """A connection to a Ray cluster through a driver process; see `on_cluster.Cluster`."""

    name = "ray"

    def __init__(self, address: str) -> None:
        """Connect to the cluster with a head node at `host:port`.

        Requires: Ray is installed.
        """
        require_answer(address)
        self._numbers = count()
        self._under_way: dict[int, Future[str]] = {}
        self._lock = threading.Lock()
        self._gone = False
        self._driver = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", _MODULE, address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # Started elsewhere, as Python imports modules from the current directory first.
            cwd=_PACKAGE_ROOT,
            env={**environment(), **_QUIET},
            start_new_session=True,
        )
        self._replies = _lines(self._driver)
        greeting = next(self._replies, {"failed": "its driver ended"})
        if "failed" in greeting:
            self.close()
            raise NoCluster(f"{address}: {greeting['failed']}")
        self.cores = int(greeting["cores"])
        threading.Thread(target=self._listen, daemon=True).start()

    def submit(self, task: str) -> int:
        """Queue a task on the cluster; return its number."""
        number, future = next(self._numbers), Future[str]()
        with self._lock:
            self._under_way[number] = future
            if self._gone:
                future.set_exception(_gone())
        self._send({"number": number, "task": task})
        return number

    def result(self, handle: int) -> str:
        """Wait for a task's reply."""
        try:
            return self._under_way[handle].result()
        finally:
            with self._lock:
                del self._under_way[handle]

    def cancel(self, handle: int) -> None:
        """Kill the process that runs a task."""
        self._send({"cancel": handle})

    def close(self) -> None:
        """End the driver and all running tasks."""
        with suppress(OSError):
            assert self._driver.stdin is not None  # noqa: S101 - a pipe was asked for
            self._driver.stdin.close()
        try:
            self._driver.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._driver.kill()
            self._driver.wait()

    def _send(self, message: dict[str, Any]) -> None:
        with self._lock, suppress(OSError, ValueError):  # `_listen` reports that the driver ended
            assert self._driver.stdin is not None  # noqa: S101 - a pipe was asked for
            self._driver.stdin.write(stable_json.dumps(message) + b"\n")
            self._driver.stdin.flush()

    def _listen(self) -> None:
        try:
            for message in self._replies:
                future = self._under_way.get(message["number"])
                if future is None or future.done():
                    continue
                if "reply" in message:
                    future.set_result(message["reply"])
                else:
                    future.set_exception(SyncFailed(str(message["failed"])))
        finally:
            with self._lock:
                self._gone = True
                for future in self._under_way.values():
                    if not future.done():
                        future.set_exception(_gone())


def _gone() -> SyncFailed:
    return SyncFailed("the connection to the cluster was lost")


def _lines(driver: "subprocess.Popen[bytes]") -> Iterator[dict[str, Any]]:
    assert driver.stdout is not None  # noqa: S101 - a pipe was asked for
    for line in driver.stdout:
        with suppress(ValueError):  # a line that a library printed
            yield stable_json.loads(line)
