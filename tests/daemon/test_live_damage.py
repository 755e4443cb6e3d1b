"""Files of a store are lost or damaged while its daemon serves: answers are right or say so."""

import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from ggrep.base.errors import GgrepError
from ggrep.config import store_files
from ggrep.model.request import SearchRequest
from ggrep.protocol.wire.messages import Ping, Search, Status
from tests.fakes.hosts import Served, served
from tests.fakes.repos import open_engine, write_tree

SEARCH = Search(SearchRequest("settled invoice", 50, 0, deterministic=True, keep_weak=True))
EDITS = (
    {"src/new.py": "def settled_invoice():\n    return 1\n"},
    {"docs/pay.md": "# Settling\n\nHow an invoice is settled.\n"},
)
SAYS = {"snapshot_fallback", "journal_damaged"}


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes()) or bytearray(b"?")
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def _halve(path: Path) -> None:
    with path.open("r+b") as file:  # in place, under whoever maps it
        file.truncate(path.stat().st_size // 2)


def _become_directory(path: Path) -> None:
    path.unlink()
    (path / "within").mkdir(parents=True)


DAMAGES: Sequence[Callable[[Path], None]] = (
    Path.unlink,
    _halve,
    _flip,
    _become_directory,
    lambda path: path.write_bytes(b""),
)


@pytest.fixture
def host(indexed: Path, home: Path) -> Iterator[Served]:
    """Return a daemon of a store of three snapshots and segments."""
    for edit in EDITS:
        write_tree(indexed, edit)
        open_engine(indexed, home).sync()
    with served(indexed, home) as result:
        result.settled()
        yield result


def ask(host: Served) -> tuple[dict[str, Any], set[str]]:
    """Return the answer without what names its snapshot, and the codes of its warnings."""
    document: dict[str, Any] = host.ask(SEARCH).body["response"]
    for name in ("snapshot_id", "request_id", "git"):
        document.pop(name)
    return document, {warning["code"] for warning in document.pop("warnings")}


def is_right(host: Served, expected: dict[str, Any]) -> bool:
    """Return whether the next answer is right; one that is not has to say what is wrong."""
    try:
        answer, codes = ask(host)
    except GgrepError:
        return False
    assert answer == expected or codes & SAYS, "a wrong answer, and not a word of it"
    return answer == expected


def images(host: Served) -> list[Path]:
    store = host.daemon.identity.store
    return [*sorted(store_files.images_dir(store).iterdir()), *_masks(host)]


def _masks(host: Served) -> list[Path]:
    view = host.daemon.engine().view()
    return [view.store / view.manifest.visibility.path]


def damage_images(host: Served, times: int) -> None:
    """Damage that many images, one after the other, and several at once; all answers are right."""
    expected, _ = ask(host)
    snapshot = host.daemon.engine().view().manifest.snapshot_id
    files = images(host)
    bytes_before = [file.read_bytes() for file in files]
    for number in range(times):
        at_once = 1 + number % len(files)
        for place in range(at_once):
            DAMAGES[number % len(DAMAGES)](files[(number + place) % len(files)])

        assert is_right(host, expected), number
    assert [file.read_bytes() for file in files] == bytes_before
    assert host.daemon.engine().view().manifest.snapshot_id == snapshot, "something was published"


@pytest.mark.slow
@pytest.mark.parametrize("times", [len(DAMAGES), pytest.param(100, marks=pytest.mark.deep)])
def test_damaged_images_are_healed_by_the_next_search(host: Served, times: int) -> None:
    """No command, no restart, and nothing is cut anew from the work tree."""
    damage_images(host, times)


def damage_files(host: Served, pick: Callable[[list[Path]], list[tuple[Path, ...]]]) -> None:
    """Damage files of the store, and wait each time until all is well again by itself."""
    expected, _ = ask(host)
    store = host.daemon.identity.store
    there = [file for file in sorted(store.rglob("*")) if file.is_file()]
    for number, group in enumerate(pick(there)):
        for file in group:
            if file.is_file():  # an earlier healing may have dropped it
                DAMAGES[number % len(DAMAGES)](file)
        is_right(host, expected)
        assert host.ask(Status()).body["status"]["store_id"] == host.daemon.identity.store_id
        host.eventually(lambda: is_right(host, expected) and not ask(host)[1] & SAYS)
    assert host.ask(Ping()).name == "ping"


@pytest.mark.slow
def test_a_table_pointer_or_manifest_is_healed_by_the_daemon_itself(host: Served) -> None:
    """Until then each answer is an older one that says so, or an error that names the damage."""

    def pick(there: list[Path]) -> list[tuple[Path, ...]]:
        manifests = [file for file in there if file.name == "manifest.json"]
        tables = [file for file in there if file.suffix == ".lance"]
        pointer = [file for file in there if file.name == "ACTIVE_SNAPSHOT"]
        return [(manifests[-1],), (tables[-1], *images(host)), tuple(pointer)]

    damage_files(host, pick)


@pytest.mark.deep
@pytest.mark.parametrize("shift", range(len(DAMAGES)))
def test_each_file_of_a_store_is_damaged_in_turn(host: Served, shift: int) -> None:
    """All of them, in each way, alone and with their neighbours."""

    def pick(there: list[Path]) -> list[tuple[Path, ...]]:
        turns = there[shift:] + there[:shift]
        alone = [(file,) for file in turns]
        # Where no manifest is left nothing says what was visible, and only a person may drop that.
        pairs = [
            pair
            for pair in pairwise(turns)
            if sum(file.name == "manifest.json" for file in pair) < 2
        ]
        return [*alone, *pairs]

    damage_files(host, pick)


@pytest.mark.slow
def test_a_store_that_is_torn_out_is_built_anew_for_the_next_question(host: Served) -> None:
    """The daemon stays, and whoever asks does not wait for the next edit."""
    expected, _ = ask(host)
    shutil.rmtree(host.daemon.identity.store)
    assert host.ask(Status()).body["status"]["snapshot"]["active_snapshot_id"] is None

    host.eventually(lambda: is_right(host, expected))
