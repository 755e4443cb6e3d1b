"""The questions by which confidence is fitted and chosen, each with the repository it is put to.

Those that have an answer are what commits say, of the repositories of one part, and the answerable
questions of a half of tests/quality. Those that have none are that half's questions without an
answer, put to the repositories of the part; random letters; and what commits of other repositories,
in other languages, say. Everything that is drawn is drawn by digests of names, so it is the same
everywhere.
"""

import hashlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ggrep.base import stable_json
from training.changes.building import WHOLE

Repos = Mapping[str, Mapping[str, str]]
SUITES: Final = Path(__file__).resolve().parents[2] / "tests" / "quality"
SUBJECT, BODY, SHORT = "subjects", "subjects with bodies", "short questions"
RANDOM, FOREIGN, LETTER = "random letters", "commits elsewhere", "single letters"
HALVES: Final = {"fit": 0, "choose": 1}
_REPOS: Final = 6
"""Repositories of the part that a question without an answer is put to."""
_FOREIGN: Final = 600
_STRINGS: Final = 6
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class Question(Struct, frozen=True):
    """One question.

    Attributes:
        kind: what it stands for.
        repo: of the folder of commits; of short questions its name in tests/quality.
        answers: the files that answer it; empty where none does.
        answerable: it has an answer.
    """

    kind: str
    repo: str
    text: str
    answers: frozenset[str]
    answerable: bool


def questions(folder: Path, part: str) -> Iterator[Question]:
    """Yield the questions of `fit` or of `choose`."""
    repos: Repos = stable_json.loads((folder / "repos.json").read_bytes())
    own = {name: repo["language"] for name, repo in repos.items() if repo["part"] == part}
    items = [item for item in _records(folder / "queries.jsonl") if item["repo"] in own]
    for item in items:
        answers = frozenset(each["path"] for each in item["relevant"])
        kind = BODY if _is_whole(item) else SUBJECT
        yield Question(kind, item["repo"], item["query"], answers, answerable=True)
    for item in _half("answerable_installed.jsonl", part):
        yield Question(SHORT, item["repo"], item["query"], frozenset(), answerable=True)
    for item in _half("out_of_domain.jsonl", part):
        drawn = partial(_drawn, item["id"])
        for name in sorted(own, key=drawn)[:_REPOS]:
            yield _unanswerable(item["kind"], name, item["query"])
    yield from _foreign([item for item in items if not _is_whole(item)], own)
    for name in sorted(own):
        for number in range(_STRINGS):
            yield _unanswerable(RANDOM, name, _string(_drawn(name, str(number))))
        yield _unanswerable(LETTER, name, _LETTERS[_drawn("letter", name) % len(_LETTERS)])


def _foreign(subjects: list[dict[str, Any]], own: Mapping[str, str]) -> Iterator[Question]:
    """Yield subjects, each put to a repository in another language."""
    for item in sorted(subjects, key=lambda item: _drawn("foreign", item["qid"]))[:_FOREIGN]:
        others = [name for name in own if own[name] != own[item["repo"]]]
        yield _unanswerable(FOREIGN, min(others, key=partial(_drawn, item["qid"])), item["query"])


def _is_whole(item: dict[str, Any]) -> bool:
    return bool(item["category"].startswith(WHOLE))


def _unanswerable(kind: str, repo: str, text: str) -> Question:
    return Question(kind, repo, text, frozenset(), answerable=False)


def _string(seed: int) -> str:
    """Return one to five words of random letters."""
    words = []
    for place in range(1 + seed % 5):
        drawn = _drawn(str(seed), str(place))
        length = 3 + drawn % 8
        words.append("".join(_LETTERS[drawn // 26**at % 26] for at in range(length)))
    return " ".join(words)


def _half(name: str, part: str) -> list[dict[str, Any]]:
    """Return the questions of a suite that may be fitted to, or those that may not."""
    rows = _records(SUITES / name)
    return [row for row in rows if int(row["id"].rpartition("-")[2]) % 2 == HALVES[part]]


def _records(path: Path) -> list[dict[str, Any]]:
    return [stable_json.loads(line) for line in path.read_bytes().splitlines() if line.strip()]


def _drawn(*names: str) -> int:
    return int(hashlib.sha256("\0".join(names).encode()).hexdigest()[:24], 16)
