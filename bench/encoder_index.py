"""What the shipped encoder costs an index: against the hashed one, and against a transformer.

Each turn indexes the same files into fresh homes, one encoder after the other; CPU seconds of the
command and its children are compared, as a busy neighbour stretches wall time alone.
"""

import shutil
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path

from bench.encoders import minilm_folder

TURNS = 3
SMALL_FILES = 30
SMALL_BYTES = 6_000
"""Files that the transformer indexes, and how large they are at most."""
GOAL_HASHED, GOAL_TRANSFORMER = 1.5, 10.0

Cpu = Callable[[list[str], Path, Path], float]
"""Runs a command in a folder with a home of its own; CPU seconds of it and its children."""


def measure(tree: Path, work: Path, cpu: Cpu) -> Iterator[str]:
    """Yield lines about indexing `tree` with the static encoder and with the hashed one.

    And a few of its files with the static one and with MiniLM, where that is installed.
    """
    numbers = count()

    def spent(where: Path, encoder: str) -> tuple[float, float]:
        command = [sys.executable, "-m", "ggrep", "index", str(where), "--plain"]
        begun = time.perf_counter()
        seconds = cpu([*command, "--encoder", encoder], work, work / f"home-{next(numbers)}")
        return seconds, time.perf_counter() - begun

    ratios, walls = [], []
    for turn in range(TURNS):
        order = ("hashed", "static") if turn % 2 else ("static", "hashed")
        took = {encoder: spent(tree, encoder) for encoder in order}
        ratios.append(took["static"][0] / took["hashed"][0])
        walls.append(took["static"][1] / took["hashed"][1])
        yield (
            f"encoder-index: run {turn + 1}: static {took['static'][0]:.1f} CPU-s, "
            f"hashed {took['hashed'][0]:.1f} CPU-s"
        )
    yield (
        f"encoder-index: static {statistics.median(ratios):.2f}x the CPU of hashed (goal <= "
        f"{GOAL_HASHED}), {statistics.median(walls):.2f}x its time"
    )
    folder = minilm_folder() if find_spec("sentence_transformers") else None
    if folder is None:
        yield "encoder-index: MiniLM: left out, sentence-transformers or its package is missing"
        return
    few = _few(tree, work / "few")
    theirs = spent(few, f"sentence-transformers:{folder}")
    ours, nothing = spent(few, "static"), spent(few, "none")
    yield (
        f"encoder-index: {SMALL_FILES} files: static {ours[0]:.1f} CPU-s, none {nothing[0]:.1f}, "
        f"MiniLM {theirs[0]:.1f}: {theirs[0] / ours[0]:.1f}x static (goal >= "
        f"{GOAL_TRANSFORMER:g}), {theirs[1] / ours[1]:.1f}x its time"
    )


def _few(tree: Path, target: Path) -> Path:
    target.mkdir()
    found = (path for path in sorted(tree.rglob("*.py")) if path.stat().st_size > 1000)
    small = [path for path in found if path.stat().st_size < SMALL_BYTES]
    for number, path in enumerate(small[:: max(len(small) // SMALL_FILES, 1)][:SMALL_FILES]):
        shutil.copy(path, target / f"{number}_{path.name}")
    return target
