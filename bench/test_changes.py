"""The table of commits as questions has a row for every ranker, whether or not it is installed."""

from pathlib import Path

import pytest

from bench import changes, semble_lexical
from ggrep.base import stable_json
from ggrep.interfaces.evaluation.suite import Suite

SOURCES = {
    "shop/cart.py": "def add_item(cart, item):\n    cart.append(item)\n",
    "shop/parcels.py": "def weigh(parcel):\n    return parcel.weight\n",
}


@pytest.fixture
def asked(tmp_path: Path) -> Suite:
    """Return one question of each kind to a repository of the part to choose by."""
    for name, text in SOURCES.items():
        path = tmp_path / "sources" / "a+shop" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    questions = [
        {
            "qid": f"a:{category}",
            "query": "Weigh every parcel before it leaves",
            "repo": "a+shop",
            "language": "python",
            "category": category,
            "relevant": [{"path": "shop/parcels.py"}],
            "secondary": [],
        }
        for category in ("subject", "subject, unspelt", "subject and body")
    ]
    lines = b"\n".join(map(stable_json.dumps, questions))
    (tmp_path / "queries.jsonl").write_bytes(lines + b"\n")
    (tmp_path / "repos.json").write_bytes(stable_json.dumps({"a+shop": {"part": "choose"}}))
    return changes.read_changes(tmp_path, "choose")


def test_a_ranker_that_is_not_installed_says_so_in_its_row(
    asked: Suite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing row would look as if nobody had thought of it."""
    monkeypatch.setattr(semble_lexical, "version", lambda: None)
    found = changes.others(asked)
    plain, name = found[changes.REFERENCE], changes.SEMBLE.format("")
    assert plain is not None

    rows = changes.table(plain, found, "choose").splitlines()

    assert found[name] is None
    assert [row.count("not installed") for row in rows if name in row] == [1, 1, 1]


def test_semble_finds_by_words_alone(asked: Suite) -> None:
    """No model is asked for: none could be had without a network."""
    pytest.importorskip("semble")

    run = changes.others(asked)[changes.SEMBLE.format(f"{semble_lexical.version()} ")]

    assert run is not None
    assert [row.score.first_rank for row in run.rows] == [0, 0, 0]
