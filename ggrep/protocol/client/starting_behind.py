"""Starts a host of many daemons while who wants it goes on: `python -m` of this module.

To claim a thousand daemons takes the better part of a second, for which whoever asks the first
question need not wait. It reads one JSON list, of home, flags and the roots of repositories as
hexadecimal bytes, and ends once the host listens or is not to be had.
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
    """Do what standard input says."""
    home, flags, roots = stable_json.loads(sys.stdin.buffer.read())
    environ, wanted = environment(), list[DaemonAddress]()
    for root in roots:
        with suppress(GgrepError):  # whose settings are wrong fails when it is asked
            path = Path(os.fsdecode(bytes.fromhex(root)))
            found = arrange(path, Home(Path(home)), environ=environ, flags=flags)
            wanted += [found] if may_start(found) else []
    with suppress(GgrepError):  # the next question tries again, and says why
        start_all(wanted, environ)


if __name__ == "__main__":
    main()
