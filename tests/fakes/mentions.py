"""Names looked for in this process: the same answers, at a fraction of the start-up time."""

from collections.abc import Iterable, Iterator

from ggrep.base.clock import Deadline
from ggrep.parse.chunking.file_outline import Outlined, outline_file
from ggrep.parse.occurrences.occurrences import mentions
from ggrep.parse.occurrences.words import mentions_by_words
from ggrep.parse.workers.jobs import OccurrenceRequest
from ggrep.parse.workers.occurrence_pool import FileOccurrences, Problem


class InProcessMentions:
    """A pool of names without processes.

    Attributes:
        asked: path keys of the files it was asked about.
        hanging: path keys of files whose syntax it does not get to the end of.
    """

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.hanging: set[str] = set()

    def find(
        self, questions: Iterable[OccurrenceRequest], deadline: Deadline
    ) -> Iterator[tuple[OccurrenceRequest, FileOccurrences]]:
        """Yield each question with its answer."""
        for asked in questions:
            deadline.check("searching for names")
            self.asked.append(asked.path_key)
            hangs = asked.path_key in self.hanging
            look = mentions_by_words if hangs else mentions
            result = look(asked.path_key, asked.data, asked.name, any_case=asked.any_case)
            yield asked, FileOccurrences(result, "parse_exhausted" if hangs else "")

    def outline(
        self, path_key: str, data: bytes, deadline: Deadline
    ) -> tuple[Outlined, ...] | Problem:
        deadline.check("outlining")
        return "parse_exhausted" if path_key in self.hanging else outline_file(path_key, data)
