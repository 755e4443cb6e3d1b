"""Draws calls of all tools: right ones, odd ones and wrong ones, the same for the same seed."""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from ggrep.interfaces.mcp.arguments import ALSO, Argument
from ggrep.interfaces.mcp.tool_calls import OF_WORKSPACES
from ggrep.interfaces.mcp.tools import SEVERAL, TOOLS, Tool

Call: TypeAlias = dict[str, object]

_QUERIES: Final = (
    "how is a task group cancelled",
    "run something in a worker thread",
    "where is the timeout decided",
    "retry with backoff",
    "CancelScope",
    "open_process",
    "def run(",
    "r",
    "größe 日本",
    "qzxv plorf",
)
_NAMES: Final = ("run", "TaskGroup", "CancelScope.cancel", "create_task_group", "no_such_name", "λ")
_FILTERS: Final = (["lang:python"], "-test:true", ["path:**/*.py", "-kind:function"], [])
_ASKED_FOR: Final = frozenset({"name", "target"})
"""Not required, as several may stand in their place, and what most calls bring."""

_WRONG: Final = (
    None,
    "",
    "nonsense",
    -1,
    10**12,
    2.5,
    True,
    [],
    [5],
    {},
    "x" * 3_000,
    "a\0b",
    "../..",
)
"""What stands in for a right value once in a while."""


class Drawing:
    """Draws calls over two repositories and their workspace."""

    def __init__(self, seed: int, roots: Sequence[Path], workspace: Path, path: str) -> None:
        """Take what there is to ask about; `path` is of a file of the first root."""
        self._chance: Final = random.Random(seed)
        self._right: Final[Mapping[str, Sequence[object]]] = {
            "query": _QUERIES,
            "name": _NAMES,
            "target": (path, f"{path}:12", f"{path}:5-40", f"{roots[0]}/{path}:3", "a" * 64),
            "names": (["run", "TaskGroup"],),
            "path": ([path], path, f"{path}:12", "anyio/_core", ["anyio", path]),
            "depth": (1, 2),
            "cursor": ("",),
            "targets": ([path], [f"{path}:12"], path),
            "root": (None, *map(str, roots), str(roots[0] / path), "/etc", "no/such"),
            "workspace": (None, str(workspace), "no_such.jsonc", "ws1-0"),
            "only": (["pay"], "mail", ["pay", "mail"], ["nobody"]),
            "select": (["pay"],),
            "tags": (["none"],),
            "repo_filter": (["*"], ["p*"]),
            "filter": _FILTERS,
            "session": ("new", "$SESSION", "garbage"),
            "top": (0, 1, 5, 30, 500),
            "per_file": (0, 1, 3),
            "limit": (0, 1, 20, 1_000),
            "max_bytes": (0, 1, 2_000, 20_000, 300_000),
            "level": (0, 1, 2, 3),
            "timeout_ms": (30_000,),
            "cohort": (["code:abc"],),
        }

    def calls(self, count: int) -> list[Call]:
        """Return calls of all tools in turn."""
        return [
            {"tool": tool.name, "given": self._given(tool)}
            for tool in (TOOLS[number % len(TOOLS)] for number in range(count))
        ]

    def _given(self, tool: Tool) -> Call:
        given: Call = {}
        passed_over = self._passed_over(tool)
        for argument in tool.every:
            asked_for = argument.required or argument.name in _ASKED_FOR
            share = 0.97 if asked_for else min(0.4, 3 / len(tool.every))
            if argument.name not in passed_over and self._happens(share):
                given[self._spelt(argument.name)] = self._value(argument)
        if self._happens(0.04):
            given["nonsense"] = 1
        return given

    def _passed_over(self, tool: Tool) -> frozenset[str]:
        """Return what a call leaves out: a question about names is of one place or of several."""
        if tool.name not in SEVERAL or self._happens(0.05):
            return frozenset()
        return frozenset({"root"}) if self._happens(0.3) else OF_WORKSPACES

    def _value(self, argument: Argument) -> object:
        if self._happens(0.07):
            return self._chance.choice(_WRONG)
        if argument.name in self._right:
            return self._chance.choice(self._right[argument.name])
        if argument.name == "options":
            pool = ["deterministic=true", "timeout_ms=20000", "explain=true", "nonsense=1"]
            return self._chance.sample(pool, k=self._chance.randint(1, 2))
        if argument.words:
            word = self._chance.choice(argument.words)
            return [word] if argument.kind == "array" else word
        return (
            self._chance.random() < 0.5
            if argument.kind == "boolean"
            else self._chance.randint(0, 9)
        )

    def _spelt(self, name: str) -> str:
        return self._chance.choice((name, *ALSO.get(name, ()))) if self._happens(0.1) else name

    def _happens(self, share: float) -> bool:
        return self._chance.random() < share
