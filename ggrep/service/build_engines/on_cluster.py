"""Builds indexes as tasks of any cluster."""

import contextlib
from collections.abc import Callable
from typing import Any, Final, Protocol

import anyio
import anyio.to_thread
from msgspec import Struct, field

from ggrep.federation.building import BuildWorker
from ggrep.model.sanitise import sanitise_line
from ggrep.model.sync import SyncFailed, SyncJob, SyncOutcome, SyncProgress
from ggrep.service.build_engines import node

_JOBS_PER_CORE: Final = 4
"""Jobs submitted for each core, so that no core waits for the driver."""
_MOST_ABREAST: Final = 512
_MOST_CHARACTERS: Final = 200


class Cluster(Protocol):
    """A connection to a cluster. An exception means that the cluster has given up a task."""

    name: str
    cores: int

    def submit(self, task: str) -> Any:  # noqa: ANN401 - the cluster's own handle
        """Queue a task for `node.do`; the task is repeated if its node dies."""
        ...

    def result(self, handle: Any) -> str:  # noqa: ANN401 - as above
        """Wait for a task's reply."""
        ...

    def cancel(self, handle: Any) -> None:  # noqa: ANN401 - as above
        """Cancel a submitted task."""
        ...

    def close(self) -> None:
        """Disconnect from the cluster."""
        ...


class ClusterEngine:
    """Builds indexes as tasks of a cluster."""

    is_remote = True

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.name = cluster.name
        self.abreast = min(_MOST_ABREAST, max(1, cluster.cores) * _JOBS_PER_CORE)

    def worker(self) -> BuildWorker:
        """Return a worker that submits jobs to the cluster."""
        return _Runner(self.cluster, anyio.CapacityLimiter(1))

    def close(self) -> None:
        """Disconnect from the cluster."""
        self.cluster.close()


class _Runner(Struct):
    cluster: Cluster
    limiter: anyio.CapacityLimiter
    under_way: list[Any] = field(default_factory=list)

    async def run(self, job: SyncJob, _: Callable[[SyncProgress], None]) -> SyncOutcome:
        """Run a job on a node."""
        handle = self.cluster.submit(node.task_of(job))
        self.under_way.append(handle)
        try:
            reply = await anyio.to_thread.run_sync(
                self.cluster.result, handle, abandon_on_cancel=True, limiter=self.limiter
            )
        except SyncFailed:
            raise
        except Exception as error:
            raise SyncFailed(f"the build on the cluster failed: {error_line(error)}") from error
        self.under_way.remove(handle)
        return node.outcome_of(reply)

    async def aclose(self) -> None:
        """Cancel the running tasks."""
        for handle in self.under_way:
            with contextlib.suppress(Exception):
                self.cluster.cancel(handle)


def error_line(error: Exception) -> str:
    """Return the message of a cluster's error as a single line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return sanitise_line(lines[-1] if lines else type(error).__name__)[:_MOST_CHARACTERS]
