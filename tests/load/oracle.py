"""What answers must hold, whichever snapshot they were taken from.

The writer notes when it began and ended each edit, and which snapshot came of the syncs it waited
for. Between those the daemon publishes by itself, at moments that nobody knows; but every answer
names its snapshot, and a snapshot holds one version of each file.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from msgspec import Struct

from tests.load.tree import live_path, live_word, static_path, word


class Answer(Struct, frozen=True):
    """An answer, and what was asked.

    Attributes:
        kind: `static` and `live` ask for the word of a number, `common` for what many hold.
        fingerprint: of the query, as the answer says it.
        found: the path of each hit that holds the word.
        hits: row, path and first line of each.
        sent_s: before the request was sent; `received_s` is after its reply was.
    """

    query: str
    kind: str
    number: int
    snapshot_id: str
    fingerprint: str
    digest: bytes
    found: tuple[str, ...]
    hits: tuple[tuple[int, str, int], ...]
    sent_s: float
    received_s: float


@dataclass(slots=True)
class Diary:
    """What the writer did.

    Attributes:
        edits: when each began and ended, by number.
        syncs: when each that was waited for had been answered, how many edits had ended before
            it was asked for, and the snapshot that came of it.
    """

    edits: list[tuple[float, float]] = field(default_factory=list)
    syncs: list[tuple[float, int, str]] = field(default_factory=list)


def complaints(answers: Sequence[Answer], diary: Diary, live_files: int) -> list[str]:
    """Return what is wrong with the answers, one line each."""
    return [
        *_mixed_up(answers),
        *_unequal(answers),
        *_twice(answers),
        *_static(answers),
        *_behind(answers, diary),
        *_live(answers, diary, live_files),
    ]


def _mixed_up(answers: Iterable[Answer]) -> Iterator[str]:
    """Each query has a fingerprint of its own, and every answer to it bears that."""
    pairs = {(answer.query, answer.fingerprint) for answer in answers}
    for side in (0, 1):
        for value, count in Counter(pair[side] for pair in pairs).items():
            if count > 1:
                yield f"another's answer: {count} partners of {value}"


def _unequal(answers: Iterable[Answer]) -> Iterator[str]:
    bytes_of: defaultdict[tuple[str, str], set[bytes]] = defaultdict(set)
    for answer in answers:
        bytes_of[answer.query, answer.snapshot_id].add(answer.digest)
    for (query, snapshot_id), digests in bytes_of.items():
        if len(digests) > 1:
            yield f"{len(digests)} answers to {query!r} from {snapshot_id}"


def _twice(answers: Iterable[Answer]) -> Iterator[str]:
    for answer in answers:
        rows = [row for row, _, _ in answer.hits]
        places = [(path, line) for _, path, line in answer.hits]
        if len(set(rows)) < len(rows) or len(set(places)) < len(places):
            yield f"a hit stands twice in the answer to {answer.query!r} of {answer.snapshot_id}"


def _static(answers: Iterable[Answer]) -> Iterator[str]:
    for answer in answers:
        if answer.kind == "static" and answer.found != (static_path(answer.number),):
            yield f"{word(answer.number)} was found in {answer.found} of {answer.snapshot_id}"


def _behind(answers: Iterable[Answer], diary: Diary) -> Iterator[str]:
    """Whoever asks after a sync was reported sees it."""
    for answer in answers:
        known = [snapshot for at_s, _, snapshot in diary.syncs if at_s <= answer.sent_s]
        if known and answer.snapshot_id < max(known):
            yield f"{answer.snapshot_id} was asked after {max(known)} had been reported"


def _live(answers: Sequence[Answer], diary: Diary, live_files: int) -> Iterator[str]:
    """The words that come and go."""
    asked = [answer for answer in answers if answer.kind == "live"]
    for answer in asked:
        if answer.found not in ((), (live_path(answer.number),)):
            yield f"{live_word(answer.number)} was found in {answer.found}"
        yield from _against_diary(answer, diary, live_files)
    for file in range(live_files):
        mine = [answer for answer in asked if answer.number % live_files == file]
        yield from _one_version(mine)


def _against_diary(answer: Answer, diary: Diary, live_files: int) -> Iterator[str]:
    """A word is not found before it was written, nor after it is known to be gone."""
    number, following = answer.number, answer.number + live_files
    covered = max(
        (n for _, n, snapshot in diary.syncs if snapshot <= answer.snapshot_id), default=0
    )
    gone = following < covered
    there = number < covered and (
        following >= len(diary.edits) or answer.received_s < diary.edits[following][0]
    )
    if answer.found and answer.received_s < diary.edits[number][0]:
        yield f"{live_word(number)} was found before it was written"
    if answer.found and gone:
        yield f"{live_word(number)} was found in {answer.snapshot_id}, which had lost it"
    if not answer.found and there:
        yield f"{live_word(number)} was not found in {answer.snapshot_id}, which held it"


def _one_version(answers: Sequence[Answer]) -> Iterator[str]:
    """Each snapshot holds one version of a file, and later ones no older one."""
    kept: defaultdict[str, set[int]] = defaultdict(set)
    for answer in answers:
        if answer.found:
            kept[answer.snapshot_id].add(answer.number)
    newest = -1
    for snapshot_id in sorted(kept):
        if len(kept[snapshot_id]) > 1:
            yield f"{snapshot_id} holds {len(kept[snapshot_id])} versions of one file"
        if min(kept[snapshot_id]) < newest:
            yield f"{snapshot_id} went back to version {min(kept[snapshot_id])} from {newest}"
        newest = max(newest, *kept[snapshot_id])
    for answer in answers:
        if not answer.found and answer.number in kept[answer.snapshot_id]:
            yield f"{answer.snapshot_id} both holds and lacks {live_word(answer.number)}"
