"""Looking after a workspace: seen, built, examined, watched and cleaned up."""

import os
import re
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.config import store_files
from ggrep.interfaces.entry import main
from tests.fakes.workspaces import tree_of
from tests.journeys.command import WORKSPACE_NAMES, Command, Outcome, fits, start
from tests.journeys.household import Household, eventually, finish

WORKER = "ggrep.daemon.sync_worker"


def document_of(outcome: Outcome) -> dict[str, object]:
    fits(outcome.document, "workspace")
    return outcome.document


def the_store(home: Path, name: str) -> Path:
    (store,) = (home / "data").glob(f"{name}-*")
    return store


LOOKS = (
    ("validate",),
    ("status",),
    ("status", "--json"),
    ("catalog",),
    ("catalog", "--json"),
    ("doctor",),
    ("doctor", "--json"),
    ("gc",),
    ("gc", "--json"),
)


def test_reads_write_nothing(
    ggrep: Command, indexed_workspace: Path, tmp_path: Path, home: Path
) -> None:
    """Not a byte and no time, whatever state the indexes are in."""
    store_files.active_file(the_store(home, "ledger")).write_text("nonsense")
    before = tree_of(tmp_path)

    for name, *flags in LOOKS:
        ggrep("workspace", name, indexed_workspace, *flags)

    assert tree_of(tmp_path) == before


@pytest.mark.parametrize(
    "name", ["validate", "manifest", "status", "catalog", "doctor", "gc", "build", "watch"]
)
def test_the_file_is_named_once_either_way(
    ggrep: Command, shared_workspace: Path, name: str
) -> None:
    """Twice is a mistake, for nobody can say which is meant; so is nothing at all."""
    both = ggrep("workspace", name, shared_workspace, "--workspace", shared_workspace, "--json")
    twice = ggrep("workspace", name, "--workspace", "a", "--workspace", "b", "--json")

    for refused in (both, twice):
        assert refused.status == 2
        assert refused.error()["code"] == "ERR_FEDERATED_DUPLICATE_WORKSPACE_FLAG"
    if name != "gc":
        nothing = ggrep("workspace", name, "--json")
        assert nothing.status == 2
        assert "--workspace FILE" in nothing.error()["message"]


@pytest.mark.parametrize("name", ["status", "catalog", "doctor", "manifest"])
def test_an_option_names_the_file_as_well(
    ggrep: Command, shared_workspace: Path, name: str
) -> None:
    by_argument = ggrep("workspace", "manifest", shared_workspace)
    argument = ggrep("workspace", name, shared_workspace, "--json")
    option = ggrep("workspace", name, "--workspace", shared_workspace, "--json")

    assert by_argument.status == argument.status == option.status == 0
    assert {**document_of(argument), "written": 0} == {**document_of(option), "written": 0}


def test_options_make_and_change_files(ggrep: Command, workspace: Path, tmp_path: Path) -> None:
    """With `--workspace` the first word is no file any more."""
    other = tmp_path / "other.jsonc"

    made = ggrep("workspace", "init", "--workspace", other, "shop", "g=gateway", "--json")
    added = ggrep("workspace", "add", "--workspace", other, "ledger", "--json")
    removed = ggrep("workspace", "remove", "--workspace", other, "g", "--json")
    nothing = ggrep("workspace", "add", "--workspace", other, "--json")
    lonely = ggrep("workspace", "init", tmp_path / "third.jsonc", "--json")

    assert [document_of(each)["repos"] for each in (made, added, removed)] == [2, 3, 2]
    assert nothing.status == lonely.status == 2
    assert "directory" in nothing.error()["message"]
    document_of(ggrep("workspace", "validate", other, "--json"))


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        (["shop"], ""),
        (["./shop/"], ""),
        (["s=shop"], ""),
        (["x=shop"], "; edit the file to change alias, tags, priority or enabled"),
        (["shop", "--tag", "web"], "; edit the file to change alias, tags, priority or enabled"),
    ],
    ids=str,
)
def test_adding_a_member_again_changes_nothing(
    ggrep: Command, workspace: Path, tmp_path: Path, words: list[str], advice: str
) -> None:
    file = tmp_path / "other.jsonc"
    ggrep("workspace", "init", file, "s=shop", "gateway")
    before = file.read_bytes()
    done = ggrep("workspace", "add", file, *words)

    assert (done.status, file.read_bytes()) == (0, before)
    assert done.err == f"{file}: shop is already repos[0]; the file is unchanged{advice}\n"


def test_an_alias_in_use_is_refused_by_its_entry(
    ggrep: Command, workspace: Path, tmp_path: Path
) -> None:
    """No hint may name an entry that was not written."""
    file = tmp_path / "other.jsonc"
    ggrep("workspace", "init", file, "s=shop", "gateway")
    done = ggrep("workspace", "add", file, "S=ledger")

    assert (done.status, done.err) == (
        2,
        "error: repos[0] has the alias 's'; choose another one\n",
    )


@pytest.mark.parametrize(("taken", "alias"), [("s", "ledger"), ("LEDGER", None)])
def test_an_added_repository_has_the_name_of_its_directory(
    ggrep: Command, workspace: Path, tmp_path: Path, taken: str, alias: str | None
) -> None:
    file = tmp_path / "other.jsonc"
    assert ggrep("workspace", "init", file, f"{taken}=shop").err == f"{file}: 1 repo\n"
    added = ggrep("workspace", "add", file, "ledger")
    document = document_of(ggrep("workspace", "validate", file, "--json"))

    assert added.status == 0
    assert [repo["alias"] for repo in document["workspace"]["repos"]] == [taken, alias]


def test_the_manifest_follows_the_index(
    ggrep: Command, indexed_workspace: Path, tmp_path: Path
) -> None:
    """An edit of a name is no change of an index."""
    first = document_of(ggrep("workspace", "manifest", indexed_workspace, "--json"))
    path = Path(str(first["manifestPath"]))
    kept = path.read_bytes()
    fits(stable_json.loads(kept), "workspace_manifest")
    indexed_workspace.write_text(
        indexed_workspace.read_text().replace('"alias": "shop"', '"alias": "store"')
    )
    again = document_of(ggrep("workspace", "manifest", indexed_workspace, "--json"))
    (tmp_path / "shop" / "new.py").write_text("def brand_new():\n    return 1\n")
    ggrep("index", "shop")
    third = document_of(ggrep("workspace", "manifest", indexed_workspace, "--json"))

    assert [each["written"] for each in (first, again, third)] == [True, False, True]
    assert first["manifestHash"] == again["manifestHash"] != third["manifestHash"]
    assert path.read_bytes() != kept
    shown = ggrep("workspace", "manifest", indexed_workspace)
    assert str(third["manifestHash"]) in shown.out
    assert "unchanged" in shown.out


def test_status_says_what_can_be_searched(ggrep: Command, workspace: Path, home: Path) -> None:
    """And doctor what to type where it cannot; then there is nothing left to do."""
    ggrep("index", "shop")
    shown = ggrep("workspace", "status", workspace)
    reported = document_of(ggrep("workspace", "status", workspace, "--json"))
    ill = ggrep("workspace", "doctor", workspace)
    robot = ggrep("workspace", "doctor", workspace, "--json")
    for name in WORKSPACE_NAMES:
        ggrep("index", name)
    well = ggrep("workspace", "doctor", workspace)

    lines = [line.split() for line in shown.out.splitlines()[1:]]
    assert [line[:2] for line in lines] == [
        ["gateway", "none"],
        ["ledger", "none"],
        ["shop", "ready"],
    ]
    assert "ggrep workspace doctor" in shown.err
    repos = reported["repos"]
    assert isinstance(repos, list)
    assert [repo["perMode"]["code"]["present"] for repo in repos] == [False, False, True]
    assert ill.status == robot.status == 1
    command = f"ggrep workspace build {workspace}"
    assert ill.out.startswith(f"! gateway, ledger: no index\n    {command}\n")
    assert document_of(robot)["ok"] is False
    assert (well.status, well.out) == (0, "no problems\n")


def test_a_broken_pointer_breaks_no_other(
    ggrep: Command, indexed_workspace: Path, home: Path
) -> None:
    """Its rows say so in every view."""
    store_files.active_file(the_store(home, "ledger")).write_text("../../etc")

    shown = ggrep("workspace", "status", indexed_workspace)
    catalog = document_of(ggrep("workspace", "catalog", indexed_workspace, "--json"))
    doctor = ggrep("workspace", "doctor", indexed_workspace)

    assert shown.status == 0
    assert "ACTIVE_SNAPSHOT does not contain a snapshot id" in shown.err
    repos = catalog["repos"]
    assert isinstance(repos, list)
    assert [repo["snapshotId"] is None for repo in repos] == [False, True, False]
    assert f"ggrep repair --path {indexed_workspace.parent}/ledger" in doctor.out


def test_what_a_dead_workspace_left_is_collected(
    ggrep: Command, indexed_workspace: Path, home: Path
) -> None:
    """After the days of grace, and when somebody says so."""
    ggrep("workspace", "manifest", indexed_workspace)
    (directory,) = (home / "cache" / "federation").iterdir()
    os.utime(directory, (0, 0))
    os.utime(next(directory.iterdir()), (0, 0))
    living = ggrep("workspace", "gc", "--force", "--json")
    indexed_workspace.unlink()

    looked = ggrep("workspace", "gc")
    robot = document_of(ggrep("workspace", "gc", "--json"))
    forced = ggrep("workspace", "gc", "--force")
    after = ggrep("workspace", "gc", "--grace-days", "0")

    assert document_of(living)["candidates"] == []
    assert f"would delete {directory}" in looked.out
    assert "--force" in looked.err
    assert robot["dry_run"] is True
    assert f"deleted {directory}" in forced.out
    assert not directory.exists()
    assert after.out == ""


def test_disabled_repositories_are_not_built_unasked(ggrep: Command, workspace: Path) -> None:
    workspace.write_text(workspace.read_text().replace('"alias"', '"enabled": false, "alias"'))

    built = ggrep("workspace", "build", workspace, "--json")

    assert built.status == 0
    assert document_of(built)["diagnostics"] == {
        "total": 0,
        "failed": 0,
        "skipped": 0,
        "entries": [],
    }


@pytest.mark.slow
def test_a_build_tells_of_each_repository(ggrep: Command, workspace: Path) -> None:
    """The sound ones are built though one is not; the manifest is written all the same."""
    (workspace.parent / "gateway" / ".ggrep.toml").write_text("not toml [")

    built = ggrep("workspace", "build", workspace, "--encoder", "hashed", "--json")
    strict = ggrep(
        *("workspace", "build", workspace, "--strict", "--concurrency", "1", "--json"),
    )

    reported, stopped = document_of(built), document_of(strict)
    assert built.status == strict.status == 1
    entries = reported["diagnostics"]["entries"]  # type: ignore[index] # the schema says so
    assert [entry["alias"] for entry in entries] == list(WORKSPACE_NAMES)
    assert [entry["status"] for entry in entries] == ["failed", "passed", "passed"]
    assert "toml" in entries[0]["error"]
    assert Path(str(reported["manifestPath"])).is_file()
    assert "[3/3]" in built.err
    entries = stopped["diagnostics"]["entries"]  # type: ignore[index] # the schema says so
    assert [entry["status"] for entry in entries] == ["failed", "skipped", "skipped"]


def two(house: Household) -> Path:
    """Return a workspace of two small repositories."""
    house.repo("one")
    house.repo("two")
    file = house.base / "ws.jsonc"
    file.write_text(
        '{"schemaVersion": 1, "name": "ws", "repos": ['
        '{"root": "one", "alias": "one"}, {"root": "two", "alias": "two"}]}'
    )
    return file


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_build_leaves_no_process(house: Household, number: int) -> None:
    file = two(house)
    process = house.start("workspace", "build", file, cwd=house.base)
    try:
        eventually(lambda: house.processes(WORKER))
    finally:
        process.send_signal(number)
        outcome = finish(process)

    assert outcome.status == 12
    assert "interrupted" in outcome.err
    eventually(lambda: not house.processes())


@pytest.mark.slow
def test_a_build_ends_as_its_worker_was_ended(house: Household) -> None:
    file = two(house)
    process = house.start("workspace", "build", file, "--json", cwd=house.base)
    eventually(lambda: house.processes(WORKER))
    for child in house.processes(WORKER):
        os.kill(child, signal.SIGTERM)

    outcome = finish(process)

    assert outcome.status == -signal.SIGTERM
    entries = document_of(outcome)["diagnostics"]["entries"]  # type: ignore[index] # as its schema
    assert {entry["signal"] for entry in entries} & {signal.SIGTERM}


@pytest.mark.slow
def test_a_watch_keeps_daemons_up_and_the_manifest_current(house: Household) -> None:
    """Until it is told to stop; the daemons stay."""
    file = two(house)

    def stated() -> Mapping[str, Any]:
        done = house.run_here(main, "workspace", "status", file, "--json", cwd=house.base)
        document: Mapping[str, Any] = done.document
        return document

    process = house.start("workspace", "watch", file, cwd=house.base)
    try:
        # The first look ends with the manifest.
        eventually(lambda: list(house.home.glob("cache/federation/*/*.json")))
        first = house.records()[0].pid
        os.kill(first, signal.SIGKILL)
        eventually(lambda: {record.pid for record in house.records()} - {first})
        eventually(lambda: len(house.records()) == 2)
        for name in ("one", "two"):
            house.settle(house.base / name)
        (house.base / "one" / "new.py").write_text("def brand_new():\n    return 1\n")
        house.run_here(main, "index", "--path", house.base / "one", cwd=house.base)
        kept = Path(str(stated()["manifestPath"]))
        # What a daemon publishes meanwhile is of the manifest, too.
        eventually(lambda: stated()["manifestHash"] in kept.read_text())
    finally:
        process.send_signal(signal.SIGTERM)
        outcome = finish(process)

    assert outcome.status == 0
    assert outcome.out.count("its daemon was started") >= 4
    assert "its daemon has ended" in outcome.out
    assert "2 of 2 enabled repos served" in outcome.err
    assert len(house.records()) == 2
    assert {repo["daemon"]["running"] for repo in stated()["repos"]} == {True}


@pytest.mark.slow
def test_who_asks_daemons_keeps_nothing_of_it(house: Household) -> None:
    """No manifest and no answers: a file that nobody asked for is nobody's to look after."""
    file = two(house)
    house.index(house.base / "one", house.base / "two")
    before = outside(house)

    for run, *flags in (
        (house.run, "--merge", "global"),
        (house.run_inside, "--json", "--stats"),
        (house.run_inside, "--sync"),
    ):
        result = run("invoice", "--workspace", file, *flags, cwd=house.base)
        assert result.status == 0, result.err
    stats = ("--merge", "global", "--stats")
    timed = house.run_inside("invoice", "--workspace", file, *stats, cwd=house.base)
    assert re.search(r"^2 repos in \d+ ms(: .+|)$", timed.err, re.MULTILINE), timed.err
    for name in sorted({name for name, *_ in LOOKS}):
        assert house.run_here(main, "workspace", name, file, cwd=house.base).status == 0
    for name in ("one", "two"):
        house.settle(house.base / name)

    assert len(house.records()) == 2
    assert outside(house) == before
    ours = {"cache", "daemon", "data", "locks", "logs"}
    assert {path.name for path in house.home.iterdir()} <= ours
    assert list(house.home.rglob("*manifest.json")) == list(
        house.home.glob("data/*/snapshots/*/*manifest.json")
    )


def outside(house: Household) -> dict[str, tuple[int, bytes]]:
    return {path: kept for path, kept in tree_of(house.base).items() if not path.startswith("h/")}


@pytest.mark.slow
def test_one_look_starts_what_is_missing(house: Household) -> None:
    """For scripts: one host for all, and a line for each as JSON."""
    file = two(house)

    looked = house.run("workspace", "watch", file, "--once", "--json", cwd=house.base)
    again = house.run_here(main, "workspace", "watch", file, "--once", cwd=house.base)

    events = [stable_json.loads(line) for line in looked.out.splitlines()]
    for event in events:
        fits(event, "workspace")
    assert [event["event"] for event in events[:2]] == ["daemon_started", "daemon_started"]
    assert len(house.hosts()) == 1
    assert looked.status == again.status == 0
    assert "daemon" not in again.out
    assert "2 of 2" in again.err


@pytest.mark.slow
def test_a_process_ends_by_the_signal_it_is_told(tmp_path: Path) -> None:
    """Even by one that python would make an exception of."""
    ends = [
        finish(
            start(
                home=tmp_path,
                run=(
                    "-c",
                    f"from ggrep.interfaces.cli.workspaces.build import end_as; end_as({number})",
                ),
            )
        ).status
        for number in (signal.SIGINT, signal.SIGKILL)
    ]

    assert ends == [-signal.SIGINT, -signal.SIGKILL]
