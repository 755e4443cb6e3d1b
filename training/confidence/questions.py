"""The questions by which confidence is fitted and chosen, each with the repository it is put to.

Those that have an answer are what commits say, of the repositories of one part; the answerable
questions of a half of tests/quality; and questions as people ask them. Those that have none are
that half's questions without an answer, put to the repositories of the part; random letters; what
commits of other repositories, in other languages, say; questions of people, put to another
repository; and names that the sources lack. Everything that is drawn is drawn by digests of names,
so it is the same everywhere.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.interfaces.evaluation.visible_lines import LineRange
from training.changes.building import WHOLE
from training.confidence.without_answer import (
    SUITES,
    drawn,
    of_other_domains,
    of_other_repositories,
    records,
    unknown_names,
)

Repos = Mapping[str, Mapping[str, str]]
SUBJECT, BODY, SHORT = "subjects", "subjects with bodies", "short questions"
PEOPLE = "questions as people ask them"
RANDOM, FOREIGN, LETTER = "random letters", "commits elsewhere", "single letters"
DOMAIN, ELSEWHERE = "questions about another domain", "questions about another repository"
UNKNOWN, ABOUT_UNKNOWN = "names that do not exist", "sentences with names that do not exist"
HALVES: Final = {"fit": 0, "choose": 1}
_REPOS: Final = 6
"""Repositories of the part that a question without an answer is put to."""
_FOREIGN: Final = 600
_STRINGS: Final = 6
_NAMES: Final = 4
"""Names of each form that a repository is asked for."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"


class Question(Struct, frozen=True):
    """One question.

    Attributes:
        kind: what it stands for.
        repo: of the folder of commits; of short questions its name in tests/quality.
        answers: the files that answer it; empty where none does.
        answerable: it has an answer.
        places: lines of which any one answers, where they are known.
    """

    kind: str
    repo: str
    text: str
    answers: frozenset[str]
    answerable: bool
    places: tuple[LineRange, ...] = ()


def questions(folder: Path, part: str) -> Iterator[Question]:
    """Yield the questions of `fit` or of `choose`."""
    repos: Repos = stable_json.loads((folder / "repos.json").read_bytes())
    own = {name: repo["language"] for name, repo in repos.items() if repo["part"] == part}
    items = [item for item in records(folder / "queries.jsonl") if item["repo"] in own]
    for item in items:
        answers = frozenset(each["path"] for each in item["relevant"])
        kind = BODY if _is_whole(item) else SUBJECT
        yield Question(kind, item["repo"], item["query"], answers, answerable=True)
    for item in _half("answerable_installed.jsonl", part):
        yield Question(SHORT, item["repo"], item["query"], frozenset(), answerable=True)
    for item in _half("out_of_domain.jsonl", part):
        for name in sorted(own, key=partial(drawn, item["id"]))[:_REPOS]:
            yield _unanswerable(item["kind"], name, item["query"])
    yield from _foreign([item for item in items if not _is_whole(item)], own)
    for name in sorted(own):
        for number in range(_STRINGS):
            yield _unanswerable(RANDOM, name, _string(drawn(name, str(number))))
        yield _unanswerable(LETTER, name, _LETTERS[drawn("letter", name) % len(_LETTERS)])
        yield from _unknown(folder, name)


def people_ask(folder: Path, part: str) -> Iterator[Question]:
    """Yield questions with places, of repositories of `choose` or of `judge`, and their opposites.

    Args:
        folder: what `python -m training.changes ask` writes.
        part: the even half of the questions out of domain goes with `choose`.
    """
    repos: Repos = stable_json.loads((folder / "repos.json").read_bytes())
    own = [name for name in repos if repos[name]["part"] == part]
    items = [item for item in records(folder / "queries.jsonl") if item["repo"] in own]
    for item in items:
        places = tuple(
            LineRange(each["path"], each["start"], each["end"]) for each in item["relevant"]
        )
        answers = frozenset(place.path for place in places)
        yield Question(PEOPLE, item["repo"], item["query"], answers, answerable=True, places=places)
    for repo, text in of_other_domains(own, even=part == "choose"):
        yield _unanswerable(DOMAIN, repo, text)
    for repo, text in of_other_repositories(items, own):
        yield _unanswerable(ELSEWHERE, repo, text)
    for name in sorted(own):
        yield from _unknown(folder, name)


def _unknown(folder: Path, repo: str) -> Iterator[Question]:
    for name, sentence in unknown_names(folder / "sources" / repo, _NAMES):
        yield _unanswerable(UNKNOWN, repo, name)
        yield _unanswerable(ABOUT_UNKNOWN, repo, sentence)


def _foreign(subjects: list[dict[str, Any]], own: Mapping[str, str]) -> Iterator[Question]:
    """Yield subjects, each put to a repository in another language."""
    for item in sorted(subjects, key=lambda item: drawn("foreign", item["qid"]))[:_FOREIGN]:
        others = [name for name in own if own[name] != own[item["repo"]]]
        yield _unanswerable(FOREIGN, min(others, key=partial(drawn, item["qid"])), item["query"])


def _is_whole(item: dict[str, Any]) -> bool:
    return bool(item["category"].startswith(WHOLE))


def _unanswerable(kind: str, repo: str, text: str) -> Question:
    return Question(kind, repo, text, frozenset(), answerable=False)


def _string(seed: int) -> str:
    """Return one to five words of random letters."""
    words = []
    for place in range(1 + seed % 5):
        number = drawn(str(seed), str(place))
        length = 3 + number % 8
        words.append("".join(_LETTERS[number // 26**at % 26] for at in range(length)))
    return " ".join(words)


def _half(name: str, part: str) -> list[dict[str, Any]]:
    """Return the questions of a suite that may be fitted to, or those that may not."""
    rows = records(SUITES / name)
    return [row for row in rows if int(row["id"].rpartition("-")[2]) % 2 == HALVES[part]]
