"""Starts a host of many daemons for a client in a background process that runs this module.

Claiming a thousand daemons takes most of a second; the client's first query does not wait for this.
The process reads a JSON list of home, flags and hexadecimal roots of repositories from standard
input. The process ends once the host listens or its start has failed.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError
from ggrep.config.home import Home
from ggrep.config.settings import environment
from ggrep.protocol.client.daemon_address import DaemonAddress, arrange
from ggrep.protocol.client.launching import may_start
from ggrep.protocol.client.starting import start_all


def main() -> None:
    """Start the host of the daemons that standard input lists."""
    home, flags, roots = stable_json.loads(sys.stdin.buffer.read())
    environ, wanted = environment(), list[DaemonAddress]()
    for root in roots:
        with suppress(GgrepError):  # queries report invalid settings
            path = Path(os.fsdecode(bytes.fromhex(root)))
            address = arrange(path, Home(Path(home)), environ=environ, flags=flags)
            wanted += [address] if may_start(address) else []
    with suppress(GgrepError):  # the next query tries again, and reports the error
        start_all(wanted, environ)


if __name__ == "__main__":
    main()
