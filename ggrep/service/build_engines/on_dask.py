"""A Dask cluster: tasks whose worker dies are done on another."""

import logging
from importlib import import_module
from typing import Any, Final

from ggrep.service.build_engines import node
from ggrep.service.build_engines.cluster import NoCluster, require_answer
from ggrep.service.build_engines.on_cluster import told

_CONNECT: Final = "10s"


class DaskCluster:
    """A client of a Dask cluster; see `on_cluster.Cluster`."""

    name = "dask"

    def __init__(self, address: str) -> None:
        """Connect to the scheduler at `tcp://host:port`.

        Requires: the extra is installed.

        Raises:
            NoCluster: no cluster answers there.
        """
        require_answer(address, "dask")
        distributed: Any = import_module("distributed")

        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what fails is told once

        try:
            self._client: Any = distributed.Client(address, timeout=_CONNECT, set_as_default=False)
            self.cores = sum(self._client.ncores().values())
        except Exception as error:
            raise NoCluster(f"{address}: {told(error)}") from error

    def submit(self, task: str) -> Any:  # noqa: ANN401 - Dask's own
        """Queue a task."""
        return self._client.submit(node.do, task, pure=False, retries=node.RETRIES)

    def result(self, handle: Any) -> str:  # noqa: ANN401 - as above
        """Wait for a task's reply."""
        reply: str = handle.result()
        return reply

    def cancel(self, handle: Any) -> None:  # noqa: ANN401 - as above
        """Take a task out of the queue."""
        handle.cancel(force=True)

    def close(self) -> None:
        """Leave the cluster."""
        self._client.close()
