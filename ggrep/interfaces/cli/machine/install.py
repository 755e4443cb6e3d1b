"""`ggrep install|uninstall`: adds and removes ggrep in the configuration of agents."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar, Final, TypeAlias

from msgspec import Struct

from ggrep.base.commands import nearest
from ggrep.base.errors import UsageError
from ggrep.config.settings import home_from
from ggrep.interfaces.agents import config_files
from ggrep.interfaces.agents.clients import CLIENTS, Client
from ggrep.interfaces.agents.config_files import ConfigFiles
from ggrep.interfaces.agents.installation import Agents, snippet_of, states_of
from ggrep.interfaces.agents.shells import EVERY, SHELLS
from ggrep.interfaces.agents.writing import Done
from ggrep.interfaces.cli.parsing.flags import Argument, Flag, JsonFlag, PathFlag, PlainFlag
from ggrep.interfaces.cli.terminal import Terminal, open_terminal
from ggrep.model.machine import (
    AgentFile,
    ClientFile,
    Clients,
    Installation,
    ListedClient,
    Snippet,
    Snippets,
)
from ggrep.model.sanitise import sanitise, sanitise_line
from ggrep.service.location import location_of

_REFUSED: Final = UsageError.exit_status
_MANUAL: Final = "edit by hand"
_DONE: Final = {"written": "written into", "removed": "removed from", "manual": _MANUAL}
_PLANNED: Final = {
    "written": "would write into",
    "removed": "would be removed from",
    "manual": _MANUAL,
}

_Names: TypeAlias = Annotated[
    list[str] | None,
    Argument(
        f"Clients: {', '.join(CLIENTS)}. Shells, for completions: {', '.join(SHELLS)}.",
        metavar="CLIENT...",
        takes="client",
    ),
]
_DryFlag: TypeAlias = Annotated[
    bool, Flag("--dry-run -d", "Print the changes as a diff; write nothing.")
]


class FileOptions(Struct, frozen=True):
    """The configuration files to edit: those of the user or of a project."""

    title: ClassVar = "Files"

    user: Annotated[bool, Flag("--user", "Edit your own files. This is the default.")] = False
    project: Annotated[
        bool, Flag("--project", "Edit the repository's files, which all its users share.")
    ] = False
    path: PathFlag = None

    def places(self, terminal: Terminal) -> ConfigFiles:
        """Return the directories that contain the configuration files."""
        if self.user and self.project:
            raise UsageError("use only one of --user and --project")
        if self.path is not None and not self.project:
            raise UsageError("--path: only with --project")
        root = location_of(self.path).root if self.project else None
        return ConfigFiles.of(terminal.environ, root)


def install(
    where: FileOptions,
    clients: _Names = None,
    listed: Annotated[
        bool, Flag("--list", "List the clients on this machine and their ggrep entries.")
    ] = False,
    shown: Annotated[
        bool, Flag("--print-config", "Print the text for each file; write nothing.")
    ] = False,
    refresh: Annotated[
        bool, Flag("--refresh", "Rewrite entries that an earlier build of ggrep wrote.")
    ] = False,
    command: Annotated[
        str | None,
        Flag(
            "--command",
            "Command with which clients start ggrep; default: ggrep, or its path if it is not on"
            " PATH.",
        ),
    ] = None,
    dry_run: _DryFlag = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Configure the given agents, or all agents on this machine, to use ggrep."""
    terminal = open_terminal(plain=plain)
    if sum((listed, shown, refresh or dry_run)) > 1:
        raise UsageError(
            "--list and --print-config cannot go together, nor with --refresh or --dry-run"
        )
    places, chosen = where.places(terminal), _chosen(clients, where)
    start = command or config_files.command_of(terminal.environ)
    if listed:
        return _list(chosen or list(EVERY.values()), places, start, terminal, json=json)
    chosen = chosen or config_files.those_there(places)
    if shown:
        return _show(chosen, places, start, terminal, json=json)
    agents = Agents(home_from(terminal.environ), places, start, dry=dry_run)
    done = agents.install(chosen, refresh=refresh)
    if not chosen and not json:
        terminal.note("no client was found; name a client, or list them: ggrep install --list\n")
    return _print_outcomes(done, agents, terminal, json=json)


def uninstall(
    where: FileOptions,
    clients: _Names = None,
    dry_run: _DryFlag = False,
    json: JsonFlag = False,
    plain: PlainFlag = False,
) -> int:
    """Remove ggrep from the configuration of the given agents, or of all agents."""
    terminal = open_terminal(plain=plain)
    places = where.places(terminal)
    start = config_files.command_of(terminal.environ)
    agents = Agents(home_from(terminal.environ), places, start, dry=dry_run)
    done = agents.uninstall(_chosen(clients, where)) if clients else agents.uninstall_all()
    return _print_outcomes(done, agents, terminal, json=json)


def _chosen(names: Sequence[str] | None, where: FileOptions) -> list[Client]:
    for name in names or ():
        if name not in EVERY:
            meant = nearest(name, list(EVERY))
            advice = f"did you mean {meant}?" if meant else f"known clients: {', '.join(EVERY)}"
            raise UsageError(f"unknown client {name!r}; {advice}")
        if where.project and not EVERY[name].project:
            raise UsageError(f"--project: {name} does not read configuration files of projects")
    return [client for name, client in EVERY.items() if name in (names or ())]


def _print_outcomes(done: Sequence[Done], agents: Agents, terminal: Terminal, *, json: bool) -> int:
    if json:
        terminal.write_json(installation(done, agents).to_dict(), pretty=True)
    else:
        _print(done, agents, terminal)
    return _REFUSED if any(each.outcome == "refused" for each in done) else 0


def installation(done: Sequence[Done], agents: Agents) -> Installation:
    """Return the document of an installation or removal."""
    places = agents.places
    return Installation(
        scope=places.scope, project=_project(places), dry_run=agents.dry, files=files_of(done)
    )


def files_of(done: Sequence[Done]) -> tuple[AgentFile, ...]:
    """Return the result for each file; texts have no control characters."""
    return tuple(
        AgentFile(
            client=each.client,
            path=sanitise_line(str(each.path)),
            outcome=each.outcome,
            message=sanitise(each.message),
            diff=sanitise(each.diff),
        )
        for each in done
    )


def _project(places: ConfigFiles) -> str | None:
    return None if places.project is None else sanitise_line(str(places.project))


def _print(done: Sequence[Done], agents: Agents, terminal: Terminal) -> None:
    if agents.dry:
        terminal.write("".join(sanitise(each.diff) for each in done))
    for each in done:
        goes = each.outcome == "removed" and "\n+++ /dev/null" in each.diff
        verb = (_PLANNED if agents.dry else _DONE).get(each.outcome, each.outcome)
        verb = "would delete" if goes and agents.dry else "deleted" if goes else verb
        reason = f": {each.message}" if each.message else ""
        line = f"{each.client}: {verb} {_short(each.path, agents.places)}{reason}"
        if each.outcome == "refused":
            terminal.tell_error(line)
        elif agents.dry:
            terminal.tell(line)
        else:
            terminal.write(sanitise(line).rstrip("\n") + "\n")
    if not done:
        terminal.note("nothing to do\n")


def _list(
    clients: Sequence[Client], places: ConfigFiles, start: str, terminal: Terminal, *, json: bool
) -> int:
    if json:
        terminal.write_json(clients_of(clients, places, start).to_dict(), pretty=True)
        return 0
    for client in clients:
        there = "there" if config_files.is_there(client, places) else "not found"
        name = terminal.style.paint("name", f"{client.name:<9}")
        terminal.write(f"{name} {client.title}, {there}\n")
        for state in states_of(client, places, start):
            message = f": {state.reason}" if state.reason else ""
            line = f"  {state.presence:<10} {_short(state.path, places)}{message}"
            terminal.write(sanitise_line(line) + "\n")
    return 0


def clients_of(clients: Sequence[Client], places: ConfigFiles, start: str) -> Clients:
    """Return the document that lists clients."""
    listed = tuple(_listed(client, places, start) for client in clients)
    return Clients(scope=places.scope, project=_project(places), clients=listed)


def _listed(client: Client, places: ConfigFiles, start: str) -> ListedClient:
    states = states_of(client, places, start)
    return ListedClient(
        client=client.name,
        title=client.title,
        is_there=config_files.is_there(client, places),
        installed=states[0].presence == "installed",
        files=tuple(
            ClientFile(sanitise_line(str(each.path)), each.presence, sanitise_line(each.reason))
            for each in states
        ),
    )


def snippets_of(clients: Sequence[Client], places: ConfigFiles, start: str) -> Snippets:
    """Return the document with the entries that an installation would write."""
    snippets = (
        Snippet(
            client=client.name,
            path=sanitise_line(str(places.path_of(target))),
            text=snippet_of(target.make(start)),
        )
        for client in clients
        for target in (*client.pasted_at(places.scope), *client.targets(places.scope))
    )
    return Snippets(snippets=tuple(snippets))


def _show(
    clients: Sequence[Client], places: ConfigFiles, start: str, terminal: Terminal, *, json: bool
) -> int:
    document = snippets_of(clients, places, start)
    if json:
        terminal.write_json(document.to_dict(), pretty=True)
        return 0
    for each in document.snippets:
        terminal.tell(f"{each.client}: {_short(Path(each.path), places)}")
        terminal.write(sanitise(each.text))
    return 0


def _short(path: Path, places: ConfigFiles) -> str:
    """Return a path relative to the project, or with `~` for the home."""
    if places.project is not None and path.is_relative_to(places.project):
        return str(path.relative_to(places.project))
    return f"~/{path.relative_to(places.home)}" if path.is_relative_to(places.home) else str(path)
