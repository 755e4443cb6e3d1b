"""Change localisation: commit subjects asked of the revision before, the changed files expected.

The folder is what `python -m training.changes build` writes. Repositories are in three parts; the
part that judges is only ever measured as a whole.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from msgspec.structs import replace

from bench import semble_lexical
from bench.quality_tables import bounds_cell, change_cell, mean_cell, section
from bench.reference_bm25 import ReferenceBm25, windows_of
from bench.semble_lexical import SembleLexical
from ggrep.base import stable_json
from ggrep.interfaces.evaluation.compare import compare
from ggrep.interfaces.evaluation.figures import Scored, block_of, mean
from ggrep.interfaces.evaluation.questions import Answer, CaseHit
from ggrep.interfaces.evaluation.report import Run, queries_json, scored_run
from ggrep.interfaces.evaluation.suite import Suite, jobs_of, read_kit
from ggrep.interfaces.evaluation.suite_processes import JobResult
from training.changes.building import UNSPELT, WHOLE

SHIPPED, WITHOUT, REFERENCE = "ggrep", "ggrep without vectors", "BM25 with boosts"
SEMBLE: Final = "semble {}without its model"
_DEPTH: Final = 10


class Ranker(Protocol):
    """What finds files in a folder and is none of ggrep."""

    def search(self, question: str, limit: int = ...) -> list[str]:
        """Return the best files, the best first."""


def read_changes(folder: Path, part: str) -> Suite:
    """Return the questions to the repositories of one part: `fit`, `choose` or `judge`."""
    suite = read_kit(folder, federated=False)
    repos: Mapping[str, Mapping[str, str]] = stable_json.loads((folder / "repos.json").read_bytes())
    asked = tuple(case for case in suite.cases if repos[case.repo]["part"] == part)
    return replace(suite, name=f"{suite.name}: {part}", cases=asked)


def others(suite: Suite) -> dict[str, Run | None]:
    """Return what other lexical rankers make of the questions; None of one not installed."""
    there = semble_lexical.version()
    return {
        REFERENCE: _asked(suite, lambda root: ReferenceBm25(windows_of(root))),
        SEMBLE.format(f"{there} " if there else ""): _asked(suite, SembleLexical)
        if there
        else None,
    }


def _asked(suite: Suite, ranker_of: Callable[[Path], Ranker]) -> Run:
    outcomes = []
    for job in jobs_of(suite.cases):
        ranker = ranker_of(job.target.path)
        answers = tuple(
            Answer(each.id, tuple(_found(path) for path in ranker.search(each.query, _DEPTH)))
            for each in job.questions
        )
        outcomes.append(JobResult(job, answers))
    return scored_run(suite, outcomes)


def table(first: Run, others: Mapping[str, Run | None], part: str) -> str:
    """Return the figures of the runs, with what differs from the first of them."""
    runs = {SHIPPED: first, **others}
    rows = []
    for kind, wanted in (
        ("subjects", lambda name: not name.startswith(WHOLE)),
        ("subjects that name no changed file", _is_unspelt),
        ("subjects with bodies", lambda name: name.startswith(WHOLE)),
    ):
        for name, run in runs.items():
            if run is None:
                rows.append((f"{kind}: {name}", "not installed", *[""] * 6))
                continue
            asked = [row for row in run.rows if wanted(row.case.category)]
            rows.append((f"{kind}: {name}", *_cells(asked), *_change(first, run, asked)))
    return section(
        f"Finding what a commit changed ({part})",
        f"The questions are subjects of commits of {len(first.figures.by_repo)} repositories; an "
        "earlier revision is searched. The right answers are the one to four source files that the "
        "commit changes. A subject names a file if they have a word in common.",
        (
            "questions from commits: ranker",
            "number of questions",
            "MRR@10",
            "95 % interval of MRR@10",
            "recall@10",
            "share whose first file is right",
            "change of MRR@10 relative to ggrep",
            "95 % interval of the change",
        ),
        rows,
    )


def languages(run: Run) -> str:
    """Return the figures of subjects by the language of the answers."""
    subjects = [row for row in run.rows if not row.case.category.startswith(WHOLE)]
    names = sorted({row.case.language for row in subjects})
    rows = [
        (name, *_cells([row for row in subjects if row.case.language == name])) for name in names
    ]
    return section(
        "Finding what a commit changed, by language",
        "The questions are subjects without bodies, searched with vectors.",
        (
            "language of the repositories",
            "number of questions",
            "MRR@10",
            "95 % interval of MRR@10",
            "recall@10",
            "share whose first file is right",
        ),
        rows,
    )


def _found(path: str) -> CaseHit:
    return CaseHit(path, 1, 1, 0.0, "code", "", "", "")


def _is_unspelt(category: str) -> bool:
    return category.endswith(UNSPELT) and not category.startswith(WHOLE)


def _cells(rows: Sequence[Scored]) -> tuple[str, ...]:
    block = block_of(rows)
    first = mean([float(row.score.first_rank == 0) for row in rows])
    return (
        str(len(rows)),
        mean_cell(block.mrr10),
        bounds_cell(block.mrr10_interval),
        mean_cell(block.recall10),
        f"{first:.3f}",
    )


def _change(first: Run, run: Run, asked: Sequence[Scored]) -> tuple[str, str]:
    if run is first:
        return "", ""
    ids = {row.case.question.id for row in asked}
    before, after = ({"queries": _only(each, ids)} for each in (first, run))
    found = compare(before, after).overall["mrr10"]
    return change_cell(found), bounds_cell(found.interval, signed=True)


def _only(run: Run, ids: set[str]) -> list[Mapping[str, object]]:
    kept = tuple(row for row in run.rows if row.case.question.id in ids)
    return list(queries_json(replace(run, rows=kept)))
