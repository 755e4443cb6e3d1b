"""Drives a Ray cluster: reads tasks from standard input and writes replies to standard output.

Tasks and replies are lines of JSON. The driver assigns each task to a named node, at most one for
each core. Ray needs several minutes to fail the tasks of an unreachable node, but its list of nodes
changes within a minute. The driver moves tasks of a dead node to other nodes, at most
`node.RETRIES` times. A node that lost a task gets no tasks for some seconds, because Ray's list can
still contain a dead node.
"""

import logging
import os
import queue
import sys
import threading
from collections import Counter
from importlib import import_module
from typing import Any, BinaryIO, Final

from msgspec import Struct, field

from ggrep.base import stable_json
from ggrep.base.clock import SystemClock
from ggrep.service.build_engines import node
from ggrep.service.build_engines.on_cluster import error_line

_LOOK_S: Final = 0.5
_NODES_MS: Final = 2_000.0
"""Interval between two queries of the node list."""
_ALONE_MS: Final = 120_000.0
"""Time after which a cluster without a working node has failed."""
_REST_MS: Final = 20_000.0
"""Ray can still list a dead node for this long."""


class _Driver(Struct):
    ray: Any
    out: BinaryIO
    incoming: "queue.Queue[dict[str, Any] | None]" = field(default_factory=queue.Queue)
    waiting: list[int] = field(default_factory=list)
    tasks: dict[int, str] = field(default_factory=dict)
    running: dict[Any, tuple[int, str]] = field(default_factory=dict)
    lost: "Counter[int]" = field(default_factory=Counter)
    resting: dict[str, float] = field(default_factory=dict)
    nodes: dict[str, int] = field(default_factory=dict)
    clock: SystemClock = field(default_factory=SystemClock)
    next_look_ms: float = 0.0
    seen_ms: float = 0.0
    ended: bool = False

    def drive(self) -> None:
        """Run tasks until the input ends."""
        self.seen_ms = self.clock.monotonic_ms()
        do = self.ray.remote(num_cpus=1, max_retries=0)(node.do)
        while not self.ended:
            self._take_in()
            self._look()
            self._hand_out(do)
            self._gather()

    def say(self, message: dict[str, Any]) -> None:
        self.out.write(stable_json.dumps(message) + b"\n")
        self.out.flush()

    def listen(self, lines: BinaryIO) -> None:
        for line in lines:
            self.incoming.put(stable_json.loads(line))
        self.incoming.put(None)

    def _take_in(self) -> None:
        idle = not self.running and not self.waiting
        while True:
            try:
                message = self.incoming.get(timeout=_LOOK_S if idle else None, block=idle)
            except queue.Empty:
                return
            idle = False
            if message is None:
                self.ended = True
                return
            if "cancel" in message:
                self._call_off(message["cancel"])
            else:
                self.tasks[message["number"]] = message["task"]
                self.waiting.append(message["number"])

    def _call_off(self, number: int) -> None:
        for handle, (running, _) in list(self.running.items()):
            if running == number:
                self.ray.cancel(handle, force=True)
                del self.running[handle]
        if number in self.waiting:
            self.waiting.remove(number)
        self.tasks.pop(number, None)

    def _look(self) -> None:
        """Update the list of nodes; withdraw the tasks of nodes that disappeared."""
        if self.clock.monotonic_ms() < self.next_look_ms:
            return
        self.next_look_ms = self.clock.monotonic_ms() + _NODES_MS
        self.nodes = cores_by_node(self.ray)
        if self.nodes:
            self.seen_ms = self.clock.monotonic_ms()
        elif self.clock.monotonic_ms() - self.seen_ms > _ALONE_MS:
            for number in self.waiting:
                self.tasks.pop(number, None)
                self.say({"number": number, "failed": "the cluster has no node with a core"})
            self.waiting.clear()
        for handle, (number, name) in list(self.running.items()):
            if name not in self.nodes:
                del self.running[handle]
                self._lose(number, "its node is gone")

    def _hand_out(self, do: Any) -> None:  # noqa: ANN401 - Ray's own
        strategies: Any = import_module("ray.util.scheduling_strategies")
        on_node = strategies.NodeAffinitySchedulingStrategy
        taken = Counter(name for _, name in self.running.values())
        now = self.clock.monotonic_ms()
        for name, cores in self.nodes.items():
            while self.waiting and taken[name] < cores and self.resting.get(name, 0.0) <= now:
                number = self.waiting.pop(0)
                place = do.options(scheduling_strategy=on_node(name, soft=False))
                self.running[place.remote(self.tasks[number])] = number, name
                taken[name] += 1

    def _gather(self) -> None:
        if not self.running:
            if self.waiting:
                threading.Event().wait(_LOOK_S)
            return
        done, _ = self.ray.wait(list(self.running), num_returns=1, timeout=_LOOK_S)
        for handle in done:
            number, name = self.running.pop(handle)
            try:
                reply = self.ray.get(handle)
            except Exception as error:  # noqa: BLE001 - any error of a task
                if not isinstance(error, self.ray.exceptions.WorkerCrashedError):
                    self.resting[name] = self.clock.monotonic_ms() + _REST_MS
                self._lose(number, error_line(error))
            else:
                self.tasks.pop(number, None)
                self.say({"number": number, "reply": reply})

    def _lose(self, number: int, why: str) -> None:
        self.lost[number] += 1
        if self.lost[number] > node.RETRIES:
            self.tasks.pop(number, None)
            self.say({"number": number, "failed": f"failed after {self.lost[number]} tries: {why}"})
        else:
            self.waiting.append(number)


def cores_by_node(ray: Any) -> dict[str, int]:  # noqa: ANN401 - the module
    """Return the live nodes with the number of tasks that each can run concurrently."""
    return {
        node_info["NodeID"]: int(node_info["Resources"]["CPU"])
        for node_info in ray.nodes()
        if node_info["Alive"] and node_info["Resources"].get("CPU", 0) >= 1
    }


def main(address: str) -> int:
    """Connect, report the number of cores, and run tasks."""
    # Ray prints to standard output, so messages use a copy of the original descriptor.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    ray: Any = import_module("ray")
    driver = _Driver(ray, out)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.CRITICAL)
        driver.say({"cores": sum(cores_by_node(ray).values())})
    except Exception as error:  # noqa: BLE001 - Ray raises many kinds
        driver.say({"failed": error_line(error)})
        return 1
    threading.Thread(target=driver.listen, args=(sys.stdin.buffer,), daemon=True).start()
    driver.drive()
    ray.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
