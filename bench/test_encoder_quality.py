"""How encoders are measured, and the form of their tables."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from bench.encoder_quality import (
    HASHED,
    NAMES,
    NONE,
    UNTRAINED,
    Amount,
    Chunks,
    Measured,
    alone_table,
    amounts_table,
    curve_table,
    kept_row,
    nearest,
    together_table,
)
from ggrep.index.embedding.identity import STATIC
from ggrep.index.embedding.quantise import quantise
from ggrep.interfaces.evaluation.report import Run
from tests.fakes.evaluations import case, run_suite, runner, suite

CARD: Mapping[str, Any] = {
    "curve": [
        {"epoch": 0, "seconds": 0.2, "loss": 0.0, "mrr10": 0.2},
        {"epoch": 1, "seconds": 48.2, "loss": 3.456, "mrr10": 0.3017},
    ],
    "kept_back": ["npm-a", "pypi-b"],
    "pairs": {"total": 1234, "packages": 56},
}


def chunks(rows: Mapping[str, list[tuple[float, float]]], *headers: int) -> Chunks:
    """Return files of chunks that point there; the rows at `headers` are headers."""
    vectors = np.array([row for found in rows.values() for row in found], dtype=np.float32)
    owners = np.repeat(np.arange(len(rows)), [len(found) for found in rows.values()])
    ranking: npt.NDArray[np.bool_] = np.ones(len(vectors), dtype=np.bool_)
    ranking[list(headers)] = False
    return Chunks(list(rows), owners, ranking, *quantise(vectors))


def ranked(*segments: Chunks) -> list[tuple[str, float]]:
    """Return the files and their cosines with a query that points to the right."""
    values, scales = quantise(np.array([[1.0, 0.0]], dtype=np.float32))
    found = nearest(segments, values[0], float(scales[0]))
    return [(hit.file, round(hit.score, 2)) for hit in found]


def run(*right: str) -> Run:
    """Return a run over four repositories, in which these are answered rightly."""
    cases = [case(name, f"{name}.py", repo=name, category=f"kind {name}") for name in "abcd"]
    answers: dict[str, tuple[str, ...]] = {
        name: (f"{name}.py" if name in right else "no.py",) for name in "abcd"
    }
    return run_suite(suite(*cases), runner(answers))


def rows_of(table: str) -> list[list[str]]:
    """Return the cells of the lines of a table, its head and rule aside."""
    lines = [line for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_a_file_ranks_by_its_best_chunk() -> None:
    """One place that answers is an answer, however much else the file holds."""
    files = chunks({"mixed.py": [(-1.0, 0.0), (0.8, 0.6)], "even.py": [(0.6, 0.8), (0.6, 0.8)]})

    assert ranked(files) == [("mixed.py", 0.8), ("even.py", 0.6)]


def test_headers_and_hidden_rows_rank_nothing() -> None:
    """A header repeats the file's names, and a file that has nothing else is not found."""
    files = chunks({"a.py": [(1.0, 0.0), (0.6, 0.8)], "empty.py": [(1.0, 0.0)]}, 0, 2)

    assert ranked(files) == [("a.py", 0.6)]


def test_segments_rank_together_and_equal_files_by_path() -> None:
    """Where a file happens to lie must not move it."""
    first = chunks({"z.py": [(0.6, 0.8)], "m.py": [(0.0, 1.0)]})
    second = chunks({"a.py": [(0.6, 0.8)], "b.py": [(-1.0, 0.0)]})

    assert [file for file, _ in ranked(first, second)] == ["a.py", "z.py", "m.py", "b.py"]
    assert ranked(first, second) == ranked(second, first)


def test_what_was_measured_stands_in_the_table_with_differences() -> None:
    """The gain is over each row's encoder; the shipped one gains nothing over itself."""
    runs = {HASHED: run(), UNTRAINED: run("a"), STATIC: run("a", "b", "c", "d")}
    hashed, untrained, shipped = rows_of(alone_table(runs, ""))

    assert hashed[0] == NAMES[HASHED]
    assert hashed[1] == "0.000 (0.000 to 0.000)"
    assert hashed[-1] == "+1.000 (+1.000 to +1.000)"
    assert untrained[2] == "1.000"
    assert untrained[-1].startswith("+0.750 (+")
    assert shipped[-1] == "-"


def test_everything_on_is_compared_with_no_encoder() -> None:
    """What an encoder adds is what is there without one, subtracted."""
    rows = rows_of(together_table({NONE: run("a"), HASHED: run("a"), STATIC: run("a", "b")}, ""))

    assert [row[0] for row in rows] == [NONE, *NAMES.values()]
    assert rows[0][-2:] == ["-", ""]
    assert rows[1][-2:] == ["0", "0 to 0"]
    assert rows[2][1] == "not measured"
    assert rows[3][-2] == "+0.250"
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("name", [UNTRAINED, HASHED])
def test_a_row_that_cannot_be_measured_stays(name: str) -> None:
    """A machine without the extra must not wipe what another one measured."""
    runs = {HASHED: run("b"), UNTRAINED: run("a"), STATIC: run("a", "b")}
    page = f"# Page\n\n{alone_table(runs, '')}\n## Another\n\n| {NAMES[name]} | 1 |\n"
    missing = {key: found for key, found in runs.items() if key != name}

    assert alone_table(missing, page) == alone_table(runs, "")


def test_a_row_of_another_form_is_not_kept() -> None:
    """It would stand under headings that it was not measured for."""
    page = "## Title\n\n| x | 1 |\n"

    assert kept_row(page, "Title", "x", 2) == ("x", "1")
    assert kept_row(page, "Title", "x", 3) == ("x", "not measured", "")
    assert kept_row(page, "Other", "x", 2) == ("x", "not measured")


def test_the_curve_stands_as_the_card_has_it() -> None:
    """Nothing is measured for it."""
    table = curve_table(CARD)

    assert rows_of(table) == [
        ["0", "0", "0", "-", "0.200"],
        ["1", "1,234", "48", "3.46", "0.302"],
    ]
    assert "1,234 pairs of a query and a text from 56 packages" in table.replace("\n", " ")


def test_shares_of_the_packages_stand_in_the_table_or_stay() -> None:
    """Training takes its time and needs the pairs."""
    measured = Measured(run("a"), run("a", "b", "c", "d"))
    shares = ("a sixteenth", "a quarter", "all")
    found = [Amount(share, 1000, 20_000, 0.25, measured) for share in shares]
    table = amounts_table(found, "")
    row = rows_of(table)[0]

    assert row[:4] == ["a sixteenth", "1,000", "20,000", "0.250"]
    assert row[4].startswith("0.250 (0.")
    assert row[5] == "1.000 (1.000 to 1.000)"
    assert amounts_table([], f"before\n\n{table}") == table
