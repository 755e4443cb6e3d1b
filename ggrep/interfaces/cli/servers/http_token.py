"""The token that callers of `ggrep api` and `ggrep mcp --http` must present."""

import os
import secrets
import stat
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, Final

from ggrep.base import durable
from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import GgrepError, InvalidRequest, UsageError
from ggrep.base.locks import Patience, alone
from ggrep.config.home import Home
from ggrep.config.settings import API_BEARER
from ggrep.interfaces.cli.parsing.flags import Flag, typed_flags


@dataclass(frozen=True, slots=True)
class TokenOptions:
    """Which token to use.

    Attributes:
        file: holds it.
        new: replace the home's.
        none: want nothing.
    """

    title: ClassVar = "Token"

    file: Annotated[
        Path | None,
        Flag("--auth-token-file", "Read the token that callers must send from this file (0600)."),
    ] = None
    new: Annotated[bool, Flag("--new-token", "Replace the token of the ggrep home.")] = False
    none: Annotated[
        bool, Flag("--no-token --allow-unauthenticated", "Accept callers without a token.")
    ] = False


@dataclass(frozen=True, slots=True)
class HttpToken:
    """The token that callers must present.

    Attributes:
        value: None where nothing is wanted.
        file: where it lies; None where the environment holds it, or nothing is wanted.
    """

    value: str | None
    file: Path | None = None

    @property
    def said(self) -> str:
        """Return a line about the token for people, without the token itself."""
        if self.file is not None:
            return f"callers must present the token in {self.file}"
        if self.value is not None:
            return f"callers must present the token of {API_BEARER}"
        return "warning: there is no token; whoever reaches this address can read what it searches"


def http_token(home: Home, environ: Mapping[str, str], options: TokenOptions) -> HttpToken:
    """Return the token by the options, else by the environment, else the home's own.

    Args:
        home: which keeps a token; one is made there when it is needed.
        environ: may hold one.
        options: which one is wanted.

    Raises:
        UsageError: the flags exclude each other.
        InvalidRequest: there is no usable token where one is said to be, and none can be made.
    """
    if len(given := typed_flags(options)) > 1:
        raise UsageError(f"{' and '.join(given)} cannot go together")
    if options.none:
        return HttpToken(None)
    if options.file is not None:
        return HttpToken(read_token(options.file), options.file)
    if not options.new and (named := environ.get(API_BEARER)):
        return HttpToken(check_token(named, API_BEARER))
    try:
        return HttpToken(
            new_token(home.api_token) if options.new else kept_token(home), home.api_token
        )
    except (GgrepError, OSError) as error:
        raise InvalidRequest(
            f"the token of this home cannot be had: {error}; name a file of your own with"
            " --auth-token-file, or let anybody in with --no-token"
        ) from error


MIN_TOKEN_LENGTH: Final = 16
_MAX_FILE_BYTES: Final = 4096
_MAKING_MS: Final = 10_000
"""How long another process that makes the token is waited for."""


def check_token(token: str, source: str) -> str:
    """Return the token without surrounding blanks.

    Raises:
        InvalidRequest: it is too short to be one, or no header can hold it.
    """
    text = token.strip()
    if len(text) < MIN_TOKEN_LENGTH:
        raise InvalidRequest(f"{source}: a token has at least {MIN_TOKEN_LENGTH} characters")
    if not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidRequest(f"{source}: a token is printable ASCII without blanks")
    return text


def read_token(file: Path) -> str:
    """Return the token that a file holds.

    Raises:
        InvalidRequest: there is none, or others may read it.
    """
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise InvalidRequest(f"{file}: {error.strerror}") from error
    try:
        # Of what was opened, not of what may stand under its name by now.
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InvalidRequest(f"{file}: not a regular file")
        if status.st_mode & 0o077:
            raise InvalidRequest(f"{file}: others may read it; make it 0600")
        data = os.read(descriptor, _MAX_FILE_BYTES)
    finally:
        os.close(descriptor)
    return check_token(data.decode("ascii", errors="replace"), str(file))


def new_token(file: Path) -> str:
    """Make a token, put it into a file that is its owner's alone, and return it."""
    token = secrets.token_urlsafe(32)
    durable.make_directory(file.parent, mode=0o700)
    durable.replace_file(file, token.encode() + b"\n", mode=0o600)
    return token


def kept_token(home: Home) -> str:
    """Return the token in the home, which is made when there is none.

    Raises:
        InvalidRequest: others may read it, or it is another user's.
        GgrepError: it can be neither read nor made.
    """
    file = home.api_token
    deadline = Deadline.after(SystemClock(), _MAKING_MS)
    # One of two servers that start at once would want a token that nobody can read any more.
    with alone(home.api_token_lock, Patience(deadline, time.sleep, "the token is being made")):
        return read_token(file) if os.path.lexists(file) else new_token(file)
