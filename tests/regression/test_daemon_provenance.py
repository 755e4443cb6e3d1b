"""An answer once named the snapshot and the commit of the moment after, not its own.

The client read both from the work tree when the answer had come. A sync or a checkout in between
gave an answer the name of content that it did not hold.
"""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Search, Sync
from tests.fakes.git import Git
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import served
from tests.fakes.repos import open_engine, write_tree
from tests.fakes.wires import Wire


def test_commit_and_snapshot_are_those_of_what_is_shown(
    root: Path, home: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A commit and a sync while the search is at work change nothing of its answer."""
    git(root, "init", "-q")
    write_tree(root, {"a.py": "def settle():\n    return 'old'\n"})
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    old = git(root, "rev-parse", "HEAD").strip()
    open_engine(root, home).sync()
    held = HeldSearches(monkeypatch)
    with served(root, home) as host:
        host.settled()
        before = host.daemon.engine().view().manifest.snapshot_id
        with Wire.greeted(host.address.socket, host.address.hello) as wire:
            wire.send_message("1", Search(SearchRequest("settle")))
            host.eventually(lambda: held.begun)
            write_tree(root, {"a.py": "def settle():\n    return 'new'\n"})
            git(root, "commit", "-qam", "second")
            report = host.ask(Sync()).body["report"]
            held.gate.set()
            response = wire.next()["response"]
        after = host.ask(Search(SearchRequest("settle"))).body["response"]

    assert response["snapshot_id"] == before
    assert response["git"]["head_sha"] == old
    assert response["git"]["dirty"] is False
    assert b"'old'" in stable_json.dumps(response["results"])
    assert after["snapshot_id"] == report["snapshot_id"] != before
    assert after["git"]["head_sha"] == git(root, "rev-parse", "HEAD").strip() != old
