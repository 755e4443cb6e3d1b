"""`ggrep doctor`: checks of the installation, and suggested fixes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Final

from msgspec.structs import replace

from ggrep.base.errors import GgrepError, InvalidRequest
from ggrep.config.remotes import read_remotes
from ggrep.config.settings import home_from
from ggrep.interfaces.agents.config_files import ConfigFiles, command_of, those_there
from ggrep.interfaces.agents.installation import Agents, FileState, states_of
from ggrep.interfaces.cli.daemon_contact import address_of
from ggrep.interfaces.cli.daemons.status import rows_of
from ggrep.interfaces.cli.parsing.flags import Flag, JsonFlag, PathFlag, PlainFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.interfaces.cli.text_tables import plural
from ggrep.model.daemons import Daemon, DaemonState
from ggrep.model.index_freshness import DAMAGE_CODES, REPAIR
from ggrep.model.machine import MachineCheck, MachineChecks
from ggrep.model.sanitise import sanitise_line
from ggrep.model.status import Status
from ggrep.model.suggested_commands import on_root
from ggrep.render.style import Style
from ggrep.service.location import Location, location_of, open_engine
from ggrep.service.machine import Check, examine_machine, of_cluster
from ggrep.service.status_reading import read_document, status_document

_MARKS: Final = {"ok": ("good", "+"), "warning": ("warning", "-"), "problem": ("bad", "!")}


def doctor(
    path: PathFlag = None,
    cluster: Annotated[
        bool, Flag("--cluster", "Also check cluster builds, and show how to start a cluster.")
    ] = False,
    server: Annotated[
        Path | None,
        Flag("--server", "Also check the team server that this file configures."),
    ] = None,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Check the installation and suggest fixes.

    Nothing is changed, started or indexed. Marks: `+` no problem, `-` advice, `!` problem. The exit
    status is 1 if any check has the mark `!`, else 0.
    """
    terminal = open_terminal(plain=plain)
    home = home_from(terminal.environ)
    place = here() if path is None else location_of(path)
    checks = [
        # Without a repository no settings file applies: `data` contains none.
        *examine_machine(home, place.root if place else home.data, terminal.environ),
        *of_daemons(rows_of(home)),
        *(_of_index(place, terminal) if place else ()),
        *of_agents(_agents(terminal)),
        *(of_cluster(terminal.environ, read_remotes(home.remotes)) if cluster else ()),
        *(_of_server(server, terminal) if server else ()),
    ]
    terminal.show(machine_checks(checks).to_dict(), machine_text(checks, terminal.style), json=json)
    return int(any(check.state == "problem" for check in checks))


def _of_server(file: Path, terminal: Terminal) -> Iterator[Check]:
    from ggrep.interfaces.cli.servers.server_checks import of_server

    return of_server(file, terminal)


def here() -> Location | None:
    """Return the current directory; None if it cannot be indexed, such as a home directory."""
    try:
        return location_of(None)
    except InvalidRequest:
        return None


def of_daemons(rows: Sequence[Daemon]) -> Iterator[Check]:
    """Yield the checks of this home's daemons."""
    for row in rows:
        where = row.root or row.store_id
        match row.state:
            case DaemonState.SILENT:
                message = f"the daemon of {where} does not answer (process {row.pid})"
                mend = on_root("stop", Path(row.root)) if row.root else "ggrep stop-all"
                yield Check("daemons", "problem", message, mend)
            case DaemonState.STALE | DaemonState.OTHER:
                message = f"the daemon of {where} has another build or other settings"
                yield Check("daemons", "warning", message, "ggrep stop-all")
            case _ if row.problem:
                yield Check("daemons", "warning", f"{where}: {row.problem}")
            case _:
                pass
    yield Check("daemons", "ok", f"{plural(len(rows), 'daemon')} of this home" if rows else "none")


def _of_index(place: Location, terminal: Terminal) -> Iterator[Check]:
    try:
        address = address_of(place, terminal, {})
    except GgrepError:
        return  # its settings are not valid, which another check reports
    try:
        document = status_document(
            address,
            terminal.environ,
            lambda: open_engine(address.identity.root, terminal.environ, flags=address.flags),
            lambda _: None,
        )
        yield of_index(read_document(document))
    except GgrepError as error:
        yield Check("index", "problem", str(error), "ggrep health")


def of_index(status: Status) -> Check:
    """Return the check of a repository's index, from its status."""
    shown, root = status.snapshot, status.canonical_root
    for warning in status.warnings:
        if warning.code in DAMAGE_CODES:
            # An index that is being rebuilt needs no command.
            mend = on_root("repair", Path(root)) if REPAIR in warning.message else ""
            if warning.code == "index_unreadable":
                mend = on_root("index --reset", Path(root))
            return Check("index", "problem" if mend else "warning", warning.message, mend)
        if warning.code == "sync_failed":
            return Check("index", "warning", warning.message)
    if shown.active_snapshot_id is None:
        return Check("index", "ok", f"{root} is not indexed yet; the first search indexes it")
    message = f"{root}: {shown.files:,} files, {shown.chunks:,} chunks"
    if shown.degraded:
        return Check("index", "warning", f"{message}; some files are not indexed", "ggrep health")
    return Check("index", "ok", message)


def _agents(terminal: Terminal) -> Mapping[str, Sequence[FileState]]:
    """Return the state of each installed agent's files, by the agent's title.

    An entry counts as `differs` only if ggrep wrote it and would now write another one.
    """
    places, start = ConfigFiles.of(terminal.environ, None), command_of(terminal.environ)
    result = those_there(places)
    agents = Agents(home_from(terminal.environ), places, start, dry=True)
    refreshed = {done.path for done in agents.install(result, refresh=True) if done.diff}
    return {
        client.title: [
            replace(state, presence="installed")
            if state.presence == "differs" and state.path not in refreshed
            else state
            for state in states_of(client, places, start)
        ]
        for client in result
    }


def of_agents(by_title: Mapping[str, Sequence[FileState]]) -> Iterator[Check]:
    """Yield the checks of agents, from the states of their files, by agent's title."""
    asking, others = list[str](), list[str]()
    for title, states in by_title.items():
        presences = {state.presence for state in states}
        if "differs" in presences:
            text = f"{title} has an entry from another build of ggrep"
            yield Check("agents", "warning", text, "ggrep install --refresh")
        else:
            (asking if "installed" in presences else others).append(title)
    if asking:
        yield Check("agents", "ok", f"configured to use ggrep: {', '.join(asking)}")
    if others:
        text = (
            "not configured to use ggrep; to configure them run `ggrep install`: "
            f"{', '.join(others)}"
        )
        yield Check("agents", "ok", text)


def machine_text(checks: Iterable[Check], style: Style) -> str:
    """Return a line for each check, and below it the fix if there is one."""
    lines, asked = list[str](), 0
    for check in checks:
        role, mark = _MARKS[check.state]
        name = style.paint("name", f"{check.name:<8}")
        lines.append(f"{style.paint(role, mark)} {name} {sanitise_line(check.message)}")
        if check.mend:
            lines.append(f"    {sanitise_line(check.mend)}")
        asked += check.state != "ok"
    message = style.paint("warning", f"{plural(asked, 'thing')} to check")
    lines.append(message if asked else style.paint("good", "no problems"))
    return "".join(f"{line}\n" for line in lines)


def machine_checks(checks: Sequence[Check]) -> MachineChecks:
    """Return the document of `ggrep doctor`; `ok` is false if there is a problem."""
    return MachineChecks(
        ok=all(check.state != "problem" for check in checks),
        checks=tuple(
            MachineCheck(
                name=check.name,
                state=check.state,
                message=sanitise_line(check.message),
                mend=sanitise_line(check.mend) or None,
            )
            for check in checks
        ),
    )
