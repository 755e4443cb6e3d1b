"""A thousand real packages built by a Ray cluster, against one machine's processes.

Both push to SeaweedFS and begin with nothing. The cluster has a head and two more nodes, one core
each, in network namespaces where they can be made. Once a third is built, the workers of a node are
killed, and once two thirds are, a whole node. In the end each repository has one published state on
the remote, whose objects are all read. All runs on this machine, so what the cluster costs is the
overhead of handing out, and of what died.
"""

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from bench.many_packages import lay_out
from ggrep.config.remotes import Remote
from ggrep.index.remote.objects import open_objects
from tests.cluster.ray_nodes import OWN, RayNodes, can_make_namespaces
from tests.remote.object_server import ACCESS_KEY, REGION, SECRET_KEY, ObjectServer
from tests.remote.test_pushers import entries, read_whole

NUMBER: Final = 1_000
GOAL: Final = 1.25
_GGREP: Final = str(Path(sys.executable).with_name("ggrep"))


def measure(work: Path, arguments: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines; arguments are a number of packages, and where they are kept."""
    number = next((int(word) for word in arguments if word.isdecimal()), NUMBER)
    kept = next((Path(word).resolve() for word in arguments if not word.isdecimal()), work / "kept")
    file = workspace_with_keys(work, lay_out(kept, number))
    apart = can_make_namespaces()

    def of_node(node: int) -> Mapping[str, str]:
        return _environ(work / f"home{node}")

    with (
        RayNodes(2, namespaces=apart, met=apart, environment=of_node) as nodes,
        ObjectServer(work / "objects", host=OWN if apart else "127.0.0.1") as server,
    ):
        bench = _Bench(work, file, nodes, server)
        alone_s = bench.build("alone", "--push", "--no-pull")
        yield f"cluster: {number} packages, processes here, {os.cpu_count()} cores: {alone_s:.1f} s"
        cluster = ("--engine", "ray", "--cluster", nodes.address, "--no-local")
        whole_s = bench.build("whole", *cluster)
        yield (
            f"  Ray, head and 2 nodes of one core: {whole_s:.1f} s, {whole_s / alone_s:.2f}x"
            f" (goal {GOAL})"
        )
        for node in nodes.nodes:
            shutil.rmtree(work / f"home{node}", ignore_errors=True)
        killed_s = bench.build("killed", *cluster, meanwhile=bench.kill)
        workers_at, node_at = bench.killed_at
        if node_at == number:
            raise SystemExit("killed: all was built before a node could be")
        yield (
            f"  the same, workers killed at {workers_at} and a node at {node_at}:"
            f" {killed_s:.1f} s, {killed_s / alone_s:.2f}x (goal {GOAL})"
        )
        for name in ("alone", "whole", "killed"):
            yield f"  {name}: {bench.checked(name, number)}"


class _Build(Struct, frozen=True):
    """One that runs, and what it says."""

    process: "subprocess.Popen[bytes]"
    log: Path

    def passed(self) -> int:
        """Return how many repositories are built."""
        return self.log.read_bytes().count(b": passed in ")

    def wait_until(self, happened: Callable[[], bool]) -> None:
        """Wait until something has happened, or the build has ended."""
        while self.process.poll() is None and not happened():
            time.sleep(0.1)


class _Bench:
    def __init__(self, work: Path, file: Path, nodes: RayNodes, server: ObjectServer) -> None:
        self._work, self._file, self._nodes, self._server = work, file, nodes, server
        self.killed_at: list[int] = []

    def build(
        self, name: str, *more: str, meanwhile: Callable[[_Build], None] = lambda _: None
    ) -> float:
        """Build, pushing to a folder of the bucket; return the seconds it took."""
        environ = {**self._nodes.environment(0), **_environ(self._work / f"driver-{name}")}
        within, place = self._nodes.command(0), self._remote(name)
        endpoint = ("--endpoint", place.endpoint, "--region", REGION, "--plain-http")
        add = [*within, _GGREP, "remote", "add", "origin", place.url, *endpoint]
        subprocess.run(add, env=environ, check=True, capture_output=True)
        log = self._work / f"{name}.log"
        begun = time.perf_counter()
        with log.open("wb") as err:
            process = subprocess.Popen(
                [*within, _GGREP, "workspace", "build", str(self._file), *more],
                env=environ,
                stdout=subprocess.DEVNULL,
                stderr=err,
            )
            beside = threading.Thread(target=meanwhile, args=(_Build(process, log),))
            beside.start()
            status = process.wait()
            beside.join()
        took = time.perf_counter() - begun
        if status:
            raise SystemExit(f"{name}: the build failed:\n{log.read_text()[-2_000:]}")
        return took

    def kill(self, build: _Build) -> None:
        """Kill workers of a node, and later another node, as the build gets on."""
        total = len(list((self._work / "services").iterdir()))
        build.wait_until(lambda: build.passed() >= total / 3)
        build.wait_until(lambda: bool(self._nodes.kill_workers(1, busy=True)))
        self.killed_at = [build.passed()]
        build.wait_until(lambda: build.passed() >= total * 2 / 3)
        self._nodes.kill(2)
        self.killed_at.append(build.passed())

    def checked(self, name: str, number: int) -> str:
        """Read all that the remote holds; tell how many states there are."""
        os.environ.update(_credentials())
        objects = open_objects(self._remote(name), time.sleep)
        found = entries(objects)
        states = {entry.states.files for entry in found}
        shutil.rmtree(self._work / "read", ignore_errors=True)
        read_whole(objects, self._work / "read")
        refs = sum(1 for _ in objects.list("refs"))
        held = [
            stat
            for folder in ("blobs", "trees", "by-state", "refs")
            for stat in objects.list(folder)
        ]
        size = sum(stat.size_bytes for stat in held)
        if not refs == len(found) == number:
            raise SystemExit(f"{name}: {refs} refs, {len(found)} entries, {number} packages")
        return (
            f"{refs} repositories, one published state each ({len(states)} of them different),"
            f" {len(held)} objects, {size / 1e6:.0f} MB, all read and right"
        )

    def _remote(self, name: str) -> Remote:
        url = f"s3://{self._server.bucket}/{name}"
        return Remote("origin", url, self._server.endpoint, REGION, plain_http=True)


def workspace_with_keys(work: Path, roots: Sequence[Path]) -> Path:
    """Return the file of a workspace of copies that share their bytes, each with a key."""
    for root in roots:
        goal = work / "services" / root.name
        shutil.copytree(root, goal, copy_function=_linked, symlinks=True)
        (goal / ".ggrep.toml").write_text(f'repo_key = "packages/{root.name}"\n')
    file = work / "ws.jsonc"
    file.write_text('{"schemaVersion": 1, "include": ["services/*"]}')
    return file


def _linked(source: str, goal: str) -> None:
    try:
        os.link(source, goal)
    except OSError:
        shutil.copy2(source, goal)


def _credentials() -> Mapping[str, str]:
    return {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}


def _environ(home: Path) -> Mapping[str, str]:
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return {"GGREP_HOME": str(home), "GGREP_OFFLINE": "1", **_credentials()}
