"""What builds repositories, behind one protocol.

An engine hands out workers. A worker does one job after another and may be anywhere: a process of
this machine, or a place in the queue of a cluster. What a job does is the same everywhere
(`ggrep.daemon.sync_work`), so an engine knows nothing of indexes: it moves a job there and the
outcome back, and sees to it that a job whose machine dies is done by another. Jobs may be done
twice: one that finds its files indexed and pushed has nothing to do.
"""

from typing import Protocol

from ggrep.federation.building import BuildWorker


class BuildEngine(Protocol):
    """Builds repositories.

    Attributes:
        name: as it is typed.
        abreast: jobs that are worth handing out at once.
        is_remote: jobs are done by other homes, perhaps on other machines; only what is pushed
            comes back.
    """

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
