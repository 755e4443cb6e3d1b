"""The list of requirements is whole, and the page is made of it."""

from tests.docs.pages import page
from tests.docs.requirements_page import FILE, Row, requirements_page, sections

USE = (*range(1, 8), *range(10, 19), *range(20, 23), *range(30, 34), 40, 50)
IDS = (
    *(f"IDX.MUST.{number:03}" for number in range(1, 8)),
    *(f"IPC.MUST.{number:03}" for number in range(1, 6)),
    "GOV.MUST.001",
    *(f"USE.MUST.{number:03}" for number in USE),
    "USE.SHOULD.041",
)
PROMISES = tuple(f"P{number}" for number in range(1, 11))
ROWS = [row for rows in sections().values() for row in rows]


def without_proofs(row: Row) -> bool:
    """Return whether a row needs no proof."""
    return row.cells[min(1, len(row.cells) - 1)].partition(":")[0] in {
        "not yet",
        "Does not apply",
        "Differs from the contract",
    }


def test_the_page_names_existing_proofs_and_is_current() -> None:
    """`python3 dev.py schemas` writes it."""
    assert FILE.read_text(encoding="utf-8") == requirements_page()


def test_every_requirement_has_a_row_with_a_verdict() -> None:
    """Ids are for ever; one that falls out of the table falls out of mind."""
    verdicts = {row.cells[0]: row.cells[1].partition(":")[0] for row in ROWS if len(row.cells) > 1}

    assert len(IDS) == 39
    assert list(verdicts) == [*IDS, *PROMISES]
    assert set(verdicts.values()) <= {"met", "partly", "not yet"}


def test_a_requirement_has_one_or_two_proofs() -> None:
    """A claim without a test is a hope; the folders of these tests hold the rest."""
    assert [
        row for row in ROWS if len(row.proofs) > 2 or (not row.proofs and not without_proofs(row))
    ] == []


def test_the_architecture_words_every_promise() -> None:
    """The table of proofs gives their numbers only."""
    text = page("docs/architecture.md")

    assert [name for name in PROMISES if f"| {name} |" not in text] == []
