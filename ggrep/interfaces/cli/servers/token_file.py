"""The bearer token: read from a file that only its owner can access, or created."""

import os
import secrets
import stat
import time
from pathlib import Path
from typing import Final

from ggrep.base import durable
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import InvalidRequest
from ggrep.base.locks import Patience, alone
from ggrep.config.home import Home

MIN_TOKEN_LENGTH: Final = 16
_MAX_FILE_BYTES: Final = 4096
_MAKING_MS: Final = 10_000
"""How long to wait for another process that creates the token."""


def check_token(token: str, source: str) -> str:
    """Return the token without surrounding blanks; raise if it is not valid."""
    text = token.strip()
    if len(text) < MIN_TOKEN_LENGTH:
        raise InvalidRequest(f"{source}: a token must have at least {MIN_TOKEN_LENGTH} characters")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidRequest(f"{source}: a token must be printable ASCII without spaces")
    return text


def read_token(file: Path) -> str:
    """Return the token in a file."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise InvalidRequest(f"{file}: {error.strerror}") from error
    try:
        # Checks the opened file, as the name may refer to another file by now.
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidRequest(f"{file} is not a regular file")
        if status.st_mode & 0o077:
            raise InvalidRequest(
                f"{file}: other users can read the token; set the mode of the file to 0600"
            )
        data = os.read(descriptor, _MAX_FILE_BYTES)
    finally:
        os.close(descriptor)
    return check_token(data.decode("ascii", errors="replace"), str(file))


def new_token(file: Path) -> str:
    """Create and return a token; write it to a file that only the owner can read."""
    token = secrets.token_urlsafe(32)
    durable.make_directory(file.parent, mode=0o700)
    durable.replace_file(file, token.encode() + b"\n", mode=0o600)
    return token


def kept_token(home: Home) -> str:
    """Return the token in the home; create a missing token."""
    file = home.api_token
    deadline = Deadline.after(SystemClock(), _MAKING_MS)
    # Without the lock, two servers that start together could use different tokens.
    with alone(
        home.api_token_lock, Patience(deadline, time.sleep, "another process is creating the token")
    ):
        return read_token(file) if os.path.lexists(file) else new_token(file)
