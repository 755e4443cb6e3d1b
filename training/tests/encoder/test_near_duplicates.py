"""Texts that were seen already."""

from pathlib import Path

from training.encoder.near_duplicates import (
    MOST_QUERY_COPIES,
    Seen,
    fingerprint,
    fingerprints_of,
    is_near,
)
from training.encoder.pairs import Pair

WORDS = [f"word{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(300)]
TEXT = " ".join(WORDS)
OTHER = " ".join(reversed(WORDS))


def test_a_text_is_new_once() -> None:
    """A vendored copy teaches nothing."""
    seen = Seen()

    assert seen.is_new(fingerprint(TEXT))
    assert not seen.is_new(fingerprint(TEXT))
    assert seen.is_new(fingerprint(OTHER))


def test_numbers_and_case_make_no_difference() -> None:
    """Versions and years differ from copy to copy."""
    seen = Seen()
    seen.is_new(fingerprint(f"{TEXT} of 2019"))

    assert not seen.is_new(fingerprint(f"{TEXT.upper()} of 2024"))


def test_a_table_of_other_numbers_is_no_new_text() -> None:
    """Every run of words holds one of them then."""
    first, second = (
        " ".join(f"{word} {place + by}" for place, word in enumerate(WORDS)) for by in (0, 7)
    )

    assert fingerprint(first).tolist() == fingerprint(second).tolist()


def test_a_few_changed_words_make_no_new_text() -> None:
    """Forks differ a little."""
    seen = Seen()
    seen.is_new(fingerprint(TEXT))

    assert not seen.is_new(fingerprint(TEXT.replace("wordac", "changed")))


def test_a_text_that_shares_a_paragraph_is_new() -> None:
    """Only most of it being alike counts."""
    seen = Seen()
    seen.is_new(fingerprint(TEXT))

    assert seen.is_new(fingerprint(" ".join(WORDS[:60] + [f"new{word}" for word in WORDS])))


def test_one_band_in_common_makes_no_text_old() -> None:
    """Half of a text taken over is much, but the other half is worth learning from."""
    half = " ".join(WORDS[-150:] + [f"new{word}" for word in WORDS])
    seen = Seen()
    seen.is_new(fingerprint(TEXT))

    assert (fingerprint(TEXT) == fingerprint(half)).sum() == 1
    assert seen.is_new(fingerprint(half))


def test_a_question_is_kept_three_times_in_a_language() -> None:
    """Every class has a constructor that is documented alike."""
    seen = Seen()
    one = Pair("Returns the name", TEXT, "doc", "a", "a.go", "go")
    other = Pair("Returns the name", TEXT, "doc", "a", "a.rs", "rust")

    assert [seen.is_new_question(one) for _ in range(MOST_QUERY_COPIES + 1)] == [
        *[True] * MOST_QUERY_COPIES,
        False,
    ]
    assert seen.is_new_question(other)


def test_files_near_a_folder_are_told_by_content(tmp_path: Path) -> None:
    """A copy under another name is still a copy."""
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.c").write_text("\n".join(WORDS))
    (tmp_path / "a.bin").write_bytes(b"\0\1\2")
    found = fingerprints_of([tmp_path])

    assert is_near(TEXT, found)
    assert is_near(" ".join(WORDS[:150] + WORDS[:100:-1]), found)
    assert not is_near(OTHER, found)
    assert not is_near("", found)


def test_a_shared_licence_makes_no_file_near(tmp_path: Path) -> None:
    """Small files are licence for the most part."""
    licence = f"/* Copyright of somebody. {TEXT} */\n"
    (tmp_path / "a.c").write_text(f"{licence}int one(void);\n")

    assert not is_near(f"{licence}{OTHER}", fingerprints_of([tmp_path]))


def test_what_many_files_share_makes_no_file_near(tmp_path: Path) -> None:
    """A formula at the head of every file tells none of them."""
    for number in range(20):
        (tmp_path / f"{number}.c").write_text(TEXT)

    assert is_near(TEXT, fingerprints_of([tmp_path]))
    (tmp_path / "20.c").write_text(TEXT)
    assert not is_near(TEXT, fingerprints_of([tmp_path]))


def test_nothing_is_near_no_folder() -> None:
    """Nothing need be kept clear of."""
    assert not is_near(TEXT, fingerprints_of([]))
