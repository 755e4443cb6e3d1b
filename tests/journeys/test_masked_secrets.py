"""A secret in a repository is in no artifact, no log and no answer; what stands around it is."""

from base64 import b64encode
from pathlib import Path

import pytest
from mcp import Client
from mcp.client.stdio import stdio_client

from ggrep.base.ids import SnapshotId
from ggrep.index.store.manifest import read_manifest
from tests.fakes.repos import write_tree
from tests.fakes.stored_rows import scan_rows
from tests.journeys.command import Command, fits
from tests.mcp.processes import http, settled
from tests.source.secret_contents import secrets

_FORMS = {
    "py": 'def needle{number}():\n    """Says needle{number}."""\n    value = 1\n{text}\n',
    "md": "# needle{number}\n\nAbout needle{number}.\n\n    {text}\n",
    "yaml": "needle{number}:\n  about: needle{number}\n{text}\n",
    "sh": "# needle{number}\nneedle{number}() {{\n{text}\n}}\n",
}


@pytest.mark.slow
def test_no_secret_reaches_a_file_or_an_answer(ggrep: Command, tmp_path: Path, home: Path) -> None:
    """Every byte of the home, every row of the store and every answer is looked through."""
    texts = [(text, values) for text, values in secrets() if "PRIVATE KEY" not in text]
    kinds = sorted(_FORMS)
    tree: dict[str, str | bytes] = {
        f"d{number}.{kinds[number % 4]}": _FORMS[kinds[number % 4]].format(number=number, text=text)
        for number, (text, _) in enumerate(texts)
    }
    tree["wide.py"] = f"TOKEN = 1\n{texts[10][0]}\n".encode("utf-16")
    tree |= {"secrets.yml": "pass: needle\n", "key.txt": secrets()[0][0], ".kube/x": "needle"}
    values = [value for _, item in secrets() for value in item]
    root = tmp_path / "repo"
    write_tree(root, tree)

    answers = [
        ggrep("index", root),
        ggrep("search", "needle4", root, "--json", "-m", "50", "-c"),
        ggrep("search", "password token secret key", root, "-m", "50", "-c"),
        *(ggrep("search", "-F", value[:8], root, "--json") for value in values[5::20]),
        ggrep("slate", "needle4", "-p", root),
        ggrep("expand", "d4.md:1", "-p", root),
        ggrep("health", "-p", root),
    ]
    status = ggrep("status", "-p", root, "--json").document
    store = home / "data" / status["store_id"]
    manifest = read_manifest(store, SnapshotId(status["snapshot"]["active_snapshot_id"]))
    rows = [repr(row) for part in manifest.segments for row in scan_rows(store, part.table)]
    kept = [path.read_bytes() for path in home.rglob("*") if path.is_file()]

    assert rows
    shown = "\n".join(outcome.out + outcome.err for outcome in answers)
    for value in values:
        assert value not in shown
        assert not any(value in row for row in rows)
        assert not any(value.encode() in data for data in kept)
    fits(status, "status")
    assert status["snapshot"]["masked_files"] >= len(texts) * 95 // 100
    assert status["sync"]["secret_files"] == 3


@pytest.mark.slow
@pytest.mark.deep
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
