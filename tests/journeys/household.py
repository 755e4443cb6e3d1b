"""A ggrep home whose daemons are processes, and everything that is left of them."""

import io
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, chdir, contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.lease import LeaseFiles, is_live
from ggrep.config.home import Home
from ggrep.interfaces.entry import main
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.daemon_control import stop
from ggrep.protocol.client.daemon_files import running
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.endpoint import DaemonRecord
from ggrep.protocol.wire.messages import Message, SyncStatus
from ggrep.protocol.wire.replies import Reply
from tests.fakes.places import short_directory
from tests.fakes.repos import write_tree
from tests.journeys.command import SOURCE, Outcome

SCRIPT = Path(sys.executable).with_name("ggrep")
"""The command as it was installed."""

TREE: Mapping[str, str] = {
    "src/pay.py": "def settle_invoice(amount):\n    return amount - paid(amount)\n",
    "src/mail.py": "def send_reminder(invoice):\n    return post(invoice)\n",
    "docs/pay.md": "# Settling\n\nHow an invoice is settled, step by step.\n",
    ".gitignore": "*.log\n",
}
CLOCK = SystemClock()
_END_S = 120.0


def eventually(holds: Callable[[], object], seconds: float = _END_S) -> None:
    """Wait until something of other processes holds; fail when it never does."""
    last = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < last, "it never came to hold"
        time.sleep(0.02)


@dataclass
class Household:
    """A home of its own below a short path, as sockets need it.

    Attributes:
        variables: of every command, and of the daemons that commands start.
    """

    base: Path
    variables: dict[str, str] = field(default_factory=dict)
    _apart: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    @property
    def home(self) -> Path:
        """Return the home of ggrep."""
        return self.base / "h"

    def repo(self, name: str = "r", files: Mapping[str, str] = TREE) -> Path:
        """Make a git repository."""
        root = self.base / name
        root.mkdir()
        subprocess.run(["git", "init", "-q", root], check=True)
        write_tree(root, files)
        return root

    def environ(self, **more: str) -> dict[str, str]:
        """Return all that a command knows of the world: nothing of this process's variables."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.base),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(SOURCE),
            "GGREP_HOME": str(self.home),
            "GGREP_PARSE_WORKERS": "1",  # trees of a few files; each is a process to start
            **self.variables,
            **more,
        }

    def start(
        self, *arguments: object, cwd: Path, python: tuple[str, ...] = (), **more: str
    ) -> subprocess.Popen[str]:
        """Start a command in a session of its own, as another terminal would."""
        return subprocess.Popen(
            [sys.executable, *python, str(SCRIPT), *(str(argument) for argument in arguments)],
            text=True,
            cwd=cwd,
            env=self.environ(**more),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def run(
        self, *arguments: object, cwd: Path, python: tuple[str, ...] = (), **more: str
    ) -> Outcome:
        return finish(self.start(*arguments, cwd=cwd, python=python, **more))

    def run_here(
        self, program: Callable[[list[str]], int], *arguments: object, cwd: Path, **more: str
    ) -> Outcome:
        """Run a command in this process, with the same variables as `run`."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with (
            patch.dict(os.environ, self.environ(**more), clear=True),
            Path(os.devnull).open(encoding="utf-8") as nothing,
            patch("sys.stdin", nothing),
            chdir(cwd),
            redirect_stdout(out),
            redirect_stderr(err),
        ):
            status = program([str(argument) for argument in arguments])
        return Outcome(status, *(_written(stream) for stream in (out, err)))

    def run_inside(self, *arguments: object, cwd: Path, without: str = "", **more: str) -> Outcome:
        """Run the command in this process as its script does; fail if it imports `without`.

        A daemon's answer is written to descriptors, and to streams that nothing replaced alone.
        """
        names = {name for name in sys.modules if name == without or name.startswith(f"{without}.")}
        with ExitStack() as stack:
            files = [stack.enter_context(tempfile.TemporaryFile()) for _ in (1, 2)]
            saved = [os.dup(fd) for fd in (1, 2)]
            streams = [
                io.TextIOWrapper(io.FileIO(fd, "w", closefd=False), "utf-8", write_through=True)
                for fd in (1, 2)
            ]
            for name, value in zip(
                ("stdout", "stderr", "__stdout__", "__stderr__"), streams * 2, strict=True
            ):
                stack.enter_context(patch.object(sys, name, value))
            stack.enter_context(patch.dict(os.environ, self.environ(**more), clear=True))
            if without:
                stack.enter_context(patch.dict(sys.modules, dict.fromkeys({*names, without})))
            stack.enter_context(chdir(cwd))
            try:
                for fd, file in zip((1, 2), files, strict=True):
                    os.dup2(file.fileno(), fd)
                status = main([str(argument) for argument in arguments])
            finally:
                for fd, copy in zip((1, 2), saved, strict=True):
                    os.dup2(copy, fd)
                    os.close(copy)
            for file in files:
                file.seek(0)
            return Outcome(status, *(file.read().decode() for file in files))

    def run_light(self, *arguments: object, cwd: Path, **more: str) -> Outcome:
        """Run a command in this process; fail if it imports the command line."""
        return self.run_inside(*arguments, cwd=cwd, without="ggrep.interfaces.cli", **more)

    def index(self, *roots: Path) -> None:
        """Index repositories in this process, which starts no other."""
        for root in roots:
            assert self.run_here(main, "index", "--path", root, cwd=root).status == 0

    def serve_apart(self, root: Path) -> None:
        """Index a repository and serve it by a process of its own, which no other host adopts."""
        self.index(root)
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), "serve", "--yes", "--path", str(root)],
            cwd=root,
            env=self.environ(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._apart.append(process)
        eventually(lambda: str(root) in {record.root for record in self.records()})
        self.settle(root)

    def records(self) -> list[DaemonRecord]:
        return running(Home(self.home))

    def address(self, root: Path, **more: str) -> DaemonAddress:
        return arrange(root, Home(self.home), environ=self.environ(**more))

    def ask(self, root: Path, message: Message, **more: str) -> Reply:
        return ask(self.address(root, **more), message)

    def settle(self, root: Path) -> None:
        """Wait until a repository's daemon has nothing left to index."""

        def quiet() -> bool:
            sync: Any = self.ask(root, SyncStatus()).body["sync"]
            return sync["state"] == "idle" and not sync["pending"]

        eventually(quiet)

    def processes(self, words: str = "") -> set[int]:
        """Return the processes of this home whose command line holds some words."""
        ours = b"GGREP_HOME=" + os.fsencode(self.home)
        results = set()
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if ours not in (place / "environ").read_bytes().split(b"\0"):
                    continue
                line = (place / "cmdline").read_bytes().replace(b"\0", b" ")
                if words.encode() in line and line:
                    results.add(int(place.name))
        return results - {os.getpid()}

    def hosts(self) -> set[int]:
        return self.processes(" serve ")

    def events(self, name: str) -> list[dict[str, object]]:
        """Return the lines of that event in all logs of the home."""
        lines = [
            stable_json.loads(line)
            for file in sorted((self.home / "logs").glob("*.jsonl"))
            for line in file.read_bytes().splitlines()
        ]
        return [line for line in lines if isinstance(line, dict) and line["event"] == name]

    def leftovers(self) -> list[str]:
        """Return what no ended daemon may leave: processes, sockets, leases, half-written files."""
        results = [f"process {pid}" for pid in sorted(self.processes())]
        if (self.home / "daemon").is_dir():
            results += [path.name for path in sorted((self.home / "daemon").iterdir())]
        results += [str(path) for path in sorted(self.home.rglob("*.tmp"))]
        for record in sorted((self.home / "locks").glob("*.lease.json")):
            if is_live(_lease_files(record)):
                results.append(f"live lease {record.name}")
        return results

    def become_empty(self) -> None:
        """Wait until nothing is left; fail with what is."""
        left: list[str] = []

        def empty() -> bool:
            left[:] = self.leftovers()
            return not left

        with suppress(AssertionError):
            eventually(empty)
        assert left == []

    def end(self) -> None:
        """End every daemon in order, then whatever is still there."""
        for record in self.records():
            with suppress(GgrepError):
                stop(record, "the test is over", CLOCK)
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self._apart:
            process.wait()
        eventually(lambda: not self.processes())


@contextmanager
def household(**variables: str) -> Iterator[Household]:
    """Yield a home; none of its processes outlives the block."""
    with short_directory() as base:
        result = Household(base, variables)
        try:
            yield result
        finally:
            result.end()


def ask(address: DaemonAddress, message: Message) -> Reply:
    with Link.connect(address.socket, address.hello, CLOCK) as link:
        return link.ask(message, Deadline.after(CLOCK, 30_000))


def finish(process: subprocess.Popen[str]) -> Outcome:
    """Wait for a command to end."""
    with process:
        try:
            out, err = process.communicate(timeout=1_200)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return Outcome(process.returncode, out, err)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def _lease_files(record: Path) -> LeaseFiles:
    stem = record.name.removesuffix(".lease.json")
    return LeaseFiles(
        record=record,
        guard=record.with_name(f"{stem}.guard"),
        writer_queue=record.with_name(f"{stem}.queue"),
        alive=record.with_name(f"{stem}.alive"),
    )
