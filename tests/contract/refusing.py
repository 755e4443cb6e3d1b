"""What the program says of wrong input, wherever it may come from.

`python -m tests.contract.refusing` writes what is said now to `refusals.json`: read the difference.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.base.errors import GgrepError, WorkspaceError
from ggrep.config.home import Home
from ggrep.config.settings import load_settings
from ggrep.federation.validation import validate
from ggrep.federation.workspace_text import parse_text
from ggrep.interfaces.evaluation.check_file import read_checks
from ggrep.interfaces.evaluation.suite import read_suite
from ggrep.interfaces.mcp.arguments import in_our_words, read_arguments
from ggrep.interfaces.mcp.tools import ELSEWHERE, TOOLS
from ggrep.interfaces.surfaces import body
from ggrep.protocol.wire.handshake import parse_hello, parse_welcome
from ggrep.protocol.wire.messages import parse_message

FILE: Final = Path(__file__).with_name("refusals.json")
_MANY: Final = re.compile(r"\{\{(.+?)\*(\d+)\}\}")
"""`{{x*3}}` in an input stands for `xxx`."""


def refusals() -> dict[str, dict[str, list[str]]]:
    """Return what is said of each input that the file holds, by reader and input."""
    with TemporaryDirectory() as folder:
        return {
            reader: {given: said(reader, given, Path(folder)) for given in inputs}
            for reader, inputs in stable_json.loads(FILE.read_bytes()).items()
        }


def expanded(given: str) -> str:
    """Return an input with what it has many times."""
    return _MANY.sub(lambda many: many[1] * int(many[2]), given)


def said(reader: str, given: str, folder: Path) -> list[str]:
    """Return what a reader says of an input; an empty list where it takes it."""
    try:
        _READERS[reader](expanded(given), folder)
    except WorkspaceError as error:
        lines = [
            f"{issue.code} {issue.field} {issue.reason}: {issue.message} ({issue.hint})"
            for issue in error.issues
        ]
    except GgrepError as error:
        lines = [f"{error.code}: {error}"]
    else:
        lines = []
    return [line.replace(str(folder), "FOLDER") for line in lines]


def _settings(where: str) -> Callable[[str, Path], object]:
    def read(given: str, folder: Path) -> object:
        home, root = folder / "home", folder / "root"
        for directory in (home, root):
            directory.mkdir(exist_ok=True)
        files = {"user": home / "config.toml", "repo": root / ".ggrep.toml"}
        for path in files.values():
            path.write_text("")
        environ: Mapping[str, str] = {}
        flags: Mapping[str, Any] = {}
        if where in files:
            files[where].write_text(given)
        elif where == "variable":
            environ = dict([given.split("=", 1)])
        else:
            flags = stable_json.loads(given.encode())
        return load_settings(Home(home), root, environ=environ, flags=flags)

    return read


def _file(name: str, read: Callable[[Path], object]) -> Callable[[str, Path], object]:
    def write_and_read(given: str, folder: Path) -> object:
        (folder / name).write_text(given)
        return read(folder / name)

    return write_and_read


def _json(read: Callable[[Any], object]) -> Callable[[str, Path], object]:
    return lambda given, _: read(stable_json.loads(given.encode()))


def _tool(name: str) -> Callable[[Any], object]:
    tool = next(tool for tool in TOOLS if tool.name == name)

    def read(given: Any) -> object:
        ours = in_our_words(tool.name, tool.every, given, ELSEWHERE)
        return read_arguments(tool.name, tool.arguments, ours, tool.rare)

    return read


_READERS: Final[Mapping[str, Callable[[str, Path], object]]] = {
    "wire": _json(parse_message),
    "hello": _json(parse_hello),
    "welcome": _json(parse_welcome),
    "body search": _json(partial(body.parse_repo_body, "search")),
    "body slate": _json(partial(body.parse_repo_body, "slate")),
    "body symbol": _json(partial(body.parse_repo_body, "symbol")),
    "body expand": _json(partial(body.parse_repo_body, "expand")),
    "body federated": _json(body.parse_federated_body),
    "tool search": _json(_tool("search")),
    "settings user": _settings("user"),
    "settings repo": _settings("repo"),
    "settings variable": _settings("variable"),
    "settings flag": _settings("flag"),
    "workspace": lambda given, _: validate(parse_text(given, "w.jsonc"), "w.jsonc", lambda _: None),
    "suite": _file("suite.toml", read_suite),
    "checks": _file("checks.toml", read_checks),
}


if __name__ == "__main__":
    FILE.write_bytes(stable_json.dumps_pretty(refusals()))
