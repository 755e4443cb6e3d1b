"""Starts a host of many daemons in the background of a client: `python -m` of this module.

Claims of a thousand daemons take most of a second; the client's first query does not
wait for them. The process reads one JSON list of home, flags and the roots of repositories as
hexadecimal bytes, and ends once the host listens or its start has failed.
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
    """Start the host that standard input describes."""
    home, flags, roots = stable_json.loads(sys.stdin.buffer.read())
    environ, wanted = environment(), list[DaemonAddress]()
    for root in roots:
        with suppress(GgrepError):  # a query reports wrong settings
            path = Path(os.fsdecode(bytes.fromhex(root)))
            address = arrange(path, Home(Path(home)), environ=environ, flags=flags)
            wanted += [address] if may_start(address) else []
    with suppress(GgrepError):  # the next query tries again, and reports the error
        start_all(wanted, environ)


if __name__ == "__main__":
    main()
