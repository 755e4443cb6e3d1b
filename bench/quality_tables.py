"""Measured runs as the Markdown tables of docs/quality.md."""

from collections.abc import Mapping, Sequence

from bench.federated import Routed
from ggrep.interfaces.evaluation.report import Run
from ggrep.model.evaluation import Comparison, Difference, FigureBlock
from training.ablation import Ablated

GOAL_OF_WHOLE_SOURCES = 0.03


def ranking(run: Run) -> str:
    """Return what the ranking reaches, in all and by kind."""
    figures = run.figures
    rows = [_figures("all questions", figures.overall)]
    rows += [_figures(f"{name} questions", block) for name, block in figures.by_category.items()]
    rows += [_figures(f"language {name}", block) for name, block in figures.by_language.items()]
    return section(
        "What the ranking reaches",
        f"The table has the results of {len(run.rows)} questions about {len(figures.by_repo)} "
        "repositories, with the shipped encoder.",
        (
            "questions",
            "number of questions",
            "NDCG@10",
            "95 % interval of NDCG@10",
            "MRR@10",
            "recall@10",
        ),
        rows,
    )


def ablations(parts: Sequence[Ablated]) -> str:
    """Return what is lost without each part of the score."""
    categories = list(parts[0].found.by_category)
    rows = []
    for each in parts:
        found = each.found.by_category
        changes = [change_cell(found.get(name)) for name in categories]
        bounds = bounds_cell(each.change.interval, signed=True) if each.change else ""
        rows.append((each.ablation.part, change_cell(each.change), bounds, *changes))
    return section(
        "What each part is worth",
        "Change is NDCG@10 without the part minus NDCG@10 with all parts, over the same questions; "
        "if the interval of a change contains zero, no effect is shown. Only one part is removed "
        "at a time, and similar parts replace each other, so the changes do not add up. The effect "
        "of `further` is shown under *Ten hits*. `location` has an effect only if a question names "
        "a path.",
        (
            "part removed from the ranking",
            "change of NDCG@10",
            "95 % interval of the change",
            *(f"change, {name} questions" for name in categories),
        ),
        rows,
    )


def whole_sources(
    narrow: Run, whole: Run, found: Comparison, sizes: Sequence[tuple[int, int]]
) -> str:
    """Return what is lost when tests, documents and examples are indexed as well."""
    if sizes[0] == sizes[1]:
        return (
            "## All of a repository\n\nNot measured: the benchmark's sources contain only the "
            "searched folders.\n"
        )
    overall = found.overall["ndcg10"]
    verdict = "met" if -overall.change <= GOAL_OF_WHOLE_SOURCES else "missed"
    rows = [
        _both("all questions", narrow.figures.overall, whole.figures.overall, overall),
        *_by_category("{} questions", narrow, whole, found),
    ]
    return section(
        "All of a repository",
        "The benchmark searches only the source folder of each repository. This table compares a "
        "search of the whole repository, with tests, documents and examples: "
        f"{sizes[1][0]:,} files in {sizes[1][1]:,} chunks instead of {sizes[0][0]:,} in "
        f"{sizes[0][1]:,}. The aim, a loss of at most {_share(GOAL_OF_WHOLE_SOURCES)}, is "
        f"{verdict}.",
        (
            "questions",
            "NDCG@10, source folder",
            "NDCG@10, whole repository",
            "change of NDCG@10",
            "95 % interval of the change",
        ),
        rows,
    )


def per_file(three: Run, one: Run, found: Comparison, undecayed: Ablated) -> str:
    """Return what ten hits of at most three of a file cost against one of a file."""
    overall = found.overall
    level = undecayed.change
    lost = f"{change_cell(level)} ({bounds_cell(level.interval, signed=True)})" if level else "-"
    blocks = three.figures.overall, one.figures.overall
    rows = [
        _both("NDCG@10, all questions", *blocks, overall["ndcg10"]),
        *_by_category("NDCG@10, {} questions", three, one, found),
        (
            "recall@10, all questions",
            *(mean_cell(block.recall10) for block in blocks),
            change_cell(overall["recall10"]),
            bounds_cell(overall["recall10"].interval, signed=True),
        ),
    ]
    return section(
        "Ten hits",
        "The figures above rank the first ten files. The default answer has ten hits, at most "
        "three in each file, so it shows fewer files. Without the factor `further`, NDCG@10 of the "
        f"default answer would change by {lost}.",
        (
            "measure",
            "at most three hits in each file",
            "at most one hit in each file",
            "change",
            "95 % interval of the change",
        ),
        rows,
    )


def strategies(runs: Mapping[str, Run], changes: Mapping[str, Comparison]) -> str:
    """Return what each way of merging reaches, and its difference from the first."""
    first, usual = next(iter(runs.items()))
    rows = []
    for name, run in runs.items():
        figures = run.figures.overall
        found = changes[name].overall["ndcg10"] if name in changes else None
        bounds = bounds_cell(found.interval, signed=True) if found else ""
        interval = bounds_cell(figures.ndcg10_interval)
        rows.append((name, mean_cell(figures.ndcg10), interval, change_cell(found), bounds))
    return section(
        "Merging repositories",
        f"The table has the results of {len(usual.rows)} questions about workspaces, without an "
        "encoder, for each merge strategy. *One store* is an index of the files of all "
        "repositories of a workspace.",
        (
            "merge strategy",
            "NDCG@10",
            "95 % interval of NDCG@10",
            f"change relative to `{first}`",
            "95 % interval of the change",
        ),
        rows,
    )


def workspaces(runs: Mapping[str, Run]) -> str:
    """Return what each workspace reaches by how its repositories' lists are merged."""
    first = next(iter(runs.values()))
    rows = []
    for name, block in first.figures.by_workspace.items():
        found = [run.figures.by_workspace[name].ndcg10 for run in runs.values()]
        repos = len({row.case.repo for row in first.rows if row.case.workspace == name})
        rows.append((name, str(repos), str(block.cases), *map(mean_cell, found)))
    return section(
        "By workspace",
        "The table has NDCG@10 of each workspace.",
        ("workspace", "repositories", "questions", *(f"NDCG@10, {name}" for name in runs)),
        rows,
    )


def routed(found: Sequence[Routed], questions: int) -> str:
    """Return what is left when fewer repositories are searched."""
    rows = [(each.kept, *map(_share, (each.home_kept, each.ndcg10))) for each in found]
    return section(
        "Fewer repositories",
        f"For the same {questions} questions, only those repositories of a workspace are searched "
        "whose term statistics fit the question best.",
        (
            "searched repositories of the workspace",
            "questions whose right repository is searched (share)",
            "NDCG@10",
        ),
        rows,
    )


def _by_category(
    label: str, before: Run, after: Run, comparison: Comparison
) -> list[tuple[str, ...]]:
    old, new = before.figures.by_category, after.figures.by_category
    return [
        _both(label.format(name), old[name], new[name], each)
        for name, each in comparison.by_category.items()
    ]


def _both(name: str, before: FigureBlock, after: FigureBlock, found: Difference) -> tuple[str, ...]:
    bounds = bounds_cell(found.interval, signed=True)
    return name, mean_cell(before.ndcg10), mean_cell(after.ndcg10), change_cell(found), bounds


def _figures(name: str, block: FigureBlock) -> tuple[str, ...]:
    return (
        name,
        str(block.cases),
        mean_cell(block.ndcg10),
        bounds_cell(block.ndcg10_interval),
        mean_cell(block.mrr10),
        mean_cell(block.recall10),
    )


def section(title: str, about: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = ["---", *("---:" for _ in head[1:])]
    lines = [_line(cells) for cells in (head, rule, *rows)]
    return "\n".join([f"## {title}", "", *_wrapped(about), "", *lines, ""])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _wrapped(text: str, room: int = 105) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        if len(lines[-1]) + len(word) >= room:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return lines


def mean_cell(value: float | None) -> str:
    return "-" if value is None else _share(value)


def change_cell(found: Difference | None) -> str:
    return "-" if found is None else _signed(found.change)


def bounds_cell(interval: tuple[float, float] | None, *, signed: bool = False) -> str:
    if interval is None:
        return ""
    low, high = (_signed(bound) if signed else _share(bound) for bound in interval)
    return f"{low} to {high}"


def _share(value: float) -> str:
    return f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}" if round(value, 3) else "0"
