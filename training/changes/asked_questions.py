"""Questions as people ask them, with the lines that answer (`QUESTIONS`).

They were annotated by reading, by two annotators apart, before anything was tuned on them.
Repositories of the part `judge` are only ever measured as a whole.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.visible_lines import LineRange, line_range_of
from training.changes.building import folder_of, unpack_clear

QUESTIONS: Final = (
    Path(__file__).resolve().parents[2] / "tests" / "quality" / "questions_with_places.jsonl"
)


class AskedQuestion(Struct, frozen=True):
    """A question to one revision of a repository.

    Attributes:
        base: the revision's commit id.
        part: `choose` or `judge`.
        kind: how, where, why, value, when, name or error.
        places: of which any one answers, each as `path:first-last`.
    """

    id: str
    repo: str
    base: str
    language: str
    part: str
    kind: str
    question: str
    places: tuple[str, ...]

    def ranges(self) -> Iterator[LineRange]:
        """Yield the places.

        Raises:
            UsageError: one is no range of lines.
        """
        for text in self.places:
            place = line_range_of(text)
            if place is None:
                raise UsageError(f"{self.id}: {text!r} is no range of lines")
            yield place


def shares_half(hit: LineRange, places: Iterable[LineRange]) -> bool:
    """Return whether a hit shares half of its lines, or of a place's, with a place."""
    for place in places:
        shared = min(hit.last, place.last) - max(hit.first, place.first) + 1
        if hit.path == place.path and 2 * shared >= min(hit.lines, place.lines):
            return shared > 0
    return False


def read_asked(path: Path = QUESTIONS) -> list[AskedQuestion]:
    """Return the questions of a file of JSON lines."""
    return [
        stable_json.decode(AskedQuestion, stable_json.loads(line))
        for line in path.read_bytes().splitlines()
    ]


def build_asked(histories: Path, folder: Path, tell: Callable[[str], None]) -> None:
    """Write the questions in the form of a kit; sources that are there are left as they are.

    Args:
        histories: holds `OWNER+NAME/repo`, a git directory each.
        folder: is written to.
        tell: hears of repositories that are missing.
    """
    repos, lines = {}, []
    for each in read_asked():
        place = folder_of(each.repo)
        repo, sources = histories / place / "repo", folder / "sources" / place
        if not repo.is_dir():
            tell(f"{each.repo}: not fetched")
            continue
        if not sources.is_dir():
            unpack_clear(repo, each.base, sources, frozenset())
        repos[place] = {"language": each.language, "part": each.part, "base": each.base}
        ranges = [{"path": r.path, "start": r.first, "end": r.last} for r in each.ranges()]
        record = {
            "qid": each.id,
            "repo": place,
            "query": each.question,
            "category": each.kind,
            "language": each.language,
            "relevant": ranges,
            "secondary": [],
        }
        lines.append(stable_json.dumps(record) + b"\n")
    (folder / "repos.json").write_bytes(stable_json.dumps_pretty(repos))
    (folder / "queries.jsonl").write_bytes(b"".join(lines))
