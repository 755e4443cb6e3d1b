"""The checks of `ggrep doctor --server`: whether the parts of a team server can be used."""

import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ggrep.base.clock import SystemClock
from ggrep.base.errors import GgrepError
from ggrep.base.locks import is_held
from ggrep.config.settings import home_from
from ggrep.interfaces.cli.servers.server import lock_of, read_record
from ggrep.interfaces.cli.terminal import Terminal
from ggrep.interfaces.cli.text_tables import plural
from ggrep.service.machine import Check, of_ray

if TYPE_CHECKING:
    from ggrep.server.server_file import ServerFile

_COPIES: Final = 2


def of_server(file: Path, terminal: Terminal) -> Iterator[Check]:
    """Yield the checks of a server's configuration; nothing is started or written."""
    from ggrep.server.server_file import read_server_file, require_extra

    try:
        server = read_server_file(file)
        require_extra(server)
    except GgrepError as error:
        yield Check("server", "problem", str(error), f"correct {file}, then repeat this check")
        return
    nodes = f"actors of Ray at {server.ray}" if server.ray else "processes of this machine"
    yield Check("server", "ok", f"{file}: {plural(server.nodes, 'node')}, {nodes}")
    yield _of_access(Path(server.access))
    yield _of_login(server, file)
    size = 0
    try:
        size, check = _of_remote(server, terminal)
        yield check
    except GgrepError as error:
        mend = f"check `remote` in {file}, and the credentials in the environment"
        yield Check("remote", "problem", str(error), mend)
    yield _of_cache(Path(server.cache), size)
    if server.ray:
        yield from of_ray(server.ray)
    if is_held(lock_of(server)):
        yield from of_record(read_record(server))


def _of_access(file: Path) -> Check:
    from ggrep.server.access import read_access

    try:
        rules = read_access(file).rules
    except GgrepError as error:
        mend = f"correct {file}; until then, a server refuses every request"
        return Check("access", "problem", str(error), mend)
    if not rules:
        return Check("access", "warning", f"{file}: no user sees a repository", "add a rule")
    return Check("access", "ok", f"{file}: {plural(len(rules), 'rule')}")


def _of_login(server: "ServerFile", file: Path) -> Check:
    from ggrep.server.server_file import tokens_of

    issuer = server.login.issuer
    try:
        number = len(tokens_of(server, SystemClock()).fetch())
    except GgrepError as error:
        return Check("login", "problem", f"{issuer}: {error}", f"check `login` in {file}")
    return Check("login", "ok", f"{plural(number, 'key')} of {issuer}")


def _of_remote(server: "ServerFile", terminal: Terminal) -> tuple[int, Check]:
    """Return the bytes of all snapshots, and the check of the remote."""
    from ggrep.index.remote.objects import open_objects
    from ggrep.server.server_file import fingerprint_of, remote_of, settings_of

    settings = settings_of(server, home_from(terminal.environ), terminal.environ)
    objects = open_objects(remote_of(server), time.sleep)
    repos = Counter(stat.key.rpartition("/")[2] for stat in objects.list("refs"))
    usable = repos.pop(fingerprint_of(server, settings), 0)
    message = f"{server.remote.url}: {plural(usable, 'repository', 'repositories')}"
    if others := repos.total():
        message += f", and {plural(others, 'snapshot')} of other settings"
    if not usable:
        return 0, Check(
            "remote", "warning", message, "push a repository with the settings of the server"
        )
    size = sum(stat.size_bytes for stat in objects.list("blobs"))
    return size, Check("remote", "ok", message)


def _of_cache(cache: Path, size: int) -> Check:
    there = next(folder for folder in (cache, *cache.parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        mend = f"let the server's user write to {there}"
        return Check("cache", "problem", f"{cache}: {there} cannot be written", mend)
    held = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    free = shutil.disk_usage(there).free + held
    space = f"space for {free / 1e9:.1f} GB; {_COPIES} copies of all snapshots take about"
    message = f"{cache}: {space} {_COPIES * size / 1e9:.1f} GB"
    if free < _COPIES * size:
        return Check("cache", "warning", message, "use a larger disk, or more machines with Ray")
    return Check("cache", "ok", message)


def of_record(record: dict[str, Any]) -> Iterator[Check]:
    """Yield the checks of a running server, from the state that it wrote last."""
    silent = [name for name, node in record.get("nodes", {}).items() if not node["answering"]]
    for name in sorted(silent):
        mend = "wait until the node starts again; if it does not, see the log of the server"
        yield Check("nodes", "problem", f"{name} does not answer", mend)
    for line in record.get("problems", ()):
        yield Check("nodes", "warning", line, 'see "Failures" in docs/impl/server.md')
    if not silent:
        yield Check("nodes", "ok", "the server runs, and all its nodes answer")
