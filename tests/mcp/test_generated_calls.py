"""Generated calls of all tools, judged by the official JavaScript client."""

import os
import random
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import anyio
import pytest
import starlette

from ggrep.base import stable_json
from ggrep.interfaces.mcp.arguments import ALSO, Argument
from ggrep.interfaces.mcp.tool_calls import OF_WORKSPACES
from ggrep.interfaces.mcp.tools import SEVERAL, TOOLS, Tool
from tests.mcp.processes import Settled, settled

pytestmark = [pytest.mark.deep, pytest.mark.timeout(900)]

CALLS = 500
SEED = 20_261_125
_ID = re.compile(r"[0-9a-f]{64}")


def sources_of(package: object) -> dict[str, str]:
    """Return the modules of an installed package: a tree that nobody here wrote."""
    folder = Path(str(package.__file__)).parent
    return {
        path.relative_to(folder.parent).as_posix(): path.read_text("utf-8")
        for path in sorted(folder.rglob("*.py"))
    }


@pytest.fixture(scope="module")
def place() -> Iterator[Settled]:
    """Return two indexed packages and their workspace."""
    with settled(sources_of(anyio), sources_of(starlette)) as result:
        yield result


def test_generated_calls_satisfy_the_javascript_client(
    place: Settled, node: Path, tmp_path: Path
) -> None:
    """It throws at a document that its tool's output schema does not describe."""
    roots = (place.root, place.base / "mail", place.bare)
    calls = Drawing(SEED, roots, place.workspace, "anyio/_core/_tasks.py").calls(CALLS)
    file = tmp_path / "calls.json"
    file.write_bytes(stable_json.dumps(calls))
    ran = subprocess.run(
        [
            "node",
            "sdk_calls.mjs",
            str(file),
            sys.executable,
            *place.arguments("--structured", "--legacy"),
        ],
        cwd=node,
        env={**place.environ, "PATH": os.environ["PATH"]},
        capture_output=True,
        timeout=800,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr.decode()[-2000:]
    results = stable_json.loads(ran.stdout)

    assert len(results) == CALLS
    answered: Counter[tuple[str, bool]] = Counter()
    for call, result in zip(calls, results, strict=True):
        assert "thrown" not in result, (call, result)
        document, failed = result["structured"], result["isError"]
        assert failed == ("message" in document), call
        assert not failed or document["code"] != "internal", (call, document)
        (text,) = result["texts"]
        assert text, call
        assert "\n" not in text, call
        # What stands in a file is the file's; neither package has such digits.
        assert not _ID.search(text), (call, text)
        answered[call["tool"], failed] += 1
    sys.stderr.write(f"{dict(answered)}\n")
    for tool in TOOLS:
        assert answered[tool.name, False] >= 10, answered
        assert answered[tool.name, True] >= 1, answered


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
        call: Call = {}
        passed_over = self._passed_over(tool)
        for argument in tool.every:
            asked_for = argument.required or argument.name in _ASKED_FOR
            share = 0.97 if asked_for else min(0.4, 3 / len(tool.every))
            if argument.name not in passed_over and self._happens(share):
                call[self._spelt(argument.name)] = self._value(argument)
        if self._happens(0.04):
            call["nonsense"] = 1
        return call

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
