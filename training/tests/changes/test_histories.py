"""Questions are mined from a history, and the folder holds the revision before them."""

import subprocess
from pathlib import Path

from ggrep.base import stable_json
from training.changes import listing
from training.changes.building import build
from training.changes.listing import Listed, mined, parted, read_list, write_list

NONE = frozenset({"nothing-of-this-name"})
LICENCE = "Permission is hereby granted, free of charge, to any person obtaining a copy"


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True)


def history(tmp_path: Path, questions: int = 8) -> Path:
    """Return histories with one repository: 30 sources, and a commit to each of the first ones."""
    work = tmp_path / "work"
    (work / "src").mkdir(parents=True)
    git(tmp_path, "init", "-q", str(work))
    (work / "LICENSE").write_text(LICENCE)
    for number in range(30):
        (work / "src" / f"part{number}.py").write_text(f"x = {number}\n")
    git(work, "add", "-A")
    git(work, "commit", "-qm", "begin")
    for number in range(questions):
        (work / "src" / f"part{number}.py").write_text(f"x = {number + 100}\n")
        subject = f"count one hundred more than it did at place {'abcdefghij'[number]}"
        git(work, "commit", "-qam", f"fix: {subject}", "-m", "It was too few.")
    stored = tmp_path / "histories" / "me+it"
    stored.mkdir(parents=True)
    (work / ".git").rename(stored / "repo")
    return tmp_path / "histories"


def test_the_base_is_the_revision_before_the_oldest_question(tmp_path: Path) -> None:
    """An answer that is already in the sources would be no question."""
    histories = history(tmp_path)
    found = mined("me/it", histories / "me+it" / "repo", NONE)

    assert isinstance(found, Listed)
    assert (found.language, found.licence, len(found.commits)) == ("python", "MIT", 8)

    folder = tmp_path / "kit"
    build([found], histories, folder, NONE, lambda text: None)

    assert (folder / "sources" / "me+it" / "src" / "part0.py").read_text() == "x = 0\n"
    asked = [
        stable_json.loads(line) for line in (folder / "queries.jsonl").read_bytes().splitlines()
    ]
    assert len(asked) == 16
    assert asked[0]["query"] == "count one hundred more than it did at place a"
    assert asked[1]["query"].endswith("\n\nIt was too few.")
    assert asked[0]["relevant"] == [{"path": "src/part0.py"}]


def test_excluded_names_are_neither_mined_nor_unpacked(tmp_path: Path) -> None:
    """What evaluation needs unseen may not come in by any way."""
    histories = history(tmp_path)
    repo = histories / "me+it" / "repo"
    found = mined("me/it", repo, NONE)
    assert isinstance(found, Listed)

    assert mined("me/it", repo, frozenset({"it"})) == "excluded"
    build([found], histories, tmp_path / "kit", frozenset({"src"}), lambda text: None)
    assert not (tmp_path / "kit" / "sources" / "me+it" / "src").exists()


def test_few_questions_or_another_licence_give_nothing(tmp_path: Path) -> None:
    """A repository of two questions would weigh as much as one of twenty."""
    repo = history(tmp_path, questions=3) / "me+it" / "repo"

    assert mined("me/it", repo, NONE) == "3 questions"


def test_the_committed_list_is_in_parts_by_language() -> None:
    """Each repository's part follows from its language and name; nobody chooses it."""
    listed = read_list()

    assert len(listed) >= 150
    assert len({each.language for each in listed}) >= 16
    assert parted(listed) == listed
    assert write_list(listed) == listing.LIST.read_text(encoding="utf-8")
