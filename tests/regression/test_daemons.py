"""Defects of daemons that came once and must not come again."""

from pathlib import Path

import pytest

from ggrep.base import stable_json
from ggrep.base.errors import InvalidRequest
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Search, Sync
from tests.fakes.git import Git
from tests.fakes.held import HeldSearches
from tests.fakes.hosts import served
from tests.fakes.processes import Hosted, hosted
from tests.fakes.repos import open_engine, write_tree


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
    kept = HeldSearches(monkeypatch)
    with served(root, home) as host:
        host.settled()
        before = host.daemon.engine().view().manifest.snapshot_id
        with host.wire() as wire:
            wire.send_message("1", Search(SearchRequest("settle")))
            host.eventually(lambda: kept.begun)
            write_tree(root, {"a.py": "def settle():\n    return 'new'\n"})
            git(root, "commit", "-qam", "second")
            report = host.ask(Sync()).body["report"]
            kept.gate.set()
            response = wire.next()["response"]
        after = host.ask(Search(SearchRequest("settle"))).body["response"]

    assert response["snapshot_id"] == before
    assert response["git"]["head_sha"] == old
    assert response["git"]["dirty"] is False
    assert b"'old'" in stable_json.dumps(response["results"])
    assert after["snapshot_id"] == report["snapshot_id"] != before
    assert after["git"]["head_sha"] == git(root, "rev-parse", "HEAD").strip() != old


SETTINGS_TREE = {f"a{n}.py": f"def settle_{n}():\n    return {n}\n" for n in range(4)}


def test_each_repository_of_a_host_has_its_own_settings(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order they are asked; a file without sense is told, not passed over."""
    first, two, odd = roots = [tmp_path.resolve() / name for name in ("one", "two", "odd")]
    for root in roots:
        write_tree(root, SETTINGS_TREE)
    write_tree(first, {".ggrep.toml": "max_query_results = 1\nmax_file_size_bytes = 9000\n"})
    write_tree(two, {".ggrep.toml": "max_query_results = 3\n"})
    write_tree(odd, {".ggrep.toml": "max_query_results = [\n"})
    counts, fingerprints, outcomes = [], [], []

    def act(host: Hosted) -> None:
        outcomes.extend(host.outcomes)
        for root in (two, first, two, first):
            response = host.ask(root, Search(SearchRequest("settle"))).body["response"]
            counts.append(len(response["results"]))
            fingerprints.append(response["config_fingerprint"])

    hosted(monkeypatch, roots, home, act)

    assert counts == [3, 1, 3, 1]
    assert len(set(fingerprints)) == 2
    assert isinstance(outcomes[2].error, InvalidRequest)
