"""Files of a snapshot are read again and asked where a name stands in them."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

from ggrep.chunking.mention_frames import MentionQuestion
from ggrep.chunking.mention_pool import MentionPool
from ggrep.chunking.mention_words import MAX_MENTIONS, Mention, spots
from ggrep.domain.deadline import Deadline
from ggrep.domain.limits import LimitHit, Notice
from ggrep.domain.sanitise import sanitise_line
from ggrep.query.file_text import file_texts, row_at
from ggrep.query.name_candidates import NameFile, Searched

MAX_MENTION_FILES: Final = 2_000
"""Most files that are read for one name."""
_FILES_AT_ONCE: Final = 48
"""Files whose text is read at once; large ones are dear to hold, small reads dear to make."""
_TROUBLE: Final = {
    "parse_exhausted": "its syntax took too long to read; words alone were looked at",
    "parse_crashed": "its syntax could not be read; words alone were looked at",
}


@dataclass(frozen=True, slots=True)
class Place:
    """A mention that the request lets through, and the row that holds it."""

    file: NameFile
    row: int
    mention: Mention


@dataclass(frozen=True, slots=True)
class NamedFile:
    """One file with the places in it, in source order.

    Attributes:
        text: as it was indexed.
    """

    file: NameFile
    text: str
    places: tuple[Place, ...]


@dataclass(slots=True)
class Reading:
    """Reads files for one name; what went wrong on the way is kept.

    Attributes:
        notices: files whose syntax could not be read.
        limits: the cuts, if there were too many files or places in one.
    """

    held: Searched
    pool: MentionPool
    deadline: Deadline
    notices: list[Notice] = field(default_factory=list)
    limits: list[LimitHit] = field(default_factory=list)

    def read(self, files: Sequence[NameFile], name: str, *, any_case: bool) -> Iterator[NamedFile]:
        """Yield the files that hold the name: sources before tests, then by path.

        Args:
            files: the ones to keep first where there are too many.
            name: its last part.
            any_case: take other spellings in upper and lower case too.

        Raises:
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        if len(files) > MAX_MENTION_FILES:
            self.limits.append(LimitHit("max_mention_files", MAX_MENTION_FILES, len(files)))
        kept = sorted(files[:MAX_MENTION_FILES], key=lambda file: (file.test, file.path))
        asked: deque[tuple[NameFile, str]] = deque()
        questions = self._questions(kept, name, any_case, asked)
        for _, answer in self.pool.find(questions, self.deadline):
            file, text = asked.popleft()
            if answer.problem:
                path = sanitise_line(file.path)
                self.notices.append(Notice(answer.problem, _TROUBLE[answer.problem], path))
            if len(answer.found) >= MAX_MENTIONS:
                path = sanitise_line(file.path)
                self.limits.append(LimitHit("max_mentions_per_file", MAX_MENTIONS, None, path))
            yield NamedFile(file, text, tuple(self._places(file, answer.found)))

    def _questions(
        self,
        files: Sequence[NameFile],
        name: str,
        any_case: bool,  # noqa: FBT001 - handed on
        asked: deque[tuple[NameFile, str]],
    ) -> Iterator[MentionQuestion]:
        for start in range(0, len(files), _FILES_AT_ONCE):
            batch = files[start : start + _FILES_AT_ONCE]
            texts = self._texts(batch)
            for file in batch:
                text = texts[file.segment, file.file]
                data = text.encode("utf-8", "replace")
                found = spots(file.path, data, name, any_case=any_case)
                if any(spot.text != name for spot in found) if any_case else found:
                    asked.append((file, text))
                    yield MentionQuestion(file.path, data, name, any_case)

    def _texts(self, files: Sequence[NameFile]) -> dict[tuple[int, int], str]:
        texts: dict[tuple[int, int], str] = {}
        ordered = sorted((file.segment, file.file) for file in files)
        for place, pairs in groupby(ordered, key=lambda pair: pair[0]):
            numbers = [number for _, number in pairs]
            read = file_texts(self.held.view, self.held.segments[place], numbers, self.deadline)
            texts |= {(place, number): text for number, text in zip(numbers, read, strict=True)}
        return texts

    def _places(self, file: NameFile, found: Sequence[Mention]) -> Iterator[Place]:
        segment, eligible = self.held.segments[file.segment], self.held.eligible[file.segment]
        for mention in found:
            row = row_at(segment, file.file, mention.line)
            if row is not None and eligible[row]:
                yield Place(file, row, mention)
