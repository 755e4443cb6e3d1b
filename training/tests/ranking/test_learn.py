"""Learning asks repositories to learn from alone, and refuses what it cannot use."""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.search.query.trees import forest_of
from training.ranking import learn
from training.ranking.material import DOCS, EARLIER

FITTED = {
    "features": ("a", "b"),
    "usual": [0.5, 1.0],
    "trees": [{"nodes": [[0, 0.5, 0xFFFE]], "leaves": [n, -n]} for n in (1, 2, 3)],
}


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["judge", "kit", "folder"],
        ["build", "histories", "kit", "folder"],
        ["fit", "kit"],
        ["fit", "kit", "folder", "--exclusions", "x"],
    ],
)
def test_a_wrong_command_line_is_refused(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        learn.main(arguments)
    assert stopped.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_parts_that_are_not_to_learn_from_are_never_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {"one": "fit", "two": "judge", "three": "choose"}
    for place in (tmp_path / "kit", tmp_path / "own" / EARLIER, tmp_path / "own" / DOCS):
        place.mkdir(parents=True)
        said = {name: {"language": "python", "part": part} for name, part in parts.items()}
        (place / "repos.json").write_bytes(stable_json.dumps(said))
    asked: list[tuple[str, str]] = []

    def kit(place: Path, *, federated: bool) -> Any:
        assert not federated
        kinds = {"kit": "subject and body", EARLIER: "subject", DOCS: "comment"}
        known = {"place": place.name, "category": kinds[place.name]}
        return SimpleNamespace(cases=[SimpleNamespace(repo=n, **known) for n in parts])

    def lists(cases: list[Any], home: Path) -> list[str]:
        asked.extend((each.place, each.repo) for each in cases)
        return [each.repo for each in cases]

    monkeypatch.setenv("GGREP_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(learn, "read_kit", kit)
    monkeypatch.setattr(learn, "lists_of", lists)
    monkeypatch.setattr(learn, "shortened", lambda case: case if case.place != EARLIER else None)
    monkeypatch.setitem(sys.modules, "lightgbm", SimpleNamespace())
    monkeypatch.setattr(learn, "fit", lambda found: {**FITTED, "usual": [len(found), 0]})
    target = tmp_path / "trees.json"
    arguments = ["fit", str(tmp_path / "kit"), str(tmp_path / "own"), "--to", str(target)]
    assert learn.main(arguments) == 0
    spoken = [("kit", "one"), (EARLIER, "one"), (DOCS, "one")]
    assert asked == [*spoken, (DOCS, "one")], "bodies are not asked in few words"
    assert stable_json.loads(target.read_bytes())["usual"] == [4, 0]


def test_the_file_holds_a_line_for_each_tree_and_reads_as_it_was_fitted() -> None:
    written = learn._line_by_line(dict(FITTED))
    assert written.endswith(b"\n]}\n")
    assert len(written.splitlines()) == 1 + len(FITTED["trees"]) + 1
    read = stable_json.loads(written)
    assert read == {**FITTED, "features": ["a", "b"]}
    assert forest_of(read).leaves[:, :2].tolist() == [[1, -1], [2, -2], [3, -3]]


def test_a_missing_package_is_told_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(*_: object) -> None:
        pytest.fail("asked in vain")

    monkeypatch.setitem(sys.modules, "lightgbm", None)
    monkeypatch.setattr(learn, "_lists", never)
    target = tmp_path / "trees.json"
    assert learn.main(["fit", "kit", "folder", "--to", str(target)]) == 2
    assert "python3 dev.py setup ranking" in capsys.readouterr().err
    assert not target.exists()
