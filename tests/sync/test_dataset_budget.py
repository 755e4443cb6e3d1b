"""What a profile includes is indexed within its budget: all, a part by paths, or nothing."""

from pathlib import Path

import pytest

from ggrep.base.errors import BudgetExceeded
from ggrep.search.engine.engine import Engine
from tests.fakes.git import Git
from tests.fakes.repos import open_engine, write_tree

DATA = {
    "Datasets/a.csv": "needle,a\n" + "a" * 91,
    "Datasets/b.csv": "needle,b\n" + "b" * 191,
    "Datasets/c.csv": "needle,c\n" + "c" * 41,
    "src/main.py": "needle = 1\n" + "# x\n" * 500,
}
PROFILE = """
[profiles.data]
include = ["Datasets/**"]
max_bytes_indexed = {most}
max_file_size_bytes = 100_000
max_store_bytes = 100_000_000
"""


def opened(root: Path, home: Path, most: int) -> Engine:
    write_tree(root, {".ggrep.toml": PROFILE.format(most=most)})
    return open_engine(root, home, profile="data")


def live(engine: Engine) -> list[str]:
    return sorted(key for key in engine.view().live_files() if key.startswith("D"))


@pytest.fixture
def tree(root: Path) -> Path:
    write_tree(root, DATA)
    return root


def test_what_fits_is_indexed(tree: Path, home: Path) -> None:
    """Files that the profile does not name do not count."""
    engine = opened(tree, home, 350)
    report = engine.sync()

    assert live(engine) == ["Datasets/a.csv", "Datasets/b.csv", "Datasets/c.csv"]
    assert report.degraded == ()


@pytest.mark.parametrize("tracked", [False, True])
def test_a_byte_too_much_fails(tree: Path, home: Path, git: Git, *, tracked: bool) -> None:
    if tracked:
        git(tree, "init", "-q")
        git(tree, "add", "-f", "Datasets")
    engine = opened(tree, home, 349)

    with pytest.raises(
        BudgetExceeded, match=r"3 included files have 350 bytes, .* max_bytes_indexed, 349"
    ):
        engine.sync()


def test_a_degraded_index_takes_files_by_path(tree: Path, home: Path) -> None:
    """Paths decide, so that two machines agree; a small file behind the cut stays out as well."""
    engine = opened(tree, home, 250)
    report = engine.sync(allow_degraded=True)

    assert live(engine) == ["Datasets/a.csv"]
    assert [(p.code, p.path_key) for p in report.degraded] == [("dataset_budget", "Datasets/b.csv")]
    assert [(s.path_key, s.reason) for s in report.skipped] == [
        ("Datasets/b.csv", "dataset_budget"),
        ("Datasets/c.csv", "dataset_budget"),
    ]


def test_the_part_does_not_depend_on_what_was_indexed_before(tree: Path, home: Path) -> None:
    """A file that comes first pushes out what was there, as in an index built anew."""
    engine = opened(tree, home, 350)
    engine.sync()
    write_tree(tree, {"Datasets/Z.csv": "needle,Z\n" + "z" * 241})

    engine.sync(allow_degraded=True)

    assert live(engine) == ["Datasets/Z.csv", "Datasets/a.csv"]


def test_what_was_accepted_once_holds_up_no_later_sync(tree: Path, home: Path) -> None:
    """A daemon is given no flags; a strict sync still wants all of it."""
    engine = opened(tree, home, 250)
    engine.sync(allow_degraded=True)
    write_tree(tree, {"Datasets/a.csv": "needle,A\n" + "A" * 91})
    report = engine.sync()

    assert report.files.indexed == 1
    assert [p.code for p in report.degraded] == ["dataset_budget"]
    with pytest.raises(BudgetExceeded):
        engine.sync(strict=True)


def test_an_index_is_whole_again_once_all_fits(tree: Path, home: Path) -> None:
    """The problem goes with its cause."""
    engine = opened(tree, home, 250)
    engine.sync(allow_degraded=True)
    write_tree(tree, {"Datasets/b.csv": None})

    report = engine.sync()

    assert live(engine) == ["Datasets/a.csv", "Datasets/c.csv"]
    assert report.degraded == ()


def test_profiles_never_share_a_store_with_the_default(tree: Path, home: Path) -> None:
    """A question under no profile must not find what only the profile indexes."""
    data = opened(tree, home, 350)
    data.sync()
    plain = open_engine(tree, home)
    plain.sync()

    assert data.identity.store_id != plain.identity.store_id
    assert live(plain) == []


def test_files_are_cut_by_lines_without_structure(root: Path, home: Path) -> None:
    """The knob is part of the index: another store, and no definitions in it."""
    write_tree(root, {"a.py": "def alpha():\n    return 1\n\n\ndef beta():\n    return 2\n"})
    parsed = open_engine(root, home)
    cut = open_engine(root, home, structure=False)

    assert parsed.sync().chunks > cut.sync().chunks
    assert parsed.identity.store_id != cut.identity.store_id
