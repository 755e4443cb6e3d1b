"""What the encoders are worth: alone, with everything else on, and by how much was learnt.

An encoder alone ranks files by their best chunk's cosine, without words and structure. Models that
are made here lie in GGREP_HOME/encoders and are used again, like the indexes. What cannot be
measured where this runs keeps the row that stands in the page.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from bench import untrained_model
from bench.fewer_pairs import Judges, train_on
from bench.quality_tables import bounds_cell, change_cell, mean_cell, section
from ggrep.base import stable_json
from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import UsageError
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.index.embedding.identity import CARD, STATIC, STATIC_FOLDER, static_folder
from ggrep.index.embedding.quantise import Int8, cosines
from ggrep.index.embedding.static_model import StaticModel, read_model
from ggrep.index.store.view import SegmentView
from ggrep.interfaces.evaluation.compare import compare
from ggrep.interfaces.evaluation.questions import Answer, CaseHit
from ggrep.interfaces.evaluation.report import Run, queries_json, scored_run
from ggrep.interfaces.evaluation.suite import Suite, jobs_of
from ggrep.interfaces.evaluation.suite_processes import JobResult
from ggrep.model.evaluation import Difference, FigureBlock
from ggrep.search.engine.engine import Engine
from tests.fakes.stored_rows import scan_rows

HASHED, NONE, UNTRAINED = "hashed", "none", "untrained"
NAMES: Final = {HASHED: "hashed words", UNTRAINED: "untrained model", STATIC: "shipped model"}
"""Of the encoders as the tables call them."""
SHARES: Final = {16: "a sixteenth", 4: "a quarter"}
"""Every n-th package that is learnt from."""
ALL: Final = "all"
_MOST_JUDGING, _LEAST_JUDGING = 1500, 50
"""Pairs of a package that judge, as in training."""
_ALONE, _TOGETHER = "Encoders alone", "Encoders with everything on"
_CURVE, _AMOUNTS = "What the training taught", "How many pairs it takes"

Row = tuple[str, ...]


class Chunks(Struct, frozen=True):
    """The chunks of a segment that rank its files.

    Attributes:
        paths: of all files.
        owners: int (n,), place of each row's file in `paths`.
        ranking: bool (n,): rows that are visible and no file's header.
        vectors: int8 (n, dim).
        scales: float64 (n,).
    """

    paths: Sequence[str]
    owners: npt.NDArray[np.integer[Any]]
    ranking: npt.NDArray[np.bool_]
    vectors: Int8
    scales: npt.NDArray[np.float64]


class Measured(Struct, frozen=True):
    """What an encoder reaches.

    Attributes:
        alone: by cosines.
        together: with everything on.
    """

    alone: Run
    together: Run


class Amount(Struct, frozen=True):
    """What is learnt from a share of the packages.

    Attributes:
        pairs: of those packages, with the few that training keeps back.
        reciprocal_rank: MRR@10 over the packages that judge every share.
    """

    share: str
    packages: int
    pairs: int
    reciprocal_rank: float
    measured: Measured


class Encoders(Struct, frozen=True):
    """Measures encoders with one suite.

    Attributes:
        ask: returns the ordinary run with an encoder of that setting, its indexes made.
        home: where indexes and models lie.
    """

    suite: Suite
    ask: Callable[[str], Run]
    home: Path

    def measured(self, setting: str) -> Measured:
        """Return what the encoder of that setting reaches."""
        together = self.ask(setting)
        return Measured(self._alone(setting), together)

    def texts(self, setting: str) -> Iterator[str]:
        """Yield every text that is indexed; `setting` names an encoder that it is indexed with."""
        for path in sorted({case.target.path for case in self.suite.cases}):
            view = self._engine(path, setting).view()
            for segment in view.segments:
                rows = scan_rows(view.store, segment.image.name)
                shown = zip(rows, segment.visible_rows().tolist(), strict=True)
                yield from (row.text for row, visible in shown if visible)

    def _alone(self, setting: str) -> Run:
        deadline = Deadline.never(SystemClock())
        outcomes = []
        for job in jobs_of(self.suite.cases):
            engine = self._engine(job.target.path, setting)
            chunks = [chunks_of(segment) for segment in engine.view().segments]
            answers = []
            for question in job.questions:
                query = engine.encode(question.query, deadline)
                assert query is not None
                values = np.array(query.values, dtype=np.int8)
                answers.append(Answer(question.id, nearest(chunks, values, query.scale)))
            outcomes.append(JobResult(job, tuple(answers)))
        return scored_run(self.suite, outcomes)

    def _engine(self, path: Path, setting: str) -> Engine:
        root = canonical_root(path, enclosing=False)
        return Engine(root, Home(self.home), environ=os.environ, flags={"encoder": setting})


def measure(encoders: Encoders, pairs: Path | None, page: str) -> str:
    """Return the tables.

    Args:
        encoders: measures.
        pairs: folder of those that the shipped model was trained with; None keeps what the page
            says of fewer of them.
        page: as it stands.

    Raises:
        UsageError: those are other pairs.
    """
    shipped = read_model(static_folder(STATIC))
    without = encoders.ask(NONE)
    found = {HASHED: encoders.measured(HASHED), STATIC: encoders.measured(STATIC)}
    if (model := _untrained(encoders, shipped)) is not None:
        found[UNTRAINED] = encoders.measured(model)
    card = stable_json.loads((static_folder(STATIC) / CARD).read_bytes())
    amounts = [] if pairs is None else _amounts(encoders, pairs, shipped, card, found[STATIC])
    return "\n".join(
        [
            alone_table({name: each.alone for name, each in found.items()}, page),
            together_table(
                {NONE: without, **{name: each.together for name, each in found.items()}}, page
            ),
            curve_table(card),
            amounts_table(amounts, page),
        ]
    )


def chunks_of(segment: SegmentView) -> Chunks:
    """Return what ranks the files of a segment; requires that it holds vectors."""
    image = segment.image
    ranking = segment.visible_rows() & (image.row_anchors == 0)
    return Chunks(image.paths(), image.row_files, ranking, image.whole_vectors(), image.scales)


def nearest(segments: Sequence[Chunks], query: Int8, scale: float) -> tuple[CaseHit, ...]:
    """Return the files by the best cosine of their chunks; equal ones by path.

    Args:
        segments: no file ranks in two of them.
        query: int8 (dim,).
        scale: of the query.
    """
    ranked: list[tuple[float, str]] = []
    for chunks in segments:
        best = np.full(len(chunks.paths), -np.inf)
        near = cosines(chunks.vectors, chunks.scales, query, scale)
        np.maximum.at(best, chunks.owners[chunks.ranking], near[chunks.ranking])
        ranked += [
            (-float(best[place]), chunks.paths[place])
            for place in np.flatnonzero(np.isfinite(best)).tolist()
        ]
    return tuple(CaseHit(path, 1, 1, -far, "code", "", "", "") for far, path in sorted(ranked))


def _untrained(encoders: Encoders, shipped: StaticModel) -> str | None:
    """Return the setting of the model that was not trained; None where it cannot be made."""
    folder = _made(encoders, shipped, UNTRAINED)
    if not folder.exists():
        transformer = untrained_model.transformer()
        if transformer is None:
            sys.stderr.write(f"{NAMES[UNTRAINED]}: needs the extra `deep`; its rows are kept\n")
            return None
        texts = encoders.texts(STATIC)
        _moved(folder, lambda to: untrained_model.write_untrained(to, shipped, texts, transformer))
    return f"{STATIC_FOLDER}{folder}"


def _amounts(
    encoders: Encoders,
    pairs: Path,
    shipped: StaticModel,
    card: Mapping[str, Any],
    all_of_them: Measured,
) -> list[Amount]:
    """Return what is learnt from ever more of the packages, none of which judges."""
    files = sorted(pairs.glob("*.jsonl"))
    aside = frozenset(card["kept_back"])
    if len(files) != card["pairs"]["packages"] or not aside <= {path.stem for path in files}:
        raise UsageError(f"{pairs}: not the pairs that the shipped model was trained with")
    judges = Judges([path for path in files if path.stem in aside], _MOST_JUDGING, _LEAST_JUDGING)
    learnt = [path for path in files if path.stem not in aside]
    found = []
    for step, share in SHARES.items():
        folder = _made(encoders, shipped, str(step))
        if not folder.exists():
            some = learnt[::step]
            _moved(folder, lambda to, some=some: train_on(some, to))  # type: ignore[misc]
        said = stable_json.loads((folder / CARD).read_bytes())["pairs"]
        rank = judges.reciprocal_rank(read_model(folder))
        measured = encoders.measured(f"{STATIC_FOLDER}{folder}")
        found.append(Amount(share, said["packages"], said["total"], rank, measured))
    said, rank = card["pairs"], judges.reciprocal_rank(shipped)
    return [*found, Amount(ALL, said["packages"], said["total"], rank, all_of_them)]


def _made(encoders: Encoders, shipped: StaticModel, name: str) -> Path:
    return encoders.home / "encoders" / f"{shipped.identity.digest[:12]}-{name}"


def _moved(folder: Path, make: Callable[[Path], None]) -> None:
    """Make a model somewhere else first: one that was cut off must not be used again."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as work:
        made = Path(work) / "model"
        make(made)
        made.rename(folder)


def alone_table(runs: Mapping[str, Run], page: str) -> str:
    """Return what each encoder reaches by cosines alone."""
    shipped = runs[STATIC]
    categories = list(shipped.figures.by_category)
    rows = []
    for name, title in NAMES.items():
        if (run := runs.get(name)) is None:
            rows.append(kept_row(page, _ALONE, title, 3 + len(categories)))
            continue
        change = _change(run, shipped)
        gain = f"{change_cell(change)} ({bounds_cell(change.interval, signed=True)})"
        figures = run.figures
        blocks = figures.by_category
        cells = [_with_bounds(each) for each in _blocks(figures.overall, blocks, categories)]
        rows.append((title, *cells, "-" if name == STATIC else gain))
    return section(
        _ALONE,
        f"The table has NDCG@10 with 95 % intervals for the same {len(shipped.rows)} questions, if "
        "files are ranked only by the best cosine of their chunks (without header chunks). The "
        "untrained model has the features of the shipped model; its vectors are MiniLM's vectors "
        "of single words (256 principal components), weighted by the rarity of the word in the "
        "indexed texts. Gain is NDCG@10 of the shipped model minus NDCG@10 of the row.",
        (
            "encoder",
            "NDCG@10, all questions",
            *(f"NDCG@10, {name} questions" for name in categories),
            "gain of the shipped model",
        ),
        rows,
    )


def together_table(runs: Mapping[str, Run], page: str) -> str:
    """Return what the whole ranking reaches with each encoder."""
    without = runs[NONE]
    categories = list(without.figures.by_category)
    rows: list[Row] = []
    for name, title in {NONE: NONE, **NAMES}.items():
        if (run := runs.get(name)) is None:
            rows.append(kept_row(page, _TOGETHER, title, 5 + len(categories)))
            continue
        found = None if name == NONE else _change(without, run)
        bounds = bounds_cell(found.interval, signed=True) if found else ""
        overall, *others = _blocks(run.figures.overall, run.figures.by_category, categories)
        cells = (mean_cell(overall.ndcg10), bounds_cell(overall.ndcg10_interval))
        by_category = (mean_cell(block.ndcg10) for block in others)
        rows.append((title, *cells, *by_category, change_cell(found), bounds))
    return section(
        _TOGETHER,
        "The table has NDCG@10 of the whole ranking with each encoder.",
        (
            "encoder",
            "NDCG@10, all questions",
            "95 % interval of NDCG@10",
            *(f"NDCG@10, {name} questions" for name in categories),
            "change relative to no encoder",
            "95 % interval of the change",
        ),
        rows,
    )


def curve_table(card: Mapping[str, Any]) -> str:
    """Return how the shipped model came to know what it knows, as its card says."""
    total = int(card["pairs"]["total"])
    rows = [
        (
            str(point["epoch"]),
            f"{point['epoch'] * total:,}",
            f"{point['seconds']:.0f}",
            f"{point['loss']:.2f}" if point["epoch"] else "-",
            f"{point['mrr10']:.3f}",
        )
        for point in card["curve"]
    ]
    return section(
        _CURVE,
        f"The shipped model was trained with {total:,} pairs of a query and a text from "
        f"{card['pairs']['packages']:,} packages; {len(card['kept_back'])} of these packages were "
        "used only for evaluation. For MRR@10, all texts of an evaluation package are ranked by "
        "cosine for each query. Vectors are random before the first epoch.",
        (
            "training epochs",
            "training pairs seen, at most",
            "seconds of training",
            "training loss",
            "MRR@10 on evaluation packages",
        ),
        rows,
    )


def amounts_table(found: Sequence[Amount], page: str) -> str:
    """Return what comes of a share of the packages."""
    shares = (*SHARES.values(), ALL)
    rows = [kept_row(page, _AMOUNTS, share, 6) for share in shares]
    if found:
        rows = [
            (
                each.share,
                f"{each.packages:,}",
                f"{each.pairs:,}",
                f"{each.reciprocal_rank:.3f}",
                _with_bounds(each.measured.alone.figures.overall),
                _with_bounds(each.measured.together.figures.overall),
            )
            for each in found
        ]
    return section(
        _AMOUNTS,
        "The model was also trained with fewer packages. MRR@10 is measured on the evaluation "
        "packages of the shipped model.",
        (
            "share of the training packages",
            "number of packages",
            "number of pairs",
            "MRR@10 on evaluation packages",
            "NDCG@10 of the encoder alone (95 % interval)",
            "NDCG@10 of the whole ranking (95 % interval)",
        ),
        rows,
    )


def kept_row(page: str, title: str, name: str, cells: int) -> Row:
    """Return the row of that name as it stands in the page's section of that title.

    Without one, or with one of another number of cells: a row that says it was not measured.
    """
    _, _, rest = page.partition(f"## {title}\n")
    for line in rest.partition("\n## ")[0].splitlines():
        found = tuple(cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|"))
        if found[0] == name and len(found) == cells:
            return found
    return (name, "not measured", *[""] * (cells - 2))


def _change(before: Run, after: Run) -> Difference:
    """Return the difference in NDCG@10, query by query."""
    found = compare({"queries": queries_json(before)}, {"queries": queries_json(after)})
    return found.overall["ndcg10"]


def _blocks(
    overall: FigureBlock, found: Mapping[str, FigureBlock], names: Sequence[str]
) -> list[FigureBlock]:
    return [overall, *(found[name] for name in names)]


def _with_bounds(block: FigureBlock) -> str:
    cell, bounds = mean_cell(block.ndcg10), bounds_cell(block.ndcg10_interval)
    return f"{cell} ({bounds})" if bounds else cell
