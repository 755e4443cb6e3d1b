"""The JSON of a federated answer: the contract's shape, no paths, no chance."""

import re
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from ggrep.base import stable_json
from ggrep.base.errors import Busy, CorruptStore, Issue, NoIndex, WorkspaceError
from ggrep.base.ids import RepoId
from ggrep.federation.answer_assembly import cap_snippets
from ggrep.federation.diagnostics import redactor
from ggrep.federation.envelope import known_paths
from ggrep.federation.federated_response import failure_json
from ggrep.federation.merge import MergedHit
from ggrep.model.limits import LimitHit
from tests.fakes.coordinated import ask, request
from tests.fakes.hits import hit
from tests.fakes.searchers import FakeRow, FakeSearcher, repo, workspace


async def document(*searchers: FakeSearcher, **fields: object) -> dict[str, Any]:
    return (await ask(searchers, request(**fields))).to_json()


def searcher(name: str, **fields: object) -> FakeSearcher:
    rows = [FakeRow(f"{name}0", "src/a.py", 3, ("token",), content="/etc/passwd token")]
    return FakeSearcher(name, rows, **fields)


async def test_the_contract_s_keys_all_stand() -> None:
    """Clients of the contract read this shape and no other."""
    result = await document(searcher("a"))

    assert result["schema_version"] == 1
    assert (result["ok"], result["backend"]) == (True, "federated")
    assert {"code", "prose", "extractedProse", "records", "results", "limits_hit"} <= set(result)
    meta = result["meta"]
    assert meta["repoSetId"].startswith("ws1-")
    assert meta["manifestHash"].startswith("wm1-")
    assert meta["workspace"] == {"name": "test", "workspaceId": meta["repoSetId"]}
    assert meta["selection"] == {
        "selectedRepoIds": ["a-000000000000"],
        "selectedRepos": [
            {"repoId": "a-000000000000", "alias": "a", "priority": 0, "enabled": True}
        ],
        "explicitSelects": [],
        "tags": [],
        "repoFilter": [],
        "only": [],
        "includeDisabled": False,
    }
    assert result["diagnostics"] == {"warnings": [], "errors": []}
    assert "stats" not in result
    (row,) = result["repos"]
    assert row["perMode"]["code"] == {"status": "ok", "count": 1}
    assert row["perMode"]["prose"] == {"status": "ok", "count": 0}


async def test_a_hit_is_a_single_repository_s_hit_with_its_owner() -> None:
    (hit,) = (await document(searcher("a")))["code"]

    assert hit["file"] == "src/a.py"
    assert (hit["start"], hit["end"], hit["id"]) == (3, 4, "a0")
    assert hit["globalId"] == "a-000000000000:a0"
    assert (hit["localRank"], hit["score"]) == (0, round(1 / 61, 12))
    assert hit["localScore"] > hit["score"]
    assert hit["content"] == "/etc/passwd token"  # a snippet is never touched


async def test_absolute_paths_stand_in_an_answer_only_if_asked_for() -> None:
    """Answers are pasted into tickets and sent to models; debugging a wrong root needs the root."""
    broken = searcher("b", fail={"search": [CorruptStore("/home/me/My Data/x.lance: damaged")] * 2})
    fakes = (searcher("a"), broken, searcher("c", snapshot_id=None))
    result = await document(*fakes, select=("/home/me/x",), repo_filter=("/srv/**",))
    shown = await document(*fakes, include_paths=True)

    for part in ("meta", "repos", "diagnostics"):
        assert b'"/' not in stable_json.dumps(result[part])
        assert b"/home" not in stable_json.dumps(result[part])
    assert "damaged" in result["repos"][1]["error"]["message"]
    assert shown["meta"]["workspace"]["workspacePath"] == "/srv/ws/.ggrep-workspace.jsonc"
    assert shown["repos"][1]["error"]["message"] == "/home/me/My Data/x.lance: damaged"


async def test_times_stand_in_the_stats_block_alone() -> None:
    plain = await document(searcher("a"))
    timed = await document(searcher("a"), stats=True)

    assert timed.pop("stats") == {
        "elapsedMs": 0.0,
        "fromMemory": False,
        "repos": {"a-000000000000": {"elapsedMs": 0.0, "freshness": "unknown"}},
    }
    assert timed == plain


async def test_manifest_hash_moves_with_a_snapshot_and_not_with_display() -> None:
    """It is what a cache of answers is keyed by."""
    first = await document(searcher("a"))
    same = await document(searcher("a"), top=3, tags=())
    moved = await document(searcher("a", snapshot_id="S2"))

    assert first["meta"]["manifestHash"] == same["meta"]["manifestHash"]
    assert first["meta"]["manifestHash"] != moved["meta"]["manifestHash"]


def test_failures_have_one_envelope() -> None:
    """Three shapes of errors were one too many for clients before us."""
    issue = Issue(
        "ERR_X", "file /srv/ws/w.jsonc is bad", "/srv/ws/w.jsonc", "$.name", "type", "fix"
    )

    result = failure_json(WorkspaceError((issue,)), include_paths=False)

    assert (result["ok"], result["backend"], result["code"]) == (False, "federated", "ERR_X")
    assert result["message"] == "file w.jsonc is bad"
    assert result["error"]["issues"][0]["path"] == "w.jsonc"
    assert b"/srv" not in stable_json.dumps(result)
    assert result["diagnostics"] == {"warnings": [], "errors": []}
    shown = failure_json(WorkspaceError((issue,)), include_paths=True)
    assert "/srv/ws/w.jsonc" in shown["message"]
    assert failure_json(NoIndex("x"), include_paths=False)["code"] == "NO_INDEX"
    busy = failure_json(Busy(retry_after_ms=5), include_paths=False)
    assert busy["error"]["details"] == {"retry_after_ms": 5}


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("open /srv/a/b.py: denied", "open <redacted>: denied"),
        ("'/srv/a', \"/b\"", "'<redacted>', \"<redacted>\""),
        ("C:\\Users\\me\\x and \\\\host\\share", "<redacted> and <redacted>"),
        ("src/a.py and a/b or 1/2 stay", "src/a.py and a/b or 1/2 stay"),
        ("either / or", "either / or"),
        ("at /srv/My Code/x.py now", "at <redacted>/x.py now"),
        ("two\nlines \x1b[31mred", "two lines red"),
        ("file:///srv/x", "file:<redacted>"),
        ("https://code.example.com/srv/x and /a", "https://code.example.com/srv/x and <redacted>"),
    ],
)
def test_redaction_leaves_the_rest_readable(text: str, clean: str) -> None:
    result = redactor(lambda: [str(Path("/srv/My Code"))])(text)

    assert result == clean or ("<redacted>" in clean and "/srv" not in result)


def test_of_nested_paths_the_longest_is_named() -> None:
    """A directory's name in front of the file's would be half a path."""
    issues = tuple(
        Issue("ERR_X", "file /srv/ws/w.jsonc is bad", path, "$", "type")
        for path in ("/srv/ws", "/srv/ws/w.jsonc")
    )

    result = failure_json(WorkspaceError(issues), include_paths=False)

    assert result["message"].startswith("file w.jsonc is bad")


def test_a_root_is_known_as_written_and_as_resolved() -> None:
    """Only a known path with a blank in it is taken out whole."""
    linked = replace(repo("a"), root_abs=Path("/srv/My Link"), root_canonical=Path("/srv/My Code"))

    assert {"/srv/My Link", "/srv/My Code"} <= set(known_paths(workspace(linked)))


def test_many_messages_are_redacted_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six hundred paths for each of fifteen hundred messages took ten seconds."""
    made: list[object] = []
    compile_pattern = re.compile

    def note(pattern: str) -> re.Pattern[str]:
        made.append(pattern)
        return compile_pattern(pattern)

    monkeypatch.setattr("ggrep.federation.diagnostics.re.compile", note)
    clean = redactor(lambda: [f"/srv/my code {n}" for n in range(300)])
    results = {clean(f"lost in /srv/my code {n % 300}") for n in range(1500)}

    assert results == {"lost in <redacted>"}
    assert len(made) == 1


def merged(repo: str, path: str, content: str) -> MergedHit:
    return MergedHit(RepoId(repo), repo, hit(path, content), 1.0, 0)


def test_a_cut_is_said_of_hits_that_are_shown() -> None:
    """Which of two files of one path is longer than shown must not be guessed."""
    pair = [merged("a", "f.py", "x" * 9), merged("b", "f.py", "y" * 7)]
    (hits,), limits = cap_snippets([pair], per_hit=4, total=100)

    assert [item.hit.content for item in hits] == ["xxxx", "yyyy"]
    assert [(item.repo_id, item.limit) for item in limits] == [
        ("a", LimitHit("max_snippet_bytes_per_result", 4, 9, "f.py")),
        ("b", LimitHit("max_snippet_bytes_per_result", 4, 7, "f.py")),
    ]


def test_text_that_is_gone_altogether_hides_all_its_lines() -> None:
    """Three lines that are not shown are three, not two."""
    (hits,), _ = cap_snippets([[merged("a", "f.py", "1\n2\n3")]], per_hit=100, total=0)

    assert hits[0].hit.content == ""
    assert hits[0].hit.hidden_lines == 3
