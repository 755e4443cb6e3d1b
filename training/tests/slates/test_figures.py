"""What slates are judged by: coverage, precision, calls, bytes and doubt."""

import pytest
from msgspec.structs import replace

from ggrep.model.confidence import Confidence, confidence_notices
from ggrep.model.slate import Pack, Section, SlateRequest, SlateResponse
from tests.fakes.slates import ANSWER, CODE, DOCS, SESSION, SLATE
from training.slates.asking import (
    OutOfDomainAnswer,
    Shown,
    SlateAnswer,
    ask_case,
    ask_out_of_domain,
)
from training.slates.figures import doubt_figures, slate_figures
from training.slates.results import calls_to_slate, section_results
from training.slates.suite import OutOfDomain, SlateCase

CASE = SlateCase(
    "shop-01",
    "shop",
    "how is a card charged?",
    (
        (Section.CODE, ("pay.py", "card.py")),
        (Section.DOCS, ("pay.md",)),
        (Section.TESTS, ("test_pay.py",)),
    ),
)
WHOLE: Shown = (
    (Section.CODE, ("card.py", "cart.py")),
    (Section.DOCS, ("pay.md",)),
    (Section.CONFIG, ("pay.toml", "ci.toml")),
    (Section.TESTS, ("test_cart.py", "test_pay.py")),
)
ODD = OutOfDomain("shop-ood-1", "shop", "how deep is the lake?")


def answer(first: Shown = WHOLE, second: Shown = (), repo: str = "shop") -> SlateAnswer:
    """Return what came of the case, of one repository or another."""
    return SlateAnswer(
        case=replace(CASE, repo=repo),
        first=first,
        second=second,
        confidence=Confidence.STRONG,
        level_bytes=(10, 200, 3_000, 40_000),
        same_selection=True,
        repeated=True,
    )


def without(section: Section) -> Shown:
    """Return the whole slate without a section."""
    return tuple(each for each in WHOLE if each[0] is not section)


def moved(section: Section) -> Shown:
    """Return the slate with its tests standing in another section."""
    return (*without(Section.TESTS), (section, ("test_pay.py",)))


def test_one_file_of_those_owed_is_enough() -> None:
    """Whoever reads a section goes on from any of them."""
    code, docs, tests = section_results(answer())

    assert (code.covered, docs.covered, tests.covered) == (True, True, True)
    assert (code.shown, code.owed) == (2, 1)


def test_a_section_covers_what_it_shows_itself() -> None:
    """A test among the diagrams is found, but not where it is looked for."""
    tests = section_results(answer(moved(Section.DIAGRAMS)))[-1]

    assert (tests.covered, tests.anywhere, tests.shown) == (False, True, 0)


def test_calls_are_counted() -> None:
    """What one slate lacks a further call may bring; who asks a third time searches instead."""
    partly = without(Section.TESTS)
    second: Shown = ((Section.TESTS, ("test_pay.py",)),)

    assert calls_to_slate(answer()) == 1
    assert calls_to_slate(answer(partly, second)) == 2
    assert calls_to_slate(answer(partly, partly)) == 3
    assert calls_to_slate(answer(without(Section.CODE), second)) == 3
    assert calls_to_slate(answer(WHOLE[:1], second)) == 3


def test_calls_may_count_a_file_in_any_section() -> None:
    """Whoever reads all of a slate needs no second call for it."""
    found = answer(moved(Section.DIAGRAMS))

    assert calls_to_slate(found) == 3
    assert calls_to_slate(found, anywhere=True) == 1


def test_coverage_counts_the_sections_that_owe_files() -> None:
    """The configuration that nobody asked for is neither a gain nor noise."""
    figures = slate_figures([answer(), answer(without(Section.TESTS))])

    assert figures.overall.sections == 6
    assert figures.overall.covered.value == pytest.approx(5 / 6)
    assert figures.overall.precision.value == pytest.approx(5 / 8)  # of 2 + 1 + 2 and 2 + 1 files
    assert [section for section, _ in figures.by_section] == [
        Section.CODE,
        Section.DOCS,
        Section.TESTS,
    ]
    assert dict(figures.by_section)[Section.TESTS].covered.value == 0.5


def test_figures_are_told_by_repository() -> None:
    """One repository that slates fit badly does not hide among the others."""
    figures = slate_figures([answer(repo="shop"), answer((), repo="mill")])

    assert [(name, found.covered.value) for name, found in figures.by_repo] == [
        ("mill", 0.0),
        ("shop", 1.0),
    ]
    assert dict(figures.by_repo)["mill"].precision.value is None
    assert figures.overall.covered.interval is None  # two repositories prove nothing


def test_intervals_are_drawn_by_repository() -> None:
    """Questions of one repository resemble each other."""
    figures = slate_figures(
        [answer(repo="a"), answer(repo="b"), answer((), repo="c"), answer(repo="d")]
    )
    found = figures.overall.covered.interval

    assert found is not None
    assert found[0] < 0.75 < found[1]
    assert figures.calls.within_one.interval == found  # each question covers all or nothing


def test_calls_and_bytes_are_summed_up() -> None:
    """The mean of calls counts everything beyond two alike."""
    partly, more = without(Section.TESTS), ((Section.TESTS, ("test_pay.py",)),)
    larger = replace(answer(partly), level_bytes=(30, 400, 5_000, 60_000))
    figures = slate_figures([answer(), answer(partly, more), larger])

    assert figures.calls.mean.value == 2.0
    assert figures.calls.within_one.value == pytest.approx(1 / 3)
    assert figures.calls.within_two.value == pytest.approx(2 / 3)
    assert [(each.level, each.median, each.most) for each in figures.levels] == [
        (0, 10, 30),
        (1, 200, 400),
        (2, 3_000, 5_000),
        (3, 40_000, 60_000),
    ]


def test_doubt_is_counted() -> None:
    """Doubt is right of questions that cannot be answered, and wrong of the others."""
    weak = replace(answer(), confidence=Confidence.WEAK, same_selection=False)
    figures = slate_figures([answer(), weak])
    told = doubt_figures(
        [
            OutOfDomainAnswer(ODD, Confidence.NONE, True, 0),
            OutOfDomainAnswer(ODD, Confidence.WEAK, True, 3),
            OutOfDomainAnswer(ODD, Confidence.STRONG, False, 9),
        ]
    )

    assert (figures.doubted.value, figures.same_selection, figures.repeated) == (0.5, 1, 2)
    assert told.none.value == pytest.approx(1 / 3)
    assert told.warned.value == pytest.approx(2 / 3)
    assert told.files.value == 4.0


def test_no_answers_have_no_figures() -> None:
    """A suite may have no questions that cannot be answered."""
    assert slate_figures([]).overall.covered.value is None
    assert doubt_figures([]).none.value is None


def slate_of(request: SlateRequest, *packs: Pack) -> SlateResponse:
    """Return a slate of these files, as the request wants it."""
    own = tuple(dict.fromkeys(pack.section for pack in packs))
    sections = tuple(
        (section, tuple(pack for pack in packs if pack.section is section)) for section in own
    )
    return replace(
        ANSWER,
        request=request,
        slate=replace(SLATE, level=request.level, sections=sections),
        session=SESSION if request.session else None,
    )


class Repository:
    """Shows its code first, and its document when the session goes on."""

    def __init__(self, *, forgetful: bool = False) -> None:
        self._forgetful = forgetful
        self.asked: list[SlateRequest] = []

    def __call__(self, request: SlateRequest) -> SlateResponse:
        """Return the slate of a request."""
        self.asked.append(request)
        if request.session is not None and request.session.op == "refine":
            return slate_of(request, DOCS)
        if self._forgetful and request.level == 2:
            return slate_of(request)
        return slate_of(request, CODE)


def test_a_case_is_asked_on_all_levels_and_once_further() -> None:
    """The further call goes on with the session that showed the first slate."""
    repository = Repository()
    found = ask_case(CASE, repository, Repository())

    further = repository.asked[-1].session
    assert found.first == ((Section.CODE, ("src/shop/checkout.py",)),)
    assert found.second == ((Section.DOCS, ("docs/payments.md",)),)
    assert further is not None
    assert (further.token, further.delta_only) == (SESSION.token, True)
    assert [request.level for request in repository.asked] == [0, 1, 2, 3, 1, 1]
    assert all(request.search.deterministic for request in repository.asked)
    assert found.level_bytes[0] < found.level_bytes[1]
    assert (found.same_selection, found.repeated) == (True, True)


def test_a_level_that_shows_other_files_is_noticed() -> None:
    """Who opens a slate further must find the same files there."""
    assert not ask_case(CASE, Repository(forgetful=True), Repository()).same_selection


def test_another_answer_is_noticed() -> None:
    """Equal questions to equal snapshots have equal bytes."""

    def doubting(request: SlateRequest) -> SlateResponse:
        return replace(slate_of(request, CODE), confidence=Confidence.WEAK)

    assert not ask_case(CASE, Repository(), doubting).repeated


def test_warnings_of_doubt_are_told_from_others() -> None:
    """A warning about a file that could not be read says nothing about the question."""

    def told(request: SlateRequest) -> SlateResponse:
        return replace(slate_of(request), warnings=confidence_notices(Confidence.WEAK))

    assert ask_out_of_domain(ODD, told).warned
    assert not ask_out_of_domain(ODD, Repository()).warned
    assert ask_out_of_domain(ODD, Repository()).files == 1
