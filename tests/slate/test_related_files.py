"""Tests, documents and settings that name what was found count as its companions."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from ggrep.base.clock import Deadline, SystemClock
from ggrep.base.errors import DeadlineExceeded
from ggrep.base.ids import PathKey
from ggrep.model.filters import Filter
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from ggrep.search.query.pipeline import Ranked
from ggrep.search.slate.file_candidates import RelatedFiles, option_rows
from ggrep.search.slate.related_files import Origins, companions
from tests.fakes.repos import open_engine, write_tree

FILES = {
    "src/ledger.py": "class RefundLedger:\n    def book_refund(self, order):\n        pass\n",
    "tests/test_ledger.py": "def test_booking():\n    assert RefundLedger().book_refund(1) == 1\n",
    "docs/money.md": "# Money\n\nIt goes through `RefundLedger` and nothing else.\n",
    "docs/other.md": "# Other\n\nSays nothing of it.\n",
    "src/flags.py": 'def flags(parser):\n    parser.add_argument("--days")\n',
    "src/plain.py": "def plain(order):\n    return order\n",
} | {f"src/m{n}.py": f"def common(order):\n    return order + {n}\n" for n in range(40)}
GONE = {"docs/gone.md": "# Gone\n\nRefundLedger, book_refund.\n"}
NEVER = Deadline.never(SystemClock())


@pytest.fixture(scope="module")
def money(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """Return an engine over two segments; what one of them held of old is gone."""
    base = tmp_path_factory.mktemp("companions").resolve()
    root = base / "repo"
    root.mkdir()
    engine = open_engine(root, base / "home", encoder="none")
    write_tree(root, FILES | GONE | {"docs/other.md": "# Other\n\nOf the RefundLedger.\n"})
    engine.sync()
    write_tree(root, {"docs/gone.md": None, "docs/other.md": FILES["docs/other.md"]})
    engine.sync()
    assert len(engine.view().segments) == 2
    return engine


@contextmanager
def ranked(engine: Engine, *filters: Filter) -> Iterator[Ranked]:
    asked = SearchRequest("money", filters=filters)
    with engine._answering(NEVER) as context:
        yield context.rank(asked, 0)


def origins(found: Ranked, *paths: str) -> Origins:
    """Return all rows of some files, each as good as any."""
    return {
        (place, row): 1.0
        for path in paths
        for place, segment in enumerate(found.segments)
        if (file := segment.image.find(PathKey(path))) is not None and segment.visible_files[file]
        for row in range(*segment.image.file_rows[file : file + 2].tolist())
    }


def mentions(found: Ranked, beside: RelatedFiles) -> dict[str, float]:
    """Return how much each file mentions, those that mention nothing aside."""
    return {
        segment.image.path(file): float(figures[file])
        for segment, figures in zip(found.segments, beside.files, strict=True)
        for file in range(segment.image.files)
        if figures[file] > 0.0
    }


def test_files_that_name_what_was_found_are_companions(money: Engine) -> None:
    """More of it, more so; what defines it is none, nor what is gone or said so of old."""
    with ranked(money) as result:
        beside = companions(result, origins(result, "src/ledger.py"), NEVER)
        output = mentions(result, beside)

    assert set(output) == {"tests/test_ledger.py", "docs/money.md"}
    assert 1.0 >= output["tests/test_ledger.py"] > output["docs/money.md"] > 0.0


def test_rows_that_name_it_are_known(money: Engine) -> None:
    """A test file is shown where it tests what was found."""
    with ranked(money) as result:
        beside = companions(result, origins(result, "src/ledger.py"), NEVER)
        for segment, rows in zip(result.segments, beside.rows, strict=True):
            assert rows.shape == (segment.image.rows,)
            assert 0.0 <= rows.min(initial=0.0) <= rows.max(initial=0.0) <= 1.0
            assert not rows[~segment.visible_rows].any()
        (place,) = {
            place
            for place, segment in enumerate(result.segments)
            if segment.image.find(PathKey("docs/money.md")) is not None
        }
        image = result.segments[place].image
        file = image.find(PathKey("docs/money.md"))
        assert file is not None
        first, last = image.file_rows[file : file + 2].tolist()
        assert beside.rows[place][first:last].max() > 0.0


def test_what_is_filtered_away_is_no_companion(money: Engine) -> None:
    """Whoever asks for documents alone is shown no test, whatever it names."""
    with ranked(money, Filter("path", "docs")) as result:
        beside = companions(result, origins(result, "src/ledger.py"), NEVER)

        assert set(mentions(result, beside)) == {"docs/money.md"}
        for rows, eligible in zip(beside.rows, result.eligible, strict=True):
            assert not rows[~eligible].any()


def test_names_that_stand_everywhere_say_nothing(money: Engine) -> None:
    """Forty modules that define the same are no companions of each other."""
    with ranked(money) as result:
        beside = companions(result, origins(result, "src/m1.py"), NEVER)

        assert mentions(result, beside) == {}


def test_nothing_found_has_no_companions(money: Engine) -> None:
    """Division by what is not there would be an error of ours."""
    with ranked(money) as result:
        assert mentions(result, companions(result, {}, NEVER)) == {}
        assert mentions(result, companions(result, origins(result, "docs/other.md"), NEVER)) == {}


def test_the_order_of_origins_does_not_matter(money: Engine) -> None:
    """Nor would that of segments."""
    with ranked(money) as result:
        some = origins(result, "src/ledger.py", "src/plain.py", "src/flags.py")
        turned = dict(reversed(some.items()))
        first, other = companions(result, some, NEVER), companions(result, turned, NEVER)

        assert mentions(result, first) == mentions(result, other)


def test_companions_keep_the_deadline(money: Engine) -> None:
    """Postings of many names are looked up in every segment."""
    over = Deadline.after(SystemClock(), 0)
    with ranked(money) as result, pytest.raises(DeadlineExceeded):
        companions(result, origins(result, "src/ledger.py"), over)


def test_rows_that_define_options_are_told_by_their_words(money: Engine) -> None:
    """Whatever the module is called, and no other row of code."""
    with ranked(money) as result:
        paths = {
            segment.image.path(int(segment.image.row_files[row]))
            for segment in result.segments
            for row in range(segment.image.rows)
            if option_rows(segment)[row]
        }

    assert paths == {"src/flags.py"}


def test_rows_that_define_what_the_best_code_uses_are_known(money: Engine) -> None:
    """A test leads to the class that it tests, and not to one of forty functions of one name."""
    with ranked(money) as result:
        beside = companions(result, origins(result, "tests/test_ledger.py"), NEVER)
        used = {
            segment.image.path(int(segment.image.row_files[row]))
            for segment, rows in zip(result.segments, beside.used, strict=True)
            for row in range(segment.image.rows)
            if rows[row] > 0.0
        }
        common = companions(result, origins(result, "src/m1.py"), NEVER)

        assert "src/ledger.py" in used
        assert used <= {"src/ledger.py", "tests/test_ledger.py"}
        for rows, eligible in zip(beside.used, result.eligible, strict=True):
            assert 0.0 <= rows.min(initial=0.0) <= rows.max(initial=0.0) <= 1.0
            assert not rows[~eligible].any()
        assert not any(rows.any() for rows in common.used)
