"""A workspace is built by a Dask cluster whose workers die meanwhile."""

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path

import pytest

from ggrep.base import stable_json
from tests.fakes.remotes import SHOP, commit, directory_remote, objects_of
from tests.journeys.household import SCRIPT
from tests.remote.test_pushers import entries, read_whole

pytestmark = [
    pytest.mark.deep,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(find_spec("distributed") is None, reason="distributed is not installed"),
]

MANY = 12
DASK = (sys.executable, "-m", "dask")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def environ(folder: Path, name: str) -> dict[str, str]:
    home = {"HOME": str(folder), "GGREP_HOME": str(folder / name), "GGREP_OFFLINE": "1"}
    return {"PATH": os.environ["PATH"], **home}


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[tuple[str, list["subprocess.Popen[bytes]"]]]:
    """Return the address of a scheduler, and its two workers, which nobody starts again."""
    address = f"tcp://127.0.0.1:{free_port()}"
    host = ("--host", "127.0.0.1", "--no-dashboard")
    lines = [
        ("scheduler", "--port", address.rpartition(":")[2], "--no-jupyter", *host),
        *(
            ("worker", address, *host, "--nthreads", "1", "--no-nanny", "--local-directory", place)
            for place in (str(tmp_path / "d1"), str(tmp_path / "d2"))
        ),
    ]
    with ExitStack() as stack:
        started = []
        for number, line in enumerate(lines):
            process = subprocess.Popen(
                [*DASK, *line],
                env=environ(tmp_path, f"home{number}"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            stack.callback(process.wait)
            stack.callback(process.kill)
            started.append(process)
        yield address, started[1:]


def test_a_killed_worker_loses_no_repository(
    tmp_path: Path, cluster: tuple[str, list["subprocess.Popen[bytes]"]]
) -> None:
    """What it had is done by the other one."""
    address, workers = cluster
    for number in range(MANY):
        commit(tmp_path / "s" / f"s{number}", SHOP | {".ggrep.toml": f'repo_key = "t/s{number}"\n'})
    file = tmp_path / "ws.jsonc"
    file.write_text('{"schemaVersion": 1, "include": ["s/*"]}')
    own = environ(tmp_path, "home-of-the-driver")
    remote = directory_remote(tmp_path)
    subprocess.run([SCRIPT, "remote", "add", "origin", remote.url], env=own, check=True)

    def kill() -> None:
        while not list((tmp_path / "home2").glob("data/*/ACTIVE_SNAPSHOT")):
            time.sleep(0.05)
        workers[1].kill()

    beside = threading.Thread(target=kill)
    beside.start()
    build = ("workspace", "build", file, "--engine", "dask", "--cluster", address)
    done = subprocess.run([SCRIPT, *build], env=own, capture_output=True, text=True, check=False)
    beside.join()

    assert done.returncode == 0, done.stderr
    assert f"{MANY} of {MANY} built\n" in done.stderr
    objects = objects_of(remote)
    assert len(entries(objects)) == MANY
    read_whole(objects, tmp_path / "read")
    listed = subprocess.run([SCRIPT, "list", "--json"], env=own, capture_output=True, check=True)
    assert len(stable_json.loads(listed.stdout)["stores"]) == MANY
