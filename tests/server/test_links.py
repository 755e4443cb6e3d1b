"""Nodes in processes and in actors of Ray answer as nodes of this process do."""

import os
import signal
import socket
import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import anyio
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from msgspec import to_builtins

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded
from ggrep.protocol.client.link import Unreachable
from ggrep.server.node import NodeMessage
from ggrep.server.node_process import NodePlan, ProcessNode
from ggrep.server.nodes import Nodes
from ggrep.server.placement import placed
from ggrep.server.ray_node import Attachment, RayNode, start_actors
from tests.cluster.ray_nodes import RayNodes
from tests.fakes.clocks import ManualClock
from tests.fakes.team import CLOCK, Team, answer, follow_ups, search

NAMES = ("node-0", "node-1", "node-2")
REQUESTS = [search(merge_strategy=strategy) for strategy in ("global", "rrf")]


def _plan(team: Team, cache: Path) -> NodePlan:
    return NodePlan(str(cache), team.remote, team.settings())


async def _ready(team: Team, nodes: Nodes) -> None:
    """Wait until the nodes answer, and let them hold their repositories."""
    with anyio.fail_after(150):
        await nodes.check()
        while not all(nodes.answering().values()):
            await anyio.sleep(0.1)
            await nodes.check()
    epoch = team.epoch()
    for name in nodes.names:
        trees = tuple(r for key, r in epoch.repos.items() if name in placed(key, nodes.names))
        deadline = Deadline.after(CLOCK, 100_000)
        reply = await nodes.ask(name, NodeMessage(hold=trees), deadline)
        assert reply.body["failed"] == []


@pytest.fixture(scope="module")
def processes(
    team: Team, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, ProcessNode]]:
    base = tmp_path_factory.mktemp("nodes")
    links = {name: ProcessNode(_plan(team, base / name), SystemClock()) for name in NAMES}
    yield links
    for link in links.values():
        link.close()


@pytest.mark.slow
async def test_a_killed_process_changes_no_answer_and_is_replaced(
    team: Team, processes: dict[str, ProcessNode]
) -> None:
    nodes = Nodes(processes)
    await _ready(team, nodes)
    far, here, workspace = team.far(nodes, team.epoch()), team.here(), team.workspace()
    whole = [await answer(here, workspace, request) for request in REQUESTS]

    assert [await answer(far, workspace, request) for request in REQUESTS] == whole
    pid = processes["node-1"].pid
    async with anyio.create_task_group() as group:
        group.start_soon(_kill, pid)
        for _ in range(20):
            assert [await answer(far, workspace, request) for request in REQUESTS] == whole
    assert not nodes.answering()["node-1"]

    processes["node-1"].keep()
    assert processes["node-1"].pid != pid
    await _ready(team, nodes)
    assert [await answer(far, workspace, request) for request in REQUESTS] == whole


@pytest.mark.slow
async def test_a_reply_that_comes_too_late_does_not_lose_the_node(
    team: Team, processes: dict[str, ProcessNode]
) -> None:
    """Otherwise one user's short deadline would cancel the questions of all others."""
    nodes, node = Nodes(processes), processes["node-2"]
    await _ready(team, nodes)
    _stop(node.pid)
    try:
        with pytest.raises(DeadlineExceeded):
            node.send(stable_json.dumps(to_builtins(NodeMessage())), 0.05)
        with pytest.raises(DeadlineExceeded):
            await nodes.ask("node-2", NodeMessage(), Deadline.after(CLOCK, 50))
    finally:
        os.kill(node.pid, signal.SIGCONT)

    assert nodes.answering()["node-2"]


def _stop(pid: int) -> None:
    """Stop a child, which runs on for a moment after the signal."""
    os.kill(pid, signal.SIGSTOP)
    os.waitid(os.P_PID, pid, os.WSTOPPED | os.WNOWAIT)


class RayError(Exception):
    """The base of Ray's errors."""


class RayActorError(RayError):
    """The actor is dead."""


class GetTimeoutError(RayError, TimeoutError):
    """A call takes longer than it may."""


async def test_a_busy_actor_is_late_and_a_dead_actor_is_lost() -> None:
    """Otherwise one user's short deadline would cancel the questions of all others."""
    for error, expected, answers in (
        (GetTimeoutError, DeadlineExceeded, True),
        (RayActorError, Unreachable, False),
    ):
        ray = MagicMock()
        ray.exceptions.RayError, ray.exceptions.GetTimeoutError = RayError, GetTimeoutError
        ray.get.side_effect = error
        nodes = Nodes({"node-0": RayNode(ray, MagicMock(), MagicMock())})
        with pytest.raises(expected):
            await nodes.ask("node-0", NodeMessage(), Deadline.after(CLOCK, 1000))

        assert nodes.answering() == {"node-0": answers}


async def _kill(pid: int) -> None:
    await anyio.sleep(0.2)
    os.kill(pid, signal.SIGKILL)


def _secured(folder: Path) -> dict[str, str]:
    """Return the variables of a cluster with mutual TLS and a token."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "cluster")])
    addresses = [x509.IPAddress(ip_address(f"127.0.0.{number}")) for number in range(1, 5)]
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
        .sign(key, hashes.SHA256())
    )
    forms = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, *forms))
    (folder / "cert.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return {
        "RAY_USE_TLS": "1",
        "RAY_TLS_SERVER_CERT": f"{folder}/cert.pem",
        "RAY_TLS_SERVER_KEY": f"{folder}/key.pem",
        "RAY_TLS_CA_CERT": f"{folder}/cert.pem",
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": "t" * 64,
    }


def _greet(address: str, folder: Path, *, known: bool) -> None:
    """Connect to a port of the cluster, with or without a certificate."""
    host, _, port = address.rpartition(":")
    context = ssl.create_default_context(cafile=folder / "cert.pem")
    context.set_alpn_protocols(["h2"])
    if known:
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    with (
        socket.create_connection((host, int(port)), timeout=30) as raw,
        context.wrap_socket(raw, server_hostname=host) as connection,
    ):
        assert connection.recv(1)


def test_a_coordinator_without_actors_and_ray_node_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its service manager starts it again; the next head of a cluster does not know its actors."""
    ended: list[int] = []
    monkeypatch.setattr(os, "_exit", ended.append)
    clock = ManualClock(datetime(2025, 1, 1, tzinfo=UTC))
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "r"))
        listener.listen()
        node = RayNode(MagicMock(), MagicMock(), Attachment(str(tmp_path / "r"), clock))
        clock.advance(60_000)
        node.keep()
    node.send(b"", 1.0)
    node.keep()
    assert ended == []

    clock.advance(60_000)
    node.keep()
    assert ended == [1]


@pytest.mark.deep
@pytest.mark.timeout(1800)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(find_spec("ray") is None, reason="ray is not installed")
async def test_actors_of_ray_answer_as_one_machine_and_come_back(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The benchmark of a team server uses a cluster without TLS."""
    environ = _secured(tmp_path)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    ray: Any = import_module("ray")
    workspace, here = team.workspace(), team.here()
    whole = [await answer(here, workspace, request) for request in REQUESTS]
    with RayNodes(1, cpus=2, environment=lambda _: environ) as cluster:
        _greet(cluster.address, tmp_path, known=True)
        with pytest.raises(ssl.SSLError):
            _greet(cluster.address, tmp_path, known=False)
        links = start_actors(cluster.address, [_plan(team, tmp_path / name) for name in NAMES])
        try:
            nodes = Nodes(dict(zip(NAMES, links, strict=True)))
            await _ready(team, nodes)
            far = team.far(nodes, team.epoch())
            assert [await answer(far, workspace, request) for request in REQUESTS] == whole
            assert await follow_ups(far, workspace) == await follow_ups(here, workspace)

            ray.kill(links[1].actor, no_restart=False)
            for _ in range(5):
                assert [await answer(far, workspace, request) for request in REQUESTS] == whole
            await _ready(team, nodes)
            assert [await answer(far, workspace, request) for request in REQUESTS] == whole
        finally:
            ray.shutdown()
