"""Engines that build the indexes of a workspace, and the choice of an engine."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct

from ggrep.base.errors import UsageError
from ggrep.daemon.sync_process import SyncProcess
from ggrep.federation.building import BUILDS_A_WORKER, BuildWorker
from ggrep.service.build_engines.cluster import RAY_ADDRESS, Engine, require_extra


class BuildEngine(Protocol):
    """Builds indexes of repositories."""

    @property
    def name(self) -> str:
        """Return the name of the engine on the command line."""
        ...

    @property
    def abreast(self) -> int:
        """Return the useful number of concurrent jobs."""
        ...

    @property
    def is_remote(self) -> bool:
        """Return whether jobs run on nodes of a cluster, with the nodes' homes."""
        ...

    def worker(self) -> BuildWorker:
        """Return a new worker, not yet started."""
        ...

    def close(self) -> None:
        """Disconnect from the cluster; running jobs may continue there."""
        ...


class LocalEngine(Struct, frozen=True):
    """Builds indexes in `abreast` processes of this machine."""

    abreast: int
    name: str = "local"
    is_remote: bool = False

    def worker(self) -> BuildWorker:
        """Return a new worker process, not yet started."""
        return SyncProcess(most_jobs=BUILDS_A_WORKER)

    def close(self) -> None:
        """Do nothing: each worker ends its process."""


def open_engine(
    name: Engine, address: str | None, environ: Mapping[str, str], *, abreast: int
) -> BuildEngine:
    """Return a connected engine."""
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
