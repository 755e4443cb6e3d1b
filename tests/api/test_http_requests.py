"""What is read of requests, and clients that leave."""

from collections.abc import AsyncIterator, Callable, Iterator

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.interfaces.api.http_messages import MAX_DEPTH, parse_json, while_present
from ggrep.interfaces.surfaces import http_server as bodies
from ggrep.interfaces.surfaces.http_server import ClientGone
from tests.fakes.sites import Site

MakeSite = Callable[..., Site]
JSON_TYPE = {"content-type": "application/json"}


async def post(
    site: Site, content: bytes | AsyncIterator[bytes], **headers: str
) -> tuple[int, str]:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    response = await site.client.post("/search", content=content, headers=JSON_TYPE | given)
    return response.status_code, response.json()["message"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("application/json", 200),
        ("Application/JSON; charset=UTF-8", 200),
        ('application/json;charset="utf-8"', 200),
        ("application/json; charset=latin-1", 415),
        ("application/jsonx", 415),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("", 415),
    ],
)
async def test_a_body_is_json_by_its_header(site: Site, kind: str, expected: int) -> None:
    """A form of a page can send anything but this without asking first."""
    body = stable_json.dumps({"query": "q", "root": str(site.place / "in" / "a")})

    response = await site.client.post("/search", content=body, headers={"content-type": kind})

    assert response.status_code == expected


async def test_a_compressed_body_or_a_length_that_is_no_number_is_refused(site: Site) -> None:
    """A compressed body may be a thousand times what it looks."""
    assert (await post(site, b"{}", content_encoding="gzip"))[0] == 415
    assert (await post(site, b"{}", content_length="x"))[0] == 400


async def test_a_body_that_says_it_is_too_large_is_not_read(make_site: MakeSite) -> None:
    """The connection is closed, for what follows would be read as a request."""
    site = make_site(max_body_bytes=10)

    response = await site.client.post("/search", content=b" " * 11, headers=JSON_TYPE)

    assert (response.status_code, response.json()["code"]) == (413, "payload_too_large")
    assert response.headers["connection"] == "close"


async def test_a_body_that_turns_out_too_large_is_not_read_on(make_site: MakeSite) -> None:
    site, sent = make_site(max_body_bytes=10), []

    async def chunks() -> AsyncIterator[bytes]:
        for number in range(1000):
            sent.append(number)
            yield b"     "

    status, message = await post(site, chunks())

    assert (status, message) == (413, "the body is larger than 10 bytes")
    assert len(sent) < 10


async def test_a_body_that_does_not_come_is_not_waited_for(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One byte an hour would hold a connection for ever."""
    monkeypatch.setattr(bodies, "BODY_TIMEOUT_S", 0.0)

    async def never() -> AsyncIterator[bytes]:
        yield b"{"
        await anyio.sleep_forever()

    status, message = await post(site, never())

    assert (status, message) == (408, "the body did not arrive within 0 s")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "the body is not JSON"),
        (b"{", "the body is not JSON"),
        (b'{"query": NaN}', "the body is not JSON"),
        (b'{"query": 1e999}', "the body is not JSON"),
        (b'{"query": "\xff"}', "the body is not JSON"),
        (b'{"query": "\\ud800"}', "the body is not JSON"),
        (b"\xef\xbb\xbf{}", "the body is not JSON"),
        (b"{} {}", "the body is not JSON"),
        (b"[]", "$: the body must be an object, is an array"),
        (b'"x"', "$: the body must be an object, is a string"),
        (b'{"query":"a","query":"b"}', "the body contains the key 'query' twice in one object"),
        (
            b'{"query":"a","qu\\u0065ry":"b"}',
            "the body contains the key 'query' twice in one object",
        ),
        (b'{"search":{"top":1,"top" :2}}', "the body contains the key 'top' twice in one object"),
        (b"[" * 17 + b"]" * 17, "the body is nested deeper than 16 levels"),
    ],
)
async def test_a_body_is_one_json_object_that_says_nothing_twice(
    site: Site, body: bytes, message: str
) -> None:
    status, reported = await post(site, body)

    assert status == 400
    assert reported.startswith(message)


async def test_a_large_body_is_parsed_beside_the_others(site: Site) -> None:
    filler = b'"' + b"x" * 20_000 + b'"'

    assert "twice" in (await post(site, b'{"a":' + filler + b',"a":1}'))[1]
    assert "unknown key" in (await post(site, b'{"a":' + filler + b"}"))[1]


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_json_that_says_nothing_twice_is_read_as_it_is(value: object) -> None:
    data = stable_json.dumps(value)
    try:
        assert parse_json(data) == value
    except InvalidRequest:
        assert data.count(b"[") + data.count(b"{") > MAX_DEPTH


async def test_the_bounds_of_a_body_are_within_them(make_site: MakeSite) -> None:
    """Exactly as large, and nested exactly as deep, as may be."""
    deep = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    site = make_site(max_body_bytes=len(deep))

    async def chunks() -> AsyncIterator[bytes]:
        yield deep

    assert await post(site, chunks()) == (400, "$: the body must be an object, is an array")


class Client:
    """Says some things, then nothing."""

    def __init__(self, *said: str) -> None:
        self._said: Iterator[str] = iter(said)

    async def receive(self) -> dict[str, str]:
        for kind in self._said:
            return {"type": kind}
        await anyio.sleep_forever()
        raise AssertionError


async def test_a_client_that_says_more_has_not_left() -> None:
    async def work() -> str:
        await anyio.wait_all_tasks_blocked()
        return "done"

    assert await while_present(Client("http.request").receive, work) == "done"


async def test_a_client_that_leaves_ends_the_work() -> None:
    with pytest.raises(ClientGone):
        await while_present(Client("http.request", "http.disconnect").receive, anyio.sleep_forever)


async def test_what_the_work_raises_comes_out_as_it_is() -> None:
    async def work() -> None:
        raise ValueError("its own")

    with pytest.raises(ValueError, match="its own"):
        await while_present(Client().receive, work)
