"""A file is put together again from its chunks, every line at its own number."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ggrep.base.clock import Deadline
from ggrep.base.errors import DeadlineExceeded
from ggrep.index.maintenance.compaction import compact
from ggrep.search.engine.engine import Engine
from ggrep.search.query.file_text import file_text, file_texts, row_at
from ggrep.search.query.segments import SearchableSegment, open_segments
from tests.fakes import repos

Indexed = Callable[[dict[str, str | bytes]], tuple[Engine, SearchableSegment]]


@pytest.fixture
def indexed(root: Path, home: Path) -> Indexed:
    def index(files: dict[str, str | bytes]) -> tuple[Engine, SearchableSegment]:
        engine = repos.indexed(root, home, files, encoder="none")
        (segment,) = open_segments(engine.view())
        return engine, segment

    return index


def text_of(engine: Engine, segment: SearchableSegment, path: str) -> str:
    place = next(n for n in range(segment.image.files) if segment.image.path(n) == path)
    return file_text(engine.view(), segment, place, Deadline.never(engine.clock))


def lines_of(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().split("\n")]


def test_every_line_stands_at_its_own_number(indexed: Indexed) -> None:
    """A place in the answer has to be the place in the file."""
    body = "".join(f"def f{n}():\n    return {n}\n\n\n" + "\n" * (n % 3) for n in range(60))
    text = f"\n\n\nimport os\n\n{body}# end"
    engine, segment = indexed({"a.py": text, "b.md": "# T\n\n\nwords\n\n## U\n\nmore\n"})

    assert lines_of(text_of(engine, segment, "a.py")) == lines_of(text)
    assert lines_of(text_of(engine, segment, "b.md")) == [
        "# T",
        "",
        "",
        "words",
        "",
        "## U",
        "",
        "more",
    ]


def test_chunks_of_one_endless_line_keep_their_columns(indexed: Indexed) -> None:
    """A minified file is cut inside of its line, and blanks at a cut belong to no chunk."""
    text = "var a = 1; " + " ".join(f"function f{n}() {{ return {n}; }}" for n in range(400))
    engine, segment = indexed({"a.js": text})

    assert segment.image.rows > 3
    assert text_of(engine, segment, "a.js") == text


def test_a_text_is_known_to_the_byte(indexed: Indexed) -> None:
    """Blanks that no chunk holds count where lines are matched."""
    texts = [
        "x = 1",
        "x = 1\n",
        "\n\n  \nx = 1  \n\t\n\n",
        "x = 1\r\n\r\n\r\ndef f():\r\n    return 1  \r\n",
        "\ufeffx = 1\r\ny = 2\n",
        "\n",
        " \r\n\t\n",
        "x = 1\rz = 2\n",
        "\fx = 1\n\v\n",
    ]
    files = {
        f"{number}.{ending}": text
        for number, text in enumerate(texts)
        for ending in ("py", "md", "txt", "json")
    }
    engine, segment = indexed({name: text.encode() for name, text in files.items()})

    assert {name: text_of(engine, segment, name) for name in files} == files


def test_a_text_is_known_to_the_byte_after_a_compaction(indexed: Indexed) -> None:
    """Rows that are copied keep the blanks behind them."""
    files: dict[str, str | bytes] = {
        f"{n}.py": f"\r\n\r\nx = {n}  \r\n\r\n" + f"def f{n}():\n    return 1\n\n\n" * 9
        for n in range(3)
    }
    engine, _ = indexed(files)
    repos.write_tree(engine.identity.root, {"1.py": files["2.py"]})
    engine.sync()
    with engine.target() as target:
        compact(target, force=True)
    (segment,) = open_segments(engine.view())

    for name, text in (files | {"1.py": files["2.py"]}).items():
        assert text_of(engine, segment, name) == text


def test_an_empty_file_has_no_text_and_no_rows(indexed: Indexed) -> None:
    """What holds nothing is no reason to fail."""
    engine, segment = indexed({"a.py": "x = 1\n", "empty.py": ""})
    empty = next(n for n in range(segment.image.files) if segment.image.path(n) == "empty.py")

    assert text_of(engine, segment, "empty.py") == ""
    assert row_at(segment, empty, 1) is None


def test_a_line_belongs_to_the_chunk_that_holds_it_or_the_one_before(indexed: Indexed) -> None:
    """Blank lines between two chunks lie in neither."""
    text = "\n\n" + "def a():\n    return 1\n" * 40 + "\n\n\n\n" + "def b():\n    return 2\n" * 40
    _, segment = indexed({"a.py": text})
    starts, ends = segment.image.row_lines(0, segment.image.rows)

    for row in range(1, segment.image.rows):
        assert row_at(segment, 0, int(starts[row])) == row
        assert row_at(segment, 0, int(ends[row])) == row
    assert row_at(segment, 0, 1) is None
    assert row_at(segment, 0, 10_000) == segment.image.rows - 1


def test_texts_come_in_the_order_they_were_asked_for(indexed: Indexed) -> None:
    """Rows are read in ascending order, whatever the order of the question."""
    engine, segment = indexed({"a.py": "a = 1\n", "b.py": "b = 2\n", "c.py": "c = 3\n"})
    never = Deadline.never(engine.clock)

    assert file_texts(engine.view(), segment, [2, 0], never) == ["c = 3\n", "a = 1\n"]
    with pytest.raises(DeadlineExceeded):
        file_texts(engine.view(), segment, [0], Deadline.after(engine.clock, 0))
