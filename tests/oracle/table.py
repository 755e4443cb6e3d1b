"""Prints how our chunks stand against universal-ctags, language by language.

    python3 dev.py bench definitions [--missing N] [LANGUAGE ...]

`starts` is the share of definitions whose line opens a chunk, or that a chunk around them is named
after; `names` of those that a chunk around them names; `either` is what the test asks for.
"""

import argparse
import sys
from pathlib import Path

from tests.oracle.clients import Unavailable
from tests.oracle.definitions import Comparison, compare, tags_of
from tests.oracle.packages import HELD_OUT, MORE_PACKAGES, PACKAGES
from tests.oracle.registries import Cache

CACHE_FOLDER = Path(__file__).resolve().parents[2] / ".cache" / "oracle"
HEAD = "language    files   tags  starts  names  either  package; missing by kind"


def main(arguments: list[str]) -> int:
    """Print the table; return 1 if a package could not be had."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    parser.add_argument("--missing", type=int, default=0, metavar="N", help="show N of each kind")
    given = parser.parse_args(arguments)
    cache = Cache(CACHE_FOLDER)
    ctags = cache.ctags()
    status = 0
    sys.stdout.write(f"{HEAD}\n")
    for package in (*PACKAGES, *MORE_PACKAGES, *HELD_OUT):
        if given.languages and package.language not in given.languages:
            continue
        try:
            folder = cache.files(package)
        except Unavailable as error:
            sys.stdout.write(f"{package.language:11} {package.label}: {error}\n")
            status = 1
            continue
        comparison = compare(package, folder, tags_of(package, folder, ctags))
        sys.stdout.write(row(comparison))
        sys.stdout.writelines(missing(comparison, given.missing))
    return status


def row(result: Comparison) -> str:
    """Return one line of the table."""
    tags = max(1, result.tags)
    kinds = ", ".join(f"{kind} {count}" for kind, count in result.missing_kinds())
    return (
        f"{result.package.language:11} {result.files:5} {result.tags:6} "
        f"{result.started / tags:7.1%} {result.named / tags:6.1%} {result.share:7.1%}  "
        f"{result.package.label}{'; ' if kinds else ''}{kinds}\n"
    )


def missing(result: Comparison, most: int) -> list[str]:
    """Return a line for each of the first `most` missing tags of every kind."""
    lines: list[str] = []
    for kind, _ in result.missing_kinds():
        tags = [tag for tag in result.missing if tag.kind == kind][:most]
        lines += [f"    {kind} {tag.name}  {tag.path}:{tag.line}\n" for tag in tags]
    return lines


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
