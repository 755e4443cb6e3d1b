"""What the package looks like from outside: its size, its floors, and the ways through it.

    python3 dev.py house

Prints lines by kind, files, packages, floors, base names that occur twice, functions of more than
eight parameters, functions that return arrays without a word on their shape; and of four
journeys over a small repository, in this process, which rooms (directories) they enter and where
a floor calls one above it. What a dataclass generates and values drawn from a generator count as
data that travel, not as calls.
"""

import ast
import inspect
import re
import sys
import tempfile
import threading
import tokenize
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Final

import ggrep

ROOT = Path(__file__).resolve().parents[1]
PACKAGE: Final = ROOT / "ggrep"
MOST_PARAMETERS: Final = 8
_ARRAYS = re.compile(r"\b(?:ndarray|NDArray|Int8Vectors|Float32\w*|IntArray|FloatArray)\b")
_SHAPES = re.compile(
    r"shape|\((?:n|rows|files)\b|dimension|\bone (?:for|per) |\b(?:int|uint|float)\d+\b|rows"
    r"|[Ll]ength"
)

Edge = tuple[str, str]


def main() -> int:
    """Print the figures."""
    files = sorted(PACKAGE.rglob("*.py"))
    print(f"files      {len(files)}")
    lines = sum((_lines(file) for file in files), Counter[str]())
    print(f"lines      {lines.total()} ({', '.join(f'{n} {k}' for k, n in lines.most_common())})")
    floors = floors_of(tomllib.loads((ROOT / "pyproject.toml").read_text()))
    packages = {name for floor in floors for name in floor}
    print(f"packages   {len(packages)} on {len(floors)} floors")
    for name, places in names_used_twice(files).items():
        print(f"twice      {name}: {', '.join(places)}")
    trees = {file: ast.parse(file.read_text()) for file in files}
    for file, tree in trees.items():
        for function, number in wide_functions(tree):
            print(
                f"wide       {_place(file)}:{function.lineno} {function.name}: {number} parameters"
            )
        for function in arrays_without_shape(tree):
            print(f"shapeless  {_place(file)}:{function.lineno} {function.name}")
    for journey, calls in journeys().items():
        rooms = {room for edge in calls for room in map(_room, edge)}
        upward = upward_calls(calls, floors)
        print(f"journey    {journey}: {len(rooms)} rooms ({', '.join(sorted(rooms))})")
        print(f"           {len(upward)} calls from a floor to one above")
        for (caller, called), number in sorted(upward.items()):
            print(f"           {caller} -> {called}, {number} times")
    return 0


def floors_of(settings: Mapping[str, object]) -> list[list[str]]:
    """Return the packages of each floor, from the highest to the lowest."""
    contracts = settings["tool"]["importlinter"]["contracts"]  # type: ignore[index]
    layers = next(item["layers"] for item in contracts if item["id"] == "floors")
    return [layer.split(" | ") for layer in layers]


def names_used_twice(files: Sequence[Path]) -> dict[str, list[str]]:
    """Return names that several modules have, and where; those of packages aside."""
    places = defaultdict(list)
    for file in files:
        if file.stem not in {"__init__", "__main__"}:
            places[file.stem].append(_place(file.parent))
    return {name: found for name, found in sorted(places.items()) if len(found) > 1}


def wide_functions(tree: ast.AST) -> Iterator[tuple[ast.FunctionDef, int]]:
    """Yield functions of more than eight parameters, and how many; `self` does not count."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            number = len([name for name in names if name not in {"self", "cls"}])
            if number > MOST_PARAMETERS:
                yield node, number  # type: ignore[misc]


def arrays_without_shape(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield public functions that return arrays and say neither shape nor unit."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef) or node.name.startswith("_") or not node.returns:
            continue
        said = _SHAPES.search(ast.get_docstring(node) or "")
        if _ARRAYS.search(ast.unparse(node.returns)) and not said:
            yield node


def journeys() -> dict[str, Counter[Edge]]:
    """Return which module called which, how often, by journey."""
    with tempfile.TemporaryDirectory() as folder:
        root, environ = Path(folder, "repository"), {"GGREP_HOME": str(Path(folder, "home"))}
        root.mkdir()
        _write(root, 20)
        file = root.with_name("team.jsonc")
        file.write_text('{"schemaVersion": 1, "repos": [{"root": "repository"}]}')
        with (
            ggrep.open(root, daemon="never", environ=environ) as repo,
            ggrep.open_workspace(file, daemon="never", environ=environ) as workspace,
        ):
            acts: dict[str, Callable[[], object]] = {
                "sync": repo.sync,
                "query": lambda: repo.search("how are retries counted"),
                "slate": lambda: repo.slate("retry policy"),
                "federated": lambda: workspace.search("how are retries counted"),
            }
            for act in acts.values():
                act()  # what is imported and opened at first is no part of the way
            _write(root, 30)
            return {name: traced(act) for name, act in acts.items()}


def _write(root: Path, files: int) -> None:
    for number in range(files):
        text = f'"""Retries, part {number}."""\n\n\ndef retry_{number}(times: int) -> int:\n'
        (root / f"part_{number}.py").write_text(f"{text}    return times + {number}\n")


def traced(act: Callable[[], object]) -> Counter[Edge]:
    """Return which module of the package called which, while something is done."""
    calls: Counter[Edge] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        drawn = bool(code.co_flags & inspect.CO_GENERATOR) and frame.f_lasti > 0
        if event != "call" or drawn or code.co_filename == "<string>":
            return
        called, caller = _module(frame), frame.f_back
        while caller is not None and not _module(caller):
            caller = caller.f_back
        if called and caller is not None and called != _module(caller):
            calls[_module(caller), called] += 1

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return calls


def upward_calls(calls: Mapping[Edge, int], floors: Sequence[Sequence[str]]) -> dict[Edge, int]:
    """Return the calls that lead to a floor above the caller's."""
    height = {name: -number for number, floor in enumerate(floors) for name in floor}
    return {
        edge: number
        for edge, number in calls.items()
        if height.get(_package(edge[1]), 0) > height.get(_package(edge[0]), 0)
    }


def _lines(file: Path) -> Counter[str]:
    """Return how many lines a file has of each kind."""
    text = file.read_text()
    kinds = ["blank" if not line.strip() else "code" for line in text.splitlines()]
    for node in ast.walk(ast.parse(text)):
        kind = ""
        if isinstance(node, ast.Import | ast.ImportFrom):
            kind = "imports"
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            kind = "docstrings" if isinstance(node.value.value, str) else ""
        if kind:
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                kinds[number] = kind
    with file.open("rb") as stream:
        for token in tokenize.tokenize(stream.readline):
            if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#"):
                kinds[token.start[0] - 1] = "comments"
    return Counter(kinds)


def _module(frame: FrameType) -> str:
    name = str(frame.f_globals.get("__name__", ""))
    return name.removeprefix("ggrep.") if name.startswith("ggrep.") else ""


def _package(module: str) -> str:
    return module.partition(".")[0]


def _room(module: str) -> str:
    """Return the directory that a module lies in."""
    name = (
        module.rpartition(".")[0] if (PACKAGE / f"{module.replace('.', '/')}.py").is_file() else ""
    )
    return name or module


def _place(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


if __name__ == "__main__":
    sys.exit(main())
