"""Which clients are on this machine, and what they start ggrep with."""

import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from ggrep.interfaces.agents.clients import CLIENTS, Client
from ggrep.interfaces.agents.places import Places
from ggrep.interfaces.agents.shells import SHELLS


def is_there(client: Client, places: Places) -> bool:
    """Return whether a client's program is on PATH, or a folder of its configuration is there."""
    path = places.environ.get("PATH", "")
    if any(shutil.which(program, path=path) for program in client.programs):
        return True
    return any((places.base(base) / folder).exists() for base, folder in client.folders)


def those_there(places: Places) -> list[Client]:
    """Return the clients that are there, in the order of the table."""
    return [client for client in CLIENTS.values() if is_there(client, places)]


def shell_of(environ: Mapping[str, str]) -> Client | None:
    """Return the shell that the user types into; None where its completions are not written."""
    return SHELLS.get(environ.get("SHELL", "").rpartition("/")[2])


def command_of(environ: Mapping[str, str]) -> str:
    """Return what starts ggrep: its name where every PATH leads to it, else its script's path.

    The PATH of an active virtual environment is that of one shell; a client is started from others.
    """
    script = Path(sys.executable).with_name("ggrep")
    reached = shutil.which("ggrep", path=environ.get("PATH", ""))
    in_environment = sys.prefix != sys.base_prefix
    if reached and not (in_environment and Path(reached).parent == script.parent):
        return "ggrep"
    return str(script) if script.is_file() else "ggrep"
