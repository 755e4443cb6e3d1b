"""A real host: a process of its own, with its worker, ended by signals."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from ggrep.base.clock import Deadline
from ggrep.config.home import Home
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.daemon_files import running
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.messages import Search
from tests.fakes.host_process import CLOCK, SWITCHES, HostProcess, host_process
from tests.fakes.repos import write_tree
from tests.journeys.household import eventually


def found(host: HostProcess, root: Path) -> list[str]:
    address = host.address(root)
    with Link.connect(address.socket, address.hello, CLOCK) as link:
        reply = link.ask(Search(SearchRequest("settle invoice")), Deadline.after(CLOCK, 60_000))
    return [hit["path"] for hit in reply.body["response"]["results"]]


def ended_by(host: HostProcess, number: int) -> int:
    """Send a signal; return the exit status when the process and its workers are gone."""
    assert host.process is not None
    workers = psutil.Process(host.process.pid).children(recursive=True)
    host.process.send_signal(number)
    status = host.process.wait(300)
    host.process = None
    eventually(lambda: not any(worker.is_running() for worker in workers))
    assert running(Home(host.home)) == []
    return status


@pytest.mark.slow
def test_hosts_of_a_store_from_the_first_to_the_last(
    root: Path, home: Path, tmp_path: Path
) -> None:
    """A second one refuses, a killed one is followed, and a signal ends one in order."""
    write_tree(root, {"pay.py": "def settle_invoice():\n    return 1\n"})
    environ = {key: value for key, value in os.environ.items() if key != "GGREP_OFFLINE"}
    with host_process([root], home, tmp_path / "log") as host:
        refused = subprocess.run(
            [sys.executable, "-m", "ggrep", "serve", "--path", str(root), *SWITCHES],
            env=environ | {"GGREP_HOME": str(home)},
            capture_output=True,
            check=False,
            text=True,
        )

        assert refused.returncode != 0
        assert "already" in refused.stderr
        assert found(host, root) == ["pay.py"]

        ended_by(host, signal.SIGKILL)
        assert list((home / "daemon").iterdir())
        write_tree(root, {"new.py": "def settle_invoice_anew():\n    return 1\n"})
        host.start()

        assert "new.py" in found(host, root)
        assert [record.pid for record in running(Home(home))] == [
            host.process.pid if host.process else None
        ]

        assert ended_by(host, signal.SIGTERM) == 0
    assert list((home / "daemon").iterdir()) == []
    assert "stopped: SIGTERM was received" in (tmp_path / "log").read_text()
