"""What the program tells people to run is run here, as it is printed.

A new string that holds a command, or a new call of `on_root`, has to be put into one of the tables.
"""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from ggrep.interfaces.agents.instructions import AT_THE_SHELL
from tests.fakes.repos import write_tree
from tests.hints.printed import on_roots, templates
from tests.journeys.command import WORDS, Command, Outcome

NO_INDEX = "this repository has no index yet; run: ggrep index"

FOLLOWED = {
    NO_INDEX,
    "ggrep repair",
    "none yet; run: ggrep index",
    "no stores yet; run: ggrep index\n",
    "there is no store {}; see: ggrep list",
    "invalid store id: {}; see: ggrep list",
    "to merge anyway: ggrep compact --force\n",
    "{} skipped (see: ggrep health)",
    "for fixes: ggrep workspace doctor FILE",
    "ggrep workspace remove FILE {}",
    "ggrep workspace build FILE",
    "--watch requires a terminal; to print the status once: ggrep status --all",
    "--watch requires a terminal; to print the status once: ggrep workspace status FILE",
    "ggrep expand ",
    "ggrep expand --workspace {} {}:",
    "ggrep slate {} --level {}",
    "ggrep search {}",
    "ggrep slate {}",
}
"""Those that a test below has printed, and then types."""

TYPED = {
    "{} has no index yet; progress: ggrep status": "status",
    "nothing was deleted; to delete: ggrep gc --force\n": "gc --force",
    "nothing was deleted; to delete: ggrep gc --stores --force\n": "gc --stores --force",
    "nothing was deleted; to delete: ggrep workspace gc FILE --force\n": (
        "workspace gc FILE --force"
    ),
    "the daemon runs ggrep {}, whose protocol differs from that of version {}; to end "
    "the daemon: ggrep stop": ("stop"),
    "problems while indexing: {}{}; ggrep health names them": "health",
    "to try again: ggrep index": "index",
    "indexing was cancelled; to index this repository: ggrep index": "index",
    "{}; include fewer files, raise max_bytes_indexed, or index only a part: ggrep "
    "index --allow-degraded": ("index --allow-degraded"),
    "{} is damaged; rebuilding it takes longer than the timeout of this request; ask again, "
    "or run: ggrep repair": "repair",
    "snapshot {} has {} segments, more than max_open_segments_per_query; run: ggrep index": "index",
    "{}; run: ggrep repair": "repair",
    "remove the cause, or build a new index: ggrep index --reset": "index --reset",
    "; to see unused indexes: ggrep gc --stores": "gc --stores",
    "to index the repository: ggrep index": "index",
    "the index is being built, see: ggrep status": "status",
    "`ggrep health` in the repository lists them": "health",
    "ggrep index": "index",
    "{}; to end the daemon: ggrep stop": "stop",
    "use a larger timeout_ms; `ggrep stop` ends a daemon that hangs": "stop",
    "a name must be one line of 1 to {} characters as `ggrep outline FILE` prints it; "
    "`ggrep search` "
    "takes any text": "search alpha",
    "segment {} lacks the columns {}; run: ggrep index --reset": "index --reset",
    "{}: {}; ggrep health names them": "health",
    "{} was indexed under other settings or by another build: reindex required; run: ggrep index": (
        "index"
    ),
    "run `ggrep index` in the repository, or try again later": "index",
    "{}: {} {} is older than {}: reindex required; run: ggrep index --reset": "index --reset",
    "ggrep slate {} --session new": "slate alpha --session new",
    "run: ggrep workspace validate {}": "workspace validate FILE",
    "no agent was found; to configure one by its name: ggrep install "
    "CLIENT": "install zed --dry-run",
    "no completions are known for this shell; see: ggrep help completion": "help completion",
    "no client was found; name a client, or list them: ggrep install --list\n": "install --list",
    "not configured to use ggrep; to configure them run `ggrep install`: {}": "install --dry-run",
    "ggrep install --refresh": "install --refresh --dry-run",
    "if it was moved: ggrep workspace add FILE {}": "workspace validate FILE",
    "ggrep remote add origin URL": "remote add origin file://FILE.d",
    "no ray cluster answers at {}: {}; how to start one: ggrep doctor --cluster": (
        "doctor --cluster"
    ),
    "no remote is configured; to add one: ggrep remote add origin URL": "remote add origin file://FILE.d",
    "no remote is configured; to add one: ggrep remote add origin URL\n": "remote add origin file://FILE.d",
    "ggrep remote gc {} --force{}": "remote gc --force",
    "the team server {} is not registered on this machine, so nothing was sent; to register it, "
    "run: ggrep remote add NAME {} --token-env VARIABLE": (
        "remote add team https://code.example.com --token-env VARIABLE"
    ),
    "the index is still being built; run: ggrep index": "index",
    "the index is incomplete: {}; run: ggrep index": "index",
    "remote {}: the object {}, which lists the objects of a snapshot, is missing; nothing was "
    "deleted; to restore it, on the machine that pushed the snapshot: ggrep push --again": (
        "push --again"
    ),
    "{} is not a repository; to push a repository: ggrep push DIRECTORY; to push all of a "
    "workspace: ggrep workspace build FILE --push": "workspace build FILE --push",
    "ggrep health": "health",
    "ggrep stop-all": "stop-all",
    "ggrep gc --stores": "gc --stores",
}
"""Those that take a damaged, an old or a huge store to be printed: here their commands are typed
where all is well."""

ON_ROOT = {
    "index": "index",
    "index --reset": "index --reset",
    "index --yes": "index --yes",
    "health": "health",
    "repair": "repair",
    "stop": "stop",
}

NOT_TYPED = {
    "the file {} does not exist; to create it: ggrep check --init 'QUESTION'": "needs a question",
    "ggrep stop": "why a daemon was ended, for its log",
    "\\b(ggrep workspace [a-z]+ )FILE\\b": "a pattern",
    "not a report of ggrep eval": "names what made a file",
    "ggrep check": "names what made a report",
    "--baseline: {} is not a report of ggrep check --json: {}": "names what made a report",
    "### ggrep check {}: {}": "a heading",
    "Undo ggrep install.": "what a command is for",
    "the address is not valid or was already used; for a new one: ggrep ui": "never ends",
    "EDITOR: {}; to print the place: ggrep pick --print": "needs a terminal",
    "ggrep slate ...": "says that a question goes on",
    "ggrep slate {} --session TOKEN --delta-only": "TOKEN is the one that stands above it",
    "start `ggrep mcp` with --workspace FILE or --allowed-root DIRECTORY;"
    " ask the operator of a team server": "never ends",
    AT_THE_SHELL: "help, whose lines tests of the documentation parse",
}

LINE = re.compile(r"\bggrep [a-z][^\n;()`]*?(?=\s{2}|[\n;()`]|$)")


def test_every_hint_of_the_source_stands_in_a_table() -> None:
    """A hint that nobody types is sooner or later wrong."""
    known = FOLLOWED | set(TYPED) | set(NOT_TYPED)

    assert {text: place for text, place in templates().items() if text not in known} == {}
    assert known - set(templates()) == set(), "no longer printed"
    assert set(on_roots()) == set(ON_ROOT)


def follow(ggrep: Command, said: str) -> Outcome:
    """Type the first command that was said."""
    answer = LINE.search(said)
    assert answer, said
    return ggrep(*shlex.split(answer[0])[1:])


@pytest.fixture
def far(repo: Path, tmp_path: Path) -> Path:
    """Return another tree than the one that we stand in, with a blank in its path."""
    result = tmp_path / "far away"
    write_tree(result, WORDS)
    return result


@pytest.mark.slow
def test_commands_are_accepted_and_do_their_work(ggrep: Command, indexed: Path) -> None:
    """None of them may end in a usage error."""
    file = indexed.parent / "ws.jsonc"
    assert ggrep("workspace", "init", file, indexed).status == 0
    write_tree(indexed, {".ggrep.toml": 'repo_key = "team/shop"\n'})
    Path(f"{file}.d").mkdir()
    assert ggrep("remote", "add", "origin", f"file://{file}.d").status == 0
    lines = {*TYPED.values(), *ON_ROOT.values()}
    done = {line: ggrep(*shlex.split(line.replace("FILE", str(file)))) for line in sorted(lines)}

    assert {line: each.err for line, each in done.items() if each.status != 0} == {}


def test_where_there_is_no_index_the_command_makes_one(ggrep: Command, far: Path) -> None:
    """Of the repository that was asked for, not of the one that we stand in."""
    shown = ggrep("status", "--path", far)
    refused = ggrep("health", "--path", far)
    done = follow(ggrep, refused.err)

    assert "none yet; run: ggrep index --path" in shown.out
    assert (refused.status, done.status) == (1, 0)
    assert ggrep("health", "--path", far).status == 0
    assert ggrep("health").status == 1


def test_the_first_index_of_a_home(ggrep: Command, repo: Path) -> None:
    """An empty list says how it is filled."""
    empty = ggrep("list")

    assert follow(ggrep, empty.err + empty.out).status == 0
    assert "run:" not in ggrep("list").err


def test_a_damaged_store_is_repaired_where_it_is(ggrep: Command, far: Path, home: Path) -> None:
    """And so it is with compaction, and with skipped files."""
    (far / "big.py").write_bytes(bytes(range(256)) * 4)
    made = ggrep("index", "--path", far)
    (data,) = sorted((home / "data").glob("*/seg_*.lance/data/*"))[:1]
    data.write_bytes(data.read_bytes()[:-8])
    ill = ggrep("audit", "--path", far)
    mended = follow(ggrep, ill.out)
    idle = ggrep("compact", "--path", far)

    assert (ill.status, mended.status) == (1, 0)
    assert ggrep("audit", "--path", far).status == 0
    assert follow(ggrep, idle.err).status == 0
    assert follow(ggrep, made.err).status == 0


def test_what_is_to_be_looked_up_is_found(ggrep: Command, indexed: Path) -> None:
    """Ids of stores, daemons where no terminal is, places around a hit, and deeper slates."""
    body = "".join(f"    total += {n}\n" for n in range(150))
    two = "".join(f"def {name}(total):\n{body}    return total\n\n\n" for name in ("one", "two"))
    (indexed / "c.py").write_text(two)
    assert ggrep("index").status == 0
    place = ggrep("expand", "c.py:1", "--boundary", "chunk")
    file = indexed.parent / "one.jsonc"
    assert ggrep("workspace", "init", file, indexed).status == 0
    target = f"{indexed.name}:c.py:1"
    there = ggrep("expand", target, "--boundary", "chunk", "--workspace", file, "--offline")
    slate = ggrep("slate", "alpha needle", "--level", "0")
    messages = [
        place.out,
        there.out,
        ggrep("clean", "none").err,
        ggrep("clean", "none-0123456789ab-0123456789ab-0123456789ab").err,
        ggrep("status", "--watch").err,
        ggrep("workspace", "status", file, "--watch").err,
        slate.out,
    ]

    assert [follow(ggrep, each).status for each in messages] == [0] * len(messages)


def test_a_check_that_fails_says_how_its_answer_is_seen(
    ggrep: Command, indexed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hits and the slate, as they were judged, from another directory than the file's."""
    (indexed / "own.toml").write_text(
        'version = 1\n[[checks]]\nid = "one"\nquery = "-alpha needle"\nlimit = 3\n'
        'expect_any = ["no.py"]\nplace = "no.py:1-2"\nmax_bytes = 2048\n'
    )
    (indexed / "below").mkdir()
    monkeypatch.chdir(indexed / "below")
    done = ggrep("check", "../own.toml")
    lines = [line.strip() for line in done.out.splitlines() if "to see" in line]
    seen = [follow(ggrep, line.removeprefix("to see").strip()) for line in lines]

    assert done.status == 1
    assert [each.status for each in seen] == [0, 0], [each.err for each in seen]
    assert all("a.py" in each.out for each in seen)


@pytest.mark.parametrize("command", ["search", "slate"])
def test_a_merge_that_nobody_chose_is_mended_either_way(
    ggrep: Command, indexed: Path, far: Path, command: str
) -> None:
    """By the flag, and by the line in the file; the doctor's line is the same one."""
    assert ggrep("index", "--path", far).status == 0
    file = indexed.parent / "bare.jsonc"
    repos = f'"repos": [{{"root": "{indexed}"}}, {{"root": "{far}"}}]'
    bare = f'{{\n  "schemaVersion": 1,\n  {repos}\n}}\n'
    file.write_text(bare)
    asked = (command, "alpha needle", "--workspace", file, "--offline")
    output = ggrep(*asked)
    (note,) = [line for line in output.err.splitlines() if "merged by rank only" in line]
    flag = re.search(r"--merge \w+", note)
    doctor = ggrep("workspace", "doctor", file)
    (advised,) = [line.strip() for line in doctor.out.splitlines() if '"merge"' in line]
    assert flag
    assert "rank alone" not in ggrep(*asked, *flag[0].split()).err
    assert "rank alone" not in ggrep(*asked, "--merge", "rrf").err
    assert "rank alone" not in ggrep(*asked, "--json").err

    for line in (note.rpartition("jsonc: ")[2] + ",", advised):
        file.write_text(bare.replace("{\n", f"{{\n  {line}\n", 1))
        assert "rank alone" not in ggrep(*asked).err, line
        assert "rank alone" not in ggrep("workspace", "doctor", file).out
    assert doctor.status == 0


@pytest.mark.deep
def test_a_workspace_s_hints_name_its_file(ggrep: Command, indexed: Path, tmp_path: Path) -> None:
    """From wherever it was asked, blanks and all."""
    file = tmp_path / "my ws.jsonc"
    for name in ("cold", "lost", "off"):
        write_tree(tmp_path / name, WORDS)
    roots = [tmp_path / name for name in ("cold", "lost", "off")]
    assert ggrep("workspace", "init", file, indexed, *roots).status == 0
    file.write_text(file.read_text().replace('"off" }', '"off", "enabled": false }'))
    shutil.rmtree(tmp_path / "lost")

    status = ggrep("workspace", "status", file)
    wrong = ggrep("workspace", "validate", file)
    doctor = follow(ggrep, status.err.splitlines()[-1])
    asked = {
        "cold": ("alpha", "--workspace", file, "--offline", "--only", "cold"),
        "off": ("alpha", "--workspace", file, "--offline", "--select", "off", "--only", "off"),
    }
    built = {name: follow(ggrep, ggrep(*line).err) for name, line in asked.items()}
    removed = follow(ggrep, wrong.err)

    assert doctor.status == 1
    assert "ggrep workspace remove" in doctor.out
    # The one that is lost fails the build of all; those that are there are built.
    assert {name: each.status for name, each in built.items()} == {"cold": 1, "off": 1}
    assert {name: ggrep(*line).status for name, line in asked.items()} == {"cold": 0, "off": 0}
    assert removed.status == 0
    assert ggrep("workspace", "validate", file).status == 0
