"""`ggrep self uninstall`: takes ggrep off the machine again."""

import shlex
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

from ggrep.base.commands import spelled
from ggrep.base.errors import Busy
from ggrep.config.home import Home
from ggrep.config.settings import home_from
from ggrep.index.maintenance.home_removal import home_bytes, remove_home
from ggrep.index.maintenance.inventory import list_stores
from ggrep.interfaces.agents.applying import Agents
from ggrep.interfaces.agents.detection import command_of
from ggrep.interfaces.agents.places import Places
from ggrep.interfaces.agents.shells import EVERY
from ggrep.interfaces.agents.writing import Done
from ggrep.interfaces.cli.agents.agents_json import files_json
from ggrep.interfaces.cli.daemons.serve import end_all
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag, PlainFlag, YesFlag
from ggrep.interfaces.cli.stores.home_stores import daemons_stopped
from ggrep.interfaces.cli.terminal import Terminal, confirmed, open_terminal, require_somebody
from ggrep.interfaces.cli.text_tables import bytes_text, plural
from ggrep.model.sanitise import sanitise_line
from ggrep.protocol.client.daemon_listing import running
from ggrep.protocol.wire.socket_place import fallback_directory
from ggrep.service.installation import ONE_CALL, Installation, installation, is_installed

if TYPE_CHECKING:
    from ggrep.model.schemas.machine import SelfUninstallJson

_SCHEMA: Final = 1
_LEFT: Final = frozenset({"refused", "changed"})
"""Outcomes of files that our entry stays in."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes, or went.

    Attributes:
        daemons: how many.
        files: of agents and shells.
        projects: roots of those whose files keep our entries.
        home_bytes: what the home takes; `home_gone` whether it is deleted.
        package_gone: whether the package is.
        problems: what did not go, a line each.
    """

    home: Home
    daemons: int
    files: Sequence[Done]
    projects: Sequence[Path]
    home_bytes: int
    package: Installation
    home_gone: bool = False
    package_gone: bool = False
    problems: Sequence[str] = ()


def self_uninstall(
    with_home: Annotated[
        bool, Flag("--home", "Also delete the home: all indexes, settings and logs.")
    ] = False,
    keep_package: Annotated[
        bool, Flag("--keep-package", "Do not remove the program itself.")
    ] = False,
    dry_run: Annotated[
        bool, Flag("--dry-run -d", "List what would be removed; change nothing.")
    ] = False,
    yes: YesFlag = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Take ggrep off this machine: daemons, what it wrote into agents and shells, the program.

    It is shown and asked first, unless `--yes` is given. Indexes stay unless `--home` says
    otherwise; code is never touched.
    """
    terminal = open_terminal(plain=plain)
    if not dry_run:
        require_somebody("self uninstall", yes=yes)
    home, places = home_from(terminal.environ), Places.of(terminal.environ, None)
    start = command_of(terminal.environ)
    package = Installation(installation().installer) if keep_package else installation()
    planned = Removal(
        home,
        len(running(home)),
        Agents(home, places, start, dry=True).uninstall_all(),
        Agents(home, places, start).projects(),
        home_bytes(home),
        package,
    )
    if not json:
        _tell_plan(planned, terminal, with_home=with_home, keep_package=keep_package)
    if dry_run:
        done = planned
    elif yes or confirmed("remove all that?"):
        done = _remove(planned, Agents(home, places, start), with_home=with_home)
    else:
        terminal.tell("nothing was removed")
        return 1
    if json:
        terminal.write_json(removal_json(done, dry_run=dry_run), pretty=True)
    elif not dry_run:
        _tell_end(done, terminal, with_home=with_home, keep_package=keep_package)
    return int(bool(done.problems))


def _remove(planned: Removal, agents: Agents, *, with_home: bool) -> Removal:
    """Remove one after another; a daemon or a store that stays keeps home and package."""
    home, problems = planned.home, list[str]()
    files = agents.uninstall_all()
    ended = end_all(home)
    problems += [f"{each.root}: {each.reason}" for each in ended if each.outcome == "failed"]
    home_gone = package_gone = False
    if with_home and not problems:
        try:
            with daemons_stopped(home, [entry.store_id for entry in list_stores(home)]):
                home_gone = remove_home(home)
        except Busy as error:
            problems.append(str(error))
        with suppress(OSError):
            fallback_directory().rmdir()  # sockets lie there whose paths would be too long
    if planned.package.remove and not problems:
        said = _run(planned.package.remove)
        package_gone = not said and not is_installed()
        problems += [] if package_gone else [said or f"{planned.package.installer} left it there"]
    problems += [_left(each) for each in files if each.outcome in _LEFT]
    return Removal(
        home,
        len(ended),
        files,
        planned.projects,
        planned.home_bytes,
        planned.package,
        home_gone,
        package_gone,
        problems,
    )


def _left(done: Done) -> str:
    """Return what is told of a file that our entry is left in."""
    return f"{done.path}: {done.said}; edit the file by hand"


def _run(command: Sequence[str]) -> str:
    """Run what removes the package; return what it says where it fails, else nothing."""
    try:
        done = subprocess.run(  # noqa: S603 - what brought this program
            command,
            check=False,
            capture_output=True,
            text=True,
            # Python takes modules from the current directory first.
            cwd="/",
        )
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    last = (done.stderr or done.stdout).strip().splitlines()[-1:]
    return f"{shlex.join(command)}: {''.join(last)}" if done.returncode else ""


def _tell_plan(
    planned: Removal, terminal: Terminal, *, with_home: bool, keep_package: bool
) -> None:
    for name, text in _rows(planned, with_home=with_home, keep_package=keep_package):
        shown = terminal.style.paint("name", f"{name:<9}")
        terminal.write(f"{shown} {sanitise_line(text)}\n")


def _rows(planned: Removal, *, with_home: bool, keep_package: bool) -> Iterator[tuple[str, str]]:
    yield "daemons", f"{plural(planned.daemons, 'daemon')} will end" if planned.daemons else "none"
    for name in EVERY:
        for each in planned.files:
            if each.client == name:
                left = each.outcome in _LEFT
                yield name, _left(each) if left else f"taken out of {each.path}"
    for root in planned.projects:
        line = spelled("uninstall", "--project", "--path", str(root))
        yield "stays", f"what {root} says of ggrep, as others share it; to take it out: {line}"
    size = bytes_text(planned.home_bytes)
    kept = "ggrep's files are deleted" if with_home else "stays; --home deletes it"
    yield "home", f"{planned.home.base}, {size}: {kept}"
    if keep_package:
        yield "package", "stays"
    else:
        yield "package", shlex.join(planned.package.remove) or _unremoved(planned.package)


def _unremoved(package: Installation) -> str:
    if package.installer == ONE_CALL:
        return "runs from a temporary environment; nothing to remove"
    return "installed in an unknown way; remove it with the tool that installed it"


def _tell_end(done: Removal, terminal: Terminal, *, with_home: bool, keep_package: bool) -> None:
    for problem in done.problems:
        terminal.tell_error(problem)
    if keep_package:
        terminal.tell("the program stays")
    elif not done.package.remove:
        terminal.tell(f"the program {_unremoved(done.package)}")
    else:
        terminal.tell("ggrep is gone" if done.package_gone else "the program is still there")
    base = done.home.base
    if with_home and base.exists():
        terminal.tell(f"{base} stays: something in it is in use, or is not of ggrep")
    elif base.exists():
        terminal.tell(f"{base} stays: its indexes, {bytes_text(done.home_bytes)}")


def removal_json(done: Removal, *, dry_run: bool) -> "SelfUninstallJson":
    """Return the document of `ggrep self uninstall`."""
    return {
        "schema_version": _SCHEMA,
        "ok": not done.problems,
        "dry_run": dry_run,
        "daemons": done.daemons,
        "files": files_json(done.files),
        "projects": [sanitise_line(str(root)) for root in done.projects],
        "home": {
            "path": sanitise_line(str(done.home.base)),
            "bytes": done.home_bytes,
            "deleted": done.home_gone,
        },
        "package": {
            "installer": done.package.installer,
            "command": shlex.join(done.package.remove) or None,
            "removed": done.package_gone,
        },
    }
