"""Repositories that are asked at once give what can reach the answer, and no less."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ggrep.config.home import Home
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.model.batched_query import BatchedPoolResponse
from ggrep.model.corpus import Corpus
from ggrep.model.request import SearchRequest, StatisticsRequest
from ggrep.model.response import Hit
from ggrep.search.query import chunk_ids
from tests.fakes.packs import CLOCK, Stores, pack, question
from tests.fakes.repos import open_engine

CODE = "def fetch(page):\n    return parse(page)\n"


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    return Stores(Home(tmp_path / "home"), tmp_path)


def write(stores: Stores, **repos: dict[str, str]) -> None:
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
    weak = "value = 1  # what a fetch of a page gives, in many more words than these are\n"
    write(stores, a=copies, b={"n0/fetch.py": CODE}, c={"other.py": weak})
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


@pytest.mark.parametrize(("per_list", "reported"), [(50, True), (5, False)])
def test_a_copy_is_told_in_its_own_list(stores: Stores, per_list: int, reported: bool) -> None:
    """Neither would it be told beyond, had the repository been asked by itself."""
    better = {f"fetch{n}.py": f"def fetch_{n}(page):\n    return page\n" for n in range(9)}
    write(stores, a={"fetch.py": CODE}, b={"tests/test_other.py": CODE, **better})
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
