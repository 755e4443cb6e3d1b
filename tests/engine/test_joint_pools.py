"""Repositories queried together send the hits that can reach the answer, and name the others."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from ggrep.config.home import Home
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.model.batched_query import BatchedPoolResponse
from ggrep.model.confidence import MOST_TOP_FILES, NO_TOP_FILES, TopFile, TopFiles
from ggrep.model.corpus import Corpus
from ggrep.model.request import Find, SearchRequest, StatisticsRequest
from ggrep.model.response import Hit
from ggrep.search.engine.joint_reach import members_reaching
from ggrep.search.query import chunk_ids
from ggrep.search.query.pipeline import Ranked, rank
from tests.fakes.packs import CLOCK, NEVER, Stores, pack, question
from tests.fakes.repos import open_engine

CODE = "def fetch(page):\n    return parse(page)\n"
WEAK = "value = 1  # what a fetch of a page gives, in many more words than these are\n"
GUIDE = "# Fetch a page\n\nHow to fetch a page.\n"
WEAK_GUIDE = "# Notes\n\nAmong very many other things somebody once wrote of a page here.\n"
MANY = {f"fetch{n}.py": CODE.replace("page", f"page, {n}") for n in range(MOST_TOP_FILES + 2)}


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    return Stores(Home(tmp_path / "home"), tmp_path)


def write(stores: Stores, **repos: Mapping[str, str]) -> None:
    with stores.cheap_parsing():
        for name, files in repos.items():
            stores.write(name, files)


def hits(response: BatchedPoolResponse, corpus: Corpus = Corpus.CODE) -> list[tuple[int, Hit]]:
    return [(lists.member, hit) for lists in response.lists for hit in dict(lists.corpora)[corpus]]


def test_nothing_is_sent_of_those_that_cannot_reach_the_answer(stores: Stores) -> None:
    """An answer over thousands is about a few of them."""
    weak = {
        f"r{n}": {f"other{n}.py": f"x = 1  # a fetch of {n} pages, and more words\n"}
        for n in range(6)
    }
    write(stores, best={"fetch.py": CODE}, **weak)
    answer = stores.ask(question("fetch page", top=1))

    assert len({member for member, _ in hits(answer)}) < 7
    assert hits(answer)[0][0] == sorted(stores.engines).index("best")
    assert sum(answer.figures.chunks) >= 7


def test_all_that_score_like_the_last_one_are_sent(stores: Stores) -> None:
    """Which of them comes first is for the coordinator to say."""
    write(stores, **{f"r{n}": {"same.py": CODE} for n in range(5)})
    answer = stores.ask(question("fetch page", top=1, folds=False))

    assert {member for member, _ in hits(answer)} == set(range(5))


def test_whoever_has_the_best_copy_may_be_any_of_those_that_score_alike(stores: Stores) -> None:
    """Named after one repository, the copies of another are gone, and the next text is shown."""
    copies = {f"n{n}/fetch.py": CODE for n in range(6)}
    write(stores, a=copies, b={"n0/fetch.py": CODE}, c={"other.py": WEAK})
    result = hits(stores.ask(question("fetch page parse", top=2, filters=())))

    assert {member for member, _ in result} == {0, 1, 2}


def test_no_more_of_a_list_is_sent_than_takes_part(stores: Stores) -> None:
    """The coordinator sees that it goes on, as it sees of the list itself."""
    write(stores, a={f"n{n}/fetch.py": CODE for n in range(9)}, b={"other.py": "fetch = page\n"})
    result = hits(stores.ask(question("fetch page parse", top=1, per_list=4)))

    assert [member for member, _ in result].count(0) == 4


@pytest.mark.parametrize("packed", [False, True])
def test_copies_are_told_with_their_places_alone(stores: Stores, packed: bool) -> None:
    """Their text is that of the hit beside which they are named."""
    more = "\n\n".join(f"def fetch_page{n}(page):\n    return fetch(page)\n" for n in range(4))
    write(stores, a={"fetch.py": CODE}, b={"vendor/fetch.py": CODE, "src/own.py": more})
    if packed:
        pack(stores.home)
    packs = OpenedPacks(stores.home).packs()
    result = hits(stores.ask(question("fetch page parse", top=1), *packs))
    best = result[0][1]
    (copy,) = [hit for member, hit in result if hit.path == "vendor/fetch.py"]

    assert copy.chunk_id == best.chunk_id
    assert copy.score < best.score
    assert (copy.name, copy.content) == ("", "")
    assert best.name == "fetch"


def test_copies_are_rows_that_score(stores: Stores, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without vectors the index alone does not tell which rows have a text: some are read."""
    others = {f"other{n}.py": f"value_{n} = {n}\n" for n in range(30)}
    for name in "ab":
        stores.engines[name] = open_engine(
            stores.base / name, stores.home.base, clock=CLOCK, encoder="none"
        )
    write(stores, a={"fetch.py": CODE, **others}, b={"vendor/fetch.py": CODE, **others})
    read: list[int] = []
    shown_rows = chunk_ids.shown_rows

    def counted(view: Any, segment: Any, rows: Sequence[int]) -> Any:
        read.extend(rows)
        return shown_rows(view, segment, rows)

    monkeypatch.setattr(chunk_ids, "shown_rows", counted)
    result = hits(stores.ask(question("fetch page parse", top=1)))

    assert [hit.path for _, hit in result] == ["fetch.py", "vendor/fetch.py"]
    assert len(read) == 2


def test_a_copy_is_told_in_its_own_list(stores: Stores) -> None:
    """Neither would it be told beyond, had the repository been asked by itself."""
    better = {f"fetch{n}.py": f"def fetch_{n}(page):\n    return page\n" for n in range(9)}
    write(stores, a={"fetch.py": CODE}, b={"tests/test_other.py": CODE, **better})

    for per_list, reported in ((50, True), (5, False)):
        result = hits(stores.ask(question("fetch page parse", top=1, per_list=per_list)))
        assert result[0][1].path == "fetch.py"
        assert ("tests/test_other.py" in {hit.path for _, hit in result}) is reported


def test_figures_are_those_of_each(stores: Stores) -> None:
    """Scores are measured against their sum."""
    write(stores, a={"fetch.py": CODE}, b={"other.py": "value = 1\n"})
    answer = stores.ask(question("fetch value"))
    for place, name in enumerate(sorted(stores.engines)):
        ours = stores.engines[name].ask(StatisticsRequest(SearchRequest("fetch value")))
        assert answer.figures.of(place) == ours.statistics
    assert answer.figures.total().chunks == sum(answer.figures.chunks)


def reaching(stores: Stores, silent: tuple[int, ...], **fields: Any) -> tuple[int, ...]:
    return stores.ask(replace(question("fetch page", **fields), silent=silent)).reaching


class Learned:
    """A correction that makes so much of each score of code."""

    def __init__(self, factor: float) -> None:
        self.factor = factor

    def corrected(self, _segments: Any, _scores: Any, best: Any, _files: int) -> Any:
        return [each.weighed(np.full(len(each.factors), self.factor)) for each in best]


def ranked(stores: Stores, factor: float) -> tuple[Ranked, float]:
    """Return a ranking of all with a correction, and the best score of code before it."""
    result = rank(
        stores.joint(),
        SearchRequest("fetch page"),
        encoder=next(iter(stores.engines.values())).encoder,
        statistics=None,
        deadline=NEVER,
        files=0,
    )
    best = max(float(each.total.max()) for each in result.scores if len(each.rows))
    return replace(result, correction=Learned(factor)), best  # type: ignore[arg-type]  # has its way


def led_by(score: float) -> TopFiles:
    """Return leaders of which the last one scores so much."""
    return replace(
        NO_TOP_FILES, leaders=(TopFile(score, 0.0, 0.0, 0.0, 0.0, spelt=False),) * MOST_TOP_FILES
    )


def test_code_is_judged_as_it_is_corrected(stores: Stores) -> None:
    """It may be lifted over what it falls short of, and the other way round."""
    write(stores, a={"fetch.py": CODE})

    for factor, least, reaches in (
        (2.0, 1.5, {0}),
        (2.0, 2.1, set()),
        (0.5, 0.9, set()),
        (1, 1, {0}),
    ):
        result, best = ranked(stores, factor)
        assert members_reaching(result, {Corpus.CODE: least * best}, led_by(1e9)) == reaches


def test_files_that_confidence_goes_by_matter(stores: Stores) -> None:
    """No list has a place for them, and yet the answer says something else of its hits."""
    write(stores, a={"fetch.py": CODE})
    result, best = ranked(stores, 1.0)
    least = {Corpus.CODE: 1e9}

    assert members_reaching(result, least, led_by(best)) == {0}
    assert members_reaching(result, least, led_by(best + 1.0)) == set()


@pytest.mark.parametrize("packed", [False, True])
def test_each_member_is_told(stores: Stores, packed: bool) -> None:
    write(stores, a={"fetch.py": CODE}, b={"none.py": "x = 1\n"}, c={"again.py": CODE})
    if packed:
        pack(stores.home)
    packs = OpenedPacks(stores.home).packs()
    asked = replace(question("fetch page"), silent=(1, 2))
    every = replace(asked, silent=(0, 2))

    assert stores.ask(asked, *packs).reaching == (2,)
    assert stores.ask(every, *packs).reaching == (0, 2)


def test_a_list_that_is_not_full_has_a_place_for_whatever_scores(stores: Stores) -> None:
    write(stores, a={**MANY, "fetch.md": GUIDE}, b={"notes.md": WEAK_GUIDE})

    assert reaching(stores, (1,), top=10) == (1,)
    assert reaching(stores, (1,), top=1) == ()


def test_copies_do_not_fill_a_list(stores: Stores) -> None:
    """They are shown as one, where that is wished."""
    write(stores, a=MANY, b={"other.py": WEAK}, c=MANY)

    assert reaching(stores, (1,), top=len(MANY) + 1, folds=False) == ()
    assert reaching(stores, (1,), top=len(MANY) + 1, folds=True) == (1,)


def test_who_holds_a_copy_of_what_is_shown_is_named_beside_it(stores: Stores) -> None:
    write(stores, a={**MANY, "fetch.py": CODE}, b={"vendor/tests/test_other.py": CODE})

    assert reaching(stores, (1,), top=1, folds=False) == ()
    assert reaching(stores, (1,), top=1, folds=True) == (1,)


def test_silent_members_show_nothing(stores: Stores) -> None:
    write(stores, a={"fetch.py": CODE}, b={"more.py": WEAK})
    answer = stores.ask(replace(question("fetch page"), silent=(0,)))

    assert {lists.member for lists in answer.lists} == {1}


def test_what_is_found_of_silent_members_says_nothing_of_the_answer(stores: Stores) -> None:
    """Confidence is that of what is shown."""
    write(stores, a={"other.py": "x = 1\n"}, b={"fetch.py": CODE})
    asked = question("fetch", find=Find.DEFINITION)

    assert stores.ask(asked).leading.leaders
    assert stores.ask(replace(asked, silent=(1,))).leading.leaders == ()


def test_only_shown_definitions_matter(stores: Stores) -> None:
    """Another one of that name, in another letter case, is worth less; one is sure enough."""
    write(
        stores, a={"fetch.py": CODE}, b={"other.py": CODE.replace("fetch", "Fetch")}, c={"c.py": ""}
    )

    for top, result in ((1, ()), (2, (1,)), (9, (1,))):
        asked = question("fetch", top=top, find=Find.DEFINITION)
        assert stores.ask(replace(asked, silent=(1, 2))).reaching == result, top
