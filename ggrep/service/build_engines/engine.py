"""Engines that build the repositories of a workspace, and the choice among them."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.daemon.sync_process import SyncProcess
from ggrep.federation.building import BUILDS_A_WORKER, BuildWorker
from ggrep.service.build_engines.cluster import RAY_ADDRESS, Engine, require_extra


class BuildEngine(Protocol):
    """Builds repositories."""

    @property
    def name(self) -> str:
        """Return what it is called on the command line."""
        ...

    @property
    def abreast(self) -> int:
        """Return how many jobs are worth handing out at once."""
        ...

    @property
    def is_remote(self) -> bool:
        """Tell whether other homes do the jobs."""
        ...

    def worker(self) -> BuildWorker:
        """Return a worker that has not started."""
        ...

    def close(self) -> None:
        """Let go of the cluster; jobs that are under way may end there."""
        ...


class LocalEngine(Struct, frozen=True):
    """Builds repositories in `abreast` processes of this machine."""

    abreast: int
    name: str = "local"
    is_remote: bool = False

    def worker(self) -> BuildWorker:
        """Return a process that has not started."""
        return SyncProcess(most_jobs=BUILDS_A_WORKER)

    def close(self) -> None:
        """Do nothing: each worker ends its process."""


def open_engine(
    name: Engine, address: str | None, environ: Mapping[str, str], *, abreast: int
) -> BuildEngine:
    """Return an engine, connected."""
    if name == "local":
        if address is not None:
            raise UsageError("--cluster requires --engine ray")
        return LocalEngine(abreast)
    require_extra()
    cluster = address or environ.get(RAY_ADDRESS, "")
    if not cluster:
        raise UsageError(
            f"the cluster address is missing; use --cluster HOST:PORT, or set {RAY_ADDRESS}"
        )
    from ggrep.service.build_engines.on_cluster import ClusterEngine
    from ggrep.service.build_engines.on_ray import RayCluster

    return ClusterEngine(RayCluster(cluster))
