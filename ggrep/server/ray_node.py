"""Search nodes that run as actors of a Ray cluster, which places and restarts them.

Only the functions that use Ray import it. An actor stores snapshots on the disk of its machine.
"""

import os
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Clock, SystemClock
from ggrep.base.errors import DeadlineExceeded
from ggrep.base.processes import raise_descriptors
from ggrep.base.stable_json import decode
from ggrep.protocol.client.link import Unreachable
from ggrep.server.node import SearchNode
from ggrep.server.node_process import NodePlan
from ggrep.server.nodes import THREADS

_NAMESPACE: Final = "ggrep-server"
_LOST_MS: Final = 5_000.0
"""Time without an answer of any actor after which the coordinator looks for its Ray node."""
_CONNECT_S: Final = 1.0


class Attachment:
    """The Ray node of this machine.

    If a cluster gets a new head, Ray waits for actors that the new head does not know.
    """

    def __init__(self, path: str, clock: Clock) -> None:
        """Remember the socket of the Ray node."""
        self._path, self._clock = path, clock
        self.note_answer()

    def note_answer(self) -> None:
        """Note that an actor answers."""
        self._answered_ms = self._clock.monotonic_ms()

    def require(self) -> None:
        """End this process if no actor answers and the Ray node has ended."""
        if self._clock.monotonic_ms() - self._answered_ms < _LOST_MS:
            return
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(_CONNECT_S)
            try:
                connection.connect(self._path)
            except TimeoutError:
                return
            except OSError:
                sys.stderr.write("the Ray node of this machine has ended; the server ends, too\n")
                os._exit(1)


class RayNode:
    """Sends messages to a node that runs as a Ray actor."""

    def __init__(self, ray: Any, actor: Any, attachment: Attachment) -> None:  # noqa: ANN401 - types of Ray
        self._ray, self.actor, self._attachment = ray, actor, attachment

    def send(self, data: bytes, timeout_s: float) -> bytes:
        """Return the reply to a message; see `NodeLink.send`."""
        try:
            reply: bytes = self._ray.get(self.actor.answer.remote(data), timeout=timeout_s)
        except self._ray.exceptions.GetTimeoutError as error:
            raise DeadlineExceeded("a node did not answer in time") from error
        except self._ray.exceptions.RayError as error:
            raise Unreachable("the node does not answer") from error
        self._attachment.note_answer()
        return reply

    def keep(self) -> None:
        """End this process if this machine's Ray node has ended; Ray restarts only actors."""
        self._attachment.require()

    def close(self) -> None:
        """Kill the actor."""
        self._ray.kill(self.actor)


class Actor:
    """A Ray actor that runs a node."""

    def __init__(self, plan: str) -> None:
        """Create the node from its plan in JSON, without snapshots."""
        raise_descriptors()
        node_plan = decode(NodePlan, stable_json.loads(plan))
        self._node = SearchNode(
            Path(node_plan.cache), node_plan.remote, node_plan.settings, SystemClock()
        )

    def answer(self, data: bytes) -> bytes:
        """Return the reply to a message."""
        return self._node.answer(data)


def start_actors(address: str, plans: Sequence[NodePlan]) -> list[RayNode]:
    """Start an actor for each plan, spread over the machines of the cluster.

    Requires: Ray is installed.
    """
    # By default, Ray sends usage statistics to its developers.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"  # noqa: TID251 - Ray reads it there
    ray: Any = import_module("ray")
    ray.init(address=address, namespace=_NAMESPACE, log_to_driver=False, configure_logging=False)
    actor = ray.remote(Actor).options(
        max_restarts=-1,
        max_concurrency=THREADS + 1,  # a check needs a thread in addition to all other calls
        num_cpus=1,
        scheduling_strategy="SPREAD",
    )
    node_id = ray.get_runtime_context().get_node_id()
    here = next(node for node in ray.nodes() if node["NodeID"] == node_id)
    attachment = Attachment(here["RayletSocketName"], SystemClock())
    plan_texts = [stable_json.dumps(to_builtins(plan)).decode() for plan in plans]
    return [RayNode(ray, actor.remote(text), attachment) for text in plan_texts]
