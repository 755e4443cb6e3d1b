"""A Ray cluster: tasks whose worker or node dies are done on another."""

import logging
from typing import Any

from ggrep.service.build_engines import node
from ggrep.service.build_engines.cluster import NoCluster, require_answer
from ggrep.service.build_engines.on_cluster import told


class RayCluster:
    """A driver of a Ray cluster; see `on_cluster.Cluster`."""

    name = "ray"

    def __init__(self, address: str) -> None:
        """Connect to the cluster whose head is at `host:port`.

        Requires: the extra is installed.

        Raises:
            NoCluster: no cluster answers there.
        """
        require_answer(address, "ray")
        import ray

        self._ray: Any = ray
        try:
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
            self.cores = int(ray.cluster_resources().get("CPU", 1))
        except Exception as error:
            raise NoCluster(f"{address}: {told(error)}") from error
        self._do = ray.remote(max_retries=node.RETRIES, retry_exceptions=True)(node.do)

    def submit(self, task: dict[str, Any]) -> Any:  # noqa: ANN401 - Ray's own
        """Queue a task."""
        return self._do.remote(task)

    def result(self, handle: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
        """Wait for a task's reply."""
        reply: dict[str, Any] = self._ray.get(handle)
        return reply

    def cancel(self, handle: Any) -> None:  # noqa: ANN401 - as above
        """Kill the process that does a task."""
        self._ray.cancel(handle, force=True)

    def close(self) -> None:
        """Leave the cluster."""
        self._ray.shutdown()
