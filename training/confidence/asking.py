"""Puts questions to the indexes of repositories and keeps what confidence is judged by."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.base.errors import NoIndex
from ggrep.config.home import Home
from ggrep.config.root import canonical_root
from ggrep.interfaces.evaluation.visible_lines import LineRange
from ggrep.model.confidence import Confidence, TopFiles, confidence_of, hits_kept, shortened_list
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.pipeline import leading, rank
from ggrep.search.query.quota_choice import choose
from training.changes.asked_questions import shares_half
from training.confidence.questions import SHORT, Question

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = "static"
DEPTH: Final = 10


class Asked(Struct, frozen=True):
    """One question with what its confidence was judged by.

    Attributes:
        recall: share of its files among the first ten hits; `shown` among those that doubt leaves,
            `least` among those that it would leave where nothing fits.
        first: the first hit answers: a place, or a file where places are not known.
    """

    question: Question
    leading: TopFiles
    recall: float = 0.0
    shown: float = 0.0
    least: float = 0.0
    first: bool = False

    @property
    def confidence(self) -> Confidence:
        """Return what an answer would say."""
        return confidence_of(self.leading)


def ask(questions: Iterable[Question], sources: Path, home: Path) -> list[Asked]:
    """Return the questions, asked; repositories without an index get one."""
    by_repo: dict[str, list[Question]] = {}
    for each in questions:
        by_repo.setdefault(each.repo, []).append(each)
    found: list[Asked] = []
    for repo, own in sorted(by_repo.items()):
        installed = any(each.kind == SHORT for each in own)
        root = installed_tree(repo, home / "trees") if installed else sources / repo
        engine = opened(root, home)
        found += [_asked(engine, each) for each in own]
        if sys.stderr.isatty():
            sys.stderr.write(f"\rasked: {len(found)}")
    return found


def opened(root: Path, home: Path) -> Engine:
    """Return the engine of a tree with the shipped encoder, indexed."""
    environ = os.environ  # noqa: TID251 - a program of its own
    top = canonical_root(root.resolve(), enclosing=False)
    engine = Engine(top, Home(home), environ=environ, flags={"encoder": SHIPPED})
    try:
        engine.view()
    except NoIndex:
        engine.sync()
    return engine


def installed_tree(repo: str, trees: Path) -> Path:
    """Return a copy of a fixture or of a folder of the library, outside of any repository."""
    target = trees / repo.replace(":", "-")
    if not target.exists():
        library = Path(sysconfig.get_path("stdlib"))
        kind, _, name = repo.rpartition(":")
        source = library / name if kind == "stdlib" else ROOT / "fixtures" / "repos" / repo
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def judged(engine: Engine, text: str) -> tuple[TopFiles, list[LineRange]]:
    """Return what an answer's confidence goes by, and its first ten hits."""
    never = Deadline.never(engine.clock)
    request = SearchRequest(text, limit=DEPTH)
    ranked = rank(
        engine.view(),
        request,
        encoder=engine.encoder,
        statistics=None,
        deadline=never,
        files=DEPTH,
    )
    most = engine.settings.max_candidates
    chosen = choose(ranked, request.corpora, DEPTH, most=most, deadline=never)
    hits = []
    for each in chosen.dealt.items:
        image = ranked.segments[each.segment].image
        hits.append(LineRange(str(image.path(each.file)), *image.lines(each.row)))
    return leading(ranked, never), hits


def kept(paths: Sequence[str], leaders: TopFiles, confidence: Confidence) -> set[str]:
    """Return the paths of the hits that so much doubt leaves."""
    places, _ = shortened_list(
        paths, confidence, most=hits_kept(leaders), file=_same, keep_weak=False
    )
    return {paths[place] for place in places}


def _asked(engine: Engine, question: Question) -> Asked:
    leaders, hits = judged(engine, question.text)
    asked = Asked(question, leaders)
    if not question.answers:
        return asked
    paths = [hit.path for hit in hits]
    shown = kept(paths, leaders, asked.confidence)
    least = kept(paths, leaders, Confidence.NONE)
    shares = [
        len(question.answers & found) / len(question.answers)
        for found in (set(paths), shown, least)
    ]
    first = any(
        shares_half(hit, question.places) if question.places else hit.path in question.answers
        for hit in hits[:1]
    )
    recall, kept_of, least_of = shares
    return Asked(question, leaders, recall, kept_of, least_of, first)


def _same(path: str) -> Hashable:
    return path
