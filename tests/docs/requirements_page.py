"""docs/requirements.md: a map of the requirements in `requirements.txt` and of their proofs."""

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from tests.docs.pages import ROOT

FILE: Final = ROOT / "docs" / "requirements.md"
_SOURCE: Final = ROOT / "tests" / "docs" / "requirements.txt"
_HEAD: Final = """\
# Requirements

This page lists promises, and requirements with an id, each with at most two tests; the folders of
these tests contain more. The verdicts are **met** (completely, on every interface), **partly** (as
far as the row states) and **not yet**. `tests/docs/requirements.txt` lists all requirements, and
`python3 dev.py schemas` writes this page from it.
[architecture.md](architecture.md#promises) states the promises and the modules that keep them.
"""


class Row(NamedTuple):
    """A requirement; `proofs` are names of tests."""

    cells: list[str]
    proofs: list[str]


def sections() -> dict[str, list[Row]]:
    """Return the requirements of each section."""
    read: dict[str, list[Row]] = {}
    for line in _SOURCE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            read[line[3:]] = rows = []
        elif not line.startswith("#"):
            *cells, proofs = line.split("|")
            rows.append(Row([cell.strip() for cell in cells], proofs.split()))
    return read


def places() -> dict[str, list[str]]:
    """Return the places of each test by its name, and of each file by its path."""
    named: dict[str, list[str]] = {}
    for path in chain(*(ROOT.glob(f"{top}/**/test_*.py") for top in ("tests", "training/tests"))):
        file = path.relative_to(ROOT).as_posix()
        named[file] = [file]
        for test in re.findall(
            r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE
        ):
            place = f"{file}::{test}"
            named[place] = [place]
            named.setdefault(test, []).append(place)
    return named


def requirements_page() -> str:
    """Return the text of the page.

    Raises:
        ValueError: a proof is not the name of exactly one test or file.
    """
    named = places()
    blocks, others = [_HEAD], []
    for title, rows in sections().items():
        proofs = [[_place(name, named) for name in row.proofs] for row in rows]
        if len(rows[0].cells) > 1:
            cells = (
                [*row.cells, ", ".join(f"`{proof}`" for proof in each)]
                for row, each in zip(rows, proofs, strict=True)
            )
            head = ["id", "verdict", *["requirement"] * (len(rows[0].cells) - 2), "proof"]
            blocks.append(f"## {title}\n\n{_table([head, ['---'] * len(head), *cells])}")
        else:
            folders = sorted({str(PurePosixPath(proof).parent) for proof in chain(*proofs)})
            others.append([title, str(len(rows)), ", ".join(f"`{each}`" for each in folders)])
    head = ["section", "requirements", "folders with proofs"]
    blocks.append(f"## Without an id\n\n{_table([head, ['---'] * 3, *others])}")
    return "\n".join(blocks)


def _table(rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _place(name: str, named: dict[str, list[str]]) -> str:
    if len(candidates := named.get(name, [])) != 1:
        raise ValueError(f"{name}: {len(candidates)} tests: {', '.join(candidates)}")
    return candidates[0]


if __name__ == "__main__":
    sys.exit(not FILE.write_text(requirements_page(), encoding="utf-8"))
