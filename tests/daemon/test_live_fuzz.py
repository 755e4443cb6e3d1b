"""The daemon goes on answering, whatever bytes come in."""

import random
import resource
import socket
from contextlib import suppress
from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.frames import frame
from ggrep.protocol.wire.handshake import hello_json
from ggrep.protocol.wire.messages import Ping, Search, Status, message_json
from tests.fakes.hosts import Served, served
from tests.fakes.repos import indexed

CAP = 1 << 20
MOST_GROWTH_KIB = 64 * 1024
pytestmark = pytest.mark.slow


def mangled(  # noqa: PLR0911 - one for each kind
    dice: random.Random, hello: bytes, whole: list[bytes]
) -> bytes:
    """Return bytes of one connection: sound frames, cut, mixed, changed or followed by noise."""
    noise = dice.randbytes(dice.randrange(200))
    match dice.randrange(6):
        case 0:
            return noise
        case 1:
            return dice.randrange(1 << 32).to_bytes(4, "big") + noise
        case 2:
            return hello + dice.randrange(1 << 32).to_bytes(4, "big") + noise
        case 3:
            data = bytearray(dice.choice(whole))
            for _ in range(dice.randrange(1, 8)):
                data[dice.randrange(4, len(data))] = dice.randrange(256)
            return hello + bytes(data)
        case 4:
            data = b"".join(dice.choices(whole, k=dice.randrange(1, 4)))
            return hello + data[: dice.randrange(len(data))]
        case _:
            keys = ["message", "request_id", "request", "render", "claim", "budgets", "deep"]
            values = [None, True, -1, 1e300, "x" * 70, [], {}, [[]], {"query": 1}, "search"]
            body = {dice.choice(keys): dice.choice(values) for _ in range(dice.randrange(1, 6))}
            return hello + frame(stable_json.dumps(body), cap_bytes=CAP)


def batter(host: Served, times: int, seed: int) -> None:
    """Send so many mangled connections, and a sound request after each fifty."""
    dice = random.Random(seed)
    hello = frame(stable_json.dumps(hello_json(host.address.hello)), cap_bytes=CAP)
    messages = [Ping(), Status(), Search(SearchRequest("alpha needle", timeout_ms=200))]
    whole = [
        frame(stable_json.dumps(message_json(f"r{n}", message)), cap_bytes=CAP)
        for n, message in enumerate(messages)
    ]
    for number in range(times):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(5)
            connection.connect(str(host.address.socket))
            with suppress(BrokenPipeError):  # it was refused before all was sent
                connection.sendall(mangled(dice, hello, whole))
        if number % 50 == 49:
            assert not host.ask(Ping()).body["stale"]


@pytest.mark.parametrize("times", [500, pytest.param(100_000, marks=pytest.mark.deep)])
def test_a_daemon_outlives_any_bytes(root: Path, home: Path, times: int) -> None:
    """It neither ends nor hangs nor grows, and lets go of every connection."""
    indexed(root, home, {"a.py": "def alpha_needle():\n    return 1\n"})

    with served(root, home) as host:
        batter(host, 200, seed=1)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        batter(host, times, seed=2)
        growth = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        host.eventually(lambda: host.daemon.connections == 0)
        left = host.daemon.admission.statistics()

    assert growth <= MOST_GROWTH_KIB
    assert (left.in_flight, left.queue_depth) == (0, 0)
