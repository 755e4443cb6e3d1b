"""A place where a daemon may be met, and a fake one that may be there."""

import stat
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec import Struct
from msgspec.structs import replace

from ggrep.base import durable
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.base.processes import start_ticks
from ggrep.config.home import Home
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.wire.endpoint import DaemonRecord, record_bytes, record_path
from ggrep.protocol.wire.frames import PROTOCOL_VERSIONS
from ggrep.protocol.wire.handshake import Hello
from tests.entry import fake_daemon
from tests.entry.fake_daemon import CONFIG, STORE, FakeDaemon
from tests.fakes.clocks import ManualClock
from tests.fakes.places import home, short_directory

__all__ = ["home"]

Program = Callable[[str], None]


async def eventually(holds: Callable[[], object]) -> None:
    """Wait until something holds; fail when it never does."""
    with anyio.fail_after(60):
        while not holds():  # noqa: ASYNC110 - another thread brings it about
            await anyio.sleep(0.005)


class Spot(Struct, frozen=True):
    """Where a daemon is met.

    Attributes:
        daemon: listens already, at an address that is not the one looked at until it is `open`.
    """

    address: DaemonAddress
    daemon: FakeDaemon

    def open(self) -> None:
        self.address.socket.symlink_to(self.daemon.address)

    def shut(self) -> None:
        self.address.socket.unlink()

    def record(self, pid: int, **other: Any) -> DaemonRecord:
        """Leave a record of the daemon beside its socket, as of that process."""
        result = DaemonRecord(
            store_id=STORE,
            config_fingerprint=CONFIG,
            root=str(self.address.identity.root),
            socket=str(self.address.socket),
            pid=pid,
            pid_started=start_ticks(pid) or 0,
            started_at="2031-02-03T04:05:06Z",
            binary_version="0.1.0",
            build="b",
            protocol_versions=PROTOCOL_VERSIONS,
            host_id="host",
            encoder="none",
        )
        result = replace(result, **other)
        durable.replace_file(record_path(self.address.socket), record_bytes(result))
        return result


@pytest.fixture
def manual() -> ManualClock:
    return ManualClock(datetime(2031, 2, 3, tzinfo=UTC))


@pytest.fixture
def spot(root: Path, home: Path) -> Iterator[Spot]:
    """Return a place with a fake daemon that is not found yet."""
    address = arrange(root, Home(home), environ={})
    hello = Hello(PROTOCOL_VERSIONS, STORE, CONFIG, client_id="c")
    schemas = {name: list(versions) for name, versions in SCHEMA_VERSIONS.items()}
    with fake_daemon.running() as daemon, short_directory() as base:
        daemon.greeting = fake_daemon.says(fake_daemon.welcome(supported_schema_versions=schemas))
        place = base / "0123.sock"
        yield Spot(replace(address, socket=place, hello=hello), daemon)


@pytest.fixture
def process() -> Iterator[subprocess.Popen[bytes]]:
    """Return a living process that does nothing."""
    with subprocess.Popen(["sleep", "100"]) as child:
        try:
            yield child
        finally:
            child.kill()


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Return what puts a script in the place of the interpreter."""
    script = tmp_path / "python"

    def write(lines: str) -> None:
        script.write_text(f"#!/bin/sh\n{lines}\n")
        script.chmod(stat.S_IRWXU)

    monkeypatch.setattr("sys.executable", str(script))
    return write
