"""The command tree; only the module of the command that runs is imported."""

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from ggrep.interfaces.cli.taking import Command


@dataclass(frozen=True, slots=True)
class Entry:
    """One command.

    Attributes:
        place: its module in `ggrep.interfaces.cli`, a dot, and the function.
        about: what the list of commands says; the command's own page has the function's docstring.
    """

    place: str
    about: str
    hidden: bool = False

    def load(self) -> Command:
        """Return the function that is the command."""
        module, _, name = self.place.partition(".")
        found: Command = getattr(import_module(f"ggrep.interfaces.cli.{module}"), name)
        return found


COMMANDS: Final = {
    "search": Entry("search.search", "Search a repository, or a workspace of them."),
    "slate": Entry("slate.slate", "Gather the files and evidence that answer a question."),
    "symbol": Entry("navigation.symbol", "Show where a name is defined."),
    "refs": Entry("navigation.references", "Show where a name is used."),
    "references": Entry("navigation.references", "Show where a name is used.", hidden=True),
    "expand": Entry("navigation.expand", "Show the code around a place."),
    "replay": Entry("replay.replay", "Run a receipt's query again and compare."),
    "index": Entry("index.index", "Build or update the index of a repository."),
    "health": Entry("operate.health", "Check a repository's store."),
    "list": Entry("operate.list_command", "List the stores of this home."),
    "stores": Entry("operate.list_command", "List the stores of this home."),
    "clean": Entry("operate.clean", "Delete this repository's index, a store by id, or all."),
    "profiles": Entry("profiles.profiles", "List the profiles of a repository."),
    "serve": Entry("serve.serve", "Run a daemon that keeps repositories indexed."),
    "stop": Entry("serve.stop", "Stop the daemons of a repository."),
    "stop-all": Entry("serve.stop_all", "Stop every daemon of this home."),
    "status": Entry("status.status", "Show what is indexed and which daemons run."),
    "audit": Entry("audit.audit_command", "Verify a repository's whole store, byte for byte."),
    "eval": Entry("evaluate.evaluate", "Measure ranking quality on a suite of questions."),
    "check": Entry("check.check", "Run a repository's committed search checks."),
    "clone-store": Entry("clone.clone", "Copy a store under another name."),
    "gc": Entry("maintain.gc", "Delete data that no query needs any more."),
    "compact": Entry("maintain.compact", "Merge segments and drop hidden rows."),
    "repair": Entry("maintain.repair", "Verify the whole store and rebuild damaged parts."),
    "upgrade-store": Entry("upgrade.upgrade", "Convert an older store to this build's formats."),
    "api": Entry("api.api", "Serve searches over HTTP."),
    "mcp": Entry("mcp.mcp", "Serve agents over MCP."),
    "metrics": Entry("metrics.metrics", "Print metrics of all daemons."),
    "help": Entry("help.show_help", "Show a command's help."),
}
"""By name, in the order of the help page."""

OF_WORKSPACES: Final = {
    "init": Entry("workspace.init", "Create a workspace file for some directories."),
    "add": Entry("workspace.add", "Add a repository to a workspace file."),
    "remove": Entry("workspace.remove", "Remove a repository from a workspace file."),
    "validate": Entry("workspace.validate", "Check a workspace file."),
    "manifest": Entry("workspace_commands.manifest", "Record the current state of the indexes."),
    "status": Entry("workspace_commands.status", "Show indexes and the daemons that serve them."),
    "catalog": Entry(
        "workspace_commands.catalog", "Show paths, hashes and keys, for troubleshooting."
    ),
    "build": Entry("workspace_commands.build", "Build or update every enabled index."),
    "doctor": Entry(
        "workspace_commands.doctor", "Find problems of a workspace and how to fix them."
    ),
    "watch": Entry("workspace_commands.watch", "Keep the daemons of all repositories running."),
    "gc": Entry("workspace_commands.gc", "Delete leftovers of removed workspaces."),
}
"""Those of `ggrep workspace`."""


def found(words: list[str]) -> tuple[Entry | None, list[str]]:
    """Return the command that `words` begin with, if any, and the remaining words."""
    if words[:1] == ["workspace"]:
        return OF_WORKSPACES.get("".join(words[1:2])), words[2:]
    return COMMANDS.get("".join(words[:1])), words[1:]
