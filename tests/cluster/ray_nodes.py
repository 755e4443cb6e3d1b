"""Ray nodes on this one machine, for tests: started, killed, started again, and nothing left.

    with RayNodes(2, environment=lambda node: {"GGREP_HOME": f"/somewhere/{node}"}) as nodes:
        subprocess.run([*nodes.command(0), "python", "driver.py", nodes.address])
        nodes.kill(2)
        nodes.start(2)

Node 0 is the head. With `namespaces=True` each node has a network namespace of its own, joined
by a bridge in one more namespace; no namespace has a route or a device that leads outside. With
`met=True` this process's network is on the bridge, too, so that it may put a server beside them.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, Self

STARTED = "Ray runtime started."
PATIENCE = 300.0  # seconds for one node to start, all tries together
TRY = 120.0  # seconds for one try
KILL_PATIENCE = 30.0
MARK = "GGREP_RAY_NODE"  # what runs for a node is known by this, even where it left the session
MARK_ENVIRONMENT_ROOM = 1 << 20
AGENTS = ("DashboardAgent", "RuntimeEnvAgent")
STORE_BYTES = 80_000_000
SUBNET = "10.77.0."
OWN = f"{SUBNET}250"
"""Where this process is met, in the subnet of the nodes."""
HEAD_PORT = 6379
QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Where they are disabled Ray reports just that, to its makers: let it tell a closed port.
    "RAY_USAGE_STATS_REPORT_URL": "http://127.0.0.1:9/",
    "PYTHONUNBUFFERED": "1",
}
# A head that finds this file in its HOME does not ask the metadata services of clouds.
METADATA = "ray_bootstrap_config.yaml"


class Process(NamedTuple):
    """A row of /proc."""

    parent: int
    session: int
    state: str


class RayNodes:
    """A Ray head (node 0) and `count` further nodes; a context manager.

    `environment` gives the variables that a node has beside those of this process; `python` is
    the interpreter that has ray; `prefix` begins the names of namespaces and of the folder.
    """

    def __init__(
        self,
        count: int,
        *,
        namespaces: bool = False,
        met: bool = False,
        environment: Callable[[int], Mapping[str, str]] | None = None,
        python: str | os.PathLike[str] = sys.executable,
        cpus: int = 1,
        prefix: str = "ggb",
        options: tuple[str, ...] = (),
    ) -> None:
        self.nodes = list(range(count + 1))
        self.namespaces = namespaces
        self._met = met
        self._environment = environment or (lambda _: {})
        self._python = os.fspath(python)
        self._cpus = cpus
        self._options = options
        # Short on purpose: Ray puts sockets some 65 bytes deeper, and 107 bytes are the limit.
        self._folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
        self._name = f"{prefix}{os.getpid()}{self._folder.name[-4:]}"
        for node in self.nodes:
            (self._folder / f"home{node}").mkdir()
            (self._folder / f"home{node}" / METADATA).write_text("{}\n")
        self._made: list[str] = []
        self._leaders: dict[int, subprocess.Popen[bytes]] = {}
        self._port = HEAD_PORT if namespaces else free_port()

    def __enter__(self) -> Self:
        try:
            if self.namespaces:
                self._join()
            self.start(*self.nodes)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """What `ray.init(address=...)` and `ray start --address` take."""
        return f"{self.ip(0)}:{self._port}"

    def ip(self, node: int) -> str:
        """The address that a node is known by."""
        return f"{SUBNET}{node + 1}" if self.namespaces else f"127.0.0.{node + 2}"

    def command(self, node: int = 0) -> list[str]:
        """What to put before a command so that it runs on a node's network (a driver, say)."""
        if not self.namespaces:
            return []
        return ["nsenter", f"--net=/run/netns/{self._namespace(node)}", "--"]

    def environment(self, node: int = 0) -> dict[str, str]:
        """The environment of a node, as a driver there would have it: with a HOME of its own."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith("RAY_")}
        home = {"HOME": str(self._folder / f"home{node}")}
        return {**kept, **QUIET, **home, **self._environment(node)}

    def folder(self, node: int) -> Path:
        """Ray's folder of a node: sockets, and logs under session_latest/logs."""
        return self._folder / str(node)

    def output(self, node: int) -> str:
        """What `ray start` of a node has printed so far, in its last try."""
        path = self._folder / f"{node}.out"
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self, *nodes: int) -> None:
        """Start nodes that do not run; returns once each has joined the head.

        A head that is started again knows nothing of before: start the other nodes again too.
        """
        if 0 in nodes:
            self._start_all([0])
        self._start_all([node for node in nodes if node != 0])

    def kill(self, node: int) -> list[int]:
        """SIGKILL everything that runs for a node, the head of its processes first."""
        killed: set[int] = set()
        limit = time.monotonic() + KILL_PATIENCE
        while result := self.pids(node):
            killed.update(result)
            for pid in result:
                end(pid)
            if time.monotonic() > limit:
                raise RuntimeError(f"node {node} still has processes {result} after SIGKILL")
            time.sleep(0.02)
        if leader := self._leaders.pop(node, None):
            leader.wait()
        while any(Path(f"/proc/{pid}").exists() for pid in killed):  # until init has buried them
            if time.monotonic() > limit:
                break
            time.sleep(0.05)
        return sorted(killed)

    def kill_workers(self, node: int, *, busy: bool = False) -> list[int]:
        """SIGKILL a node's worker processes and nothing else; `busy`: only those with a task."""
        result = self.workers(node, busy=busy)
        for pid in result:
            end(pid)
        return result

    def workers(self, node: int, *, busy: bool = False) -> list[int]:
        """The worker processes of a node; `busy`: only those that have a task."""
        results = []
        for pid in self.pids(node):
            title = title_of(pid)
            if title.startswith("ray::"):
                task = title.removeprefix("ray::")
                if task.startswith(AGENTS) or (busy and task.startswith("IDLE")):
                    continue
                results.append(pid)
            elif not busy and any(
                word.endswith("/default_worker.py") for word in title.split("\0")
            ):
                results.append(pid)  # so young that it has no title yet
        return results

    def pids(self, node: int) -> list[int]:
        """The processes of a node: its session, what carries its mark, and all their children."""
        rows = processes()
        leader = self._leaders.get(node)
        mark = f"{MARK}={self._name}.{node}".encode()
        results = {pid for pid in rows if mark in environment_of(pid)}
        if leader is not None:
            results |= {pid for pid, row in rows.items() if leader.pid in (pid, row.session)}
        grown = True
        while grown:
            children = {pid for pid, row in rows.items() if row.parent in results} - results
            results |= children
            grown = bool(children)
        return sorted(pid for pid in results if pid in rows)

    def cut(self, node: int) -> None:
        """Take a node off the bridge; its processes go on."""
        ip("-n", self._hub(), "link", "set", f"n{node}", "down")

    def mend(self, node: int) -> None:
        """Put a node back on the bridge."""
        ip("-n", self._hub(), "link", "set", f"n{node}", "up")

    def close(self) -> None:
        """Kill all, also what was started inside a namespace; remove namespaces and folder."""
        for node in reversed(self.nodes):
            self.kill(node)
        while self._made:
            name = self._made.pop()
            listed = ip("netns", "pids", name, check=False)
            for pid in map(int, listed.split()):
                end(pid)
            ip("netns", "delete", name)
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._folder.exists():  # something wrote while it was being removed
            time.sleep(0.5)
            shutil.rmtree(self._folder)

    def _start_all(self, nodes: list[int]) -> None:
        """Start these at the same time, each with further tries."""
        limit = time.monotonic() + PATIENCE
        waiting = {node: time.monotonic() for node in nodes}
        tries = dict.fromkeys(nodes, 1)
        for node in nodes:
            self._spawn(node)
        while waiting:
            time.sleep(0.1)
            now = time.monotonic()
            for node, since in list(waiting.items()):
                leader = self._leaders[node]
                if leader.poll() is None and STARTED in self.output(node):
                    del waiting[node]
                    continue
                if leader.poll() is None and now - since < TRY and now < limit:
                    continue
                why = (
                    f"ended with status {leader.returncode}"
                    if leader.poll() is not None
                    else f"did not say {STARTED!r} in {now - since:.0f} s"
                )
                output = self.output(node)[-2000:]
                self.kill(node)
                if now > limit or tries[node] >= 4:
                    raise RuntimeError(
                        f"Ray node {node} {why}, in try {tries[node]}; its last words:\n{output}"
                    )
                tries[node] += 1
                waiting[node] = now
                self._spawn(node)

    def _spawn(self, node: int) -> None:
        """One `ray start --block`, the leader of a session that all it starts stays in."""
        if node in self._leaders and self._leaders[node].poll() is None:
            raise RuntimeError(f"Ray node {node} runs already")
        self.kill(node)
        shutil.rmtree(self.folder(node), ignore_errors=True)
        self.folder(node).mkdir()
        role = (
            ["--head", f"--port={self._port}", "--include-dashboard=false"]
            if node == 0
            else [f"--address={self.address}"]
        )
        command = [
            *self.command(node),
            self._python,
            "-m",
            "ray.scripts.scripts",
            "start",
            "--block",
            *role,
            f"--node-ip-address={self.ip(node)}",
            f"--temp-dir={self.folder(node)}",
            f"--num-cpus={self._cpus}",
            f"--object-store-memory={STORE_BYTES}",
            "--disable-usage-stats",
            "--log-style=record",
            *self._options,
        ]
        environment = {**self.environment(node), MARK: f"{self._name}.{node}"}
        with (self._folder / f"{node}.out").open("wb") as output:
            self._leaders[node] = subprocess.Popen(
                command,
                env=environment,
                cwd=self.folder(node),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _join(self) -> None:
        """Make the namespaces, and the bridge that joins them and nothing else."""
        self._make(self._hub())
        ip("-n", self._hub(), "link", "add", "bridge0", "type", "bridge")
        ip("-n", self._hub(), "link", "set", "bridge0", "up")
        for node in self.nodes:
            name = self._namespace(node)
            self._make(name)
            pair = ("type", "veth", "peer", "name", "eth0", "netns", name)
            ip("-n", self._hub(), "link", "add", f"n{node}", *pair)
            ip("-n", self._hub(), "link", "set", f"n{node}", "master", "bridge0", "up")
            ip("-n", name, "address", "add", f"{self.ip(node)}/24", "dev", "eth0")
            ip("-n", name, "link", "set", "eth0", "up")

        if self._met:
            ours = f"ggb{os.getpid()}"[:15]
            ip("-n", self._hub(), "link", "add", "own", "type", "veth", "peer", "name", ours)
            ip("-n", self._hub(), "link", "set", ours, "netns", str(os.getpid()))
            ip("-n", self._hub(), "link", "set", "own", "master", "bridge0", "up")
            ip("address", "add", f"{OWN}/24", "dev", ours)
            ip("link", "set", ours, "up")

    def _make(self, name: str) -> None:
        """One namespace with a loopback of its own, noted first so that it is removed."""
        ip("netns", "add", name)
        self._made.append(name)
        ip("-n", name, "link", "set", "lo", "up")

    def _hub(self) -> str:
        return f"{self._name}hub"

    def _namespace(self, node: int) -> str:
        return f"{self._name}n{node}"


def can_make_namespaces() -> bool:
    """Whether this process may make network namespaces: tests skip where it may not."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("nsenter"):
        return False
    name = f"ggb{os.getpid()}try"
    made = subprocess.run(["ip", "netns", "add", name], check=False).returncode == 0
    if made:
        ip("netns", "delete", name)
    return made


def free_port() -> int:
    """A port that nothing listens on now."""
    with socket.socket() as listener:
        listener.bind(("", 0))
        return int(listener.getsockname()[1])


def ip(*arguments: str, check: bool = True) -> str:
    """Run iproute2; what it printed."""
    done = subprocess.run(["ip", *arguments], check=False, capture_output=True, text=True)
    if check and done.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def end(pid: int) -> None:
    """SIGKILL, where there still is such a process."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def processes() -> dict[int, Process]:
    """All processes of this machine that are not dead already."""
    rows = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text(errors="replace")
        except OSError:
            continue
        state, parent, _, session = text.rpartition(")")[2].split()[:4]
        if state not in "ZX":
            rows[int(entry.name)] = Process(int(parent), int(session), state)
    return rows


def title_of(pid: int) -> str:
    """The command line of a process, words parted by NUL, or what it calls itself."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""


def environment_of(pid: int) -> bytes:
    """The environment that a process was started with."""
    try:
        with Path(f"/proc/{pid}/environ").open("rb") as stream:
            return stream.read(MARK_ENVIRONMENT_ROOM)
    except OSError:
        return b""
