"""Where output goes: results to standard output, everything else to standard error."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from ggrep import stable_json
from ggrep.config.settings import environment
from ggrep.render.style import Style, wants_colour


@dataclass(frozen=True, slots=True)
class Terminal:
    """The two streams, and whether a person looks at them."""

    environ: Mapping[str, str]
    style: Style
    notes_style: Style
    progress: bool

    def write(self, text: str) -> None:
        """Write text to standard output."""
        sys.stdout.write(text)

    def write_json(self, document: stable_json.Json, *, pretty: bool) -> None:
        """Write one JSON document and a newline to standard output."""
        sys.stdout.flush()
        data = stable_json.dumps_pretty(document) if pretty else stable_json.dumps(document) + b"\n"
        sys.stdout.buffer.write(data)

    def note(self, text: str) -> None:
        """Write text to standard error."""
        sys.stderr.write(text)


def open_terminal(*, plain: bool = False) -> Terminal:
    """Return the process's own streams."""
    environ = environment()
    out, err = sys.stdout.isatty(), sys.stderr.isatty()
    return Terminal(
        environ=environ,
        style=Style(wants_colour(environ, plain=plain, terminal=out)),
        notes_style=Style(wants_colour(environ, plain=plain, terminal=err)),
        progress=err and not plain and environ.get("TERM") != "dumb",
    )


def close_quietly() -> None:
    """Point standard output at nothing, after its reader has gone away."""
    descriptor = os.open(os.devnull, os.O_WRONLY)
    os.dup2(descriptor, sys.stdout.fileno())
    os.close(descriptor)
