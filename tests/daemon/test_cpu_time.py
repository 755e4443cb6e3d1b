"""Processor time of children counts while they run and after they ended."""

import subprocess
import sys

import pytest

from ggrep.daemon.cpu_time import cpu_ms

_WORK = "import time\nend = time.process_time() + 0.2\nwhile time.process_time() < end: pass\n"


@pytest.mark.slow
@pytest.mark.parametrize("ended", [True, False])
def test_what_a_child_uses_is_counted(ended: bool) -> None:
    """Parsing is done by children; who leaves them out paces the wrong process."""
    waiting = "" if ended else "import sys; sys.stdout.write('x'); sys.stdout.flush(); input()"
    before = cpu_ms()
    with subprocess.Popen(
        [sys.executable, "-c", _WORK + waiting], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        if ended:
            child.wait()
        used = cpu_ms() - before
        child.kill()

    assert 150 <= used <= 2_000
