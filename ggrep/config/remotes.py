"""The remotes of a home: buckets and directories for pushed snapshots.

Only `ggrep remote` writes this list; a repository's file cannot add a remote. No secret is stored:
credentials come from environment variables with the usual names of each provider.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import durable, stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.base.stable_json import DecodeError, decode

VERSION: Final = 1
"""Version of the file. 1: the first version."""
SCHEMES: Final = ("s3", "gs", "az", "file", "https")
GRACE_HOURS: Final = 24
"""Minimum age of deleted unreferenced objects: a running push can still need younger ones."""
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_TEXT: Final = re.compile(r"[!-~]{1,512}")
_SERVER_SCHEMES: Final = frozenset({"https", "http"})
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_MOST_TOKEN: Final = 16_384
_TOKEN: Final = re.compile(rf"[!-~]{{1,{_MOST_TOKEN}}}")


class Remote(Struct, frozen=True):
    """A remote: a bucket, a directory or a team server.

    Attributes:
        url: `s3://bucket/folder`, `gs://`, `az://`, or `file:///directory`.
        endpoint: URL of an S3-compatible service other than Amazon's; empty for the default of the
            URL's scheme.
        plain_http: whether the endpoint may be used without TLS.
        readable: whether pushed content of a file is shown before it is compared with the file in
            the work tree.
        token_env: name of the environment variable with the token of a team server.
        token_file: absolute path of the file with that token.
    """

    name: str
    url: str
    endpoint: str = ""
    region: str = ""
    plain_http: bool = False
    readable: bool = False
    token_env: str = ""
    token_file: str = ""

    @property
    def is_server(self) -> bool:
        """Return whether the remote is a team server, which answers queries but takes no pushes."""
        return urlsplit(self.url).scheme in _SERVER_SCHEMES

    def token(self, environ: Mapping[str, str]) -> str:
        """Return the token of a team server.

        Raises:
            InvalidRequest: there is no token, or the token is not one line of printable ASCII.
        """
        place = f"${self.token_env}" if self.token_env else self.token_file
        try:
            text = environ.get(self.token_env, "") if self.token_env else _text_in(self.token_file)
        except (OSError, ValueError) as error:
            raise InvalidRequest(f"the token in {place} cannot be read") from error
        if not _TOKEN.fullmatch(text.strip()):
            raise InvalidRequest(f"{place} must hold the token of the team server {self.url}")
        return text.strip()

    @property
    def directory(self) -> Path | None:
        """Return the directory of the remote; None for object storage."""
        parts = urlsplit(self.url)
        return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _text_in(file: str) -> str:
    with Path(file).open(encoding="ascii") as opened:
        return opened.read(_MOST_TOKEN + 1)


def server_url(text: str) -> str:
    """Return the address of a team server in one spelling.

    Raises:
        InvalidRequest: `text` is not a server's address, or data would be sent unencrypted.
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise InvalidRequest(f"{text!r} is no address") from None
    if not (host and _TEXT.fullmatch(text)) or "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidRequest(f"{text!r} must be an address such as https://code.example.com")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in _LOOPBACK):
        raise InvalidRequest(f"{text!r} must begin with https://; http:// is for localhost only")
    shown = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{shown}{f':{port}' if port else ''}{parts.path.rstrip('/')}"


def checked(remote: Remote) -> Remote:
    """Return a remote after checking its fields."""
    if not _NAME.fullmatch(remote.name):
        raise InvalidRequest(
            f"remote name {remote.name!r} is invalid; use lower-case letters, digits, . _ and -"
        )
    for text in (remote.url, remote.endpoint, remote.region):
        if text and not _TEXT.fullmatch(text):
            raise InvalidRequest(f"{text!r} must be printable ASCII without spaces")
    if remote.is_server:
        _check_server(remote)
    else:
        _check_url(remote)
    _check_endpoint(remote)
    return remote


def _check_url(remote: Remote) -> None:
    parts = urlsplit(remote.url)
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InvalidRequest(
            f"remote {remote.name}: remove user, password and query from the URL; "
            "credentials come from the environment"
        )
    if parts.scheme not in SCHEMES:
        known = ", ".join(f"{scheme}://" for scheme in SCHEMES)
        raise InvalidRequest(f"remote URL {remote.url!r} must start with one of {known}")
    if {".", ".."} & set(unquote(parts.path).split("/")):
        raise InvalidRequest(
            f"remote URL {remote.url}: the path must not contain . or .. as a part"
        )
    if parts.scheme == "file":
        if parts.netloc or not parts.path.startswith("/") or parts.path == "/":
            raise InvalidRequest(
                f"remote URL {remote.url}: write a directory as file:///absolute/path"
            )
    elif not parts.netloc:
        raise InvalidRequest(f"remote URL {remote.url} does not name a bucket")


def _check_server(remote: Remote) -> None:
    if server_url(remote.url) != remote.url:
        raise InvalidRequest(f"write the address of the team server as {server_url(remote.url)}")
    if bool(remote.token_env) == bool(remote.token_file):
        raise InvalidRequest(
            f"remote {remote.name} is a team server: name the place of its token with --token-env"
            " or --token-file"
        )


def _check_endpoint(remote: Remote) -> None:
    if not remote.is_server and (remote.token_env or remote.token_file):
        raise InvalidRequest(f"remote {remote.name}: only team servers, https://, have a token")
    if urlsplit(remote.url).scheme != "s3" and (remote.endpoint or remote.region):
        raise InvalidRequest(
            f"remote URL {remote.url}: --endpoint and --region only work with s3://"
        )
    if not remote.endpoint:
        return
    parts = urlsplit(remote.endpoint)
    if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
        raise InvalidRequest(f"remote {remote.name}: write the endpoint as https://host:port")
    if parts.path.strip("/") or parts.query or parts.fragment:
        raise InvalidRequest(
            f"remote {remote.name}: write the endpoint as https://host:port, without a path"
        )
    if parts.scheme == "http" and not remote.plain_http:
        raise InvalidRequest(
            f"endpoint {remote.endpoint} does not use TLS, so others can read the data; "
            "to allow it: --plain-http"
        )


def read_remotes(file: Path) -> tuple[Remote, ...]:
    """Return the remotes in the order in which they were added; none without a file.

    Raises:
        InvalidRequest: the file does not have ggrep's format.
    """
    try:
        document = stable_json.loads(file.read_bytes())
    except FileNotFoundError:
        return ()
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"file {file} cannot be read; delete or rename it") from error
    try:
        if not isinstance(document, dict) or document.get("schema_version") != VERSION:
            raise InvalidRequest(f"file {file} was written by another build of ggrep")
        return tuple(map(checked, decode(tuple[Remote, ...], document.get("remotes"))))
    except DecodeError as error:
        raise InvalidRequest(
            f"file {file} does not have the format that ggrep writes; delete or rename it"
        ) from error


def write_remotes(file: Path, remotes: Sequence[Remote]) -> None:
    """Write the list of remotes and sync the file; delete the file if there are none.

    Requires: the caller has locked `Home.remotes_lock`.
    """
    if not remotes:
        file.unlink(missing_ok=True)
        return
    durable.make_directory(file.parent)
    document = {"schema_version": VERSION, "remotes": [asdict(remote) for remote in remotes]}
    durable.replace_file(file, stable_json.dumps_pretty(document))


def remote_named(remotes: Sequence[Remote], name: str | None) -> Remote:
    """Return the remote with a name; without a name, the only remote, or else `origin`.

    Raises:
        InvalidRequest: no remote matches, or `name` is a team server, which stores no indexes.
    """
    if name in {each.name for each in remotes if each.is_server}:
        raise InvalidRequest(f"remote {name} is a team server, which stores no indexes")
    remotes = [each for each in remotes if not each.is_server]
    if not remotes:
        raise InvalidRequest("no remote is configured; to add one: ggrep remote add origin URL")
    if name is None and len(remotes) == 1:
        return remotes[0]
    remote = next((each for each in remotes if each.name == (name or "origin")), None)
    if remote is None:
        names = ", ".join(each.name for each in remotes)
        problem = (
            f"there is no remote {name!r}"
            if name
            else "there are several remotes, but none is named origin"
        )
        raise InvalidRequest(f"{problem}; name one of these remotes: {names}")
    return remote
