"""A damaged store is described the same way everywhere, and the printed command repairs it."""

import errno
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.ids import SegmentName
from ggrep.config.settings import KNOWN_VARIABLES
from ggrep.index.store.tables import table_files
from ggrep.interfaces.cli.machine.doctor import of_index
from ggrep.model.index_freshness import COMPLETE, DAMAGE_CODES
from ggrep.model.request import SearchRequest, ViewOptions
from ggrep.protocol.wire.messages import Health, Search, Status
from ggrep.render.agent_text import agent_text
from ggrep.service.status_reading import read_document
from tests.crash.corruption import Kept, prepare, put
from tests.fakes.hosts import Served, served
from tests.fakes.places import short_directory
from tests.hints.test_hints import LINE
from tests.journeys.command import Command, CommandOver

pytestmark = pytest.mark.slow

WORDS = "retry queue"
ASK = SearchRequest(WORDS, 50, 0, keep_weak=True)


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    put(path, bytes(data))


def _directory(path: Path) -> None:
    path.unlink()
    (path / "within").mkdir(parents=True)


WAYS: Mapping[str, Callable[[Path], None]] = {
    "deleted": Path.unlink,
    "directory": _directory,
    "emptied": lambda path: put(path, b""),
    "flipped": _flip,
    "truncated": lambda path: put(path, path.read_bytes()[:-9]),
}
KINDS = (
    "table data",
    "table _versions",
    "table _transactions",
    ".image",
    "manifest.json",
    "ACTIVE_SNAPSHOT",
    "visibility.image",
    "tombstones.jsonl",
    "segment_file_index.jsonl",
    "index_state.json",
    "files.json",
    "verified.json",
    "unchanged.json",
    "lease",
    "vectors",
)
USUAL = (
    ("table data", 0, "truncated"),
    ("table data", -1, "truncated"),
    (".image", -1, "emptied"),
    ("ACTIVE_SNAPSHOT", 0, "deleted"),
)
"""No snapshot is left, an older one is left, a derived file, a lost pointer."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    """Return the home that all cases copy."""
    return prepare(tmp_path_factory.mktemp("damage").resolve())


@pytest.fixture
def ggrep(
    kept: Kept, home: Path, monkeypatch: pytest.MonkeyPatch, command_over: CommandOver
) -> Command:
    """Return the command, without a daemon, over a copy of the home."""
    for name in KNOWN_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    kept.copy(home)
    monkeypatch.chdir(kept.root)
    monkeypatch.setattr(
        "ggrep.index.maintenance.store_checks.damaged_grammar_files", lambda **_: []
    )
    return command_over(home, GGREP_ENCODER="hashed", GGREP_START_DAEMON="0")


def said(warnings: Sequence[Mapping[str, Any]]) -> str:
    results = [warning["message"] for warning in warnings if warning["code"] in DAMAGE_CODES]
    return results[0] if results else ""


def paths(document: Mapping[str, Any]) -> list[str]:
    return [hit["path"] for hit in document["results"]]


def search(ggrep: Command) -> dict[str, Any]:
    return ggrep(WORDS, "-m", "50", "--keep-weak", "--json").document


def doctor_says(ggrep: Command) -> str:
    checks = ggrep("doctor", "--json").document["checks"]
    (index,) = [check for check in checks if check["name"] == "index"]
    return "" if index["state"] == "ok" else index["message"]


def health_says(document: Mapping[str, Any]) -> str:
    (check,) = [check for check in document["checks"] if check["code"] == "damage"]
    return check["message"] if check["severity"] == "fail" else ""


def check_without_daemon(ggrep: Command, whole: list[str]) -> str:
    """Look at a damaged store from everywhere, follow what is printed; return the sentence."""
    status = ggrep("status", "--json").document
    sentence = said(status["warnings"])
    code = next((w["code"] for w in status["warnings"] if w["code"] in DAMAGE_CODES), "")

    assert doctor_says(ggrep) == sentence
    assert sentence in ggrep("status").out
    answer = search(ggrep)
    if code == "image_damaged":  # the search has rebuilt it
        assert answer["warnings"] == []
    else:
        assert said(answer["warnings"]) == sentence
        assert health_says(ggrep("health", "--json").document) == sentence
        assert said(ggrep("audit", "--json").document["errors"]) == sentence
        text = ggrep(WORDS, "-m", "50", "--keep-weak")
        if code and code not in COMPLETE:
            assert text.err.startswith(f"warning: {sentence}")
            assert agent_text(answer).startswith(f"warning: {sentence}")
            assert agent_text({"running": True, **status}).startswith(f"warning: {sentence}")
    if not code or code in COMPLETE:
        assert paths(answer) == whole
    elif code == "snapshot_fallback":
        assert answer["degraded"]
        assert f"{answer['indexed']['files']} files; run" in sentence
    else:
        assert answer["partial"] == "scan"
        assert ggrep("symbol", "retry_3").err.startswith(f"error: {sentence}")
    for line in LINE.findall(sentence):
        done = ggrep(*shlex.split(line)[1:])
        assert done.status == 0, done.err
        if code != "image_damaged":
            assert done.out.startswith("the index was damaged: ")
    return sentence


def is_intact(ggrep: Command, whole: list[str]) -> None:
    """Fail unless the store is complete and every surface says so."""
    answer = search(ggrep)

    assert (paths(answer), said(answer["warnings"])) == (whole, "")
    assert not answer["degraded"]
    assert said(ggrep("status", "--json").document["warnings"]) == doctor_says(ggrep) == ""
    assert health_says(ggrep("health", "--json").document) == ""
    assert ggrep("audit", "--json").document["errors"] == []
    assert ggrep("repair").out.startswith("nothing is damaged")


def files_of(kept: Kept, kind: str) -> Sequence[str]:
    needed = [path for path in kept.kinds.get(kind, ()) if path in kept.needed]
    return needed or kept.kinds.get(kind, ())


def run_case(kept: Kept, ggrep: Command, home: Path, case: tuple[str, int, str]) -> str:
    kind, place, way = case
    whole = paths(search(ggrep))
    WAYS[way](home / files_of(kept, kind)[place])
    sentence = check_without_daemon(ggrep, whole)
    is_intact(ggrep, whole)
    return sentence


@pytest.mark.parametrize("case", USUAL, ids=str)
def test_every_surface_says_the_same_and_its_command_repairs_it(
    kept: Kept, ggrep: Command, home: Path, case: tuple[str, int, str]
) -> None:
    """Five components that each judge a store contradict each other."""
    sentence = run_case(kept, ggrep, home, case)

    assert re.fullmatch(r"the index is damaged: [^;]+; [^;]+; run: ggrep repair", sentence)


def test_an_unreadable_segment_is_described_the_same_everywhere(
    ggrep: Command, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file may be intact, so no older snapshot answers, and a repair could not read it."""
    whole = paths(search(ggrep))

    def refuse(store: Path, table: SegmentName) -> list[tuple[Path, str]]:
        if table in old:
            raise PermissionError(errno.EACCES, "Permission denied")
        return table_files(store, table)

    old = {path.stem for path in home.glob("data/*/*.lance")}
    monkeypatch.setattr("ggrep.index.store.verify.table_files", refuse)
    sentence = said(ggrep("status", "--json").document["warnings"])
    command = LINE.findall(sentence)[0]

    assert re.fullmatch(
        r"segment \S+ cannot be read: Permission denied; no snapshot can answer; "
        r"remove the cause, or build a new index: ggrep index --reset",
        sentence,
    )
    assert "index    unreadable" in ggrep("status").out
    assert ggrep(WORDS).err == f"error: {sentence}\n"
    assert doctor_says(ggrep) == sentence
    assert health_says(ggrep("health", "--json").document) == sentence
    assert said(ggrep("audit", "--json").document["errors"]) == sentence
    assert ggrep(*shlex.split(command)[1:]).status == 0
    is_intact(ggrep, whole)


@pytest.mark.deep
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, -1])
def test_every_surface_says_the_same_whatever_is_damaged(
    kept: Kept,
    ggrep: Command,
    home: Path,
    kind: str,
    place: int,
    way: str,
) -> None:
    """Each kind of file, the oldest and the newest of it, in each way."""
    run_case(kept, ggrep, home, (kind, place, way))


@pytest.fixture
def host(kept: Kept) -> Iterator[tuple[Served, Path]]:
    """Return a daemon over a copy of the home."""
    with short_directory() as base:
        home = kept.copy(base / "home")
        with served(kept.root, home) as result:
            result.settled()
            yield result, home


def surfaces(host: Served) -> dict[str, str]:
    """Return the sentence of each surface."""
    status: dict[str, Any] = host.ask(Status()).body["status"]  # type: ignore[assignment] # JSON
    answer: dict[str, Any] = host.ask(Search(ASK)).body["response"]  # type: ignore[assignment] # JSON
    health: dict[str, Any] = host.ask(Health(deep=False)).body["health"]  # type: ignore[assignment] # JSON
    check = of_index(read_document(status))
    printed: dict[str, Any] = host.ask(Search(ASK, render=ViewOptions())).body["rendered"]  # type: ignore[assignment] # JSON
    first = printed.get("before", "").partition("\n")[0]
    return {
        "status": said(status["warnings"]),
        "doctor": check.message if "is damaged" in check.message else "",
        "search": said(answer["warnings"]),
        "health": health_says(health),
        "first line": first.removeprefix("warning: ").rpartition(" (")[0],
    }


def run_with_daemon(host: Served, home: Path, file: str, way: str) -> set[str]:
    """Damage one file while no sync can run, and then let it; return the sentences."""
    whole = paths(host.ask(Search(ASK)).body["response"])  # type: ignore[arg-type] # JSON
    host.syncs.gate.clear()
    WAYS[way](home / file)
    reported = surfaces(host)
    host.syncs.gate.set()
    sentences = set(reported.values()) - {""}

    def is_whole() -> bool:
        now = surfaces(host)
        answer: Any = host.ask(Search(ASK)).body["response"]
        return not any(now.values()) and paths(answer) == whole and not answer["degraded"]

    host.eventually(is_whole)
    return sentences


@pytest.mark.parametrize("place", [0, -1])
def test_a_rebuild_is_told_everywhere(kept: Kept, host: tuple[Served, Path], place: int) -> None:
    result, home = host
    reported = run_with_daemon(result, home, files_of(kept, "table data")[place], "truncated")

    assert len(reported) == 1, reported
    assert next(iter(reported)).endswith("; it is being rebuilt")


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, -1])
def test_damage_is_rebuilt(kept: Kept, host: tuple[Served, Path], kind: str, place: int) -> None:
    """In each way, one after another, with one sentence at a time."""
    result, home = host
    for way in WAYS:
        file = files_of(kept, kind)[place]
        if (home / file).is_file():
            reported = run_with_daemon(result, home, file, way)
            assert len(reported) <= 1, (way, reported)
            assert all(each.endswith("; it is being rebuilt") for each in reported), reported
