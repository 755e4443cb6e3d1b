"""Of members that show nothing those are told that could have changed the answer, and no others."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from ggrep.config.home import Home
from ggrep.index.packs.opened_packs import OpenedPacks
from ggrep.model.confidence import MOST_TOP_FILES, NO_TOP_FILES, TopFile, TopFiles
from ggrep.model.corpus import Corpus
from ggrep.model.request import Find, SearchRequest
from ggrep.search.engine.joint_reach import members_reaching
from ggrep.search.query.pipeline import Ranked, rank
from tests.fakes.packs import NEVER, Stores, pack, question

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


@pytest.mark.parametrize(
    ("factor", "least", "reaches"),
    [(2.0, 1.5, {0}), (2.0, 2.1, set()), (0.5, 0.9, set()), (1.0, 1.0, {0})],
)
def test_code_is_judged_as_it_is_corrected(
    stores: Stores, factor: float, least: float, reaches: set[int]
) -> None:
    """It may be lifted over what it falls short of, and the other way round."""
    write(stores, a={"fetch.py": CODE})
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


@pytest.mark.parametrize(("top", "result"), [(1, ()), (2, (1,)), (9, (1,))])
def test_only_shown_definitions_matter(stores: Stores, top: int, result: tuple[int, ...]) -> None:
    """Another one of that name, in another letter case, is worth less; one is sure enough."""
    write(
        stores, a={"fetch.py": CODE}, b={"other.py": CODE.replace("fetch", "Fetch")}, c={"c.py": ""}
    )
    asked = question("fetch", top=top, find=Find.DEFINITION)

    assert stores.ask(replace(asked, silent=(1, 2))).reaching == result
