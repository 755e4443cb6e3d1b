"""`ggrep` on a pseudo terminal, and in tmux."""

import fcntl
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.cli.conftest import Shop
from tests.journeys.command import SOURCE

_PATIENCE_S = 60.0
_CONTROLS = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>])")


class Pty:
    """A running command and its terminal."""

    def __init__(self, process: "subprocess.Popen[bytes]", host: int, device: int) -> None:
        self.process = process
        self._raw = b""
        self._seen = 0
        self._host = host
        self._device = device
        self._modes = termios.tcgetattr(device)

    @property
    def text(self) -> str:
        """Return what was written since the last text to be seen, without escape sequences."""
        return _CONTROLS.sub("", self._raw[self._seen :].decode(errors="replace"))

    @property
    def is_restored(self) -> bool:
        """Return whether modes are as before, and the last frame has been left."""
        modes = (b"\x1b[?1049", b"\x1b[?47", b"\x1b[?2004")
        left = all(self._raw.rfind(mode + b"h") <= self._raw.rfind(mode + b"l") for mode in modes)
        return (
            left
            and modes[-1] + b"l" in self._raw
            and termios.tcgetattr(self._device) == self._modes
        )

    def send(self, keys: str) -> None:
        """Type."""
        os.write(self._host, keys.encode())

    def shows(self, text: str) -> None:
        """Wait until a text has been written."""
        last = time.monotonic() + _PATIENCE_S
        while text not in self.text:
            assert time.monotonic() < last, (text, self.text)
            assert self.read() or self.process.poll() is None, (text, self.text)
        self._seen = len(self._raw)

    def read(self) -> bool:
        """Take what was written in a moment; return whether there was anything."""
        if not select.select([self._host], [], [], 0.1)[0]:
            return False
        with suppress(OSError):
            data = os.read(self._host, 65_536)
            self._raw += data
            return bool(data)
        return False

    def end(self) -> int:
        """Return the exit status, when the process has ended and all is read."""
        last = time.monotonic() + _PATIENCE_S
        while self.process.poll() is None:
            self.read()
            assert time.monotonic() < last, self.text
        while self.read():
            pass
        return self.process.returncode


@contextmanager
def pty_running(
    shop: Shop,
    arguments: Sequence[str],
    *,
    environ: Mapping[str, str] | None = None,
    size: tuple[int, int] = (24, 80),
    **streams: Any,
) -> Iterator[Pty]:
    """Yield `ggrep` in a shop, with a pseudo terminal for all streams that are not given."""
    host, device = pty.openpty()
    fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))

    def take_terminal() -> None:
        os.setsid()
        fcntl.ioctl(device, termios.TIOCSCTTY, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)

    process = subprocess.Popen(
        [sys.executable, "-m", "ggrep", *arguments],
        cwd=shop.root,
        env=variables(shop.home) | dict(environ or {}),
        preexec_fn=take_terminal,  # noqa: PLW1509 - one thread
        pass_fds=(device,),
        **{"stdin": device, "stdout": device, "stderr": device, **streams},
    )
    try:
        yield Pty(process, host, device)
    finally:
        process.kill()
        process.communicate()
        os.close(host)
        os.close(device)


def variables(home: Path) -> dict[str, str]:
    """Return the environment of a user's terminal."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PYTHONPATH": str(SOURCE),
        "GGREP_HOME": str(home),
        "GGREP_OFFLINE": "1",
        "GGREP_ENCODER": "none",
        "GGREP_PARSE_WORKERS": "1",
    }


class Tmux:
    """A terminal whose screen can be read."""

    def __init__(self, socket: Path, columns: int, rows: int) -> None:
        self._socket = socket
        size = ("-x", str(columns), "-y", str(rows))
        self._run("new-session", "-d", *size, "sh")

    def start(self, shop: Shop, *arguments: str, **environ: str) -> None:
        """Run `ggrep` in the place of the shell, and the shell behind it."""
        named = variables(shop.home) | {"TERM": "tmux-256color"} | environ
        words = [f"{name}={text}" for name, text in named.items()]
        line = shlex.join(["env", "-i", *words, sys.executable, "-m", "ggrep", *arguments])
        self._run("respawn-window", "-k", "-c", str(shop.root), f"{line}; exec cat")

    def keys(self, *keys: str) -> None:
        """Press keys by the names that tmux has for them."""
        self._run("send-keys", *keys)

    def resize(self, columns: int, rows: int) -> None:
        """Change the size of the window."""
        self._run("resize-window", "-x", str(columns), "-y", str(rows))

    def screen(self, text: str, *, colour: bool = False) -> list[str]:
        """Return the lines of the screen once a text is on it."""
        last = time.monotonic() + _PATIENCE_S
        while text not in (shown := self._run("capture-pane", "-p", *(["-e"] * colour))):
            assert time.monotonic() < last, shown
            time.sleep(0.05)
        return shown.rstrip("\n").split("\n")

    def close(self) -> None:
        """End it with all that runs in it."""
        self._run("kill-server")

    def _run(self, *words: str) -> str:
        line = ["tmux", "-u", "-f", "/dev/null", "-S", str(self._socket), *words]
        return subprocess.run(line, check=True, capture_output=True, text=True).stdout
