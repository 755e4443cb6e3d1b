"""Questions made of comments: cut out of their sources, drawn by lot, from `fit` alone."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from ggrep.base import stable_json
from training.changes.listing import Listed
from training.ranking import material
from training.ranking.material import DOCS, EARLIER, build_material

HEADER = "Keeps the queue of jobs that wait for a worker."
FIRST = "Hands the oldest job to the worker that asks."
SECOND = "Takes lost jobs back after their lease ran out."
SOURCE = f'''"""{HEADER}"""

# {FIRST}
def hand(queue):
    # too short
    return queue.pop()


# {SECOND}
# What it says after that goes with it.
def take(queue):
    return queue
'''


def listed(name: str, part: str) -> Listed:
    return Listed(name, "python", "MIT", part, "0" * 40, ())


def built(base: Path, repos: Iterable[Listed], files: dict[str, str]) -> tuple[Path, list[str]]:
    """Build of repositories without earlier commits; return the folder and what was told."""
    told: list[str] = []
    for each in repos:
        place = each.name.replace("/", "+")
        (base / "histories" / place / "repo").mkdir(parents=True)
        for path, text in files.items():
            file = base / "kit" / "sources" / place / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    out = base / "out"
    for part in (EARLIER, DOCS):
        (out / part).mkdir(parents=True)
    build_material(repos, base / "histories", base / "kit", out, frozenset(), told.append)
    return out, told


@pytest.fixture(autouse=True)
def no_commits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(material, "commits_of", lambda *_: ())


def questions(folder: Path) -> list[dict[str, object]]:
    lines = (folder / "queries.jsonl").read_bytes().splitlines()
    return [stable_json.loads(line) for line in lines]


def test_what_is_asked_is_cut_out_and_nothing_else(tmp_path: Path) -> None:
    out, _ = built(tmp_path, [listed("owner/one", "fit")], {"src/jobs.py": SOURCE})
    asked = {str(each["query"]).rstrip(".") for each in questions(out / DOCS)}
    left = (out / DOCS / "sources" / "owner+one" / "src" / "jobs.py").read_text()
    assert len(asked) == 2
    assert asked < {said.rstrip(".") for said in (HEADER, FIRST, SECOND)}
    for said in (HEADER, FIRST, SECOND):
        assert (said.rstrip(".") in left) == (said.rstrip(".") not in asked)
    assert left.count("\n") == SOURCE.count("\n")
    assert "# too short" in left
    for number, line in enumerate(SOURCE.split("\n")):
        if line.strip() and not line.lstrip().startswith(("#", '"""')):
            assert left.split("\n")[number] == line
    whole = tmp_path / "kit" / "sources" / "owner+one" / "src" / "jobs.py"
    assert whole.read_text() == SOURCE


def test_a_repository_that_judges_or_chooses_keeps_its_part(tmp_path: Path) -> None:
    """Its sentences only measure: what is learnt from has the part `fit`."""
    repos = [listed(f"owner/{part}", part) for part in ("judge", "fit", "choose")]
    out, told = built(tmp_path, repos, {"src/jobs.py": SOURCE})
    repositories = stable_json.loads((out / DOCS / "repos.json").read_bytes())
    assert {name: each["part"] for name, each in repositories.items()} == {
        "owner+judge": "judge",
        "owner+fit": "fit",
        "owner+choose": "choose",
    }
    assert told == ["owner/fit: too few commits before its base"]
    assert questions(out / EARLIER) == []


def test_few_sentences_of_a_file_and_none_twice() -> None:
    def sentence(path: str, number: int, said: str, of_file: bool) -> material._Sentence:
        return material._Sentence(f"{number:03}", path, number, number + 1, said, of_file)

    many = [sentence("a.py", n, f"Says thing number {n}", False) for n in range(9)]
    twins = [sentence(f"t{n}.py", 20 + n, "The Same" if n else "the same", False) for n in range(4)]
    heads = [sentence(f"h{n}.py", 40 + n, f"head {n}", True) for n in range(30)]
    rest = [sentence(f"r{n}.py", 90 + n, f"rest {n}", False) for n in range(30)]
    found = material._chosen([*many, *twins, *heads, *rest])
    assert found == material._chosen([*rest, *heads, *twins, *many])
    assert len(found) == material.MOST_SENTENCES
    assert sum(each.of_file for each in found) == material.MOST_SENTENCES // 3
    assert sum(each.path == "a.py" for each in found) == 2
    assert sum(each.said.lower() == "the same" for each in found) == 1


def test_the_exclusions_reach_what_chooses_commits_and_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    excluded, seen = frozenset({"secret"}), []

    def asked(commits: object, exclusions: frozenset[str]) -> tuple[()]:
        seen.append(exclusions)
        return ()

    monkeypatch.setattr(material, "asked_of", asked)
    assert material._before(listed("a/b", "fit"), tmp_path, excluded) == ("", ())
    assert seen == [excluded]
