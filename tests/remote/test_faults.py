"""Whatever stands between: a push or a pull ends whole or not at all, and says which."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from ggrep.base.errors import Busy, GgrepError, NoIndex, RemoteError
from ggrep.config.remotes import Remote
from ggrep.search.engine.engine import Engine
from tests.fakes.remotes import SHOP, clone, engine_at, objects_of, pulled, pushed
from tests.remote.conftest import bucket_remote
from tests.remote.fault_proxy import (
    Decision,
    Fault,
    FaultProxy,
    drop,
    lie,
    lost_reply,
    no_fault,
    slow,
    stale,
    status,
    truncate,
)
from tests.remote.object_server import ObjectServer
from tests.remote.test_pushers import PUSHERS, checkouts, read_whole

pytestmark = [
    pytest.mark.usefixtures("credentials"),
    pytest.mark.deep,
    pytest.mark.timeout(1800),
]


def every(number: int, fault: Fault) -> Decision:
    return lambda _method, _path, place: fault if place % number == number - 1 else None


def always(fault: Fault) -> Decision:
    return lambda _method, _path, _place: fault


def writes(fault: Fault) -> Decision:
    return lambda method, _path, _place: fault if method in {"PUT", "POST"} else None


def reads_of(folder: str, fault: Fault) -> Decision:
    return lambda method, path, _: fault if method == "GET" and f"/{folder}/" in path else None


FAULTS: dict[str, Decision] = {
    "all slow": always(slow(0.3)),
    "each third slow": every(3, slow(1.0)),
    "each second dropped": every(2, drop()),
    "all dropped": always(drop()),
    "each third 500": every(3, status(500)),
    "each second 503": every(2, status(503)),
    "all 503": always(status(503)),
    "all 403": always(status(403)),
    "all truncated": always(truncate(7)),
    "each third truncated": every(3, truncate(7)),
    "all lies": always(lie()),
    "each third a lie": every(3, lie()),
    "lies about blobs": reads_of("blobs", lie()),
    "lies about trees": reads_of("trees", lie()),
    "lies about states": reads_of("by-state", lie()),
    "lies about refs": reads_of("refs", lie()),
    "short blobs": reads_of("blobs", truncate(100)),
    "all stale": always(stale()),
    "stale refs": reads_of("refs", stale()),
    "writes whose reply is lost": writes(lost_reply(503)),
    "writes whose connection is lost": writes(lost_reply()),
    "each second reply lost": every(2, lost_reply()),
    "writes refused": writes(status(403)),
}


@pytest.fixture
def proxy(server: ObjectServer) -> Iterator[FaultProxy]:
    with FaultProxy(server.endpoint) as standing:
        yield standing


def attempted(act: Callable[[], object]) -> bool:
    """Do it; return whether it was done, and fail where it fails without a word."""
    output = None
    try:
        act()
    except RemoteError as error:
        output = str(error)
    except Busy:
        return False
    assert output is None or (
        output.startswith(("origin: ", "remote origin: ")) and "\n" not in output
    )
    return output is None


@pytest.mark.parametrize("fault", FAULTS)
def test_a_push_ends_whole_or_not_at_all(
    tmp_path: Path, origin: Engine, server: ObjectServer, proxy: FaultProxy, fault: str
) -> None:
    remote = bucket_remote(server)
    through = Remote("origin", remote.url, proxy.endpoint, remote.region, plain_http=True)
    proxy.fault = FAULTS[fault]
    done = attempted(lambda: pushed(origin, through))
    proxy.fault = no_fault

    read_whole(objects_of(remote), tmp_path / "read")
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    if done:
        assert pulled(other, remote).exact
    pushed(origin, remote)
    last = engine_at(clone(tmp_path / "a", tmp_path / "c"), tmp_path / "home-c")
    assert pulled(last, remote).exact


@pytest.mark.parametrize("fault", FAULTS)
def test_a_pull_ends_whole_or_not_at_all(
    tmp_path: Path, origin: Engine, server: ObjectServer, proxy: FaultProxy, fault: str
) -> None:
    """Nothing is shown, or all; then the same command brings it."""
    remote = bucket_remote(server)
    pushed(origin, remote)
    through = Remote("origin", remote.url, proxy.endpoint, remote.region, plain_http=True)
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")
    proxy.fault = FAULTS[fault]
    results: list[str] = []
    attempted(lambda: results.append(pulled(other, through).outcome))
    proxy.fault = no_fault

    if results == ["pulled"]:
        assert len(other.view().live_files()) == len(SHOP) - 1
    else:
        with pytest.raises(NoIndex):
            other.view()
        assert pulled(other, through).exact


def push_until_done(engine: Engine, remote: Remote) -> str:
    """Push until it is acknowledged; return the tree."""
    while True:
        try:
            return pushed(engine, remote).tree
        except GgrepError:
            time.sleep(0.2)


def test_a_server_that_dies_under_a_push_loses_nothing(tmp_path: Path, origin: Engine) -> None:
    """Killed at moments of its own, over and over, while several push."""
    engines = checkouts(origin, tmp_path)
    with ObjectServer(tmp_path / "objects") as server, ThreadPoolExecutor(PUSHERS) as pool:
        remote = bucket_remote(server)
        pushes = [pool.submit(push_until_done, engine, remote) for engine in engines]
        for _ in range(3):
            time.sleep(0.15)
            server.kill()
            kept = {f"trees/{push.result()}" for push in pushes if push.done()}
            server.start()
            assert kept <= {stat.key for stat in objects_of(remote).list("trees")}
        wait(pushes)
        read_whole(objects_of(remote), tmp_path / "read")
        again = [
            engine_at(engine.identity.root, tmp_path / f"again{number}")
            for number, engine in enumerate(engines)
        ]
        assert all(pulled(engine, remote).exact for engine in again)


_PUSHER = """
import sys
from pathlib import Path
from ggrep.config.remotes import Remote
from ggrep.search.engine.push_pull import push_to
from tests.fakes.remotes import engine_at
remote = Remote("origin", sys.argv[3], sys.argv[4], "us-east-1", plain_http=True)
push_to(engine_at(Path(sys.argv[1]), Path(sys.argv[2])), remote, again=True)
"""


def test_killed_pushers_lose_nothing(tmp_path: Path, origin: Engine, server: ObjectServer) -> None:
    """By the kernel, each a little later than the one before; half of a push is its start."""
    remote, elsewhere = bucket_remote(server), bucket_remote(server)
    command = [sys.executable, "-c", _PUSHER, origin.identity.root, origin.home.base]
    begun = time.monotonic()
    subprocess.run([*command, elsewhere.url, elsewhere.endpoint], check=True)
    took = time.monotonic() - begun
    ended = []
    for number in range(12):
        process = subprocess.Popen([*command, remote.url, remote.endpoint])
        time.sleep(took * (0.5 + number / 24))
        process.kill()
        ended.append(process.wait())
        read_whole(objects_of(remote), tmp_path / f"read{number}")
    pushed(origin, remote)
    other = engine_at(clone(tmp_path / "a", tmp_path / "b"), tmp_path / "home-b")

    assert -9 in ended
    assert pulled(other, remote).exact
