"""The list of requirements is whole, and its proofs exist."""

import re

from tests.docs.pages import ROOT, page, table_rows

PAGE = "docs/requirements.md"
USE = (*range(1, 8), *range(10, 19), *range(20, 23), *range(30, 34), 40, 50)
IDS = (
    *(f"IDX.MUST.{number:03}" for number in range(1, 8)),
    *(f"IPC.MUST.{number:03}" for number in range(1, 6)),
    "GOV.MUST.001",
    *(f"USE.MUST.{number:03}" for number in USE),
    "USE.SHOULD.041",
)
PROMISES = tuple(f"P{number}" for number in range(1, 11))
ROWS = {row[0]: row for row in table_rows(page(PAGE)) if len(row) > 2 and row[0] != "id"}


def status(row: list[str]) -> str:
    """Return the first word or two of a row's verdict: a promise has no column of its wording."""
    cell = row[2] if len(row) == 4 else row[1]
    return cell.partition(":")[0]


def test_every_requirement_has_a_row() -> None:
    """Ids are for ever; one that falls out of the table falls out of mind."""
    assert len(IDS) == 39
    assert list(ROWS) == [*IDS, *PROMISES]


def test_a_status_is_one_of_three() -> None:
    """Nothing in between can be acted upon."""
    assert {status(row) for row in ROWS.values()} <= {"met", "partly", "not yet"}


def test_what_is_met_names_its_proof() -> None:
    """A claim without a test is a hope."""
    unproved = [
        name for name, row in ROWS.items() if status(row) != "not yet" and "tests/" not in row[-1]
    ]

    assert unproved == []


def test_a_requirement_names_at_most_two_tests() -> None:
    """The page is a map; the folders of these tests hold the rest."""
    crowded = [row for row in table_rows(page(PAGE)) if row[-1].count("tests/") > 2]

    assert crowded == []


def test_every_proof_exists() -> None:
    """Tests are renamed; the table must follow."""
    missing = []
    for node in re.findall(r"`((?:training/)?tests/[\w./]+\.py)(?:::(\w+))?`", page(PAGE)):
        file = ROOT / node[0]
        text = file.read_text(encoding="utf-8") if file.is_file() else ""
        names = set(re.findall(r"^(?:async )?def (\w+)", text, re.MULTILINE))
        if not names or (node[1] and node[1] not in names):
            missing.append("::".join(node))

    assert missing == []


def test_the_architecture_words_every_promise() -> None:
    """The table of proofs gives their numbers only."""
    text = page("docs/architecture.md")

    assert [name for name in PROMISES if f"| {name} |" not in text] == []
