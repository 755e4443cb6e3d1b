"""The JSON of `ggrep install` and `ggrep uninstall`; see `agents.schema.json`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from ggrep.interfaces.agents import detection
from ggrep.interfaces.agents.applying import Agents
from ggrep.interfaces.agents.clients import Client
from ggrep.interfaces.agents.listing import snippet_of, states_of
from ggrep.interfaces.agents.places import Places
from ggrep.interfaces.agents.writing import Done
from ggrep.model.sanitise import sanitise, sanitise_line

if TYPE_CHECKING:
    from ggrep.model.schemas.agents import (
        AgentFileJson,
        ClientsJson,
        InstallationJson,
        SnippetsJson,
    )

_VERSION: Final = 1


def installation_json(done: Sequence[Done], agents: Agents) -> "InstallationJson":
    """Return the document of an installation, or of its undoing."""
    return {
        "schema_version": _VERSION,
        "scope": agents.places.scope,
        "project": _project(agents.places),
        "dry_run": agents.dry,
        "files": files_json(done),
    }


def files_json(done: Sequence[Done]) -> "list[AgentFileJson]":
    """Return what became of each file."""
    return [
        {
            "client": each.client,
            "path": sanitise_line(str(each.path)),
            "outcome": each.outcome,
            "message": sanitise(each.said),
            "diff": sanitise(each.diff),
        }
        for each in done
    ]


def clients_json(clients: Sequence[Client], places: Places, start: str) -> "ClientsJson":
    """Return the document of a list of clients."""
    states = {client.name: states_of(client, places, start) for client in clients}
    return {
        "schema_version": _VERSION,
        "scope": places.scope,
        "project": _project(places),
        "clients": [
            {
                "client": client.name,
                "title": client.title,
                "is_there": detection.is_there(client, places),
                "installed": states[client.name][0].presence == "installed",
                "files": [
                    {
                        "path": sanitise_line(str(state.path)),
                        "state": state.presence,
                        "message": sanitise_line(state.said),
                    }
                    for state in states[client.name]
                ],
            }
            for client in clients
        ],
    }


def snippets_json(clients: Sequence[Client], places: Places, start: str) -> "SnippetsJson":
    """Return the document of what would be written."""
    return {
        "schema_version": _VERSION,
        "snippets": [
            {
                "client": client.name,
                "path": sanitise_line(str(places.path_of(target))),
                "text": snippet_of(target.make(start)),
            }
            for client in clients
            for target in (*client.pasted_at(places.scope), *client.targets(places.scope))
        ],
    }


def _project(places: Places) -> str | None:
    return None if places.project is None else sanitise_line(str(places.project))
