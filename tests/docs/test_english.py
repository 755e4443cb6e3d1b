"""Pages for users and pages of help are plain English: sentences start with their subject."""

import re
from collections.abc import Iterator

import pytest

from ggrep.interfaces.cli.parsing.help_table import every_page
from tests.docs.pages import ROOT, page

OPENINGS = {"what", "who", "whose", "of", "those"}
"""A clause without a head noun makes the reader wait for the subject."""

AVOIDED = {
    "whoever": "name the user, the process or the caller",
    "nobody": "programs are not people; name the process or say what happens",
    "somebody": "name the user, the process or the caller",
    "hollow": "placeholder",
    "asleep": "idle, or closed",
    "door": "listener",
    "desk": "queue",
    "heal": "repair or rebuild",
    "heals": "repairs or rebuilds",
    "healed": "repaired or rebuilt",
    "mend": "fix or repair",
    "mends": "fixes or repairs",
    "mended": "fixed or repaired",
    "household": "home",
    "guest": "foreign store",
    "guests": "foreign stores",
    "headstart": "preload",
    "in force": "current, or configured",
    "stand": "be, or depend on",
    "stands": "is, depends on, or means",
    "drawn": "random",
    "told": "named, listed or informed",
    "asked": "queried, or requested",
    "amiss": "wrong",
    "whatever": "any, or name the thing",
    "unless said": "by default",
    "falls silent": "sends no heartbeat",
    "fell silent": "sent no heartbeat",
    "looked through": "scanned",
    "lies about": "is left over",
    "comes of": "results from",
    "becomes of": "happens to",
    "goes by": "depends on",
}
"""Pictures and words for people, each with the field's word."""

OTHER_READERS = {"changelog.md", "requirements.md", "performance.md", "quality.md"}
PAGES = ["README.md"] + [
    f"docs/{path.name}"
    for path in sorted((ROOT / "docs").glob("*.md"))
    if path.name not in OTHER_READERS
]
HELP = every_page()


def without_quotations(text: str) -> str:
    """Return text without code, and without the words between double quotes."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "`code`", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r'"[^"]*"', '"quoted"', text)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of paragraphs, list items and table cells; headings are left out."""
    for block in re.split(r"\n\s*\n|\n(?=[|#]|- |\d+\. )", without_quotations(text)):
        if block.startswith("#"):
            continue
        for cell in block.split("|") if block.startswith("|") else [block]:
            whole = " ".join(cell.split())
            yield from (
                each.lstrip("*-( ") for each in re.split(r"(?<=[.!?])\s+|(?<=:)\s+(?=[A-Z])", whole)
            )


def faults(text: str) -> list[str]:
    """Return the sentences that break a rule, each behind the word that does."""
    wrong = []
    for sentence in sentences(text):
        first = re.match(r"[A-Za-z]+", sentence)
        if first and first[0].lower() in OPENINGS:
            wrong.append(f"{first[0]}: {sentence}")
        words = [word for word in AVOIDED if re.search(rf"\b{word}\b", sentence, re.IGNORECASE)]
        wrong += [f"{word} ({AVOIDED[word]}): {sentence}" for word in words]
    return wrong


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_plain_english(name: str) -> None:
    assert faults(page(name)) == []


@pytest.mark.parametrize("name", HELP)
def test_a_page_of_help_is_plain_english(name: str) -> None:
    shown = HELP[name]
    rows = [row.text for section in shown.sections for row in section.rows]
    comments = [comment for _, comment in shown.examples]

    assert faults("\n\n".join([shown.brief, *shown.about, *rows, *comments])) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("What is shown depends on it.", 1),
        ("It runs.\nOf these\none ends.", 1),
        ("| `a` | those that end |\n| of | b |", 2),
        ("- Nobody waits; the setting in\n  force wins.", 2),
        ('`what` is code. "Who knows" is quoted. It says what it does.', 0),
        ("```\nWhat nobody reads.\n```\nThe index answers.", 0),
        ("## What is shown\n\nHits.", 0),
    ],
)
def test_faults_are_seen(text: str, count: int) -> None:
    assert len(faults(text)) == count
