"""A process that puts itself into the background: what reaches the caller, and what it keeps."""

import os
import select
import subprocess
import sys
from contextlib import suppress

import pytest

from ggrep.base import stable_json

pytestmark = pytest.mark.slow

_SCRIPT = """
import os, sys
from ggrep.base import stable_json
from ggrep.interfaces.cli.daemons.hosting import in_background
from ggrep.base.errors import GgrepError

def links():
    names = [f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd")]
    return sorted(os.readlink(name) for name in names if os.path.lexists(name))

def work(ready):
    process = dict(pid=os.getpid(), session=os.getsid(0), cwd=os.getcwd(), links=links())
    ACT

held = open(sys.argv[1])
os.dup2(held.fileno(), 60)  # below the pipe's number and above it
assert sys.argv[1] in links()
try:
    print(in_background(work))
except GgrepError as error:
    print(error.code, error)
"""


def told(act: str, held: str = os.devnull) -> str:
    script = _SCRIPT.replace("ACT", act)
    line = [sys.executable, "-c", script, held]
    return subprocess.run(line, check=True, capture_output=True, text=True, timeout=1_200).stdout


def gone(pid: int) -> bool:
    with suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        try:
            return bool(select.select([descriptor], [], [], 20)[0])
        finally:
            os.close(descriptor)
    return True


def test_what_is_told_reaches_the_caller_and_nothing_of_his_is_kept_open() -> None:
    """A lock or pipe of his that lived on in a daemon would keep others waiting for ever."""
    output = stable_json.loads(told("ready(stable_json.dumps(process).decode())", __file__))

    assert isinstance(output, dict)
    pid, links = output["pid"], output["links"]
    assert isinstance(pid, int)
    assert isinstance(links, list)
    assert gone(pid)
    ours = [str(link) for link in links if not str(link).startswith(f"/proc/{pid}/")]
    assert [link.partition(":")[0] for link in ours] == [os.devnull] * 3 + ["pipe"]
    assert output["cwd"] == "/"
    assert output["session"] not in {pid, os.getsid(0)}  # so that no terminal becomes its own


@pytest.mark.parametrize(
    ("act", "reached"),
    [
        ("raise GgrepError('refused')", "internal refused"),
        ("raise ValueError('odd')", "internal a bug in ggrep: ValueError: odd"),
        ("os._exit(3)", "cancelled the daemon ended before it was ready"),
        ("ready(''); ready('again'); sys.exit(1)", ""),
    ],
)
def test_an_end_instead_of_readiness_is_told_with_its_reason(act: str, reached: str) -> None:
    assert told(act).rstrip("\n") == reached
