"""How long after a save a search finds what was saved, and how much of that is the sync.

A work tree of 2,000 files is served and watched. Now and then one file gets a function whose name
no file has, the way editors save: a new file takes the old one's name.
"""

import shutil
import statistics
import subprocess
import time
from pathlib import Path

from bench.serving import ask, load_average, search, serving, sync, timed_ms
from ggrep.config.settings import Settings
from ggrep.parse.source.walk import walk
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.messages import Status

FILES = 2_000
ROUNDS = 40
_REST_S = 1.5
"""Between saves: a burst would be taken up as one change."""
_LOOK_S = 0.01
_PATIENCE_S = 60.0


def measure(work: Path, library: Path, rounds: int = ROUNDS) -> list[str]:
    """Return one line for the waits and one for the syncs in them."""
    tree = work / "tree"
    _grow(tree, library)
    files = [tree / file.path_key for file in walk(tree, Settings()).files]
    waits, syncs, statuses = list[float](), list[float](), list[float]()
    with serving(work / "home", "--path", str(tree)) as host, host.link(tree) as link:
        sync(link)
        for number in range(rounds):
            time.sleep(_REST_S)
            name = f"savedword{number:04d}"
            waits.append(_wait_ms(link, files[number * 37 % len(files)], name))
            syncs.append(float(ask(link, Status())["status"]["sync"]["last_duration_ms"]))
            statuses.append(timed_ms(lambda: _git(tree, "status", "--short")))
    against = statistics.median(waits) / statistics.median(statuses)
    return [
        f"save to findable, {FILES} files, {rounds} saves: {_spread(waits)}, "
        f"{against:.1f}x git status ({load_average()})",
        f"the sync in it: {_spread(syncs)}",
    ]


def _wait_ms(link: Link, file: Path, name: str) -> float:
    text = f"{file.read_text()}\n\ndef {name}():\n    return 1\n"
    fresh = file.with_name(f".{file.name}.saving")
    fresh.write_text(text)
    begun = time.perf_counter()
    fresh.replace(file)
    while not any(hit["path"].endswith(file.name) for hit in search(link, name)["results"]):
        if time.perf_counter() - begun > _PATIENCE_S:
            raise SystemExit(f"save: no search found what was saved in {file}")
        time.sleep(_LOOK_S)
    return (time.perf_counter() - begun) * 1000.0


def _grow(tree: Path, library: Path) -> None:
    """Copy so many modules and commit them."""
    found = sorted(path for path in library.rglob("*.py") if 200 < path.stat().st_size < 60_000)
    for path in found[:: max(1, len(found) // FILES)][:FILES]:
        made = tree / path.relative_to(library)
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, made)
    _git(tree, "init", "-q")
    _git(tree, "add", "-A", "-f")
    _git(tree, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all")


def _git(tree: Path, *arguments: str) -> None:
    subprocess.run(("git", *arguments), cwd=tree, check=True, stdout=subprocess.DEVNULL)


def _spread(times_ms: list[float]) -> str:
    ninth = statistics.quantiles(times_ms, n=20)[-1]
    return f"p50 {statistics.median(times_ms):.0f} ms, p95 {ninth:.0f} ms"
