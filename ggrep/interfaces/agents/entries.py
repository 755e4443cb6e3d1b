"""What our entry looks like in the files of clients, made of the command that starts ggrep."""

from collections.abc import Callable
from typing import Final, TypeAlias

from ggrep.base.stable_json import Json, dumps
from ggrep.interfaces.agents import texts
from ggrep.interfaces.agents.pieces import (
    NAME,
    JsonEntry,
    Piece,
    Section,
    TomlTable,
    WholeFile,
)

Make: TypeAlias = Callable[[str], Piece]
"""Returns a piece for the command that starts ggrep."""

_HERE: Final = ("mcp",)
FOLDER: Final = ("mcp", "--path", "${workspaceFolder}")
"""For editors that fill in the folder that is open."""
ANYWHERE: Final = ("mcp", "--allow-any-root")
"""For editors that start servers in no project and fill in nothing: each call names its root."""


def json(*keys: str, args: tuple[str, ...] = _HERE, **more: Json) -> Make:
    """Return what makes a member of the object that keys lead to; `type` comes first."""

    def make(command: str) -> Piece:
        first = {"type": more["type"]} if "type" in more else {}
        rest = {key: value for key, value in more.items() if key != "type"}
        return JsonEntry(keys, {**first, "command": command, "args": args, **rest})

    return make


def opencode(command: str) -> Piece:
    """Return the member of opencode, which has program and arguments in one list."""
    line: Json = [command, *_HERE]
    return JsonEntry(("mcp",), {"type": "local", "command": line, "enabled": True})


def codex(command: str) -> Piece:
    """Return the table of Codex."""
    lines = (f"[mcp_servers.{NAME}]", f"command = {_quoted(command)}", 'args = ["mcp"]')
    return TomlTable(("mcp_servers",), lines)


def goose(command: str) -> Piece:
    """Return the lines of goose's `config.yaml`."""
    return WholeFile(
        "extensions:\n"
        f"  {NAME}:\n"
        "    enabled: true\n"
        "    type: stdio\n"
        f"    name: {NAME}\n"
        "    description: Code search by meaning in the local index\n"
        f"    cmd: {_quoted(command)}\n"
        '    args: ["mcp"]\n'
        "    envs: {}\n"
        "    timeout: 300\n"
    )


def read_by_aider(path: str) -> Make:
    """Return what makes the lines of `.aider.conf.yml` that name a text to read."""
    return lambda _: WholeFile(f"read:\n  - {path}\n")


def section(_: str) -> Piece:
    """Return the instructions, for a text that others write into."""
    return Section(texts.instruction_lines())


def skill(_: str) -> Piece:
    """Return the file of a skill."""
    return WholeFile(texts.skill_text())


def agent(_: str) -> Piece:
    """Return the file of a sub-agent."""
    return WholeFile(texts.agent_text())


def rule(**head: str) -> Make:
    """Return what makes a rule file with a head of its own."""
    return lambda _: WholeFile(texts.rule_text(head))


def _quoted(word: str) -> str:
    return dumps(word).decode()
