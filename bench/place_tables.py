"""Visible places as the Markdown tables of docs/quality.md."""

from collections.abc import Sequence

from bench.quality_tables import section
from ggrep.interfaces.evaluation.figures import slate_block, slate_score
from ggrep.model.evaluation import SHARES
from training.slates.visible import BUDGETS, PlaceAnswer, figures_of_sections

HEAD = (
    "slates of level 1",
    "repositories",
    "questions",
    "places shown (share)",
    "places in a shown or named range (share)",
    "places whose file is named (share)",
    "shown lines that are in a place (share)",
    "named files that have a place (share)",
    "bytes of a slate, median",
)


SECTION_HEAD = (
    "slates of level 1, 16,384 bytes",
    "questions",
    "files whose code answers",
    "such files that the slate names",
    "such files under `code`",
    "files under `docs`",
    "files wrongly under `docs` or `tests`",
)


def places(developed: Sequence[PlaceAnswer], held_out: Sequence[PlaceAnswer]) -> str:
    """Return the tables; without rows for the repositories held out where none were measured."""
    rows = [*_rows("development", developed), *(_rows("held-out", held_out) if held_out else ())]
    shown = section(
        "Places that slates show",
        "The questions are typical for the start of a task. Three to seven places of up to twelve "
        "lines answer each question; they were annotated by hand before anything was tuned on "
        "them. A place counts as shown if at least half of its lines are shown. A range has at "
        "most 80 lines. Bytes are those of the text for agents.",
        HEAD,
        rows,
    )
    return f"{shown}\n{_sections(developed, held_out)}"


def _sections(developed: Sequence[PlaceAnswer], held_out: Sequence[PlaceAnswer]) -> str:
    parts = [("development", developed), *([("held-out", held_out)] if held_out else [])]
    return section(
        "Sections of files",
        "The table counts files for the same questions. Files under `docs` must be documents, not "
        "translations, word lists, templates or tests; files were classified by hand "
        "(`fixtures/sections`).",
        SECTION_HEAD,
        [_section_row(name, answers) for name, answers in parts],
    )


def _section_row(name: str, answers: Sequence[PlaceAnswer]) -> tuple[str, ...]:
    found = figures_of_sections(answers)
    counts = found.questions, found.answers, found.named, found.in_code, found.documents
    return (f"{name} repositories", *map(str, (*counts, len(found.no_documents))))


def _rows(name: str, answers: Sequence[PlaceAnswer]) -> list[tuple[str, ...]]:
    repositories = [answer.case.repo for answer in answers]
    rows = []
    for place, budget in enumerate(BUDGETS):
        scores = [slate_score(budget, answer.seen[place]) for answer in answers]
        block = slate_block(scores, repositories)
        size = f"at most {budget:,} bytes" if budget else "default size"
        counts = str(len(set(repositories))), str(len(answers))
        shares = (f"{getattr(block, share).value:.3f}" for share in SHARES)
        rows.append((f"{name} repositories, {size}", *counts, *shares, f"{block.bytes:,.0f}"))
    return rows
