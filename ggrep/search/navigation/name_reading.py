"""Reads the files that may contain a name, in batches, and finds the name's occurrences."""

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import filterfalse, groupby
from typing import Final, Self, TypeAlias

from msgspec import Struct

from ggrep.base.clock import Deadline
from ggrep.model.limits import LimitHit, Notice
from ggrep.model.sanitise import sanitise_line
from ggrep.parse.languages.registry import KEYED, language_of
from ggrep.parse.occurrences.keyed_names import with_keys
from ggrep.parse.occurrences.occurrences import has_syntax
from ggrep.parse.occurrences.words import (
    MAX_MENTIONS,
    Occurrence,
    count_words,
    mentions_by_words,
    spots,
)
from ggrep.parse.workers.jobs import OccurrenceRequest
from ggrep.parse.workers.occurrence_pool import OccurrencePool
from ggrep.search.navigation.name_candidates import AskedName, NameFile, Searched, rows_of_files
from ggrep.search.query.file_text import file_texts, row_at
from ggrep.search.query.row_reading import BATCH_ROWS, row_texts

_FIRST_FILES: Final = 6
"""Number of files in the first batch, which often fill a page."""
_FILES_AT_ONCE: Final = 48
"""Maximum number of files in a batch: large batches take memory, and small batches take time."""

Wants: TypeAlias = Callable[[NameFile], bool]


def _all_files(_: NameFile) -> bool:
    return True


class HoldingFile(Struct, frozen=True):
    """A file that contains the name.

    Attributes:
        text: the indexed text.
        question: the request for occurrences in the file.
    """

    file: NameFile
    text: str
    question: OccurrenceRequest


class HoldingFiles(Iterator[HoldingFile]):
    """Yields the files that contain a name, in the given order."""

    def __init__(
        self,
        content: Searched,
        files: Sequence[NameFile],
        question: tuple[str, bool],
        deadline: Deadline,
        wants: Wants,
    ) -> None:
        """Set up the iterator; no file is read yet.

        Args:
            content: the segments that contain the files.
            files: files that may contain the name.
            question: the name, and whether only files with the name in another letter case count.
            deadline: checked before each batch.
            wants: returns whether a file is needed; called before the file is read, and again
                after.
        """
        self._content = content
        self._name, self._any_case = question
        self._deadline = deadline
        self._wants = wants
        self._left = len(files)
        self._found = self._read(files)
        self.skipped: list[NameFile] = []

    @property
    def left(self) -> int:
        """Return how many files remain to be read."""
        return self._left

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> HoldingFile:
        """Return the next file that contains the name.

        Raises:
            StopIteration: no further file contains the name.
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        return next(self._found)

    def _read(self, files: Sequence[NameFile]) -> Iterator[HoldingFile]:
        start, size = 0, _FIRST_FILES
        while batch := files[start : start + size]:
            start, size = start + size, min(2 * size, _FILES_AT_ONCE)
            wanted = list(filter(self._wants, batch))
            self.skipped += filterfalse(self._wants, batch)
            self._left -= len(batch) - len(wanted)
            for file, text in texts_of(self._content, wanted, self._deadline):
                self._left -= 1
                if not self._wants(file):
                    self.skipped.append(file)
                    continue
                # Some grammars need the last line end, which a file may lack.
                ended = text if text.endswith("\n") else f"{text}\n"
                data = ended.encode("utf-8", "replace")
                question = OccurrenceRequest(file.path, data, self._name, self._any_case)
                if self._stands_in(question) or _keeps_keys(file, question):
                    yield HoldingFile(file, text, question)

    def _stands_in(self, question: OccurrenceRequest) -> bool:
        place = question.path_key, question.data, self._name
        results = {spot.text for spot in spots(*place, any_case=self._any_case)}
        if self._any_case and results:
            results -= {spot.text for spot in spots(*place)}
        return bool(results)


def _keeps_keys(file: NameFile, question: OccurrenceRequest) -> bool:
    """Return whether a chunk has the name, in a file of a `KEYED` language or without a grammar."""
    path, data = question.path_key, question.data
    return file.names and (language_of(path, data) in KEYED or not has_syntax(path, data))


def texts_of(
    content: Searched, files: Sequence[NameFile], deadline: Deadline
) -> list[tuple[NameFile, str]]:
    """Return files in their order, each with its text.

    Raises:
        DeadlineExceeded: time ran out.
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    texts: dict[tuple[int, int], str] = {}
    ordered = sorted((file.segment, file.file) for file in files)
    for place, pairs in groupby(ordered, key=lambda pair: pair[0]):
        numbers = [number for _, number in pairs]
        read = file_texts(content.view, content.segments[place], numbers, deadline)
        texts |= {(place, number): text for number, text in zip(numbers, read, strict=True)}
    return [(file, texts[file.segment, file.file]) for file in files]


MAX_MENTION_FILES: Final = 5_000
"""Maximum number of files that are read for one name."""
MAX_SYNTAX_BYTES: Final = 16 << 20
"""Maximum size of the text that is parsed for one name, which takes about 4 s of CPU time."""
SYNTAX_SHARE: Final = 60
"""Per cent of the request's time for parsing; then words are searched, at a tenth of the cost."""
WORDS_SHARE: Final = 90
"""Per cent of the request's time for all reading; the rest is for the answer."""
_TROUBLE: Final = {
    "parse_exhausted": "parsing took too long; the file was searched for words only",
    "parse_crashed": "the file could not be parsed; it was searched for words only",
}


class Place(Struct, frozen=True):
    """An occurrence that the request allows, and the row that contains it."""

    file: NameFile
    row: int
    mention: Occurrence


class NamedFile(Struct, frozen=True):
    """A file with the occurrences of the name, in source order.

    Attributes:
        text: the indexed text.
    """

    file: NameFile
    text: str
    places: tuple[Place, ...]


@dataclass(slots=True)
class Reading:
    """Reads files for one name and records failures.

    Attributes:
        words_do: whether words also count as occurrences in files that are not parsed.
        exact: raise at the deadline instead of omitting files when time is short.
        notices: notices on files that were not parsed.
        limits: the limits hit: files, bytes of text, occurrences in a file, or time.
        skipped: files that the last call of `read` did not need.
    """

    content: Searched
    pool: OccurrencePool
    deadline: Deadline
    words_do: bool
    exact: bool
    notices: list[Notice] = field(default_factory=list)
    limits: list[LimitHit] = field(default_factory=list)
    skipped: list[NameFile] = field(default_factory=list)
    _began_ms: float = field(init=False)
    _syntax_bytes: int = 0

    def __post_init__(self) -> None:
        """Record the time at which the request began."""
        self._began_ms = self.deadline.clock.monotonic_ms()

    @property
    def is_spent(self) -> bool:
        """Return whether parsing ends, because of the amount of text or of time."""
        return self._syntax_bytes >= MAX_SYNTAX_BYTES or self._is_over(SYNTAX_SHARE)

    def language(self, file: NameFile) -> str:
        """Return the language of a file."""
        return self.content.segments[file.segment].image.language(file.file)

    def read(
        self,
        files: Sequence[NameFile],
        name: str,
        *,
        any_case: bool,
        wants: Wants = _all_files,
    ) -> Iterator[NamedFile]:
        """Yield the files that contain the name: sources before tests, then by path.

        Unless `words_do`, files with a chunk of that name come first.

        Args:
            files: files that may contain the name; if there are too many, the first files are read.
            name: the name to search for.
            any_case: whether to find the name in any letter case; files that contain it only as
                spelled in `name` are then omitted.
            wants: returns whether a file is needed, given the files yielded so far. A file that is
                not needed is added to `skipped`; `wants` must never return True for it later.

        Raises:
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        if len(files) > MAX_MENTION_FILES:
            self.limits.append(LimitHit("max_mention_files", MAX_MENTION_FILES, len(files)))
        kept = sorted(files[:MAX_MENTION_FILES], key=self._order)
        holding = HoldingFiles(self.content, kept, (name, any_case), self.deadline, wants)
        self.skipped = holding.skipped
        asked: deque[HoldingFile] = deque()
        for _, answer in self.pool.find(self._questions(holding, asked), self.deadline):
            pending = asked.popleft()
            if not wants(pending.file):  # an answer that came later made this file unnecessary
                self.skipped.append(pending.file)
                continue
            if answer.problem:
                path = sanitise_line(pending.file.path)
                self.notices.append(Notice(answer.problem, _TROUBLE[answer.problem], path))
            yield self._named(pending, answer.occurrences)
        if self.words_do:
            yield from self._by_words(holding)
        if holding.left:
            share = WORDS_SHARE if self.words_do else SYNTAX_SHARE
            self._say("files_left", holding.left, "not read", share)

    def mentions(self, asked: AskedName, *, any_case: bool) -> tuple[int, int]:
        """Count the name in the text of the skipped files, without parsing.

        Returns: the number of whole-word occurrences in rows that the request allows, and the
        number of files with such occurrences.

        Raises:
            DeadlineExceeded: time ran out.
            SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
        """
        counts: Counter[tuple[int, int]] = Counter()
        late: set[tuple[int, int]] = set()
        for place in sorted({file.segment for file in self.skipped}):
            files = [file.file for file in self.skipped if file.segment == place]
            rows = rows_of_files(self.content, place, asked, files)
            for start in range(0, len(rows), BATCH_ROWS):
                self.deadline.check("counting mentions")
                if self._is_over(WORDS_SHARE):
                    row_files = self.content.segments[place].image.row_files
                    late |= {(place, int(row_files[row])) for row in rows[start:]}
                    break
                batch = rows[start : start + BATCH_ROWS]
                for file, count in self._counts(place, batch, asked.typed, any_case=any_case):
                    counts[place, file] += count
        if left := late - counts.keys():
            self._say("files_left", len(left), "not read", WORDS_SHARE)
        return counts.total(), sum(map(bool, counts.values()))

    def _counts(
        self, place: int, rows: Sequence[int], name: str, *, any_case: bool
    ) -> Iterator[tuple[int, int]]:
        """Yield the file of each row, and how often the row's own text contains the name."""
        segment = self.content.segments[place]
        for row, text in zip(rows, row_texts(self.content.view, segment, rows), strict=True):
            file = int(segment.image.row_files[row])
            language = segment.image.language(file)
            yield file, count_words(text, name, language, any_case=any_case)

    def _is_over(self, share: int) -> bool:
        """Return whether `share` per cent of the request's time have passed; never if `exact`."""
        if self.exact:
            return False
        passed = self.deadline.clock.monotonic_ms() - self._began_ms
        return passed >= (self.deadline.at_ms - self._began_ms) * share / 100

    def _order(self, file: NameFile) -> tuple[bool, bool, str, int, int]:
        first = not (self.words_do or file.names)
        return (first, file.test, file.path, file.segment, file.file)

    def _questions(
        self, holding: HoldingFiles, asked: deque[HoldingFile]
    ) -> Iterator[OccurrenceRequest]:
        """Yield the requests to the parser, until a limit is reached."""
        while not self.is_spent:
            following = next(holding, None)
            if following is None:
                return
            self._syntax_bytes += len(following.question.data)
            asked.append(following)
            yield following.question

    def _by_words(self, holding: HoldingFiles) -> Iterator[NamedFile]:
        count = 0
        while not self._is_over(WORDS_SHARE) and (following := next(holding, None)) is not None:
            count += 1
            ask = following.question
            result = mentions_by_words(ask.path_key, ask.data, ask.name, any_case=ask.any_case)
            yield self._named(following, result)
        if count:
            self._say("words_alone", count, "searched for words only", SYNTAX_SHARE)

    def note_cut(self, share: int = SYNTAX_SHARE) -> None:
        """Record the limit, of time or of text, because of which files were not parsed or read."""
        late, bytes_hit = (
            LimitHit("deadline_share", share),
            LimitHit("max_syntax_bytes", MAX_SYNTAX_BYTES),
        )
        self.limits.append(late if self._is_over(share) else bytes_hit)

    def _say(self, code: str, count: int, what: str, share: int) -> None:
        self.note_cut(share)
        self.notices.append(Notice(code, f"{count} files that may contain the name were {what}"))

    def _named(self, holding: HoldingFile, occurrences: Sequence[Occurrence]) -> NamedFile:
        if len(occurrences) >= MAX_MENTIONS:
            path = sanitise_line(holding.file.path)
            self.limits.append(LimitHit("max_mentions_per_file", MAX_MENTIONS, None, path))
        ask = holding.question
        if _keeps_keys(holding.file, ask):
            occurrences = with_keys(
                ask.path_key, ask.data, ask.name, occurrences, any_case=ask.any_case
            )
        return NamedFile(holding.file, holding.text, tuple(self._places(holding.file, occurrences)))

    def _places(self, file: NameFile, occurrences: Sequence[Occurrence]) -> Iterator[Place]:
        segment, eligible = self.content.segments[file.segment], self.content.eligible[file.segment]
        for mention in occurrences:
            row = row_at(segment, file.file, mention.line)
            if row is not None and eligible[row]:
                yield Place(file, row, mention)
