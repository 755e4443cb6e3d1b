"""A secret in a repository is in no artifact, no log and no answer; what stands around it is."""

from pathlib import Path

import pytest

from ggrep.base.ids import SnapshotId
from ggrep.index.store.manifest import read_manifest
from tests.fakes.repos import write_tree
from tests.fakes.stored_rows import scan_rows
from tests.journeys.command import Command, fits
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
