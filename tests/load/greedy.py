"""A process that asks as one client over many connections, without pause, until its input ends.

    python -m tests.load.greedy ROOT HOME CONNECTIONS

It prints how many answers it got and how often it was sent away.
"""

import os
import sys
import threading
from pathlib import Path

from msgspec.structs import replace

from bench.serving import CLOCK, search
from ggrep.base.errors import Busy
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_address import arrange
from ggrep.protocol.client.link import Link
from tests.load.tree import COMMON


def main(root: str, home: str, connections: str) -> None:
    """Grab until nobody holds the other end of standard input."""
    address = arrange(Path(root), Home(Path(home)), environ=dict(os.environ))
    hello = replace(address.hello, client_id="greedy")
    ended = threading.Event()
    counts = [[0, 0] for _ in range(int(connections))]

    def grab(place: int) -> None:
        with Link.connect(address.socket, hello, CLOCK) as link:
            while not ended.is_set():
                number = sum(counts[place])
                query = f"{COMMON[number % len(COMMON)]} {place} {number}"
                try:
                    search(link, query, deterministic=True)
                    counts[place][0] += 1
                except Busy as error:
                    counts[place][1] += 1
                    ended.wait(error.retry_after_ms / 1000.0)

    threads = [threading.Thread(target=grab, args=(place,)) for place in range(len(counts))]
    for thread in threads:
        thread.start()
    sys.stdin.read()
    ended.set()
    for thread in threads:
        thread.join()
    answered, refused = (sum(column) for column in zip(*counts, strict=True))
    sys.stdout.write(f"{answered} {refused}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
