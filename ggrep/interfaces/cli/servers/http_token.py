"""The token that callers of `ggrep api` and `ggrep mcp --http` must present."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar

from msgspec import Struct

from ggrep.base.errors import GgrepError, InvalidRequest, UsageError
from ggrep.config.home import Home
from ggrep.config.settings import API_BEARER
from ggrep.interfaces.cli.parsing.flags import Flag, typed_flags


class TokenOptions(Struct, frozen=True):
    """Options that choose the token."""

    title: ClassVar = "Token"

    file: Annotated[
        Path | None,
        Flag(
            "--auth-token-file",
            "File with the token that callers must send; its mode must be 0600.",
        ),
    ] = None
    new: Annotated[
        bool, Flag("--new-token", "Replace the token of the ggrep home directory with a new token.")
    ] = False
    none: Annotated[
        bool, Flag("--no-token --allow-unauthenticated", "Accept callers without a token.")
    ] = False


class HttpToken(Struct, frozen=True):
    """The token that callers must present, and its file; `value` is None if none is required."""

    value: str | None
    file: Path | None = None

    @property
    def description(self) -> str:
        """Return a line for people about the token; the line does not contain the token."""
        if self.file is not None:
            return f"callers must present the token in {self.file}"
        if self.value is not None:
            return f"callers must present the token of {API_BEARER}"
        return "warning: no token is required; everyone who reaches this address can search"


def http_token(home: Home, environ: Mapping[str, str], options: TokenOptions) -> HttpToken:
    """Return the token from the options, the environment, or the home, in this order."""
    from ggrep.interfaces.cli.servers.token_file import (
        check_token,
        kept_token,
        new_token,
        read_token,
    )

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
            f"the token of the ggrep home is unavailable: {error}; use another file with"
            " --auth-token-file, or accept all callers with --no-token"
        ) from error
