"""Forty everyday tasks at the shell: ggrep beside ripgrep, semble and codegraph.

All four search the same sources, those of aiohttp as PyPI has them, each in a tree of its own with
an index made before and a home of its own. A line is typed as in `everyday_tasks`, once to warm up
and to be checked, then three times to be timed. What is counted of it: keystrokes, seconds from the
shell until it ends (the median), bytes printed, and whether what was asked stands on the first
screen. Tools and sources are fetched from PyPI, npm and Debian, and kept where a folder is named.

Output goes to a pipe, so ripgrep is told to number lines, as it does on a terminal. The model of
semble comes from a hub alone, so it is given ggrep's own (`everyday_model`).
"""

import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from bench.everyday_model import export
from bench.everyday_tasks import FRESH, TASKS, TOOLS, At, Task

SOURCES: Final = {"aiohttp": "3.14.5", "flask": "3.1.3"}
FETCHED: Final = {
    "semble": (
        f"{shlex.quote(sys.executable)} -m venv semble",
        "semble/bin/pip install -q semble==0.7.0",
    ),
    "node_modules": ("npm install --silent --no-save --prefix . @colbymchenry/codegraph@1.6.1",),
    "fzf": ("apt-get download -q fzf", "dpkg -x fzf_*.deb fzf"),
}
"""What makes each of these, in the folder where they are kept."""
GENERATED: Final = (
    "_find_header.c",
    "_http_parser.c",
    "_http_writer.c",
    "mask.c",
    "reader_c.c",
    "/vendor/llhttp/build/",
)
"""What its own repository ignores, and its archive holds."""
SCREEN_LINES: Final = 50
LONGEST_RANGE: Final = 200
"""Lines of a range that still tells a place."""
TURNS: Final = 3
LIMIT_S: Final = 60.0

_PLACE = re.compile(r"(?P<path>[\w.-]+(?:/[\w.-]+)*\.\w+):(?P<first>\d+)(?:-(?P<last>\d+))?")
_HEADING = re.compile(r"^(?P<path>[\w.-]+(?:/[\w.-]+)*\.\w+)$")
_BELOW = re.compile(r"^ +(?P<first>\d+)(?:-(?P<last>\d+))?[: ]")


class Done(Struct, frozen=True):
    """What a tool did with a task."""

    line: str
    seconds: float
    bytes: int
    right: bool


Row = Mapping[str, Done | None]


def measure(work: Path, folder: Path | None = None) -> Iterator[str]:
    """Yield a table of all tasks, the sums, and what was typed."""
    kept = folder or work / "kept"
    kept.mkdir(parents=True, exist_ok=True)
    environ = _tools(kept, work)
    try:
        for tool in TOOLS:
            _indexed(tool, work / "trees" / tool, environ)
        rows = [_row(task, work, environ) for task in TASKS]
    finally:
        subprocess.run(
            ["ggrep", "stop-all"], env=environ, capture_output=True, check=False, timeout=LIMIT_S
        )
    yield from figures(TASKS, rows)
    yield ""
    yield from sums(rows)
    yield ""
    yield from typed(TASKS)


def figures(tasks: Sequence[Task], rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table: keystrokes, milliseconds and bytes of each task and tool."""
    yield "| task | " + " | ".join(TOOLS) + " |"
    yield "|---" * (1 + len(TOOLS)) + "|"
    for number, (task, row) in enumerate(zip(tasks, rows, strict=True), 1):
        yield f"| {number}. {task.name} | " + " | ".join(_cell(row[tool]) for tool in TOOLS) + " |"


def sums(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table: how many each tool did, and sums where ggrep and another one both did."""
    yield "| | " + " | ".join(TOOLS) + " |"
    yield "|---" * (1 + len(TOOLS)) + "|"
    counts = [
        ("right", lambda done: done is not None and done.right),
        ("not right", lambda done: done is not None and not done.right),
        ("cannot", lambda done: done is None),
    ]
    for name, holds in counts:
        found = [str(sum(holds(row[tool]) for row in rows)) for tool in TOOLS]
        yield f"| {name} | " + " | ".join(found) + " |"
    yield ""
    yield "| tasks that these did right | tasks | keystrokes | seconds | bytes |"
    yield "|---|---|---|---|---|"
    for group in ((TOOLS), *((TOOLS[0], other) for other in TOOLS[1:])):
        both = [row for row in rows if all(_right(row[tool]) for tool in group)]
        told = [[done for row in both if (done := row[tool])] for tool in group]
        yield (
            f"| {', '.join(group)} | {len(both)} | "
            f"{' · '.join(str(sum(len(done.line) for done in its)) for its in told)} | "
            f"{' · '.join(f'{sum(done.seconds for done in its):.2f}' for its in told)} | "
            f"{' · '.join(f'{sum(done.bytes for done in its):,}' for its in told)} |"
        )


def typed(tasks: Sequence[Task]) -> Iterator[str]:
    """Yield a table of what is typed."""
    yield "| task | " + " | ".join(TOOLS) + " |"
    yield "|---" * (1 + len(TOOLS)) + "|"
    for number, task in enumerate(tasks, 1):
        lines = [
            f"`{line.replace('|', chr(92) + '|')}`" if line else "cannot"
            for line in map(task.line, TOOLS)
        ]
        yield f"| {number} | " + " | ".join(lines) + " |"


def is_right(task: Task, output: str, status: int, fresh: str = "") -> bool:
    """Say whether an output shows all that a task needs, and nothing that it forbids."""
    if task.status is not None:
        return status == task.status
    lines = output.splitlines()
    lines = lines if task.whole else lines[:SCREEN_LINES]
    shown = "\n".join(lines)
    if task.never and re.search(task.never, shown, re.MULTILINE):
        return False
    places = list(places_of(lines))
    return all(
        any(_tells(place, need) for place in places)
        if isinstance(need, At)
        else re.search(need.replace(FRESH, fresh), shown, re.MULTILINE) is not None
        for need in task.needs
    )


def places_of(lines: Sequence[str]) -> Iterator[At]:
    """Yield the places that lines tell: `path:line`, `path:line-line`, and lines below a path."""
    path = ""
    for line in lines:
        if (heading := _HEADING.match(line)) is not None:
            path = heading["path"]
        elif path and (below := _BELOW.match(line)) is not None:
            yield _place(path, below)
        else:
            for found in _PLACE.finditer(line):
                yield _place(found["path"], found)


def _place(path: str, found: re.Match[str]) -> At:
    first = int(found["first"])
    return At(path, first, int(found["last"] or first))


def _tells(place: At, need: At) -> bool:
    near = place.last - place.first <= LONGEST_RANGE or need.first <= place.first <= need.last
    meets = place.first <= need.last and place.last >= need.first
    told, wanted = f"/{place.path}", f"/{need.path}"  # told from where one stands or searched
    return near and meets and (told.endswith(wanted) or wanted.endswith(told))


def _cell(done: Done | None) -> str:
    if done is None:
        return "cannot"
    figures = f"{len(done.line)} keys, {done.seconds * 1000:.0f} ms, {done.bytes:,} B"
    return figures if done.right else f"*not right*: {figures}"


def _right(done: Done | None) -> bool:
    return done is not None and done.right


def _row(task: Task, work: Path, environ: Mapping[str, str]) -> Row:
    """Have each tool do a task, by turns: what else the machine does meets all of them."""
    row: dict[str, Done | None] = dict.fromkeys(TOOLS)
    seconds: dict[str, list[float]] = {tool: [] for tool in TOOLS}
    for turn in range(TURNS + 1):
        for tool in TOOLS:
            line = task.line(tool)
            if line is not None:
                done = _done(line, task, turn, work / "trees" / tool / "aiohttp", environ)
                row[tool] = done
                seconds[tool].append(done.seconds)
    return {
        tool: done and replace(done, seconds=statistics.median(seconds[tool][1:]))
        for tool, done in row.items()
    }


def _done(line: str, task: Task, turn: int, tree: Path, environ: Mapping[str, str]) -> Done:
    fresh = _edited(task, tree, turn)
    begun = time.perf_counter()
    done = subprocess.run(
        ["bash", "-c", line.replace(FRESH, fresh)],
        cwd=tree / task.folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=LIMIT_S,
    )
    seconds = time.perf_counter() - begun
    output = done.stdout.decode(errors="replace")
    right = is_right(task, output, done.returncode, fresh)
    return Done(line, seconds, len(done.stdout), right)


def _edited(task: Task, tree: Path, turn: int) -> str:
    """Edit the files as a task asks, and return the name that is new."""
    fresh = FRESH.replace("NN", f"{turn:02}")
    if task.edit == "fresh":
        with (tree / "aiohttp" / "helpers.py").open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef {fresh}(host: str) -> str:\n    return host\n")
    elif task.edit == "rename" and not turn:
        path = tree / "aiohttp" / "tcp_helpers.py"
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("tcp_nodelay", "tcp_no_delay"), encoding="utf-8")
    return fresh


def _indexed(tool: str, trees: Path, environ: Mapping[str, str]) -> None:
    """Lay out the sources for a tool, and let it index them."""
    kept = Path(environ["KEPT"])
    for name, version in SOURCES.items():
        (archive,) = kept.glob(f"{name}-{version}.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(trees, filter="data")
        tree = (trees / f"{name}-{version}").rename(trees / name)
        (tree / "vendor" / "llhttp" / ".git").unlink(missing_ok=True)  # points out of the archive
        if name == "aiohttp":
            (tree / ".gitignore").write_text("\n".join(GENERATED) + "\n", encoding="utf-8")
        for line in ("git init -q", "git add -A", "git commit -qm sources"):
            _run(line.split(), environ, tree)
        match tool:
            case "ggrep":
                _run(["ggrep", "index", "."], environ, tree)
                _run(["ggrep", "search", "warm"], environ, tree)  # starts the daemon
            case "codegraph":
                _run(["codegraph", "init", "-y"], environ, tree)
    if tool == "ggrep":
        _run(["ggrep", "workspace", "init", "two.jsonc", *SOURCES], environ, trees)
        _run(["ggrep", "workspace", "build", "two.jsonc"], environ, trees)
    if tool == "semble":
        words = [line for task in TASKS if (line := task.line(tool))]
        export([*_texts(trees), *words], Path(environ["SEMBLE_MODEL_NAME"]))


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".git" not in path.parts:
            data = path.read_bytes()
            if b"\0" not in data:
                yield data.decode("utf-8", "replace")


def _tools(kept: Path, work: Path) -> dict[str, str]:
    """Fetch what is not there, and return the environment in which the tools are found."""
    for name, version in SOURCES.items():
        if not list(kept.glob(f"{name}-{version}.tar.gz")):
            wanted = ["--no-deps", "--no-binary", ":all:", f"{name}=={version}"]
            _run([sys.executable, "-m", "pip", "download", "-q", *wanted], os.environ, kept)
    for name, lines in FETCHED.items():
        if not (kept / name).exists():
            for line in lines:
                _run(["bash", "-c", line], os.environ, kept)
    binaries, home = work / "bin", work / "home"
    for path in (binaries, home):
        path.mkdir(parents=True)
    for name, found in {
        "ggrep": Path(sys.executable).with_name("ggrep"),
        "rg": _on_path("rg"),
        "node": _on_path("node"),
        "semble": kept / "semble" / "bin" / "semble",
        "codegraph": kept / "node_modules" / ".bin" / "codegraph",
        "fzf": kept / "fzf" / "usr" / "bin" / "fzf",
    }.items():
        (binaries / name).symlink_to(found.absolute())
    return _environment(binaries, home) | {
        "KEPT": str(kept.absolute()),
        "SEMBLE_MODEL_NAME": str(work / "model"),
    }


def _on_path(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"everyday: {name} is not there")
    return Path(found)


def _environment(binaries: Path, home: Path) -> dict[str, str]:
    """Return variables that lead to nothing outside of a home, and to no network."""
    numbered = home / ".ripgreprc"
    numbered.write_text("--line-number\n", encoding="utf-8")
    authors = ("AUTHOR", "COMMITTER")
    return {
        "PATH": f"{binaries}:/usr/bin:/bin",
        "HOME": str(home),
        "GGREP_HOME": str(home / ".ggrep"),
        "LANG": "C.UTF-8",
        "RIPGREP_CONFIG_PATH": str(numbered),
        "HF_HUB_OFFLINE": "1",
        "CODEGRAPH_TELEMETRY": "0",
        "DO_NOT_TRACK": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_NAME": "everyday" for who in authors},
        **{f"GIT_{who}_EMAIL": "everyday@example.org" for who in authors},
    }


def _run(line: Sequence[str], environ: Mapping[str, str], folder: Path) -> None:
    subprocess.run(
        line, cwd=folder, env=environ, check=True, capture_output=True, stdin=subprocess.DEVNULL
    )
