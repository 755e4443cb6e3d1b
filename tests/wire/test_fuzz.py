"""Whatever bytes arrive, a reader says InvalidRequest or Incompatible, soon and in little memory.

Every case goes the whole way that a connection's bytes go: frames, object, handshake or message,
and on the client's side welcome and reply.
"""

import random
import resource
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ggrep.base.errors import GgrepError, Incompatible, InvalidRequest
from ggrep.base.formats import SCHEMA_VERSIONS
from ggrep.base.stable_json import DecodeError, decode
from ggrep.model.response import PoolResponse
from ggrep.protocol.wire.endpoint import parse_record
from ggrep.protocol.wire.frames import (
    DEFAULT_MAX_REQUEST_BYTES,
    PREFIX_BYTES,
    FrameReader,
    frame,
    parse_object,
)
from ggrep.protocol.wire.handshake import (
    Hello,
    Welcome,
    answer_hello,
    check_welcome,
    hello_json,
    parse_hello,
    parse_welcome,
    welcome_json,
)
from ggrep.protocol.wire.locator import parse_locator
from ggrep.protocol.wire.messages import message_json, parse_message, request_id_of
from ggrep.protocol.wire.replies import parse_reply, reply_json
from tests.fakes.processor_time import quickest_s
from tests.wire.values import MESSAGES

HELLO = Hello((1,), "shop-1", "ff", "c1", "batch", ("json",), "b1")
WELCOME = Welcome(1, (1,), "0.1.0", SCHEMA_VERSIONS, "shop-1", "ff", 7, "", build="b1")
CAP = DEFAULT_MAX_REQUEST_BYTES
MANY = pytest.mark.parametrize("cases", [20, pytest.param(2_500, marks=pytest.mark.deep)])
"""How often each of the four properties is tried; 10,000 times together in a deep run."""
MOST_WORDS = 10_000
"""Characters of a refusal."""

MOST_CASE_S = 1.0
MOST_MEMORY_BYTES = 64 << 20


def hold(cases: int, read: Callable[..., None], **values: st.SearchStrategy[Any]) -> None:
    """Try `read` with as many drawings of its arguments."""
    fuzzing = settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    fuzzing(given(**values)(read))()


BODIES: list[dict[str, Any]] = [
    hello_json(HELLO),
    welcome_json(WELCOME),
    {
        "message": "search",
        "request_id": "r1",
        "request": {"query": "refund", "filters": [{"key": "lang", "value": "go"}], "limit": 5},
        "budgets": {"max_total_snippet_bytes": 1000},
        "render": {"json": True, "columns": 80, "cwd": "/src"},
        "claim": {"root": "/src", "environ": {"GGREP_HOME": "/h"}, "build": "b1"},
        "priority": "batch",
    },
    {
        "message": "pool",
        "request_id": "r2",
        "request": {
            "search": {"query": "refund", "corpora": ["code"], "mode": "debug"},
            "per_list": 10,
            "statistics": {
                "layout": "l1",
                "chunks": 9,
                "files": 3,
                "lengths": [5, 6],
                "terms": [{"term": "refund", "chunks": 2, "files": 1}],
            },
            "snapshot_id": "0" * 26,
            "vector": {"values": [1, -127], "scale": 0.5},
        },
    },
    {"message": "sync", "request_id": "r3", "wait": True, "timeout_ms": 5},
    {"message": "cancel", "request_id": "r4", "target": "sync"},
    {"message": "encode", "text": "words", "timeout_ms": 1},
    {"message": "shutdown", "reason": "upgrade"},
    reply_json("r1", "search", {"response": {"hits": []}}),
    {"request_id": "r1", "error": {"code": "busy", "message": "b", "retry_after_ms": 5}},
]
FRAMES = [frame(orjson.dumps(body), cap_bytes=CAP) for body in BODIES]


def taken(read: Callable[[Any], Any], value: Any) -> Any:
    """Return what `read` makes of the value, None when it refuses; else to fail is a bug."""
    try:
        return read(value)
    except (InvalidRequest, Incompatible, DecodeError) as error:
        refusal = str(error)
    assert len(refusal) < MOST_WORDS
    return None


def read_body(body: dict[str, object]) -> None:
    """Take an object for everything that one can be, on either side."""
    taken(lambda item: answer_hello(parse_hello(item), WELCOME), body)
    taken(lambda item: check_welcome(parse_welcome(item), HELLO), body)
    taken(lambda item: decode(PoolResponse, item, "response"), body)
    envelope = taken(parse_message, body)
    if envelope is not None:
        assert envelope.request_id == request_id_of(body)
        again = message_json(envelope.request_id, envelope.message)
        assert parse_message(orjson.loads(orjson.dumps(again))) == envelope
    reply = taken(parse_reply, body)
    if reply is not None:
        assert reply.error is None or isinstance(reply.error, GgrepError)


def read_stream(data: bytes, step: int) -> None:
    """Do with bytes what a connection does, `step` of them at a time."""
    reader = FrameReader(CAP)
    payloads: list[bytes] = []
    for at in range(0, len(data), step):
        payloads += reader.feed(data[at : at + step])
    for payload in payloads:
        read_payload(payload)


def read_payload(payload: bytes) -> None:
    parse_record(payload)
    parse_locator(payload)
    body = taken(parse_object, payload)
    if body is not None:
        read_body(body)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
    | st.sampled_from(["sync", "code", "debug", "busy", "interactive", "0" * 26, "/"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["query", "search", "root", "a"]), inner, max_size=3)
    ),
    max_leaves=6,
)
KEYS = sorted({key for body in BODIES for key in body} | {"protocol_version", "deep", "force"})
NAMES = sorted({body["message"] for body in BODIES if "message" in body})


@pytest.mark.slow
@MANY
def test_json_of_wrong_types_is_refused_or_read(cases: int) -> None:
    def read(body: dict[str, Any], changes: dict[str, Any], name: str | None) -> None:
        changed = body | changes | ({} if name is None else {"message": name})
        read_stream(frame(orjson.dumps(changed), cap_bytes=CAP), CAP)

    hold(
        cases,
        read,
        body=st.sampled_from(BODIES),
        changes=st.dictionaries(st.sampled_from(KEYS), JSON, min_size=1, max_size=4),
        name=st.sampled_from(NAMES) | st.none(),
    )


@pytest.mark.slow
@MANY
def test_messages_with_one_value_replaced_are_refused_or_read(cases: int) -> None:
    def read(message: Any, edit: Any, where: int) -> None:
        body = orjson.loads(orjson.dumps(message_json("r1", message)))
        places = list(places_in(body))
        holder, key = places[where % len(places)]
        holder[key] = edit
        read_stream(frame(orjson.dumps(body), cap_bytes=CAP), CAP)

    hold(cases, read, message=MESSAGES, edit=JSON, where=st.integers(0, 40))


def places_in(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every container and key below a JSON value."""
    pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
    for key, item in pairs:
        yield value, key
        if isinstance(item, dict | list):
            yield from places_in(item)


def random_case(chance: random.Random) -> bytes:
    """Return one of the ways in which a stream can be wrong."""
    valid = chance.choice(FRAMES)
    match chance.randrange(6):
        case 0:
            data = chance.randbytes(chance.randrange(120))
        case 1:
            data = valid[: chance.randrange(len(valid))]
        case 2:
            size = chance.choice([0, CAP + 1, 2**31, 2**32 - 1, chance.randrange(2**32)])
            data = valid + size.to_bytes(PREFIX_BYTES, "big") + chance.randbytes(20)
        case 3:
            data = mutated(chance, bytearray(valid))
        case 4:
            data = retyped(chance)
        case _:
            data = valid + chance.choice(FRAMES) + chance.randbytes(chance.randrange(8))
    return data


def mutated(chance: random.Random, data: bytearray) -> bytes:
    """Return a frame with some bytes flipped, and mostly with a length that fits."""
    for _ in range(chance.randrange(1, 6)):
        data[chance.randrange(PREFIX_BYTES, len(data))] = chance.choice(b'{}[]",:0-eE\\u\x00\xff9')
    if chance.random() < 0.2:
        data[chance.randrange(PREFIX_BYTES)] = chance.randrange(256)
    return bytes(data)


ODD = [
    *(b"null", b"true", b"-1", b"9223372036854775808", b"1e308", b"-0.0", b'""', b'"\\u0000"'),
    *(b"[]", b"[[]]", b"{}", b'{"a":1}', b'"' + b"x" * 70 + b'"'),
]


def retyped(chance: random.Random) -> bytes:
    """Return a frame of valid JSON in which some value has another type."""
    body = orjson.loads(orjson.dumps(chance.choice(BODIES)))
    for _ in range(chance.randrange(1, 4)):
        holder, key = chance.choice(list(places_in(body)))
        holder[key] = orjson.loads(chance.choice(ODD))
    return frame(orjson.dumps(body), cap_bytes=CAP)


@pytest.mark.slow
@pytest.mark.parametrize("cases", [2_000, pytest.param(100_000, marks=pytest.mark.deep)])
def test_random_streams_are_refused_or_read(cases: int) -> None:
    """The contract asks that nothing breaks, hangs or grows; the seed makes a failure repeat."""
    chance = random.Random(20260101)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    slowest = 0.0

    for _ in range(cases):
        data = random_case(chance)
        step = chance.choice([1, 7, 64, CAP]) if len(data) < 60 else CAP
        slowest = max(slowest, quickest_s(partial(read_stream, data, step), MOST_CASE_S))

    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    assert slowest < MOST_CASE_S
    assert grown <= MOST_MEMORY_BYTES


def filled(text: bytes, before: bytes, after: bytes) -> bytes:
    """Return JSON of just under the cap, made of repetitions of `text`."""
    room = (CAP - len(before) - len(after)) // len(text)
    return before + (text * room)[: room * len(text) - 1] + after


SEARCH = b'{"message":"search","request":{"query":"a","filters":['
POOL = b'{"message":"pool","request":{"search":{"query":"a"},"per_list":1,'
WORST = {
    "brackets": b"[" * CAP,
    "objects": b'{"a":' * (CAP // 5),
    "empty arrays": filled(b"[],", b'{"a":[', b"]}"),
    "empty objects": filled(b"{},", b'{"a":[', b"]}"),
    "small objects": filled(b'{"":0},', b'{"a":[', b"]}"),
    "numbers": filled(b"0,", b'{"message":"search","request":[', b"]}"),
    "long number": b'{"a":' + b"9" * (CAP - 6) + b"}",
    "fractions": filled(b"1e-9,", b'{"a":[', b"]}"),
    "long string": b'{"message":"' + b"x" * (CAP - 14) + b'"}',
    "escapes": filled(b"\\u00e9", b'{"message":"', b' "}').replace(b'\\u00e "', b' "'),
    "filters": filled(b'{"key":"","value":""},', SEARCH, b"]}}"),
    "bad filters": filled(b"0,", SEARCH, b"]}}"),
    "environ": b'{"message":"search","request":{"query":"a"},"claim":{"root":"/","environ":{'
    + b",".join(b'"A%d":"b"' % n for n in range(60_000))
    + b"}}}",
    "vector": filled(b"1,", POOL + b'"vector":{"scale":1.0,"values":[', b"]}}}"),
    "terms": filled(
        b'{"term":"a","chunks":1,"files":1},',
        POOL + b'"statistics":{"layout":"l","chunks":9,"files":9,"lengths":[1],"terms":[',
        b"]}}}",
    ),
    "versions": filled(
        b"1,", b'{"store_id":"s","config_fingerprint":"f","protocol_versions":[', b"]}"
    ),
    "hits": filled(b"{},", b'{"provenance":{},"blended":[', b"]}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("payload", WORST.values(), ids=WORST)
def test_the_largest_frames_are_judged_in_bounded_time_and_memory(payload: bytes) -> None:
    """One request of the largest size must not hold up or fill a daemon."""
    assert 0 < len(payload) <= CAP
    data = frame(payload, cap_bytes=CAP)

    spent = quickest_s(lambda: read_stream(data, 4096), MOST_CASE_S)
    tracemalloc.start()
    read_stream(data, 4096)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert spent < MOST_CASE_S
    assert peak <= MOST_MEMORY_BYTES
