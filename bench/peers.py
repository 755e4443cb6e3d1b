"""ggrep beside ripgrep, git grep, semble and codegraph: the same questions over the same trees.

    python3 dev.py bench peers FOLDER [--only TREE,...] [--linux SOURCE] [--turns N] [--install]
                               [--write]

Each tree is a git repository that all tools search, each tool with a home of its own and, where it
has one, an index made before. A turn asks every question of every tool, in another order each time.
An answer's figures are its wall time and the CPU seconds of all processes that work for it: the
command with its children, and what runs on with the tool's home (a daemon), read from /proc before
and after. Ratios are those of ggrep and a peer in one turn; their median has a bootstrap interval.

FOLDER keeps trees, indexes and fetched peers, and gets all figures as `peers.json`. A peer that is
not there is reported as absent; `--install` fetches semble from PyPI, codegraph from npm and the
kernel's source from Debian. `--write` puts the table into docs/performance.md.
"""

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from bench.everyday import FETCHED
from bench.everyday_model import export
from bench.peer_trees import TREES, Question, Tree, files_below, lay_out
from ggrep.config.home import Home
from ggrep.index.store.disk import store_bytes
from ggrep.search.engine.engine import Engine
from training.quality_page import put

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "performance.md"
TOOLS: Final = ("ggrep", "rg", "git grep", "semble", "codegraph")
KINDS: Final = {
    "words": "question in words",
    "definition": "definition of a name",
    "usages": "usages of a name",
    "text": "exact text",
    "pattern": "regular expression",
}
"""Kinds of questions with their names in the tables."""
AIMS: Final = {
    ("words-46", "words"): ("rg", 0.8),
    ("words-140", "words"): ("rg", 0.4),
    ("words-470", "words"): ("rg", 0.1),
    ("words-46-plain", "words"): ("rg", 0.8),
    ("words-140-plain", "words"): ("rg", 0.4),
    ("words-470-plain", "words"): ("rg", 0.1),
    ("headers", "definition"): ("git grep", 2.0),
    ("headers", "usages"): ("git grep", 4.0),
}
"""The ratio of wall times that each of these should reach at most, and to which peer."""
STORE_AIM: Final = 2.2
TURNS: Final = 7
LIMIT_S: Final = 120.0
INDEX_LIMIT_S: Final = 3_600.0
"""Time after which a tool counts as one that cannot index a tree."""
SECTION: Final = "peers"
_RESAMPLES: Final = 2_000
_TICK: Final = os.sysconf("SC_CLK_TCK")


class Figure(Struct, frozen=True):
    """One answer.

    Attributes:
        seconds: of wall time.
        cpu: seconds of all processes that worked for it.
        size: bytes printed.
        status: the command's exit status.
    """

    tree: str
    kind: str
    question: str
    tool: str
    turn: int
    seconds: float
    cpu: float
    size: int
    status: int


def measure(arguments: Sequence[str]) -> Iterator[str]:
    """Yield the table of the trees that are named, and keep what it is made of."""
    given = _parsed(arguments)
    bench = _Bench(given.folder.resolve(), given.linux, install=given.install)
    names = given.only.split(",") if given.only else [tree.name for tree in TREES]
    if unknown := set(names) - {tree.name for tree in TREES}:
        raise SystemExit(f"peers: no tree named {', '.join(sorted(unknown))}")
    lines: list[str] = []
    try:
        for tree in (tree for tree in TREES if tree.name in names):
            figures, facts = bench.run(tree, given.turns)
            lines.append(table(tree, figures, facts))
            yield lines[-1]
    finally:
        bench.stop()
    if given.write:
        put(PAGE, SECTION, "\n".join(lines) + "\n")


def table(tree: Tree, figures: Sequence[Figure], facts: Mapping[str, str]) -> str:
    """Return a tree's table: medians, and ratios of ggrep to each peer with figures."""
    tools = [tool for tool in TOOLS if any(figure.tool == tool for figure in figures)]
    ratio = {tool: "" if tool == "ggrep" else f", ratio ggrep / {tool}" for tool in tools}
    heads = [f"{tool}: wall time, CPU time{ratio[tool]}" for tool in tools]
    lines = [f"**{tree.name}**: {', '.join(facts.values())}", ""]
    lines += [f"| search | {' | '.join(heads)} |", "|---" * (1 + len(tools)) + "|"]
    for kind, name in KINDS.items():
        rows = [figure for figure in figures if figure.kind == kind]
        if rows:
            cells = [_cell(rows, tool, tree, kind) for tool in tools]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join([*lines, ""])


def _cell(rows: Sequence[Figure], tool: str, tree: Tree, kind: str) -> str:
    its = [figure for figure in rows if figure.tool == tool]
    if not its:
        return "absent" if can(tool, kind, tree) else "cannot"
    wall = statistics.median(figure.seconds for figure in its)
    cpu = statistics.fmean(figure.cpu for figure in its)
    text = f"{wall * 1000:.0f} ms, {cpu * 1000:.0f} CPU-ms"
    if tool != "ggrep":
        middle, low, high = interval(ratios(rows, tool))
        text += f", {middle:.2f}x ({low:.2f} to {high:.2f})"
        peer, aim = AIMS.get((tree.name, kind), ("", 0.0))
        if peer == tool:
            text += f", aim {aim:g}: {'met' if middle <= aim else 'missed'}"
    if any(figure.status not in {0, 1} for figure in its):
        text += " *failed*"
    return text


def ratios(rows: Iterable[Figure], peer: str) -> list[float]:
    """Return wall times of ggrep over those of a peer, of each question and turn."""
    by_tool: dict[str, dict[tuple[str, int], float]] = defaultdict(dict)
    for figure in rows:
        by_tool[figure.tool][figure.question, figure.turn] = figure.seconds
    ours, theirs = by_tool["ggrep"], by_tool[peer]
    return [ours[key] / theirs[key] for key in sorted(ours) if key in theirs]


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the median of some values and the bounds of 95 % of its bootstrap resamples."""
    if not values:
        return (float("nan"),) * 3
    chance = random.Random(len(values))
    medians = sorted(
        statistics.median(chance.choices(values, k=len(values))) for _ in range(_RESAMPLES)
    )
    return statistics.median(values), medians[_RESAMPLES // 40], medians[-_RESAMPLES // 40]


def can(tool: str, kind: str, tree: Tree) -> bool:
    """Return whether a tool answers a kind of question over a tree at all."""
    if tool == "git grep":
        return tree.git
    return tool in {"ggrep", "rg"} or kind != "pattern"


def command(tool: str, question: Question, root: Path) -> list[str]:
    """Return the command line that asks a tool about the tree at `root`.

    ripgrep gets the names in the root: given `.`, some releases search nothing in a tree that
    ignores `.*`, as the kernel's does.
    """
    text, kind = question.text, question.kind
    match tool:
        case "ggrep":
            first = {"definition": ["symbol"], "usages": ["refs"]}.get(kind, [])
            last = {"text": ["-F"], "pattern": ["-E"]}.get(kind, [])
            return ["ggrep", *first, text, *last]
        case "rg":
            option = {"words": "-ne", "text": "-nFe", "pattern": "-ne"}.get(kind, "-nwe")
            names = sorted(path.name for path in root.iterdir())
            return ["rg", option, text, *(name for name in names if not name.startswith("."))]
        case "git grep":
            option = {"words": "-nFe", "text": "-nFe", "pattern": "-nEe"}.get(kind, "-nwe")
            return ["git", "grep", option, text]
        case "semble":
            return ["semble", "search", text, "--format", "text"]
        case _:
            return ["codegraph", "callers" if kind == "usages" else "query", text]


class _Bench:
    """The tools, their homes and the trees below one folder."""

    def __init__(self, folder: Path, linux: Path | None, *, install: bool) -> None:
        self._folder, self._linux, self._install = folder, linux, install
        self._kept = folder / "peers"
        self._kept.mkdir(parents=True, exist_ok=True)
        self._figures = folder / "peers.json"
        if install:
            self._fetch()
        places = {
            "ggrep": Path(sys.executable).with_name("ggrep"),
            "rg": Path(shutil.which("rg") or "absent"),
            "git grep": Path(shutil.which("git") or "absent"),
            "semble": self._kept / "semble" / "bin" / "semble",
            "codegraph": self._kept / "node_modules" / ".bin" / "codegraph",
        }
        self._places = {tool: place for tool, place in places.items() if place.exists()}

    def run(self, tree: Tree, turns: int) -> tuple[list[Figure], dict[str, str]]:
        """Ask all questions of a tree; keep the figures and return them with the facts."""
        root = self._laid_out(tree)
        tools = [tool for tool in TOOLS if tool in self._places]
        failed = [tool for tool in tools if not self._index(tool, root, tree)]
        tools = [tool for tool in tools if tool not in failed]
        load = os.getloadavg()[0]
        figures = []
        for turn in range(-1, turns):
            for question in tree.questions:
                order = [tool for tool in tools if can(tool, question.kind, tree)]
                first = (turn + 1) % len(order)
                asked = [
                    self._ask(tool, question, root, tree, turn)
                    for tool in order[first:] + order[:first]
                ]
                figures += asked if turn >= 0 else []
        size = sum(size for _, size in files_below(root))
        facts: dict[str, str] = {
            "size": f"{size / 1e6:.0f} MB of files",
            "turns": f"{turns} turns",
            "load": f"load {load:.1f} to {os.getloadavg()[0]:.1f}",
        }
        if "ggrep" in tools:
            ratio = store_ratio(root, self._home("ggrep") / ".ggrep")
            result = "met" if ratio <= STORE_AIM else "missed"
            facts["index"] = f"index {ratio:.2f} times its text (aim {STORE_AIM}: {result})"
        if failed:
            facts["failed"] = f"could not be indexed by {' and '.join(failed)}"
        self._keep(tree, figures, facts)
        return figures, facts

    def stop(self) -> None:
        """End the daemons of ggrep."""
        self._call("ggrep", ["ggrep", "stop-all"], self._folder)

    def _ask(self, tool: str, question: Question, root: Path, tree: Tree, turn: int) -> Figure:
        line = command(tool, question, root)
        before, children = self._background(tool), os.times()
        begun = time.perf_counter()
        done = self._call(tool, line, root)
        seconds = time.perf_counter() - begun
        after = os.times()
        spent = after.children_user + after.children_system
        spent -= children.children_user + children.children_system
        cpu = spent + max(self._background(tool) - before, 0.0)
        status, size = (124, 0) if done is None else (done.returncode, len(done.stdout))
        return Figure(
            tree.name, question.kind, question.text, tool, turn, seconds, cpu, size, status
        )

    def _background(self, tool: str) -> float:
        """Return the CPU seconds of the processes that run on with a tool's home."""
        mark = f"\0HOME={self._home(tool)}\0".encode()
        total = 0
        for place in Path("/proc").glob("[0-9]*"):
            try:
                if mark in b"\0" + (place / "environ").read_bytes() + b"\0":
                    fields = (place / "stat").read_text().rpartition(")")[2].split()
                    total += sum(map(int, fields[11:15]))
            except OSError:
                continue  # it ended, or is another user's
        return total / _TICK

    def _index(self, tool: str, root: Path, tree: Tree) -> bool:
        """Make a tool's index of a tree where it has one; return whether that went well."""
        done: subprocess.CompletedProcess[bytes] | None
        match tool:
            case "ggrep":
                done = self._call(
                    tool, ["ggrep", "index", "--plain", "--yes"], root, limit_s=INDEX_LIMIT_S
                )
            case "codegraph":
                done = self._call(tool, ["codegraph", "init", "-y"], root, limit_s=INDEX_LIMIT_S)
            case "semble":
                words = [question.text for question in tree.questions]
                export([*_texts(root), *words], self._home(tool) / "model")
                return True
            case _:
                return True
        return done is not None and not done.returncode

    def _call(
        self, tool: str, line: Sequence[str], folder: Path, *, limit_s: float = LIMIT_S
    ) -> subprocess.CompletedProcess[bytes] | None:
        """Run a command with a tool's home; None if it took too long."""
        home = self._home(tool)
        home.mkdir(parents=True, exist_ok=True)
        environ = {
            "PATH": f"{self._places[tool].parent}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home),
            "GGREP_HOME": str(home / ".ggrep"),
            "LANG": "C.UTF-8",
            "HF_HUB_OFFLINE": "1",
            "SEMBLE_MODEL_NAME": str(home / "model"),
            "CODEGRAPH_TELEMETRY": "0",
            "DO_NOT_TRACK": "1",
        }
        with subprocess.Popen(
            line,
            cwd=folder,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                output, errors = process.communicate(timeout=limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # its workers too
                return None
        return subprocess.CompletedProcess(line, process.returncode, output, errors)

    def _home(self, tool: str) -> Path:
        return self._folder / "homes" / tool.replace(" ", "-")

    def _fetch(self) -> None:
        for name in ("semble", "node_modules"):
            if not (self._kept / name).exists():
                for line in FETCHED[name]:
                    subprocess.run(["bash", "-c", line], cwd=self._kept, check=True)
        if self._linux is None and not (self._folder / "linux").exists():
            lines = (
                "apt-get download -q linux-source-6.1",
                "dpkg-deb -x linux-source-6.1_*.deb .",
                "tar -xf usr/src/linux-source-6.1.tar.xz && mv linux-source-6.1 linux",
            )
            for line in lines:
                subprocess.run(["bash", "-c", line], cwd=self._folder, check=True)

    def _laid_out(self, tree: Tree) -> Path:
        """Return a tree's root, made of its sources if it is not there."""
        root = self._folder / "trees" / tree.name
        if root.exists():
            return root
        source = self._linux or self._folder / "linux"
        if tree.name != "stdlib" and not source.is_dir():
            raise SystemExit("peers: the kernel's source is not there; --install or --linux")
        lay_out(tree, root, source)
        if tree.git:
            settings = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
            for line in (["init", "-q"], ["add", "-A", "-f"], ["commit", "-q", "-m", "all"]):
                subprocess.run(["git", *settings, *line], cwd=root, check=True)
        return root

    def _keep(self, tree: Tree, figures: Sequence[Figure], facts: Mapping[str, str]) -> None:
        kept = json.loads(self._figures.read_text()) if self._figures.exists() else {}
        kept[tree.name] = {"facts": dict(facts), "figures": msgspec.to_builtins(figures)}
        self._figures.write_text(json.dumps(kept, indent=1) + "\n")


def _texts(root: Path) -> Iterator[str]:
    for path, _ in files_below(root):
        data = (root / path).read_bytes()
        if b"\0" not in data:
            yield data.decode("utf-8", "replace")


def store_ratio(root: Path, home: Path) -> float:
    """Return the bytes of a tree's store over those of the text that it indexed."""
    engine = Engine(root, Home(home))
    text = sum(int(each.image.arrays["file_sizes"].sum()) for each in engine.view().segments)
    size = store_bytes(engine.identity.store)
    engine.close()
    return size / max(text, 1)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="dev.py bench peers")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--linux", type=Path)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--install", action="store_true")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args(arguments)
