"""The oracle of the load test sees what it is there for."""

import pytest
from msgspec.structs import replace

from tests.load.oracle import Answer, Diary, complaints
from tests.load.tree import LIVE_FILES, live_path, live_word, static_path, word

FIRST, SECOND = "01A", "01B"
DIARY = Diary(
    edits=[(10.0 + n, 10.5 + n) for n in range(LIVE_FILES + 1)],
    syncs=[(11.8, 1, FIRST), (30.0, LIVE_FILES + 1, SECOND)],
)
"""One edit before the first snapshot; all others, the first file's second among them, after it."""

STATIC = Answer(
    word(3), "static", 3, FIRST, "f3", b"", (static_path(3),), ((1, static_path(3), 9),), 12.0, 12.1
)
LIVE = Answer(
    live_word(0), "live", 0, FIRST, "l0", b"", (live_path(0),), ((2, live_path(0), 1),), 12.0, 12.1
)
NEXT = replace(
    LIVE,
    query=live_word(LIVE_FILES),
    number=LIVE_FILES,
    fingerprint="l1",
    snapshot_id=SECOND,
    sent_s=31.0,
    received_s=31.1,
)


def found(*answers: Answer) -> str:
    return "\n".join(complaints(answers, DIARY, LIVE_FILES))


def test_right_answers_are_not_complained_of() -> None:
    """Else nobody would believe the others."""
    gone = replace(LIVE, found=(), snapshot_id=SECOND, sent_s=31.0, received_s=31.1)

    assert found(STATIC, LIVE, NEXT, gone) == ""


@pytest.mark.parametrize(
    ("answers", "complaint"),
    [
        ((STATIC, replace(LIVE, fingerprint="f3")), "another's answer"),
        ((STATIC, replace(STATIC, digest=b"2")), "2 answers"),
        ((replace(STATIC, hits=STATIC.hits * 2),), "stands twice"),
        ((replace(STATIC, found=()),), "was found in ()"),
        ((replace(STATIC, found=("src/other.py",)),), "was found in ('src/other.py',)"),
        ((replace(STATIC, sent_s=32.0),), "had been reported"),
        ((replace(LIVE, found=(), received_s=12.1),), "which held it"),
        ((replace(LIVE, snapshot_id=SECOND, sent_s=31.0, received_s=31.1),), "had lost it"),
        ((replace(NEXT, snapshot_id="01C", received_s=21.0),), "before it was written"),
        ((replace(NEXT, found=()),), "which held it"),
        ((replace(LIVE, snapshot_id="01AA"), replace(NEXT, snapshot_id="01AA")), "2 versions"),
        ((replace(NEXT, snapshot_id="01AA"), replace(LIVE, snapshot_id="01AB")), "went back"),
        ((replace(NEXT, snapshot_id="01AA", found=()), replace(NEXT, snapshot_id="01AA")), "both"),
    ],
)
def test_each_wrong_answer_is_complained_of(answers: tuple[Answer, ...], complaint: str) -> None:
    """An oracle that overlooks it proves nothing."""
    assert complaint in found(*answers)
