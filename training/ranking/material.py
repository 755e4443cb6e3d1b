"""Further questions to learn the ranking's correction from, to the repositories to learn from.

    FOLDER/earlier/   commits before the listed base, asked of the revision before all of them
    FOLDER/docs/      first sentences of comments, asked of sources that the comments were cut from

Both have the form of a kit; an answer has lines where it is a function. The listed commits say
where to begin, so the same histories give the same questions. Repositories of the parts `choose`
and `judge` give sentences alone, which only measure.
"""

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.parse.languages.registry import language_of
from training.changes.building import folder_of, questions_of, unpack_clear
from training.changes.histories import commits_of, files_of, parent_of
from training.changes.listing import Listed, asked_of
from training.changes.places import described_function
from training.changes.rules import Commit, answers_of, is_answer
from training.encoder.comments import comments_in, holds_code
from training.encoder.doc_summaries import summary_of
from training.encoder.file_headers import header_of

EARLIER, DOCS = "earlier", "docs"
MOST_COMMITS: Final = 80
LEAST_COMMITS: Final = 10
_LOOKED_AT: Final = 3_000
"""Commits before the base."""

MOST_SENTENCES: Final = 20
"""Of one repository; at most a third are of whole files."""
_MOST_OF_FILE: Final = 2
_WORDS: Final = 6
_LONGEST: Final = 160
_MOST_BYTES: Final = 400_000


class _Sentence(Struct, frozen=True):
    """A comment's first sentence.

    Attributes:
        lot: orders sentences by chance, the same each time.
        start: of the comment in the file's text, in characters; `end` is exclusive.
    """

    lot: str
    path: str
    start: int
    end: int
    said: str
    of_file: bool


def build_material(
    listed: Iterable[Listed],
    histories: Path,
    kit: Path,
    folder: Path,
    exclusions: frozenset[str],
    tell: Callable[[str], None],
) -> None:
    """Write both folders; sources that are there are left as they are.

    Args:
        listed: the repositories; of other parts than `fit` only sentences are taken.
        histories: holds `OWNER+NAME/repo`, a git directory each.
        kit: the folder that was built of the list.
        folder: is written to.
        exclusions: names that no folder of the sources may bear.
        tell: hears of repositories that give nothing.
    """
    earlier, docs = _Kit(folder / EARLIER), _Kit(folder / DOCS)
    for each in listed:
        place = folder_of(each.name)
        repo = histories / place / "repo"
        if not repo.is_dir():
            continue
        docs.add(each, _cut(kit / "sources" / place, docs.sources(place), each))
        if each.part != "fit":
            continue
        base, commits = _before(each, repo, exclusions)
        if commits:
            sources = earlier.sources(place)
            if not sources.is_dir():
                unpack_clear(repo, base, sources, exclusions)
            asked = (questions_of(one, repo, sources, each.language) for one in commits)
            earlier.add(each, chain.from_iterable(asked))
        else:
            tell(f"{each.name}: too few commits before its base")
    earlier.write()
    docs.write()


class _Kit:
    """A folder in the form of a kit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._repos: dict[str, Mapping[str, str]] = {}
        self._lines: list[bytes] = []

    def sources(self, place: str) -> Path:
        return self._folder / "sources" / place

    def add(self, listed: Listed, lines: Iterable[bytes]) -> None:
        self._repos[folder_of(listed.name)] = {"language": listed.language, "part": listed.part}
        self._lines += lines

    def write(self) -> None:
        (self._folder / "repos.json").write_bytes(stable_json.dumps_pretty(self._repos))
        (self._folder / "queries.jsonl").write_bytes(b"".join(self._lines))


def _before(
    listed: Listed, repo: Path, exclusions: frozenset[str]
) -> tuple[str, tuple[Commit, ...]]:
    """Return the revision before the commits that led to a base, and those that can be asked."""
    asked = asked_of(commits_of(repo, _LOOKED_AT, listed.base), exclusions)[:MOST_COMMITS]
    if len(asked) < LEAST_COMMITS:
        return "", ()
    base = parent_of(repo, asked[-1].commit_id)
    there = files_of(repo, base).keys() if base else set()
    return base, tuple(each for each in reversed(asked) if there >= set(answers_of(each)))


def _cut(sources: Path, target: Path, listed: Listed) -> Iterator[bytes]:
    """Copy sources without the comments that are asked, and yield the questions."""
    chosen = _chosen(_sentences(sources))
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(sources, target, symlinks=True)
    for path in {each.path for each in chosen}:
        text = (sources / path).read_text(encoding="utf-8")
        spans = ((each.start, each.end) for each in chosen if each.path == path)
        for start, end in sorted(spans, reverse=True):
            text = text[:start] + "\n" * text.count("\n", start, end) + text[end:]
        (target / path).write_text(text, encoding="utf-8")
    for each in chosen:
        yield (
            stable_json.dumps(
                {
                    "qid": f"{target.name}:{each.lot[:12]}",
                    "repo": target.name,
                    "query": each.said,
                    "category": "file" if each.of_file else "comment",
                    "language": listed.language,
                    "relevant": [{"path": each.path, **_lines(each, sources, target)}],
                    "secondary": [],
                }
            )
            + b"\n"
        )


def _lines(sentence: _Sentence, sources: Path, target: Path) -> dict[str, int]:
    """Return the lines of the function that a sentence described; none for a whole file's."""
    before = (sources / sentence.path).read_text(encoding="utf-8")
    first = before.count("\n", 0, sentence.start) + 1
    last = before.count("\n", 0, sentence.end) + 1
    data = (target / sentence.path).read_bytes()
    described = described_function(sentence.path, data, first, last)
    if sentence.of_file or described is None:
        return {}
    return {"start": described.start, "end": described.end}


def _chosen(found: Iterable[_Sentence]) -> list[_Sentence]:
    """Return sentences drawn by lot, few of a file, none twice."""
    drawn = sorted(found, key=lambda each: each.lot)
    of_files = [each for each in drawn if each.of_file][: MOST_SENTENCES // 3]
    chosen: list[_Sentence] = []
    said: set[str] = set()
    numbers: dict[str, int] = {}
    for each in (*of_files, *(each for each in drawn if not each.of_file)):
        if numbers.get(each.path, 0) < _MOST_OF_FILE and each.said.lower() not in said:
            numbers[each.path] = numbers.get(each.path, 0) + 1
            said.add(each.said.lower())
            chosen.append(each)
    return chosen[:MOST_SENTENCES]


def _sentences(sources: Path) -> Iterator[_Sentence]:
    for file in sorted(sources.rglob("*")):
        path = file.relative_to(sources).as_posix()
        if file.is_symlink() or not file.is_file() or not is_answer(path):
            continue
        if file.stat().st_size <= _MOST_BYTES:
            yield from _sentences_of(path, file.read_bytes())


def _sentences_of(path: str, data: bytes) -> Iterator[_Sentence]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    language = language_of(path.rsplit("/", 1)[-1])
    header = header_of(text[:32_000], language)
    for comment in comments_in(text, language):
        said = summary_of(comment.raw).first if comment.whole_lines else ""
        worth = len(said.split()) >= _WORDS and len(said) <= _LONGEST and said.isascii()
        if worth and not holds_code(comment):
            lot = sha256(f"{path}:{comment.start}".encode()).hexdigest()
            of_file = header is not None and header.start <= comment.start < header.end
            yield _Sentence(lot, path, comment.start, comment.end, said, of_file)
