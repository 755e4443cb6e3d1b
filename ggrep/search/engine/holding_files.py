"""The files that contain a name, read again in batches."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Self

from ggrep.base.deadline import Deadline
from ggrep.parse.occurrences.words import spots
from ggrep.parse.workers.jobs import OccurrenceQuestion
from ggrep.search.query.file_text import file_texts
from ggrep.search.query.name_candidates import NameFile, Searched

_FILES_AT_ONCE: Final = 48
"""Files whose text is read at once; large ones are dear to hold, small reads dear to make."""


@dataclass(frozen=True, slots=True)
class HoldingFile:
    """A file that contains the name.

    Attributes:
        text: as it was indexed.
        question: what is asked about it.
    """

    file: NameFile
    text: str
    question: OccurrenceQuestion


class HoldingFiles(Iterator[HoldingFile]):
    """Yields the files that contain a name, in the given order."""

    def __init__(
        self,
        held: Searched,
        files: Sequence[NameFile],
        question: tuple[str, bool],
        deadline: Deadline,
    ) -> None:
        """Take the files.

        Args:
            held: what they lie in.
            files: the ones that may hold it.
            question: the name, and whether other letter cases count; then only files with such
                a spelling do.
            deadline: checked before each batch.
        """
        self._held = held
        self._name, self._any_case = question
        self._deadline = deadline
        self._left = len(files)
        self._found = self._read(files)

    @property
    def left(self) -> int:
        """Return how many files remain to be read."""
        return self._left

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> HoldingFile:
        """Return the next file that contains the name.

        Raises:
            StopIteration: there is none.
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        return next(self._found)

    def _read(self, files: Sequence[NameFile]) -> Iterator[HoldingFile]:
        for start in range(0, len(files), _FILES_AT_ONCE):
            batch = files[start : start + _FILES_AT_ONCE]
            texts = self._texts(batch)
            for file in batch:
                self._left -= 1
                text = texts[file.segment, file.file]
                question = OccurrenceQuestion(
                    file.path, text.encode("utf-8", "replace"), self._name, self._any_case
                )
                if self._stands_in(question):
                    yield HoldingFile(file, text, question)

    def _stands_in(self, question: OccurrenceQuestion) -> bool:
        found = spots(question.path_key, question.data, self._name, any_case=self._any_case)
        return any(spot.text != self._name for spot in found) if self._any_case else bool(found)

    def _texts(self, files: Sequence[NameFile]) -> dict[tuple[int, int], str]:
        texts: dict[tuple[int, int], str] = {}
        ordered = sorted((file.segment, file.file) for file in files)
        for place, pairs in groupby(ordered, key=lambda pair: pair[0]):
            numbers = [number for _, number in pairs]
            read = file_texts(self._held.view, self._held.segments[place], numbers, self._deadline)
            texts |= {(place, number): text for number, text in zip(numbers, read, strict=True)}
        return texts
