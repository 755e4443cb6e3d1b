"""The command tree; only the module of the command that runs is imported."""

from importlib import import_module
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from ggrep.interfaces.cli.parsing.parameters import Command


class Entry(Struct, frozen=True):
    """One command.

    Attributes:
        place: its module in `ggrep.interfaces.cli`, a dot, and the function; empty for a group
            that only contains commands.
        about: text in the list of commands; the command's page has the function's docstring.
        asks: the function returns a query without running it (`queries.query`), so that a daemon
            can also parse the command.
    """

    place: str
    about: str
    hidden: bool = False
    asks: bool = False

    def load(self) -> "Command":
        """Return the function that is the command."""
        module, _, name = self.place.rpartition(".")
        result: Command = getattr(import_module(f"ggrep.interfaces.cli.{module}"), name)
        return result


GROUPS: Final = {
    "Search": {
        "search": Entry(
            "queries.search.search", "Search a repository or a whole workspace.", asks=True
        ),
        "slate": Entry(
            "queries.slate.slate",
            "Gather the files and evidence that answer a question.",
            asks=True,
        ),
        "symbol": Entry("queries.navigation.symbol", "Show where a name is defined.", asks=True),
        "refs": Entry("queries.navigation.references", "Show where a name is used.", asks=True),
        "references": Entry(
            "queries.navigation.references", "Show where a name is used.", hidden=True, asks=True
        ),
        "pick": Entry("queries.pick.pick", "Search while typing, and open a hit in an editor."),
        "replay": Entry("queries.replay.replay", "Repeat a saved query and compare the answers."),
    },
    "Read": {
        "expand": Entry(
            "queries.navigation.expand",
            "Show the code of a definition, line range or file.",
            asks=True,
        ),
        "outline": Entry(
            "queries.navigation.outline",
            "Show the definitions in files or folders, with line ranges.",
            asks=True,
        ),
        "tour": Entry(
            "queries.navigation.tour", "Summarise a repository from its own files.", asks=True
        ),
    },
    "Index": {
        "index": Entry("stores.index.index", "Build or update the index of a repository."),
        "status": Entry(
            "daemons.status.status",
            "Show the state of the index and the running daemons.",
            asks=True,
        ),
        "list": Entry(
            "stores.home_stores.list_command", "List the stored indexes of all repositories."
        ),
        "stores": Entry(
            "stores.home_stores.list_command", "List the stored indexes of all repositories."
        ),
        "profiles": Entry(
            "stores.index.profiles", "List the profiles (named settings) of a repository."
        ),
        "clean": Entry(
            "stores.home_stores.clean",
            "Delete the index of a repository, or all indexes.",
        ),
    },
    "Remotes": {
        "pull": Entry("stores.remotes.pull", "Download an index of this repository from a remote."),
        "push": Entry("stores.remotes.push", "Upload an index to a remote, for others to pull."),
        "remote": Entry("", "Add, list, remove and clean remotes."),
    },
    "Workspaces": {"workspace": Entry("", "Create, check and maintain workspaces.")},
    "Servers": {
        "serve": Entry("daemons.serve.serve", "Run a daemon that keeps repositories indexed."),
        "stop": Entry("daemons.serve.stop", "Stop the daemons of a repository."),
        "stop-all": Entry(
            "daemons.serve.stop_all", "Stop every daemon of the ggrep home directory."
        ),
        "metrics": Entry("daemons.serve.metrics", "Print metrics of all daemons."),
        "api": Entry("servers.api.api", "Serve searches over HTTP."),
        "ui": Entry("servers.ui.ui", "Search in a browser."),
        "mcp": Entry("servers.mcp.mcp", "Serve agents over MCP."),
        "lsp": Entry("servers.lsp.lsp", "Serve editors over the Language Server Protocol."),
        "server": Entry("", "Run a team server: one address for many users and repositories."),
    },
    "Agents": {
        "setup": Entry("machine.setup.setup", "Set up completions, agents and a first index."),
        "install": Entry(
            "machine.install.install", "Connect coding agents: Claude Code, Codex, Cursor, ..."
        ),
        "uninstall": Entry("machine.install.uninstall", "Undo ggrep install."),
    },
    "Care": {
        "doctor": Entry("machine.doctor.doctor", "Check the installation and suggest fixes."),
        "health": Entry("stores.store_care.health", "Check a repository's store."),
        "audit": Entry(
            "stores.store_care.audit_command", "Verify a repository's whole store, byte for byte."
        ),
        "repair": Entry(
            "stores.store_care.repair", "Verify the whole store and rebuild damaged parts."
        ),
        "compact": Entry(
            "stores.store_care.compact", "Merge index segments and drop outdated rows."
        ),
        "gc": Entry("stores.store_care.gc", "List or delete old snapshots and segments."),
        "upgrade-store": Entry(
            "stores.store_care.upgrade", "Convert an older store to this build's formats."
        ),
        "check": Entry(
            "evaluating.check.check", "Run the search checks of a repository's .ggrep-check.toml."
        ),
        "eval": Entry(
            "evaluating.evaluate.evaluate", "Measure ranking quality on a suite of questions."
        ),
    },
    "Help": {
        "completion": Entry(
            "help.completion", "Print completions for bash, zsh, fish or PowerShell."
        ),
        "help": Entry("help.show_help", "Show a command's help."),
    },
}
"""The commands by group and name, in the order of the help page."""

EVERYDAY: Final = (
    *("search", "slate", "symbol", "refs", "expand", "outline", "tour"),
    *("index", "status", "stop-all", "install", "doctor"),
)
"""The commands that `ggrep --help` lists; `ggrep help --all` lists all."""

COMMANDS: Final = {
    name: entry for group in GROUPS.values() for name, entry in group.items() if entry.place
}
"""All commands except groups of subcommands."""

_OF_WORKSPACES: Final = {
    "init": Entry("workspaces.edit.init", "Create a workspace file for some directories."),
    "add": Entry("workspaces.edit.add", "Add a repository to a workspace file."),
    "remove": Entry("workspaces.edit.remove", "Remove a repository from a workspace file."),
    "validate": Entry("workspaces.edit.validate", "Check a workspace file."),
    "manifest": Entry("workspaces.state.manifest", "Write the state of the indexes to a manifest."),
    "status": Entry("workspaces.state.status", "Show indexes and the daemons that serve them."),
    "catalog": Entry(
        "workspaces.state.catalog", "Show the paths, hashes and compatibility keys of indexes."
    ),
    "build": Entry("workspaces.build.build", "Build or update every enabled index."),
    "doctor": Entry(
        "workspaces.doctor.doctor", "Find problems of a workspace and how to fix them."
    ),
    "watch": Entry("workspaces.build.watch", "Keep the daemons of all repositories running."),
    "gc": Entry("workspaces.doctor.gc", "List or delete cached data of removed workspaces."),
}

_OF_REMOTES: Final = {
    "add": Entry("stores.remotes.add", "Add a remote, or change its URL."),
    "list": Entry("stores.remotes.list_command", "List the configured remotes."),
    "remove": Entry(
        "stores.remotes.remove", "Remove a remote from the settings; keep its uploaded data."
    ),
    "gc": Entry("stores.remotes.gc", "List or delete remote objects that no snapshot needs."),
}

_OF_SERVERS: Final = {
    "start": Entry("servers.server.start", "Run a team server until it is stopped."),
    "status": Entry("servers.server.status", "Show the repositories and nodes of a server."),
    "stop": Entry("servers.server.stop", "Stop a server and its nodes."),
}

BELOW: Final = {"remote": _OF_REMOTES, "server": _OF_SERVERS, "workspace": _OF_WORKSPACES}
"""Subcommands, by the name of their command."""

EVERY: Final = COMMANDS | {
    f"{above} {name}": entry for above, below in BELOW.items() for name, entry in below.items()
}
"""All runnable commands, by their words."""


def about(name: str) -> str:
    """Return a command's description in the list of commands."""
    return next(group[name].about for group in GROUPS.values() if name in group)
