"""What is masked is in no answer of any surface, no receipt and no log of real daemons."""

from base64 import b64encode
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from tests.mcp.processes import http, settled
from tests.source.secret_contents import secrets

pytestmark = [pytest.mark.slow, pytest.mark.deep]


async def test_no_surface_receipt_or_log_tells_a_masked_value() -> None:
    """Every byte of the home is looked through after agents, programs and people have asked."""
    texts = [(text, values) for text, values in secrets() if "PRIVATE KEY" not in text]
    tree = {
        f"d{number}.py": f'def needle{number}():\n    """Says needle."""\n    value = 1\n{text}\n'
        for number, (text, _) in enumerate(texts)
    }
    values = [value.encode() for _, item in texts for value in item]
    messages: list[bytes] = []
    with settled(tree, {"lib/mail.py": "def send_needle():\n    return 'sent'\n"}) as place:
        receipts = [place.base / "one.json", place.base / "both.json"]
        messages += [
            place.run("search", "needle4", str(place.root), "--receipt", str(receipts[0])),
            place.run(
                *("search", "password token secret", "--workspace", str(place.workspace)),
                *("--receipt", str(receipts[1]), "--json"),
            ),
            place.run("replay", str(receipts[0]), "--repo", str(place.root)),
        ]
        async with Client(stdio_client(place.server("--structured"))) as client:
            for tool, asked in (
                ("search", {"query": "password token secret key"}),
                ("search_workspace", {"query": "needle", "top": 50}),
                ("context", {"query": "needle5"}),
                ("symbol", {"name": "needle6"}),
                ("references", {"name": "needle6"}),
                ("expand", {"target": "d4.py:1"}),
                ("ggrep_status", {}),
                ("ggrep_health", {}),
            ):
                result = await client.call_tool(tool, asked)
                assert not result.is_error, result
                messages.append(repr(result).encode())
        with http(place) as web:
            whose = {"workspacePath": str(place.workspace)}
            for path, body in (
                ("/search/federated", {"query": "password token secret", **whose}),
                ("/search", {"query": "needle4", "root": str(place.root)}),
                ("/context", {"query": "needle5", "root": str(place.root)}),
                ("/expand", {"target": "d4.py:1", "root": str(place.root)}),
            ):
                answer = web.post(path, json=body)
                assert answer.status_code == 200, answer.text
                messages.append(answer.content)
        messages += [path.read_bytes() for path in receipts]
        kept = _bytes_below(place.environ["GGREP_HOME"])

    assert sum(b"****" in answer for answer in messages) >= 6
    for form in {form for value in values for form in _forms(value)}:
        assert not any(form in data for data in (*messages, *kept)), form


def _forms(value: bytes) -> list[bytes]:
    """Return a value as it stands in text, in UTF-16, in hexadecimal digits and within base64."""
    whole = [b64encode(bytes(shift) + value) for shift in range(3)]
    inner = [text[4 if shift else 0 : -4] for shift, text in enumerate(whole)]
    text = value.decode()
    return [
        value,
        text.encode("utf-16-le"),
        value.hex().encode(),
        *(i for i in inner if len(i) > 7),
    ]


def _bytes_below(home: str) -> list[bytes]:
    return [path.read_bytes() for path in Path(home).rglob("*") if path.is_file()]
