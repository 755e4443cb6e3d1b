"""A stream falls into the same frames however it arrives, and no length is believed."""

import tracemalloc
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base.errors import InvalidRequest
from ggrep.protocol.wire.frames import (
    MAX_DEPTH,
    PREFIX_BYTES,
    FrameError,
    FrameReader,
    frame,
    parse_object,
)
from tests.fakes.processor_time import quickest_s

CAP = 1024
PAYLOADS = st.lists(st.binary(min_size=1, max_size=40), max_size=6)


def stream_of(payloads: list[bytes]) -> bytes:
    return b"".join(frame(payload, cap_bytes=CAP) for payload in payloads)


def test_a_frame_is_its_length_in_four_bytes_and_its_payload() -> None:
    """Any language must be able to write one from this sentence."""
    assert frame(b"{}", cap_bytes=2) == b"\x00\x00\x00\x02{}"

    payload = bytes(range(256)) * 4

    assert FrameReader(CAP).feed(frame(payload, cap_bytes=CAP)) == [payload]


@pytest.mark.parametrize(
    ("payload", "reported"), [(b"", "must not be empty"), (b"abc", "3 bytes are more")]
)
def test_a_frame_nobody_would_read_is_not_written(payload: bytes, reported: str) -> None:
    """The writer must learn of it, not the reader."""
    with pytest.raises(FrameError, match=reported):
        frame(payload, cap_bytes=2)


@given(payloads=PAYLOADS, cuts=st.lists(st.integers(0, 300), max_size=12))
def test_cuts_do_not_matter(payloads: list[bytes], cuts: list[int]) -> None:
    stream = stream_of(payloads)
    reader = FrameReader(CAP)
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]

    results = []
    for start, end in pairwise(places):
        results += reader.feed(stream[start:end])

    assert results == payloads
    assert not reader.mid_frame


@given(payloads=PAYLOADS, rest=st.integers(1, 9))
def test_mid_frame_is_told_from_between_frames(payloads: list[bytes], rest: int) -> None:
    """A connection that ends between frames ended well; one within lost something."""
    stream = stream_of([*payloads, b"unfinished"])
    reader = FrameReader(CAP)

    result = reader.feed(stream[:-rest])

    assert result == payloads
    assert reader.mid_frame


@given(payloads=PAYLOADS, size=st.sampled_from([0, CAP + 1, 2**31, 2**32 - 1]))
def test_a_bad_prefix_loses_nothing_that_was_whole_before_it(
    payloads: list[bytes], size: int
) -> None:
    """Requests that arrived in good order are answered before the connection is closed."""
    reader = FrameReader(CAP)

    result = reader.feed(stream_of(payloads) + size.to_bytes(PREFIX_BYTES, "big") + b"rest")

    assert result == payloads
    assert reader.fault == (
        f"frame: {size} bytes are more than the maximum of {CAP}"
        if size
        else "frame: must not be empty"
    )
    assert not reader.mid_frame


def test_a_broken_reader_stays_broken() -> None:
    """What follows a bad prefix is not a frame, whatever it looks like."""
    reader = FrameReader(CAP)
    assert reader.feed(stream_of([b"first"]) + b"\xff\xff\xff\xff") == [b"first"]

    assert reader.feed(stream_of([b"second"])) == []
    assert "4294967295 bytes are more" in reader.fault


def test_a_length_alone_reserves_no_memory() -> None:
    """A thousand connections that promise the largest frame must cost nothing."""
    tracemalloc.start()
    readers = [FrameReader(16 << 20) for _ in range(1000)]
    for reader in readers:
        reader.feed((16 << 20).to_bytes(PREFIX_BYTES, "big") + b"x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert peak < 2 << 20


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, 100])
def test_time_is_linear_in_the_stream_however_small_its_pieces(step: int) -> None:
    """A client that trickles a large frame must not burn more than it sends."""

    def seconds(size: int) -> float:
        stream = frame(bytes(size), cap_bytes=size)
        pieces = [stream[at : at + step] for at in range(0, len(stream), step)]

        def read() -> None:
            reader = FrameReader(size)
            results = [payload for piece in pieces for payload in reader.feed(piece)]
            assert len(results) == 1

        return quickest_s(read)

    assert seconds(160_000 * step) < 4 * 16 * seconds(10_000 * step)


def test_many_frames_in_one_piece_are_cut_in_linear_time() -> None:
    """Frames are cut from where they lie, not from copies of all that follows."""
    stream = stream_of([b"{}"]) * 5_000

    assert len(FrameReader(CAP).feed(stream)) == 5_000
    assert quickest_s(lambda: FrameReader(CAP).feed(stream), 1.0) < 1.0


def test_an_object_comes_back_and_flat_containers_are_no_depth() -> None:
    assert parse_object('{"a": ["ü", 1]}'.encode()) == {"a": ["ü", 1]}
    assert len(parse_object(b'{"a":[' + b"[]," * 5000 + b'"]]]]"]}')["a"]) == 5001  # type: ignore[arg-type] # a list


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff{}",
        b'{"a": "\xed\xa0\x80"}',
        b'{"a": "\\ud800"}',
        b'{"a": NaN}',
        b'{"a": 1e999}',
        b"\xef\xbb\xbf{}",
        b"[]",
        b"1",
        b"null",
        b'"text"',
        b"{}{}",
    ],
)
def test_all_else_is_refused(payload: bytes) -> None:
    with pytest.raises(InvalidRequest):
        parse_object(payload)


def nested(depth: int, kind: str) -> bytes:
    inner = {"[": (b"[", b"]"), "{": (b'{"a":', b"}")}[kind]
    opening, closing = inner[0] * (depth - 1), inner[1] * (depth - 1)
    return b'{"a":' + opening + (b"1" if kind == "{" else b"") + closing + b"}"


@pytest.mark.parametrize("kind", ["[", "{"])
def test_depth_has_a_bound(kind: str) -> None:
    assert parse_object(nested(MAX_DEPTH, kind))
    for depth in (MAX_DEPTH + 1, 1024, 1025, 200_000):
        with pytest.raises(InvalidRequest):
            parse_object(nested(depth, kind))


def test_the_parser_itself_refuses_depth_before_the_stack_ends() -> None:
    """The depth is judged after parsing, so parsing must be safe at any depth."""
    for opening in (b"[", b'{"a":'):
        with pytest.raises(orjson.JSONDecodeError, match="depth"):
            orjson.loads(opening * 500_000)


@given(
    value=st.dictionaries(
        st.text(),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers(-(2**63), 2**64 - 1)
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
            ),
            max_leaves=12,
        ),
    )
)
def test_what_is_written_is_read(value: dict[str, object]) -> None:
    """Through the frame and the parser, every JSON object comes back equal."""
    payload = orjson.dumps(value)

    (result,) = FrameReader(1 << 20).feed(frame(payload, cap_bytes=1 << 20))

    assert parse_object(result) == value
