"""A line that is no message is answered, so that nobody waits for ever."""

from collections.abc import AsyncIterator, Iterator

import pytest

from ggrep.interfaces.mcp.stdio import readable, refusal_of

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
