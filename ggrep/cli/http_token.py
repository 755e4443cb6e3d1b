"""Which token callers of `ggrep api` and `ggrep mcp --http` must present."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ggrep.config.settings import API_BEARER
from ggrep.errors import GgrepError, InvalidRequest, UsageError
from ggrep.home import Home

TokenFileOption = Annotated[
    Path | None,
    typer.Option("--auth-token-file", help="File (0600) of the token callers must present."),
]
NewTokenOption = Annotated[
    bool,
    typer.Option("--new-token", help="Replace the token in the ggrep home by a new one."),
]
NoTokenOption = Annotated[
    bool,
    typer.Option("--no-token", "--allow-unauthenticated", help="Answer whoever asks."),
]


@dataclass(frozen=True, slots=True)
class HttpToken:
    """What callers must present.

    Attributes:
        value: None where nothing is wanted.
        file: where it lies; None where the environment holds it, or nothing is wanted.
    """

    value: str | None
    file: Path | None = None

    @property
    def said(self) -> str:
        """Return the line for people; the token itself stands nowhere."""
        if self.file is not None:
            return f"callers must present the token in {self.file}"
        if self.value is not None:
            return f"callers must present the token of {API_BEARER}"
        return "warning: there is no token; whoever reaches this address can read what it searches"


def http_token(
    home: Home,
    environ: Mapping[str, str],
    *,
    file: Path | None = None,
    new: bool = False,
    none: bool = False,
) -> HttpToken:
    """Return the token by the flags, else by the environment, else the home's own.

    Args:
        home: which keeps a token; one is made there when it is needed.
        environ: may hold one.
        file: holds it.
        new: replace the home's.
        none: want nothing.

    Raises:
        UsageError: the flags exclude each other.
        InvalidRequest: there is no usable token where one is said to be, and none can be made.
    """
    from ggrep.surfaces.token_file import check_token, kept_token, new_token, read_token

    flags = {"--auth-token-file": file is not None, "--new-token": new, "--no-token": none}
    if len(given := [flag for flag, is_given in flags.items() if is_given]) > 1:
        raise UsageError(f"{' and '.join(given)} cannot go together")
    if none:
        return HttpToken(None)
    if file is not None:
        return HttpToken(read_token(file), file)
    if not new and (named := environ.get(API_BEARER)):
        return HttpToken(check_token(named, API_BEARER))
    try:
        return HttpToken(new_token(home.api_token) if new else kept_token(home), home.api_token)
    except (GgrepError, OSError) as error:
        raise InvalidRequest(
            f"the token of this home cannot be had: {error}; name a file of your own with"
            " --auth-token-file, or let anybody in with --no-token"
        ) from error
