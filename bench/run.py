"""Benchmarks: ratios against something measured in the same run, interleaved.

    python3 dev.py bench            all of them
    python3 dev.py bench index      CPU and memory of indexing the standard library
    python3 dev.py bench query      a warm query against one LanceDB flat vector query
    python3 dev.py bench latency    a warm query, in ms and against raw scoring, stage by stage
    python3 dev.py bench slate [FOLDER]
                                    a slate against the plain search of the same question, stage
                                    by stage; over the repositories of `quality --slates FOLDER`
                                    too
    python3 dev.py bench unchanged  a sync of an unchanged tree against `git status`
    python3 dev.py bench publish    one changed file in a large index against a small one
    python3 dev.py bench save       from a save to the first search that finds it, under a daemon
    python3 dev.py bench first-answer [FOLDER ...] [all]
                                    the first answer over trees without an index, the standard
                                    library and the installed packages unless folders are named:
                                    how soon it comes, and how it agrees with the index; `all`
                                    indexes large trees for that, too
    python3 dev.py bench first-search [FOLDER QUESTION FILE]
                                    the first search of a repository of 250 files, from nothing and
                                    with its index, against codegraph's index and first query; npm
                                    and pip fetch what it needs, so it is no part of all of them
    python3 dev.py bench size       bytes of an index against those of its text
    python3 dev.py bench encoders [--model FOLDER]
                                    text to vectors: static, hashed, and MiniLM where installed
    python3 dev.py bench encoder-index
                                    an index with the shipped encoder, with hashed, with MiniLM
    python3 dev.py bench daemon     a daemon, from the shell and under load; daemon-PART for one of
                                    shell, segments, syncing, clients, deadline, stores, impact
    python3 dev.py bench federation a workspace of daemons; federation-PART for one of overhead,
                                    real, shell
    python3 dev.py bench packages [NUMBER] [FOLDER]
                                    questions over a thousand real packages, asked at once and one
                                    by one; what is fetched and built in FOLDER is kept
    python3 dev.py bench package-answers [NUMBER [QUESTIONS]] [FOLDER]
                                    their answers against those of one store of all files, and what
                                    both take
    python3 dev.py bench package-verdicts [NUMBER [QUESTIONS]] [FOLDER]
                                    whether those that show nothing could have changed an answer, as
                                    it says, against the answer with them
    python3 dev.py bench federated-slate
                                    a slate over ten installed packages, through daemons, against
                                    the search of the same question
    python3 dev.py bench page       from a key press and from opening a link to hits on the screen,
                                    against the page's request alone; needs Chromium
    python3 dev.py bench travel [FOLDER ...]
                                    a checkout that pulls against one that indexes, and what storage
                                    is asked and holds, over parts of the standard library and the
                                    repositories that are named
    python3 dev.py bench cluster [NUMBER] [FOLDER]
                                    packages built by a Ray cluster whose workers and nodes are
                                    killed, against processes here; needs the extras `cluster` and
                                    `deep`, and is no part of all of them
    python3 dev.py bench team [NUMBER] [FOLDER] [answers|kills|head|store|costs ...]
                                    a team server on three Ray nodes, over SeaweedFS and packages:
                                    its answers against those of one machine, and while nodes,
                                    coordinator and storage fail; needs the extras `cluster` and
                                    `deep`, and is no part of all of them
    python3 dev.py bench soak [MINUTES]
                                    memory of a host and a coordinator while ten repositories are
                                    edited and asked; 30 minutes, and no part of all of them
    python3 dev.py bench approximate [ROWS] [real]
                                    every vector compared, against LanceDB's approximate indexes
    python3 dev.py bench definitions [LANGUAGE ...]
                                    chunks against universal-ctags' definitions; fetches packages
    python3 dev.py bench everyday [FOLDER]
                                    forty tasks at the shell beside rg, semble and codegraph, which
                                    are fetched and kept in FOLDER; no part of all of them
    python3 dev.py bench peers FOLDER [--only TREE,...] [--linux SOURCE] [--turns N] [--install]
                               [--write]
                                    the same questions of ggrep, ripgrep, git grep, semble and
                                    codegraph over Python's library, C and the kernel's source; what
                                    is built is kept in FOLDER; no part of all of them

Absolute times depend on the machine and its neighbours; the ratios are what to compare.
"""

import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

SITE = Path(sysconfig.get_path("purelib"))
ROOT = Path(__file__).resolve().parents[1]
STDLIB = Path(os.__file__).resolve().parent
BARE_PARSE = """
import sys
from collections.abc import Callable
from pathlib import Path
from tree_sitter_language_pack import get_parser
parser = get_parser("python")
for path in sorted(Path(sys.argv[1]).rglob("*.py")):
    parser.parse(path.read_bytes())
"""
DAEMON_PARTS = ("shell", "segments", "syncing", "clients", "deadline", "stores", "impact")
PACKAGE_PARTS = ("packages", "package-answers", "package-verdicts")
WITH_ARGUMENTS = frozenset(
    {"approximate", "encoders", "first-answer", "first-search", "slate", "travel", *PACKAGE_PARTS}
)
FEDERATION_PARTS = ("overhead", "real", "shell")
QUERIES = (
    "parse command line arguments",
    "open a file for reading",
    "HTTPConnection",
    "cancel a running task",
    "compile a regular expression pattern",
    "thread safe queue with timeout",
    "escape html characters",
    "read zip archive member",
    "format a date as string",
    "unit test setup and teardown",
)


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all."""
    if names[:1] == ["definitions"]:
        command = [sys.executable, "-m", "tests.oracle.table", *names[1:]]
        return subprocess.run(command, cwd=ROOT, check=False).returncode
    if names and names[0] in APART:
        with tempfile.TemporaryDirectory(prefix="ggrep-bench-") as folder:
            APART[names[0]](Path(folder), names[1:])
        return 0
    given: dict[str, list[str]] = {}
    if names[:1] and names[0] in WITH_ARGUMENTS:
        names, given[names[0]] = names[:1], names[1:]
    shape, model = given.get("approximate", []), given.get("encoders", [])
    trees, folders = given.get("first-answer", []), given.get("slate", [])
    sought = given.get("first-search", [])
    repositories = Path(folders[0]) if folders else None
    known: dict[str, Callable[[Path], None]] = {
        "index": bench_index,
        "query": bench_query,
        "latency": bench_latency,
        "slate": partial(bench_slate, repositories=repositories),
        "unchanged": bench_unchanged,
        "publish": bench_publish,
        "save": bench_save,
        "first-answer": partial(bench_first_answer, arguments=trees),
        "size": bench_size,
        "encoders": partial(bench_encoders, arguments=model),
        "encoder-index": bench_encoder_index,
        "daemon": bench_daemon,
        "federation": bench_federation,
        "federated-slate": bench_federated_slate,
        "approximate": partial(bench_approximate, shape=shape),
        "page": bench_page,
        "travel": partial(bench_travel, folders=given.get("travel", [])),
    }
    parts = {f"daemon-{part}": partial(bench_daemon, parts=(part,)) for part in DAEMON_PARTS} | {
        f"federation-{part}": partial(bench_federation, parts=(part,)) for part in FEDERATION_PARTS
    }
    parts["first-search"] = partial(bench_first_search, arguments=sought)
    known |= {
        part: partial(bench_packages, part=part, arguments=given.get(part, []))
        for part in PACKAGE_PARTS
    }
    for name in names or list(known):
        if name not in known | parts:
            print(f"no benchmark named {name}; there are {', '.join(known)}", file=sys.stderr)
            return 2
        with tempfile.TemporaryDirectory(prefix="ggrep-bench-") as folder:
            (known | parts)[name](Path(folder))
    return 0


def bench_packages(work: Path, part: str, arguments: Sequence[str] = ()) -> None:
    """A thousand real packages, each a repository."""
    from bench.federation_packages import MANY, measure_packages
    from bench.package_answers import measure_answers
    from bench.package_verdicts import measure_verdicts

    parts = dict(
        zip(PACKAGE_PARTS, (measure_packages, measure_answers, measure_verdicts), strict=True)
    )
    numbers = [int(one) for one in arguments if one.isdigit()]
    folders = [Path(one).resolve() for one in arguments if not one.isdigit()]
    print(*parts[part](folders[0] if folders else work, *(numbers or [MANY])), sep="\n")


def bench_approximate(work: Path, shape: Sequence[str] = ()) -> None:
    """The int8 product over every row against LanceDB's IVF."""
    from bench.approximate import measure

    rows = next((int(word) for word in shape if word.isdigit()), 250_000)
    for line in measure(work, rows, real="real" in shape):
        print(line)


def bench_first_answer(work: Path, arguments: Sequence[str] = ()) -> None:
    """The first answer over trees of which nothing is indexed."""
    from bench.first_answer import measure

    trees = [Path(name) for name in arguments if name != "all"] or [STDLIB, SITE]
    for line in measure(trees, work, every="all" in arguments):
        print(line, flush=True)


def bench_first_search(work: Path, arguments: Sequence[str] = ()) -> None:
    """The first search of a small repository against another program's."""
    from bench.first_search import measure

    for line in measure(work, arguments):
        print(line, flush=True)


def bench_index(work: Path) -> None:
    """CPU of indexing the standard library against bare parsing of the same files."""
    tree = _copy_sources(work / "tree")
    files = sum(1 for _ in tree.rglob("*.py"))
    ratios, peaks = [], []
    for turn in range(3):
        bare, _ = _cpu([sys.executable, "-c", BARE_PARSE, str(tree)], work)
        index = [sys.executable, "-m", "ggrep", "index", str(tree)]
        cpu, peak = _cpu([*index, "--plain"], work, home=work / f"home-{turn}")
        ratios.append(cpu / bare)
        peaks.append(peak)
        print(f"index: run {turn + 1}: bare parse {bare:.2f} CPU-s, index {cpu:.2f} CPU-s")
    print(
        f"index: {files} files: {statistics.median(ratios):.2f}x the CPU of a bare parse "
        f"(goal < 4), largest process {max(peaks):.0f} MB (goal < 700)"
    )


def bench_query(work: Path) -> None:
    """Median query time against one LanceDB flat float16 query over as many rows."""
    for label, fill in (("standard library", _copy_stdlib), ("100,000 chunks", _copy_large)):
        tree = fill(work / label.replace(" ", "-"))
        _compare_query(label, tree, work / f"home-{len(label)}")


def bench_latency(work: Path) -> None:
    """Warm queries over about 20,000 and 100,000 chunks, with vectors and without."""
    from bench.latency import measure

    for name, fill, goal_ms in (("small", _copy_small, 15.0), ("large", _copy_middle, 25.0)):
        tree = fill(work / name)
        for encoder in ("none", "static"):
            found = measure(tree, work / f"home-{name}", encoder, QUERIES)
            print("\n".join(found.lines(goal_ms)), flush=True)


def bench_slate(work: Path, repositories: Path | None = None) -> None:
    """Slates against plain searches, over about 20,000 chunks and over the suite's repositories."""
    from bench.slate_latency import measure

    for line in measure(work, _copy_small(work / "tree"), QUERIES, repositories):
        print(line, flush=True)


def bench_unchanged(work: Path) -> None:
    """A sync that finds nothing to do."""
    from bench.unchanged import measure

    print("\n".join(measure(work)), flush=True)


def bench_publish(work: Path) -> None:
    """Publishing one changed file over about 100,000 chunks and over about 1,000."""
    from bench.publishing import measure

    print("\n".join(measure(_copy_middle(work / "large"), STDLIB, work)), flush=True)


def bench_save(work: Path) -> None:
    """From a save to the first search that finds it, over 2,000 files."""
    from bench.saving import measure

    print("\n".join(measure(work, SITE)), flush=True)


def bench_size(work: Path) -> None:
    """What an index of the standard library takes on disk."""
    from bench.size import measure

    print("\n".join(measure(_copy_stdlib(work / "tree"), work)), flush=True)


def bench_encoders(work: Path, arguments: Sequence[str] = ()) -> None:
    """Chunks a second of each encoder, over ggrep's own text and installed packages."""
    from ggrep.config.settings import compute_in_one_thread

    compute_in_one_thread()  # before numpy is imported
    from bench.encoders import measure, model_given

    for line in measure(work, (ROOT / "ggrep", SITE), model_given(arguments)):
        print(line, flush=True)


def bench_encoder_index(work: Path) -> None:
    """Indexing with the shipped encoder against the hashed one and a transformer."""
    from bench.encoder_index import measure

    def cpu(command: list[str], work: Path, home: Path) -> float:
        return _cpu(command, work, home)[0]

    for line in measure(_copy_sources(work / "tree"), work, cpu):
        print(line, flush=True)


def bench_daemon(work: Path, parts: tuple[str, ...] = DAEMON_PARTS) -> None:
    """A daemon asked from the shell, over many segments, while it syncs and by many."""
    from bench.daemon import measure

    for line in measure(work, _copy_large, _copy_small, parts):
        print(line, flush=True)


def bench_federation(work: Path, parts: tuple[str, ...] = FEDERATION_PARTS) -> None:
    """A workspace asked through its daemons."""
    from bench.federation import measure

    for line in measure(work, parts):
        print(line, flush=True)


def bench_federated_slate(work: Path) -> None:
    """Slates over ten repositories against searches of them."""
    from bench.federated_slate import measure

    for line in measure(work):
        print(line, flush=True)


def bench_page(work: Path) -> None:
    """The page for browsers over about 70,000 chunks."""
    from bench.page_latency import measure

    print(*measure(work, _copy_stdlib(work / "tree")), sep="\n", flush=True)


def bench_everyday(work: Path, folders: Sequence[str] = ()) -> None:
    """Everyday tasks at the shell, beside other tools."""
    from bench.everyday import measure

    for line in measure(work, Path(folders[0]).resolve() if folders else None):
        print(line, flush=True)


def bench_peers(work: Path, arguments: Sequence[str] = ()) -> None:
    """The same questions of ggrep and of other programs."""
    from bench.peers import measure

    for line in measure(arguments):
        print(line, flush=True)


def bench_travel(work: Path, folders: Sequence[str] = ()) -> None:
    """Pulls against indexes, and the objects of a remote."""
    from bench.travel import measure

    for line in measure(work, folders):
        print(line, flush=True)


def bench_cluster(work: Path, arguments: Sequence[str] = ()) -> None:
    """Packages built on a cluster."""
    from bench.cluster import measure

    for line in measure(work, arguments):
        print(line, flush=True)


def bench_team(work: Path, arguments: Sequence[str] = ()) -> None:
    """A team server on a cluster, and its losses."""
    from bench.team_server import measure

    for line in measure(work, arguments):
        print(line, flush=True)


def bench_soak(work: Path, minutes: Sequence[str] = ()) -> None:
    """Memory over a long time of edits and searches."""
    from bench.soak import soak

    for line in soak(work, *map(float, minutes)):
        print(line, flush=True)


APART = {
    "everyday": bench_everyday,
    "peers": bench_peers,
    "cluster": bench_cluster,
    "team": bench_team,
    "soak": bench_soak,
}
"""No part of all of them: they take long, or what no machine has by itself."""


def _compare_query(label: str, tree: Path, home: Path) -> None:
    import lancedb
    import numpy as np
    import pyarrow as pa

    from ggrep.config.home import Home
    from ggrep.model.request import SearchRequest
    from ggrep.search.engine.engine import Engine

    engine = Engine(tree, Home(home), flags={"encoder": "static"})
    chunks = engine.sync().chunks
    found = [segment.image for segment in engine.view().segments]
    parts = [part for image in found for part in image.vectors()]
    vectors = np.concatenate(parts).astype(np.float16)
    columns = {"id": pa.array(range(len(vectors)))}
    flat = pa.array(vectors.reshape(-1), type=pa.float16())
    columns["vector"] = pa.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
    table = lancedb.connect(str(home / "bare")).create_table("rows", data=pa.table(columns))
    ours, theirs = [], []
    for query in QUERIES * 4:
        vector = vectors[hash(query) % len(vectors)].astype(np.float32)
        ours.append(_time(lambda query=query: engine.search(SearchRequest(query))))
        theirs.append(
            _time(
                lambda vector=vector: (
                    table.search(vector).limit(50).select(["id", "_distance"]).to_arrow()
                )
            )
        )
    warm = len(QUERIES)  # the first round opens files
    a, b = statistics.median(ours[warm:]), statistics.median(theirs[warm:])
    ratio = statistics.median(x / y for x, y in zip(ours[warm:], theirs[warm:], strict=True))
    print(
        f"query: {label}: {chunks} chunks: {a:.1f} ms against {b:.1f} ms for one flat float16 "
        f"vector query: {ratio:.2f}x (goal <= 0.5 at 100,000)"
    )


def _time(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return (time.perf_counter() - begun) * 1000


def _cpu(command: list[str], work: Path, home: Path | None = None) -> tuple[float, float]:
    """Return CPU seconds of a command and its children, and the largest process in MB."""
    environ = dict(os.environ, GGREP_HOME=str(home or work / "unused"))
    with subprocess.Popen(command, env=environ, stderr=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def _copy_sources(target: Path) -> Path:
    """Copy the Python files of that library alone, which are what the bare parse reads."""

    def others(folder: str, names: list[str]) -> set[str]:
        kept = {name for name in names if name.endswith(".py") or Path(folder, name).is_dir()}
        return set(names) - (kept - {"site-packages", "__pycache__"})

    shutil.copytree(STDLIB, target, ignore=others, symlinks=True)
    return target


def _copy_stdlib(target: Path) -> Path:
    """Copy the running Python's own library, without what is installed beside it."""
    ignore = shutil.ignore_patterns("site-packages", "__pycache__", "*.so", "*.exe")
    shutil.copytree(STDLIB, target, ignore=ignore, symlinks=True)
    return target


def _copy_small(target: Path) -> Path:
    """Copy the library without its tests: about 20,000 chunks."""
    ignore = shutil.ignore_patterns(
        "site-packages", "__pycache__", "*.so", "*.exe", "test", "tests", "idlelib"
    )
    shutil.copytree(STDLIB, target, ignore=ignore, symlinks=True)
    return target


def _copy_middle(target: Path) -> Path:
    """Copy the library and a few installed packages: about 100,000 chunks."""
    _copy_stdlib(target / "stdlib")
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.so.*", "*.exe")
    for name in ("mypy", "numpy", "pip"):
        if (SITE / name).is_dir():
            shutil.copytree(SITE / name, target / "site" / name, ignore=ignore)
    return target


def _copy_large(target: Path) -> Path:
    """Copy the standard library and installed packages: somewhat over 100,000 chunks."""
    _copy_stdlib(target / "stdlib")
    ignore = shutil.ignore_patterns("__pycache__", "*.so", "*.so.*", "*.exe")
    for package in sorted(SITE.iterdir()):
        if package.is_dir() and not package.name.endswith(".dist-info"):
            shutil.copytree(package, target / "site" / package.name, ignore=ignore)
    return target


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
