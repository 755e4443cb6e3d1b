"""Standard input line by line, and replies to lines that are no messages."""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from ggrep.interfaces.mcp.stdio import lines_of, readable, refusal_of


@pytest.fixture
def told() -> list[str]:
    """Return what is said of lines that ended early."""
    return []


@asynccontextmanager
async def pipe() -> AsyncIterator[tuple[int, int]]:
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            try:
                os.close(end)
            except OSError:
                continue


async def test_lines_come_one_by_one_however_they_arrive(told: list[str]) -> None:
    """A message may come in pieces, and several at once."""
    async with pipe() as (out, into):
        os.write(into, b'{"a":1}\n{"b"')
        lines = lines_of(out, told.append)

        first = await anext(lines)
        os.write(into, b':2}\n\n{"c":3}')
        os.close(into)
        rest = [line async for line in lines]

    assert [first, *rest] == ['{"a":1}', '{"b":2}', "", '{"c":3}']
    assert told == []


async def test_an_end_after_a_whole_line_adds_none(told: list[str]) -> None:
    async with pipe() as (out, into):
        os.write(into, b"x\n")
        os.close(into)

        assert [line async for line in lines_of(out, told.append)] == ["x"]


async def test_a_file_is_read_as_well(tmp_path: Path, told: list[str]) -> None:
    """The system refuses to be asked whether a file is ready."""
    file = tmp_path / "messages"
    file.write_bytes("ä\n".encode() + b"\xff\nz")
    with file.open("rb") as opened:
        lines = [line async for line in lines_of(opened.fileno(), told.append)]

    assert lines == ["ä", "\ufffd", "z"]


async def test_an_empty_device_ends_at_once(told: list[str]) -> None:
    """A server that is started with nothing to read has no client."""
    empty = os.open(os.devnull, os.O_RDONLY)
    try:
        assert [line async for line in lines_of(empty, told.append)] == []
    finally:
        os.close(empty)
    assert told == []


async def test_the_wait_for_a_line_can_be_called_off(told: list[str]) -> None:
    """Else a server that is told to end would wait for its client."""
    async with pipe() as (out, _):
        with anyio.move_on_after(0.01) as scope:
            await anext(lines_of(out, told.append))

    assert scope.cancelled_caught


@pytest.mark.parametrize(("sent", "ends"), [(b"12345678", False), (b"123456789", True)])
async def test_a_line_beyond_all_bounds_ends_them(told: list[str], sent: bytes, ends: bool) -> None:
    """Held on to, it would take all memory."""
    async with pipe() as (out, into):
        os.write(into, b"a\n" + sent)
        os.close(into)
        lines = [line async for line in lines_of(out, told.append, most=8)]

    assert lines == (["a"] if ends else ["a", sent.decode()])
    assert told == (
        ["standard input: a message is larger than 8 bytes; the server stops"] if ends else []
    )


async def test_a_failure_ends_them(told: list[str]) -> None:
    """A terminal that is gone fails to be read instead of ending."""
    async with pipe() as (out, into):
        lines = lines_of(into, told.append)  # the end that cannot be read
        os.close(out)

        assert [line async for line in lines] == []
    assert told == ["standard input: Bad file descriptor"]


CALL = '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"search","arguments":%s}}'


def test_a_message_is_not_refused() -> None:
    """What can be read goes on as it is."""
    assert refusal_of(CALL % '{"query":"q"}') is None
    assert refusal_of('{"jsonrpc":"2.0","method":"notifications/initialized"}') is None


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        ("{", -32700, None),
        ("not json", -32700, None),
        ("[" * 5_000, -32700, None),
        (CALL % '{"query":"\\ud800"}', -32700, 3),
        (CALL % '{"query":"\\ud800"', -32700, None),
        ("[]", -32600, None),
        ('{"jsonrpc":"1.0","id":"a","method":7}', -32600, "a"),
        ('{"jsonrpc":"1.0","id":true,"method":7}', -32600, None),
    ],
)
def test_what_is_no_message_is_refused_by_its_id(
    line: str, code: int, number: int | str | None
) -> None:
    """A client matches an answer to its request by the id."""
    refusal = refusal_of(line)

    assert refusal is not None
    assert (refusal.error.code, refusal.id) == (code, number)
    assert "\n" not in refusal.error.message


async def test_lines_behind_one_that_is_refused_are_read() -> None:
    """One bad message ends no session; blank lines are nobody's."""
    good = CALL % "{}"
    refused: list[object] = []

    async def lines() -> AsyncIterator[str]:
        for line in every():
            yield line

    def every() -> Iterator[str]:
        yield from ("{", "", "  ", good)

    async def refuse(refusal: object) -> None:
        refused.append(refusal)

    assert [line async for line in readable(lines(), refuse)] == [good]
    assert len(refused) == 1
