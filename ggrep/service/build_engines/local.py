"""Builds repositories in processes of this machine."""

from msgspec import Struct

from ggrep.daemon.sync_process import SyncProcess
from ggrep.federation.building import BuildWorker
from ggrep.federation.upkeep_limits import BUILDS_A_WORKER


class LocalEngine(Struct, frozen=True):
    """See the module; `abreast` processes."""

    abreast: int
    name: str = "local"
    is_remote: bool = False

    def worker(self) -> BuildWorker:
        """Return a process that has not started."""
        return SyncProcess(most_jobs=BUILDS_A_WORKER)

    def close(self) -> None:
        """Do nothing: each worker ends its process."""
