"""A process once used the settings of the first repository it touched for all others.

Asked about a second one it applied the wrong bounds and computed the wrong fingerprint; and a
file that could not be parsed counted as one that says nothing.
"""

from pathlib import Path

import pytest

from ggrep.base.errors import InvalidRequest
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Search
from tests.fakes.processes import Hosted, hosted
from tests.fakes.repos import write_tree

TREE = {f"a{n}.py": f"def settle_{n}():\n    return {n}\n" for n in range(4)}


def test_each_repository_of_a_host_has_its_own_settings(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order they are asked; a file without sense is told, not passed over."""
    one, two, odd = roots = [tmp_path.resolve() / name for name in ("one", "two", "odd")]
    for root in roots:
        write_tree(root, TREE)
    write_tree(one, {".ggrep.toml": "max_query_results = 1\nmax_file_size_bytes = 9000\n"})
    write_tree(two, {".ggrep.toml": "max_query_results = 3\n"})
    write_tree(odd, {".ggrep.toml": "max_query_results = [\n"})
    counts, fingerprints, outcomes = [], [], []

    def act(host: Hosted) -> None:
        outcomes.extend(host.outcomes)
        for root in (two, one, two, one):
            response = host.ask(root, Search(SearchRequest("settle"))).body["response"]
            counts.append(len(response["results"]))
            fingerprints.append(response["config_fingerprint"])

    hosted(monkeypatch, roots, home, act)

    assert counts == [3, 1, 3, 1]
    assert len(set(fingerprints)) == 2
    assert isinstance(outcomes[2].error, InvalidRequest)
