"""The committed list: repositories, the revision of each, and the commits that are questions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import asdict

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.parse.languages.registry import language_of
from training.changes.histories import commits_of, files_of, licence_of, parent_of
from training.changes.rules import Commit, answers_of, is_answer, question_of
from training.encoder.wanted import is_excluded

LIST: Final = Path(__file__).with_name("changes.jsonl")
PARTS: Final = ("fit", "choose", "judge")
"""What a repository's questions are for: to learn from, to decide by, to measure with."""

MAX_QUESTIONS: Final = 24
MIN_QUESTIONS: Final = 6
MIN_FILES: Final = 25
MAX_FILES: Final = 4_000
MAX_BYTES: Final = 32_000_000
"""Of all files together: larger repositories take the time of many."""
_AFTER: Final = (MAX_QUESTIONS, 36, 54, 80, 120, 200, 320)
"""How many commits back a base is looked for."""

_ROUND: Final = ("fit", "judge", "fit", "choose", "judge", "fit", "choose", "judge", "fit", "judge")
"""Of ten repositories of a language four to learn from, two to choose by, four to judge."""


class Listed(Struct, frozen=True):
    """A repository of the list.

    Attributes:
        name: `owner/name`.
        language: of most of the answers.
        base: the revision that is indexed.
        commits: ids of the commits whose subjects are asked, the oldest first.
    """

    name: str
    language: str
    licence: str
    part: str
    base: str
    commits: tuple[str, ...]


def mined(name: str, repo: Path, exclusions: frozenset[str]) -> Listed | str:
    """Return what a repository gives, in no part yet, or why it gives nothing.

    Of all revisions the newest is taken as base after which enough commits change files that it
    has; of those commits the ones nearest to it.
    """
    if is_excluded(name.split("/"), exclusions):
        return "excluded"
    asked = asked_of(commits_of(repo), exclusions)
    base, chosen = _based(repo, asked)
    if len(chosen) < MIN_QUESTIONS:
        return f"{len(chosen)} questions"
    files = files_of(repo, base)
    own = [path for path in files if not is_excluded(path.split("/")[:-1], exclusions)]
    sources, size = sum(map(is_answer, own)), sum(files[path] for path in own)
    if not MIN_FILES <= sources <= MAX_FILES or size > MAX_BYTES:
        return f"{sources} sources, {size} bytes"
    licence = licence_of(repo, base)
    if not licence:
        return "no permissive licence"
    known = set(chosen)
    languages = Counter(
        language_of(path.rsplit("/", 1)[-1])
        for each in asked
        if each.commit_id in known
        for path in answers_of(each)
    )
    return Listed(name, languages.most_common(1)[0][0], licence, "", base, tuple(chosen))


def _based(repo: Path, asked: Sequence[Commit]) -> tuple[str, list[str]]:
    """Return the base, and of the commits after it those that can be asked, the oldest first."""
    best: tuple[str, list[str]] = "", []
    for after in _AFTER:
        oldest = min(after, len(asked)) - 1
        base = parent_of(repo, asked[oldest].commit_id) if oldest >= 0 else ""
        if not base:
            break
        there = files_of(repo, base)
        fair = [each for each in asked[: oldest + 1] if there.keys() >= set(answers_of(each))]
        chosen = [each.commit_id for each in reversed(fair)][:MAX_QUESTIONS]
        if len(chosen) > len(best[1]):
            best = base, chosen
        if len(chosen) == MAX_QUESTIONS or oldest + 1 == len(asked):
            break
    return best


def asked_of(commits: Iterable[Commit], exclusions: frozenset[str]) -> list[Commit]:
    """Return the commits that are questions, in their order, none that says what another said."""
    found: dict[str, Commit] = {}
    for commit in commits:
        question, answers = question_of(commit), answers_of(commit)
        if (
            question
            and answers
            and not any(is_excluded(path.split("/")[:-1], exclusions) for path in answers)
        ):
            found.setdefault(question.lower(), commit)
    return list(found.values())


def parted(listed: Iterable[Listed]) -> tuple[Listed, ...]:
    """Return the repositories in their parts, drawn by language and the hash of the name."""
    by_language: dict[str, list[Listed]] = {}
    for each in listed:
        by_language.setdefault(each.language, []).append(each)
    found = []
    for language in sorted(by_language):
        shuffled = sorted(by_language[language], key=lambda each: _hash(each.name))
        for place, each in enumerate(shuffled):
            part = _ROUND[place % len(_ROUND)]
            found.append(Listed(**{**asdict(each), "part": part}))
    return tuple(sorted(found, key=lambda each: each.name.lower()))


def write_list(listed: Iterable[Listed]) -> str:
    """Return the list as JSON lines."""
    return "".join(stable_json.dumps(asdict(each)).decode() + "\n" for each in listed)


def read_list(path: Path = LIST) -> tuple[Listed, ...]:
    """Return the repositories of a list.

    Raises:
        UsageError: it is not such a list.
    """
    try:
        records = [stable_json.loads(line) for line in path.read_bytes().splitlines()]
        return tuple(Listed(**{**each, "commits": tuple(each["commits"])}) for each in records)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise UsageError(f"{path}: not a list of changes: {error}") from error


def _hash(name: str) -> str:
    return sha256(name.lower().encode()).hexdigest()
