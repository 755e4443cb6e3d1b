"""Walks unpacked packages and writes the pairs of each to a file of its own.

`python -m training.encoder.mine SOURCES PAIRS [--keep-clear FOLDER]...`: packages lie in
`SOURCES/REGISTRY/NAME`, pairs go to `PAIRS/REGISTRY-NAME.jsonl`. A package whose pairs are newer
than its tree is not mined again, but what it holds still counts as seen; pairs of a package whose
tree is gone are deleted.
"""

import argparse
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from hashlib import blake2b
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.parse.workers.child import WorkerCrashed, WorkerTimeout
from training.encoder.guarded_parser import FILE_SECONDS, GuardedParser, SlowFile
from training.encoder.mining import is_mined, mine_plan
from training.encoder.mining_report import MiningReport
from training.encoder.near_duplicates import (
    Digests,
    Seen,
    fingerprints_of,
    group_fingerprint,
    is_near,
)
from training.encoder.pairs import Group, Pair, read_pairs, write_pairs
from training.encoder.source_trees import Package, files_of, is_fresh, key_of, packages_in

MOST_PAIRS: Final = 6_000


class _Mined(Struct, frozen=True):
    """What one package gave, not yet compared with the others."""

    groups: list[Group]
    prints: list[Digests]
    dropped: Counter[str]


def mine(
    sources: Path, pairs: Path, keep_clear: Sequence[Path] = (), jobs: int = 2
) -> MiningReport:
    """Mine every package below `sources` that is not mined yet.

    Args:
        sources: holds REGISTRY/NAME.
        pairs: gets one file for each package; made when missing.
        keep_clear: folders; a file that is much like one in them is left out.
        jobs: worker processes.
    """
    pairs.mkdir(parents=True, exist_ok=True)
    packages = packages_in(sources, pairs)
    stale = [each for each in packages if not is_fresh(each)]
    for gone in set(pairs.glob("*.jsonl")) - {each.output for each in packages}:
        gone.unlink()
    clear = fingerprints_of(keep_clear)
    report, seen = MiningReport(), Seen()
    with ProcessPoolExecutor(jobs) as pool:
        answers = pool.map(_mine_package, ((each, clear) for each in stale))
        for package in packages:
            if package in stale:
                _keep(package, next(answers), seen, report)
            else:
                _recall(package, seen, report)
    return report


def _keep(package: Package, mined: _Mined, seen: Seen, report: MiningReport) -> None:
    """Write what is new of a package's pairs."""
    kept: list[Pair] = []
    for group, found in zip(mined.groups, mined.prints, strict=True):
        new = seen.kept(group, found)
        mined.dropped["duplicate"] += len(group) - len(new)
        kept += new
    write_pairs(package.output, kept)
    report.dropped += mined.dropped
    report.note(kept)


def _recall(package: Package, seen: Seen, report: MiningReport) -> None:
    """Let what was written earlier count as seen."""
    report.skipped += 1
    pairs = list(read_pairs(package.output))
    for pair in pairs:
        if pair.kind != "doc2":
            seen.kept((pair,), group_fingerprint((pair,)))
    report.note(pairs)


def _mine_package(job: tuple[Package, Digests]) -> _Mined:
    """Return the pairs of one package; runs in a worker process."""
    package, clear = job
    dropped: Counter[str] = Counter()
    groups: list[list[Group]] = []
    with GuardedParser() as parser:
        groups += [
            _mine_path(package, path, clear, parser, dropped) for path in files_of(package.tree)
        ]
    kept = spread(groups, MOST_PAIRS)
    dropped["over_cap"] = sum(len(each) for one in groups for each in one) - sum(map(len, kept))
    return _Mined(kept, [group_fingerprint(each) for each in kept], dropped)


def _mine_path(
    package: Package, path: Path, clear: Digests, parser: GuardedParser, dropped: Counter[str]
) -> list[Group]:
    """Return the pairs of one file; none, and why, when it is bad company or bad luck."""
    key = key_of(package.tree, path)
    try:
        data = path.read_bytes()
        data.decode("utf-8")
        if not is_mined(key, data):
            return []
        signal.setitimer(signal.ITIMER_REAL, FILE_SECONDS)
        if is_near(data.decode("utf-8"), clear):
            dropped["kept_clear"] += 1
            return []
        return mine_plan(package.name, key, data, parser.plan(key, data))
    except (UnicodeDecodeError, OSError):
        dropped["unreadable"] += 1
    except (SlowFile, WorkerTimeout):
        dropped["slow"] += 1
    except (WorkerCrashed, ValueError, TypeError, RecursionError):
        dropped["crashed"] += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return []


def spread(files: Sequence[Sequence[Group]], most: int) -> list[Group]:
    """Return groups of at most `most` pairs in all, a share of every file, in their order."""
    drawn = [sorted(range(len(groups)), key=lambda at: _lot(groups[at])) for groups in files]
    taken: list[tuple[int, int]] = []
    count = 0
    for turn in range(max(map(len, drawn), default=0)):
        for number, order in enumerate(drawn):
            if turn < len(order):
                count += len(files[number][order[turn]])
                if count > most:
                    return [files[one][at] for one, at in sorted(taken)]
                taken.append((number, order[turn]))
    return [files[one][at] for one, at in sorted(taken)]


def _lot(group: Group) -> bytes:
    return blake2b(group[0].text.encode("utf-8", "replace"), digest_size=8).digest()


def main(arguments: Sequence[str] | None = None) -> int:
    """Mine as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m training.encoder.mine")
    parser.add_argument("sources", type=Path)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--keep-clear", type=Path, action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    found = parser.parse_args(arguments)
    report = mine(found.sources, found.pairs, found.keep_clear, found.jobs)
    sys.stdout.write(f"{report}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
