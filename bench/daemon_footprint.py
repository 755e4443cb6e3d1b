"""Memory of many open stores, and what a sync takes of the machine."""

import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.serving import load_average, rss_mb, search, serving, sync
from ggrep.base import stable_json

STORES = 50
FUNCTIONS = 40
FILES = 50
IMPACTS = 2
_RSS = "import lancedb, sys; sys.stdout.write('there'); sys.stdout.flush(); sys.stdin.read()"


def stores(work: Path) -> Iterator[str]:
    """Yield the memory of a host with 50 small open stores against that of a bare import."""
    roots = [_small_repo(work / f"repo-{number:02}", number) for number in range(STORES)]
    workspace = work / "all.ggrep-workspace.jsonc"
    repos: list[stable_json.Json] = [{"root": str(root)} for root in roots]
    workspace.write_bytes(stable_json.dumps({"schemaVersion": 1, "repos": repos}))
    with serving(work / "home", "--workspace", str(workspace), "--no-watch") as host:
        chunks = 0
        for root in roots:
            with host.link(root) as link:
                chunks += sync(link)["chunks"]
        unasked = host.rss_mb()
        for turn in range(3):
            for number, root in enumerate(roots):
                with host.link(root) as link:
                    search(link, f"step {number} of part {turn}")
        asked = host.rss_mb()
    bare = statistics.median(_bare_rss() for _ in range(3))
    yield (
        f"daemon: {STORES} open stores of {chunks // STORES:,} chunks: {asked:.0f} MB "
        f"({unasked:.0f} before the first query) against {bare:.0f} MB of a process that imported "
        f"lancedb: {asked / bare:.2f}x (goal <= 3); {load_average()}"
    )


def impact(work: Path, fill: Callable[[Path], Path]) -> Iterator[str]:
    """Yield the share of a core that a sync takes with low impact, against the usual."""
    tree = fill(work / "tree")
    shares: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(IMPACTS):
        for low in (False, True) if turn % 2 == 0 else (True, False):
            flag = "--low-impact" if low else "--full-speed"
            home = work / f"home-{turn}-{low}"
            with (
                serving(home, "--path", str(tree), "--no-watch", flag) as host,
                host.link(tree) as link,
            ):
                sync(link)
                report = sync(link, fresh=True)
                shares[low].append(report["cpu_ms"] / report["duration_ms"])
            shutil.rmtree(home)
    low_share, usual = statistics.median(shares[True]), statistics.median(shares[False])
    yield (
        f"daemon: a sync takes {low_share:.2f} of a core with low impact against {usual:.2f}: "
        f"{low_share / usual:.2f}x (goal <= 0.5); {load_average()}"
    )


def _small_repo(root: Path, number: int) -> Path:
    """Write a repository of about 2,000 chunks."""
    for file in range(FILES):
        path = root / f"part_{file:02}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "\n\n".join(
                f"def step_{place}_of_part_{file}(repo_{number}):\n"
                f'    """Do step {place}."""\n    return repo_{number} * {place * file}'
                for place in range(FUNCTIONS)
            )
        )
    return root.resolve()


def _bare_rss() -> float:
    with subprocess.Popen(
        [sys.executable, "-c", _RSS], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.read(5)
        found = rss_mb(process.pid)
        process.communicate()
    return found
