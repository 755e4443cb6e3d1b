"""A process that begins to become a daemon before it is known which."""

import os
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.protocol.client.preload import Preload
from ggrep.protocol.client.starting import NotStarted, start
from tests.client.conftest import Program, Spot

PYTHON = sys.executable


def test_it_is_told_what_a_daemon_is_started_with(
    spot: Spot, program: Program, tmp_path: Path
) -> None:
    """Root, flags, home and profile are worked out while it loads."""
    output, job = tmp_path / "said", tmp_path / "job"
    program(f'cat <&3 > {job}; echo "$@" "$GGREP_X" "$PWD" > {output}')
    root = spot.address.identity.root
    address = replace(spot.address, flags={"encoder": "hashed"}, served_profile="data")

    assert start(address, {}, head=Preload({"GGREP_X": "of the client"}))
    assert stable_json.loads(job.read_bytes()) == {
        "arguments": ["--path", str(root), "--encoder", "hashed"],
        "home": str(address.home.base),
        "profile": "data",
    }
    line = "-m ggrep serve --background --yes --later 3 of the client /\n"
    assert output.read_text() == line


def test_nothing_of_its_client_is_open_to_it(program: Program, tmp_path: Path) -> None:
    """It may live for days; and Ctrl-C in the client's terminal is not meant for it."""
    output = tmp_path / "said"
    program(f"exec {PYTHON} -c '{_LOOK}' {output}")
    with (tmp_path / "held").open("w") as stack:
        os.set_inheritable(stack.fileno(), True)
        head = Preload({})
        head.channel.close()

        assert head.wait() == 0
    session, *links = output.read_text().split()
    assert session == str(head.pid)
    assert [link.partition(":")[0] for link in links] == [os.devnull] * 3 + ["socket"]


_LOOK = """
import os, sys
links = [os.readlink(f"/proc/self/fd/{fd}") for fd in range(4)]
more = [fd for fd in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{fd}")]
assert len(more) == 4, more
open(sys.argv[1], "w").write(" ".join([str(os.getsid(0)), *links]))
""".replace("'", '"')


def test_it_ends_where_no_daemon_is_wanted(program: Program) -> None:
    """One runs already, or a setting keeps any from being started."""
    program("cat <&3; exit 7")
    head = Preload({})

    assert head.poll() is None
    head.close()
    head.close()
    assert head.returncode == -9


def test_it_ends_with_its_client(program: Program) -> None:
    program("cat <&3; exit 7")
    head = Preload({})
    head.channel.close()

    assert head.wait() == 7


def test_one_that_has_ended_is_started_from_the_beginning(
    spot: Spot, program: Program, tmp_path: Path
) -> None:
    """Whatever became of it, there is to be a daemon."""
    output = tmp_path / "said"
    program(f'case "$*" in *--later*) exit 1;; esac; echo "$@" > {output}')
    head = Preload({})
    head.wait()

    assert start(spot.address, {}, head=head)
    assert "--path" in output.read_text()


def test_why_it_does_not_become_one_is_said(spot: Spot, program: Program) -> None:
    """In its own last words, which it writes where it is told to."""
    program(f"exec {PYTHON} -c '{_COMPLAIN}'")

    with pytest.raises(NotStarted, match="could not be started: no room"):
        start(spot.address, {}, head=Preload({}))


_COMPLAIN = """
import os, socket, sys
_, descriptors, _, _ = socket.recv_fds(socket.socket(fileno=3), 65536, 8)
os.write(descriptors[0], b"error: no room")
sys.exit(1)
"""
