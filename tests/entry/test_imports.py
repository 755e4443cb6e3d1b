"""What a plain search costs: modules that are loaded, and the process as a shell runs it."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.entry.conftest import Served
from tests.entry.fake_daemon import RENDERED, prints

SOURCE = Path(__file__).parents[2]
LOADED = {
    "_json",
    "_socket",
    "zlib",
    "ggrep",
    "ggrep.base",
    "ggrep.base.build",
    "ggrep.base.command_time",
    "ggrep.base.commands",
    "ggrep.base.linux",
    "ggrep.base.options",
    "ggrep.base.terminal",
    "ggrep.interfaces",
    "ggrep.interfaces.entry",
    "ggrep.interfaces.entry.ask",
    "ggrep.interfaces.entry.daemon_place",
    "ggrep.interfaces.entry.fast",
    "ggrep.interfaces.entry.plain_terminal",
}
RUN = "import sys; from ggrep.interfaces.entry import main; sys.exit(main())"


def _search(run: str, *arguments: str) -> subprocess.Popen[bytes]:
    # The tests' own coverage and site packages are no part of what is measured.
    return subprocess.Popen(
        [sys.executable, "-c", run, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "more"),
    [
        ("words -m 5", {"ggrep.base.commands", "ggrep.base.option_spelling"}),
        ("symbol Name", set()),
    ],
)
def test_a_plain_search_loads_next_to_nothing(served: Served, typed: str, more: set[str]) -> None:
    """Every module is milliseconds of somebody's every search; so of a command sent as a line."""
    run = (
        "import sys; before = set(sys.modules);"
        "from ggrep.interfaces.entry import main; status = main();"
        "print(*sorted(set(sys.modules) - before), file=sys.stderr)"
    )
    with _search(run, *typed.split()) as process:
        out, err = process.communicate(timeout=1_200)
    note, loaded = err.decode().splitlines()

    assert (out.decode(), note) == (RENDERED["out"], "a note")
    assert set(loaded.split()) == LOADED | more


@pytest.mark.slow
def test_a_large_answer_arrives_whole(served: Served) -> None:
    """It fits neither a pipe nor one read of the socket."""
    text = "é" * 3_000_000
    served.daemon.reply = prints(out=text)

    with _search(RUN, "words") as process:
        out, _ = process.communicate(timeout=1_200)

    assert out.decode() == text


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_failure(served: Served) -> None:
    """As in `ggrep words | head -1`."""
    served.daemon.reply = prints(out="line\n" * 1_000_000)

    with _search(RUN, "words") as process:
        assert process.stdout is not None
        process.stdout.read(5)
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(timeout=1_200)

    assert (process.returncode, err) == (0, b"")


@pytest.mark.slow
def test_ctrl_c_ends_a_search_that_waits(served: Served) -> None:
    """Status 12, one line, and no search of its own."""
    ended = threading.Event()
    served.daemon.reply = lambda _: b"x"[: not ended.wait(60)]

    with _search(RUN, "words") as process:
        assert served.daemon.asked.wait(60)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=1_200)
    ended.set()

    assert (process.returncode, out, err) == (12, b"", b"error: interrupted\n")
