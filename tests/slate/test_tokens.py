"""A token comes back from anywhere: what this store did not give out is refused, in one way."""

import base64
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ggrep.base.errors import InvalidRequest, SessionFull
from ggrep.base.ids import SnapshotId, StoreId
from ggrep.search.slate.tokens import (
    MAX_SEEN,
    MAX_TOKEN_BYTES,
    SessionToken,
    path_hash,
    read_token,
    seen_set_digest,
    write_token,
)

STORE = StoreId("shop-0123456789ab-0123456789ab")
KEY = bytes(range(32))
SNAPSHOT = SnapshotId("01ARZ3NDEKTSV4RRFFQ69G5FAV")
TOKEN = SessionToken(
    STORE,
    SNAPSHOT,
    "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
    frozenset(path_hash(path) for path in ("a.py", "b/ü.md")),
)
SEEN = st.sets(st.binary(min_size=8, max_size=8), max_size=MAX_SEEN)


def sealed(body: bytes, key: bytes = KEY, store_id: str = STORE) -> str:
    """Return a token of any content with a sound seal."""
    output = b"ggrep session token\0" + store_id.encode() + b"\0" + body
    return base64.urlsafe_b64encode(body + hmac.digest(key, output, "sha256")).decode().rstrip("=")


def refusal(text: str, key: bytes = KEY, store_id: StoreId = STORE) -> str:
    with pytest.raises(InvalidRequest) as caught:
        read_token(text, key, store_id)
    return str(caught.value)


ONE_REFUSAL = refusal("")


@given(seen=SEEN, key=st.binary(min_size=32, max_size=32))
def test_what_was_written_is_read(seen: set[bytes], key: bytes) -> None:
    """A session goes on where it was, whatever it has seen."""
    token = replace(TOKEN, seen=frozenset(seen))
    text = write_token(token, key)

    assert read_token(text, key, STORE) == token
    assert len(text) <= MAX_TOKEN_BYTES
    assert text.replace("-", "a").replace("_", "a").isalnum(), "it fits into any URL or shell"


def test_the_same_session_has_the_same_token() -> None:
    """Answers that hold one stay comparable byte for byte, in any process."""
    text = write_token(TOKEN, KEY)

    assert text == write_token(replace(TOKEN), bytes(KEY))
    assert text == sealed(
        b"\x01" + f"{SNAPSHOT}{TOKEN.session_id}".encode() + b"".join(sorted(TOKEN.seen))
    )
    assert text != write_token(TOKEN, KEY[::-1])


def test_a_token_is_refused_whichever_character_was_changed() -> None:
    """Also where the change touches only bits that belong to no byte."""
    text = write_token(replace(TOKEN, seen=frozenset((path_hash("a.py"),))), KEY)
    changed = {
        text[:place] + other + text[place + 1 :]
        for place, old in enumerate(text)
        for other in {"A", "z", "_", chr(ord(old) ^ 1), "=", "\n", "é", "\0"} - {old}
    }

    assert {refusal(each) for each in changed} == {ONE_REFUSAL}


def test_a_token_is_refused_whichever_bit_was_changed() -> None:
    """The seal covers every byte, itself included."""
    data = base64.urlsafe_b64decode(write_token(TOKEN, KEY) + "==")
    changed = [
        data[:place] + bytes([byte ^ (1 << bit)]) + data[place + 1 :]
        for place, byte in enumerate(data)
        for bit in range(8)
    ]

    texts = [base64.urlsafe_b64encode(each).decode().rstrip("=") for each in changed]
    assert {refusal(each) for each in texts} == {ONE_REFUSAL}


def test_a_token_is_refused_cut_or_stretched() -> None:
    """A client that stores it in a narrow column must hear of it."""
    text = write_token(TOKEN, KEY)
    wrong = [text[:length] for length in range(len(text))]
    wrong += [text + "A", text + "AAAA", text + "=", text + "==", f" {text}", f"{text}\n"]

    assert {refusal(each) for each in wrong} == {ONE_REFUSAL}


def test_a_token_of_another_store_or_home_is_refused_alike() -> None:
    """Its snapshot is another's; and nobody learns that the token was good elsewhere."""
    text = write_token(TOKEN, KEY)

    assert refusal(text, store_id=StoreId(STORE + "0")) == ONE_REFUSAL
    assert refusal(text, key=bytes(32)) == ONE_REFUSAL


@pytest.mark.parametrize(
    "body",
    [
        b"\x02" + b"0" * 52,
        b"\x00" + b"0" * 52,
        b"\x01" + b"0" * 51,
        b"\x01" + b"0" * 53,
        b"\x01" + b"0" * 52 + b"b" * 8 + b"a" * 8,
        b"\x01" + b"0" * 52 + b"a" * 8 + b"a" * 8,
        b"\x01" + b"0" * 51 + b"/",
        b"\x01" + b"../" + b"0" * 49,
        b"\x01" + b"0" * 51 + b"\xff",
        b"",
    ],
)
def test_what_no_token_says_is_refused_although_it_is_sealed(body: bytes) -> None:
    """Another build of this home may have written it: no id of it may become a path."""
    sound = b"\x01" + b"0" * 52

    assert read_token(sealed(sound), KEY, STORE).seen == frozenset()
    assert refusal(sealed(body)) == ONE_REFUSAL


class Unread(str):
    """A text that may be measured and nothing else."""

    __slots__ = ()

    def encode(self, *_: object) -> bytes:
        """Fail: somebody reads it."""
        raise AssertionError("it was read")


def test_a_token_of_a_megabyte_is_refused_unread() -> None:
    """Anybody may send one, as often as they like."""
    assert (
        refusal(Unread("A" * 1_000_000)) == "session_token: must not be longer than 4096 characters"
    )
    with pytest.raises(AssertionError, match="read"):
        read_token(Unread("A" * MAX_TOKEN_BYTES), KEY, STORE)


def test_a_session_that_saw_too_much_says_so() -> None:
    """Cutting its memory would show files again without a word."""
    hashes = [number.to_bytes(8, "big") for number in range(MAX_SEEN + 1)]
    full = replace(TOKEN, seen=frozenset(hashes[:-1]))
    text = write_token(full, KEY)

    assert MAX_SEEN == 373
    assert len(text) == 4_092
    assert read_token(text, KEY, STORE) == full
    with pytest.raises(SessionFull, match="start a new session"):
        write_token(replace(TOKEN, seen=frozenset(hashes)), KEY)


def test_the_digest_of_what_was_seen_does_not_tell_its_order() -> None:
    """A client adds up the paths that it got, and compares."""
    forward, back = [path_hash("a.py"), path_hash("b.py")], [path_hash("b.py"), path_hash("a.py")]

    assert seen_set_digest(forward) == seen_set_digest(back)
    assert seen_set_digest(forward) != seen_set_digest(forward[:1])
    assert seen_set_digest(()) == (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    )
    assert path_hash("a.py").hex() == "f0de093a8c24f6a3"
