"""What a repository declares decides how its files are read, and a guess is told of as one."""

from pathlib import Path

import pytest

from ggrep.base.errors import StoreError, SyncRefused
from ggrep.base.lease import Lease
from ggrep.index.maintenance.checks import check_health
from ggrep.index.maintenance.status import read_status
from ggrep.index.store.view import SnapshotView
from ggrep.index.sync.publication import Publication, Published, publish_changes
from ggrep.index.sync.target import SyncTarget
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import answer, answer_bytes, indexed, open_engine, write_tree

POLISH = "int zolw; // zażółć gęślą jaźń\n"
TREE: dict[str, str | bytes | None] = {
    "src/a.c": "int retry; // цикл\n".encode("cp866"),
    "src/b.c": POLISH.encode("iso8859-2"),
    "src/c.py": "# -*- coding: koi8-r -*-\nretry = 'тест'\n".encode("koi8-r"),
    "plain.py": "retry = 1\n",
    "torn.txt": "déjà vu, retry à côté ".encode() + b"\xff\n",
}
EDITORS = "[*.c]\ncharset = cp866\n"
LATIN = "[*.c]\ncharset = latin2\n"
PORTION = 40
"""Bytes of a portion: the files need several."""
ASK = SearchRequest("retry zolw", deterministic=True)


def texts(engine: Engine) -> dict[str, str]:
    return {hit["path"]: hit["content"] for hit in answer(engine, ASK)["results"]}


def fresh(root: Path, home: Path, **flags: object) -> bytes:
    engine = open_engine(root, home.with_name("other"), **flags)
    engine.sync()
    return answer_bytes(engine, ASK)


@pytest.mark.parametrize(
    ("declared", "reads"),
    [
        ({".editorconfig": "root = true\n[*.{c,h}]\ncharset = cp866\n"}, True),
        ({".gitattributes": "*.c text working-tree-encoding=cp866\n"}, True),
        ({"src/.editorconfig": "[a.c]\ncharset = cp866\n"}, True),
        ({".editorconfig": "[*.h]\ncharset = cp866\n"}, False),
        ({".editorconfig": "[*]\ncharset = utf-8\n"}, False),
    ],
)
def test_a_declared_encoding_is_no_guess(
    root: Path, home: Path, declared: dict[str, str], reads: bool
) -> None:
    engine = indexed(root, home, {"src/a.c": TREE["src/a.c"], **declared})

    codes = {each["code"] for each in answer(engine, ASK)["warnings"]}

    assert "цикл" in texts(engine)["src/a.c"]
    assert ("guessed_encoding" in codes) is not reads


@pytest.mark.slow
@pytest.mark.parametrize(
    ("most_bytes", "edits"),
    [
        (1 << 20, [{".editorconfig": EDITORS}, {".editorconfig": LATIN}, {".editorconfig": None}]),
        (PORTION, [{".editorconfig": EDITORS}, {".editorconfig": LATIN}]),
        (PORTION, [{".editorconfig": EDITORS}, {".editorconfig": None}]),
        (
            PORTION,
            [{".gitattributes": "src/* encoding=iso-8859-2\n"}, {"src/.editorconfig": EDITORS}],
        ),
        (
            PORTION,
            [{".editorconfig": EDITORS}, {"src/a.c": "int retry;\n"}, {"src/a.c": TREE["src/a.c"]}],
        ),
    ],
)
def test_an_edited_declaration_reads_as_a_fresh_index_would(
    root: Path, home: Path, edits: list[dict[str, str | bytes | None]], most_bytes: int
) -> None:
    """P2: the files are as they were, only what is declared of them changed."""
    engine = indexed(root, home, TREE, max_bytes_per_sync=most_bytes)
    for edit in edits:
        write_tree(root, edit)
        engine.sync()

    assert answer_bytes(engine, ASK) == fresh(root, home, max_bytes_per_sync=most_bytes)


@pytest.mark.slow
@pytest.mark.parametrize(("before", "after"), [(None, LATIN), (LATIN, None)])
def test_a_sync_that_is_cut_short_leaves_the_declaration_to_the_next(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, before: str | None, after: str | None
) -> None:
    """P2: of several portions the last brings the declaration, or takes it away."""
    engine = indexed(root, home, {**TREE, ".editorconfig": before}, max_bytes_per_sync=PORTION)
    write_tree(root, {".editorconfig": after})
    published: list[Published] = []

    def once(target: SyncTarget, lease: Lease, view: SnapshotView, new: Publication) -> Published:
        if published:
            raise OSError("the disk is gone")
        published.append(publish_changes(target, lease, view, new))
        return published[0]

    with monkeypatch.context() as patch:
        patch.setattr("ggrep.index.sync.syncer.publish_changes", once)
        with pytest.raises(StoreError, match="the disk is gone"):
            engine.sync()
    engine.sync()

    assert published
    assert answer_bytes(engine, ASK) == fresh(root, home, max_bytes_per_sync=PORTION)


def test_answers_and_health_name_what_was_guessed_and_replaced(root: Path, home: Path) -> None:
    engine = indexed(root, home, TREE)

    reported = {each["code"]: each["message"] for each in answer(engine, ASK)["warnings"]}
    identity = engine.identity
    report = check_health(identity.store, identity.store_id, engine.settings, deep=False)
    checks = {check.code: check.paths for check in report.checks}
    state = read_status(engine.settings, engine.inspect, engine.home, engine.identity)
    status = {each.code: each.message for each in state.warnings}

    assert reported["guessed_encoding"].startswith(
        "encoding was guessed for src/a.c (cp866), src/b.c (iso8859-2);"
    )
    assert reported["replaced_characters"].endswith("torn.txt (utf-8)")
    assert status == {
        "guessed_encoding": "files whose encoding was guessed: 2; ggrep health names them",
        "replaced_characters": (
            "files with U+FFFD in place of invalid bytes: 1; ggrep health names them"
        ),
    }
    assert checks["guessed_encodings"] == ("src/a.c", "src/b.c")
    assert checks["undecodable_bytes"] == ("torn.txt",)


def test_a_strict_sync_refuses_guesses_and_replaced_characters(root: Path, home: Path) -> None:
    """Before and after an ordinary one: a file that did not change is no better."""
    write_tree(root, TREE)
    engine = open_engine(root, home)
    with pytest.raises(SyncRefused) as first:
        engine.sync(strict=True)
    engine.sync()
    with pytest.raises(SyncRefused) as second:
        engine.sync(strict=True)

    assert first.value.reasons == second.value.reasons
    assert [reason.partition(";")[0] for reason in first.value.reasons] == [
        "src/a.c: its encoding was guessed to be cp866",
        "src/b.c: its encoding was guessed to be iso8859-2",
        "torn.txt: it contains bytes that are invalid in utf-8",
    ]


def test_a_strict_sync_takes_what_is_declared(root: Path, home: Path) -> None:
    write_tree(
        root,
        {
            **TREE,
            "torn.txt": None,
            ".editorconfig": "[a.c]\ncharset = cp866\n[b.c]\ncharset = iso-8859-2\n",
        },
    )
    engine = open_engine(root, home)

    assert engine.sync(strict=True).published
    assert "jaźń" in texts(engine)["src/b.c"]
