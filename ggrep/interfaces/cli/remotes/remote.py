"""`ggrep remote add|list|remove|gc`: where snapshots are pushed to and pulled from."""

import os
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Final

from msgspec.structs import asdict

from ggrep.base.clock import SystemClock
from ggrep.base.deadline import Deadline
from ggrep.base.errors import UsageError
from ggrep.base.locks import Patience, alone
from ggrep.base.stable_json import Document
from ggrep.config.home import Home
from ggrep.config.remotes import (
    GRACE_HOURS,
    Remote,
    checked,
    read_remotes,
    remote_named,
    write_remotes,
)
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, JsonFlag, PlainFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.text_tables import bytes_text, plural
from ggrep.model.sanitise import sanitise_line

_LOCK_MS: Final = 10_000


def add(
    name: Annotated[
        str, Argument("Name of the remote; the default of other commands is `origin`.")
    ],
    url: Annotated[
        str, Argument("s3://BUCKET/FOLDER, gs://..., az://..., or a directory.", metavar="URL")
    ],
    endpoint: Annotated[str | None, Flag("--endpoint", "URL of an S3-compatible service.")] = None,
    region: Annotated[
        str | None, Flag("--region", "S3 region; default: from the environment.")
    ] = None,
    plain_http: Annotated[bool, Flag("--plain-http", "Allow an endpoint without TLS.")] = False,
    readable: Annotated[
        bool,
        Flag("--readable", "Show pushed files before they are compared with the files here."),
    ] = False,
    json: JsonFlag = False,
) -> int:
    """Add a remote, or change its URL.

    Nothing is asked of it yet. Credentials come from the environment, by their provider's names:
    AWS_ACCESS_KEY_ID, GOOGLE_APPLICATION_CREDENTIALS, AZURE_STORAGE_ACCOUNT_KEY and so on.
    """
    remote = checked(
        Remote(
            name,
            _as_url(url).rstrip("/"),
            (endpoint or "").rstrip("/"),
            region or "",
            plain_http=plain_http,
            readable=readable,
        )
    )

    def added(known: Sequence[Remote]) -> Sequence[Remote]:
        others = {one.name: one for one in known}
        return tuple((others | {name: remote}).values())

    return _changed(added, f"{name} is {remote.url}", json=json)


def _as_url(typed: str) -> str:
    """Return what was typed, a path of a directory as its URL."""
    if not typed.startswith(("/", "./", "../", "~/")):
        return typed
    return Path(os.path.abspath(Path(typed).expanduser())).as_uri()  # noqa: PTH100 - keeps links


def remove(
    name: Annotated[str, Argument("Its name.")],
    json: JsonFlag = False,
) -> int:
    """Remove a remote from the settings; its objects stay."""

    def removed(known: Sequence[Remote]) -> Sequence[Remote]:
        remote_named(known, name)
        return tuple(one for one in known if one.name != name)

    return _changed(removed, f"{name} is removed from the settings; its objects stay", json=json)


def list_command(json: JsonFlag = False, plain: PlainFlag = False) -> int:
    """List the remotes of this home."""
    terminal = open_terminal(plain=plain)
    remotes = read_remotes(home_from(terminal.environ).remotes)
    if json:
        terminal.write_json(remotes_json(remotes), pretty=True)
        return 0
    for one in remotes:
        more = [f"endpoint {one.endpoint}"] if one.endpoint else []
        more += ["readable"] if one.readable else []
        told = f"  ({', '.join(more)})" if more else ""
        name = terminal.style.paint("name", one.name)
        terminal.write(f"{name}  {sanitise_line(one.url)}{sanitise_line(told)}\n")
    if not remotes:
        terminal.note("no remote is configured; to add one: ggrep remote add origin URL\n")
    return 0


def gc(
    name: Annotated[
        str | None, Argument("Name of the remote; default: the only one, or origin.")
    ] = None,
    grace_hours: Annotated[
        int, Flag("--grace-hours", "Keep younger objects.", least=GRACE_HOURS, most=8760)
    ] = GRACE_HOURS,
    force: Annotated[bool, Flag("--force", "Delete it.")] = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Say what of a remote nobody needs any more, or delete it.

    Needed is what the last 32 pushes of each repository and configuration are made of.
    """
    from ggrep.index.remote.collect import collect
    from ggrep.index.remote.objects import open_objects

    terminal = open_terminal(plain=plain)
    remote = known_remote(terminal, name)
    objects = open_objects(remote, time.sleep)
    grace = timedelta(hours=grace_hours)
    found = collect(objects, SystemClock(), grace=grace, force=force)
    if json:
        terminal.write_json(found.to_dict(), pretty=True)
        return 0
    count, size = (
        (found.deleted, found.deleted_bytes) if force else (found.removable, found.removable_bytes)
    )
    verb = "deleted" if force else "would delete"
    told = plural(count, "object", "objects")
    terminal.write(f"{verb} {told}, {bytes_text(size)}; {found.kept} kept, {found.refs} refs\n")
    if not force and found.removable:
        more = "" if grace_hours == GRACE_HOURS else f" --grace-hours {grace_hours}"
        line = f"ggrep remote gc {remote.name} --force{more}"
        terminal.note(f"nothing was deleted; to delete: {line}\n")
    return 0


def known_remote(terminal: Terminal, name: str | None) -> Remote:
    """Return the remote that is meant.

    Raises:
        InvalidRequest: there is none.
    """
    return remote_named(read_remotes(home_from(terminal.environ).remotes), name)


def remotes_json(remotes: Sequence[Remote]) -> Document:
    """Return the remotes of a home."""
    shown = [
        {**asdict(one), "endpoint": one.endpoint or None, "region": one.region or None}
        for one in remotes
    ]
    return {"schema_version": 1, "remotes": shown}


def _changed(
    change: Callable[[Sequence[Remote]], Sequence[Remote]], said: str, *, json: bool
) -> int:
    terminal = open_terminal()
    home = home_from(terminal.environ)
    _require_home(home)
    patience = Patience(
        Deadline.after(SystemClock(), _LOCK_MS), time.sleep, "the remotes are being changed"
    )
    with alone(home.remotes_lock, patience):
        remotes = change(read_remotes(home.remotes))
        write_remotes(home.remotes, remotes)
    if json:
        terminal.write_json(remotes_json(remotes), pretty=True)
    else:
        terminal.tell(said)
    return 0


def _require_home(home: Home) -> None:
    if home.base.exists() and not home.base.is_dir():
        raise UsageError(f"{home.base}: the ggrep home is not a directory")
