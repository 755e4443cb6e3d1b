"""The command tree. A command's module is imported when the command is wanted, and no other's."""

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
    "slate": Entry("slate.slate", "Gather what a question needs, by file and section."),
    "symbol": Entry("navigation.symbol", "Show where a name is defined."),
    "refs": Entry("navigation.references", "Show where a name is used."),
    "references": Entry("navigation.references", "Show where a name is used.", hidden=True),
    "expand": Entry("navigation.expand", "Show what stands around a place."),
    "replay": Entry("replay.replay", "Ask a receipt's question again."),
    "index": Entry("index.index", "Build or update the index of a repository."),
    "health": Entry("operate.health", "Check a repository's store."),
    "list": Entry("operate.list_command", "List the stores of this home."),
    "stores": Entry("operate.list_command", "List the stores of this home."),
    "clean": Entry("operate.clean", "Delete an index: of this repository, of an id, or all."),
    "profiles": Entry("profiles.profiles", "List the profiles of a repository."),
    "serve": Entry("serve.serve", "Keep repositories indexed and answer searches."),
    "stop": Entry("serve.stop", "End the daemons of a repository."),
    "stop-all": Entry("serve.stop_all", "End every daemon of this home."),
    "status": Entry("status.status", "Show what is indexed and which daemons run."),
    "audit": Entry("audit.audit_command", "Read a repository's whole store and count again."),
    "eval": Entry("evaluate.evaluate", "Measure ranking on a suite of questions."),
    "check": Entry("check.check", "Run the checks that a repository has committed."),
    "clone-store": Entry("clone.clone", "Copy a store under another name."),
    "gc": Entry("maintain.gc", "Delete what no query can need any more."),
    "compact": Entry("maintain.compact", "Merge segments into one that holds what is visible."),
    "repair": Entry("maintain.repair", "Check the whole store and build anew what is damaged."),
    "upgrade-store": Entry("upgrade.upgrade", "Bring an older store into this build's formats."),
    "api": Entry("api.api", "Answer searches over HTTP."),
    "mcp": Entry("mcp.mcp", "Serve agents over MCP."),
    "metrics": Entry("metrics.metrics", "Print the figures of all daemons."),
    "help": Entry("help.show_help", "Show what a command does and which flags it has."),
}
"""By name, in the order of the help page."""

OF_WORKSPACES: Final = {
    "init": Entry("workspace.init", "Write a workspace file over some directories."),
    "add": Entry("workspace.add", "Add a repository to a workspace file."),
    "remove": Entry("workspace.remove", "Remove a repository from a workspace file."),
    "validate": Entry("workspace.validate", "Check a workspace file."),
    "manifest": Entry("workspace_commands.manifest", "Write down which state the indexes are in."),
    "status": Entry("workspace_commands.status", "Show what is indexed and who serves it."),
    "catalog": Entry("workspace_commands.catalog", "Show places, hashes and keys."),
    "build": Entry("workspace_commands.build", "Build or update every enabled index."),
    "doctor": Entry("workspace_commands.doctor", "Say what keeps a workspace from answering well."),
    "watch": Entry("workspace_commands.watch", "Keep the daemons of all repositories up."),
    "gc": Entry("workspace_commands.gc", "Delete what former workspaces left behind."),
}
"""Those of `ggrep workspace`."""


def found(words: list[str]) -> tuple[Entry | None, list[str]]:
    """Return the command that words begin with, if any, and the words behind it."""
    if words[:1] == ["workspace"]:
        return OF_WORKSPACES.get("".join(words[1:2])), words[2:]
    return COMMANDS.get("".join(words[:1])), words[1:]
