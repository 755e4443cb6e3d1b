"""A workspace is built by a Ray cluster whose workers and nodes die meanwhile."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.config.remotes import Remote
from ggrep.index.remote import layout
from ggrep.index.remote.objects import Objects
from tests.cluster.ray_nodes import OWN, RayNodes, can_make_namespaces
from tests.fakes.remotes import SHOP, commit, objects_of
from tests.fakes.repos import write_tree
from tests.journeys.household import SCRIPT
from tests.remote.object_server import ACCESS_KEY, REGION, SECRET_KEY, ObjectServer
from tests.remote.test_pushers import read_whole

pytestmark = [
    pytest.mark.deep,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed"),
]

MANY = 40
NODES = 2
"""Beside the head, which works as well."""


@pytest.fixture
def server(tmp_path: Path, nodes: RayNodes) -> Iterator[ObjectServer]:
    """Return an object store that all nodes reach."""
    host = OWN if nodes.namespaces else "127.0.0.1"
    with ObjectServer(tmp_path / "objects", host=host) as running:
        yield running


def of_node(folder: Path, node: int) -> Mapping[str, str]:
    """Return what a node brings: a home, and the credentials of the remote."""
    return {
        "GGREP_HOME": str(folder / f"home{node}"),
        "GGREP_OFFLINE": "1",
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
    }


@pytest.fixture
def nodes(tmp_path: Path) -> Iterator[RayNodes]:
    """Return a head and two more nodes, in network namespaces where they can be made."""
    apart = can_make_namespaces()
    with RayNodes(
        NODES, namespaces=apart, met=apart, environment=lambda node: of_node(tmp_path, node)
    ) as started:
        yield started


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Return the file of many repositories."""
    for number in range(MANY):
        root = tmp_path / "services" / f"s{number}"
        ours = {f"own{number}.py": f"def own_{number}():\n    return {number}\n"}
        commit(root, SHOP | ours | {".ggrep.toml": f'repo_key = "team/s{number}"\n'})
    file = tmp_path / "ws.jsonc"
    file.write_text(
        '{"schemaVersion": 1, "merge": {"strategy": "global"}, "include": ["services/*"]}'
    )
    return file


class Driver:
    """The command that builds, on the head's network and with a home of its own."""

    def __init__(self, nodes: RayNodes, server: ObjectServer, folder: Path) -> None:
        self.nodes = nodes
        self.remote = Remote(
            "origin", f"s3://{server.bucket}/team", server.endpoint, REGION, plain_http=True
        )
        self._environ = {**nodes.environment(0), "GGREP_HOME": str(folder / "home-of-the-driver")}
        place = ("--endpoint", server.endpoint, "--region", REGION, "--plain-http")
        self.run("remote", "add", "origin", self.remote.url, *place)

    def start(self, *words: object) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [*self.nodes.command(0), SCRIPT, *map(str, words)],
            env=self._environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *words: object) -> tuple[int, str, str]:
        process = self.start(*words)
        out, err = process.communicate()
        return process.returncode, out, err

    def build(self, file: Path, *more: str, meanwhile: Callable[[], None] = lambda: None) -> str:
        """Build; return what was said."""
        process = self.start(
            *("workspace", "build", file, "--engine", "ray", "--cluster", self.nodes.address, *more)
        )
        beside = threading.Thread(target=meanwhile)
        beside.start()
        _, err = process.communicate()
        beside.join()
        assert process.returncode == 0, err
        return err


@pytest.fixture
def driver(nodes: RayNodes, server: ObjectServer, tmp_path: Path) -> Driver:
    return Driver(nodes, server, tmp_path)


def states(objects: Objects) -> dict[str, int]:
    """Return how many states each repository has on the remote, by key."""
    results = {}
    for stat in objects.list("refs"):
        read = objects.read(stat.key, layout.MOST_REF_BYTES)
        assert read is not None
        entries = layout.read_ref(read[0])
        results[stat.key.rpartition("/")[0]] = len({entry.states.files for entry in entries})
    return results


def every_one_once(driver: Driver, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the remote, object by object, and at the home that pulled."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    objects = objects_of(driver.remote)
    assert states(objects) == {f"refs/team/s{number}": 1 for number in range(MANY)}
    read_whole(objects, folder / "read")
    status, out, err = driver.run("list", "--json")
    assert (status, len(stable_json.loads(out)["stores"])) == (0, MANY), err


def test_killed_workers_and_a_killed_node_lose_no_repository(
    nodes: RayNodes,
    driver: Driver,
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def kill() -> None:
        for node in (1, 2):
            while not nodes.kill_workers(node, busy=True):
                time.sleep(0.1)
        time.sleep(1.0)
        nodes.kill(2)

    output = driver.build(workspace, meanwhile=kill)

    assert f"{MANY} of {MANY} built on the cluster" in output
    assert f"{MANY} of {MANY} built\n" in output
    every_one_once(driver, tmp_path, monkeypatch)
    result = driver.run(*("own_7", "--workspace", workspace, "--offline", "--compact", "-m", "1"))
    assert result[1].strip().endswith("own7.py"), result


def test_a_node_whose_network_is_gone_holds_nothing_up(
    nodes: RayNodes,
    driver: Driver,
    workspace: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It lives and is not heard of; what it had is done by others."""
    if not nodes.namespaces:
        pytest.skip("no network namespaces")

    def cut() -> None:
        while not nodes.workers(2, busy=True):
            time.sleep(0.1)
        nodes.cut(2)

    driver.build(workspace, meanwhile=cut)
    nodes.mend(2)
    every_one_once(driver, tmp_path, monkeypatch)


def test_a_build_that_is_killed_goes_on_when_it_is_run_again(
    driver: Driver, workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ("workspace", "build", workspace, "--engine", "ray", "--cluster", driver.nodes.address)
    process = driver.start(*line)
    while not driver.nodes.workers(1, busy=True):
        time.sleep(0.05)
    time.sleep(1.0)
    process.kill()
    process.communicate()
    driver.build(workspace)
    every_one_once(driver, tmp_path, monkeypatch)

    write_tree(tmp_path / "services" / "s3", {"later.py": "def later():\n    return 3\n"})
    again = driver.build(workspace)
    assert f"{MANY} of {MANY} built\n" in again
    result = driver.run("later", "--workspace", workspace, "--offline", "--compact", "-m", "1")
    assert result[1].strip().endswith("later.py"), result


def test_a_head_that_dies_ends_the_build_in_words(driver: Driver, workspace: Path) -> None:
    process = driver.start(
        *("workspace", "build", workspace, "--engine", "ray", "--cluster", driver.nodes.address)
    )
    while not driver.nodes.workers(1, busy=True):
        time.sleep(0.05)
    driver.nodes.kill(0)
    _, err = process.communicate(timeout=300)

    assert process.returncode == 1
    assert "the connection to the cluster was lost" in err
    assert "Traceback" not in err


def test_nothing_answers_where_no_cluster_is(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GGREP_HOME": str(tmp_path / "h")}
    file = tmp_path / "ws.jsonc"
    write_tree(tmp_path / "one", SHOP)
    file.write_text('{"schemaVersion": 1, "repos": [{"root": "one"}]}')
    subprocess.run(
        [SCRIPT, "remote", "add", "origin", f"file://{tmp_path}/r"], env=environ, check=True
    )
    begun = time.monotonic()
    done = subprocess.run(
        [SCRIPT, "workspace", "build", file, "--engine", "ray", "--cluster", "127.0.0.1:9"],
        env=environ,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "no ray cluster answers at 127.0.0.1:9" in done.stderr
    assert time.monotonic() - begun < 30
