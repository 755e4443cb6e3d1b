"""Text in the old encodings of many languages is read as it was written, or said to be a guess."""

from collections import Counter

import pytest

from ggrep.parse.source.decoding import decode
from tests.source.encoded_files import EncodedFile, encoded_files

FILES = [*encoded_files()]


@pytest.fixture(scope="module")
def misread() -> list[EncodedFile]:
    """Return the files of which another text is read than was written."""
    decoded = [(file, decode(file.data)) for file in FILES]
    return [
        file
        for file, read in decoded
        if read is None or read.data.decode() != file.text or read.replaced
    ]


def test_the_files_are_of_many_languages_and_encodings() -> None:
    assert len(FILES) >= 300
    assert len({file.language for file in FILES}) >= 25
    assert len({file.encoding for file in FILES}) >= 20


@pytest.mark.slow
def test_nearly_all_files_are_read_as_they_were_written(misread: list[EncodedFile]) -> None:
    assert len(misread) <= 0.03 * len(FILES), [
        (file.language, file.encoding, file.shape) for file in misread
    ]


@pytest.mark.slow
def test_no_encoding_in_common_use_is_misread_often(misread: list[EncodedFile]) -> None:
    """A mean over many encodings would hide one that is never told.

    One line of Lithuanian, or of text from DOS, may read as Western: it is said to be a guess.
    """
    every, wrong = (Counter(file.encoding for file in files) for files in (FILES, misread))

    assert {name for name, count in wrong.items() if count > 0.1 * every[name]} <= {
        "cp850",
        "iso8859-13",
    }


@pytest.mark.slow
def test_a_file_is_never_misread_without_a_word(misread: list[EncodedFile]) -> None:
    for file in misread:
        read = decode(file.data)
        assert read is None or read.guessed or read.replaced
