"""A question from the shell over 100 MB of text, and a question that is given up."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from bench.serving import (
    CLOCK,
    Host,
    Words,
    load_average,
    median_ratio,
    medians,
    paired,
    search,
    serving,
    sync,
    timed_ms,
)
from ggrep.base.clock import Deadline
from ggrep.base.errors import GgrepError
from ggrep.model.request import SearchRequest
from ggrep.protocol.client.link import Link
from ggrep.protocol.wire.messages import Cancel, Search

ROUNDS = 40
GIVEN_UP = 40
_QUIET_S = 0.15
"""Longer than any query takes: what runs on after its answer has ended by then."""

_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0")


def measure(work: Path, fill: Callable[[Path], Path], parts: tuple[str, ...]) -> Iterator[str]:
    """Yield the lines of both, over one index."""
    tree = fill(work / "tree")
    for command in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-m", "all")):
        subprocess.run([*_GIT, *command], cwd=tree, check=True)
    words = Words(tree)
    # Bytecode is kept, as where ggrep is installed, but apart from the checkout.
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(work / "bytecode")}
    with (
        serving(work / "home", "--path", str(tree), environ=kept) as host,
        host.link(tree) as link,
    ):
        chunks = sync(link)["chunks"]
        for _ in range(20):
            search(link, words.next())
        if "shell" in parts:
            yield from _shell(tree, host, words, chunks)
        if "deadline" in parts:
            yield from _deadline(host, link, words, chunks)


def _shell(tree: Path, host: Host, words: Words, chunks: int) -> Iterator[str]:
    """Compare the command with `rg` and with a Python that does nothing."""
    ggrep = Path(sys.executable).with_name("ggrep")
    size = _text_bytes(tree) / 1e6
    where = f"{size:.0f} MB of text, {chunks:,} chunks"
    rg = shutil.which("rg")
    if rg is None:
        yield "daemon: rg is missing (ripgrep): the wall time is compared with nothing"
    else:
        asked: list[str] = []

        def ours() -> float:
            asked.append(words.next())
            return timed_ms(lambda: _run([str(ggrep), asked[-1]], tree, host.environ))

        def theirs() -> float:
            query = asked[-1] if asked else words.next()
            return timed_ms(lambda: _run([rg, query], tree, host.environ))

        pairs = paired(ours, theirs, ROUNDS)
        a, b = medians(pairs)
        yield (
            f'daemon: warm `ggrep "words"` {a:.0f} ms against `rg words` {b:.0f} ms over {where}: '
            f"{median_ratio(pairs):.2f}x (goal <= 0.5); {load_average()}"
        )
    pairs = paired(
        lambda: _cpu([str(ggrep), words.next()], tree, host.environ),
        lambda: _cpu([sys.executable, "-c", "pass"], tree, host.environ),
        ROUNDS,
    )
    a, b = medians(pairs)
    yield (
        f"daemon: its client's CPU {a:.1f} ms against `python -c pass` {b:.1f} ms: "
        f"{median_ratio(pairs):.2f}x (goal <= 2.5); {load_average()}"
    )


def _deadline(host: Host, link: Link, words: Words, chunks: int) -> Iterator[str]:
    """Compare the CPU that goes on after a query was given up with that of a whole one."""
    whole, took = [], []
    for _ in range(GIVEN_UP):
        before = host.cpu_ms()
        took.append(timed_ms(lambda: search(link, words.next())))
        time.sleep(_QUIET_S)
        whole.append(host.cpu_ms() - before)
    idle = []
    for _ in range(GIVEN_UP):
        before = host.cpu_ms()
        time.sleep(_QUIET_S)
        idle.append(host.cpu_ms() - before)
    full = statistics.mean(whole) - statistics.mean(idle)
    least = statistics.median(took) / 4
    for how in ("its deadline passed", "it was cancelled"):
        after, late, ended = [], [], 0
        for turn in range(GIVEN_UP):
            give_up_ms = max(1.0, least * (1 + turn % 3))
            over_ms, rest_ms, early = _given_up(host, link, words, give_up_ms, how)
            after.append(rest_ms)
            late.append(over_ms)
            ended += early
        rest = statistics.mean(after) - statistics.mean(idle)
        yield (
            f"daemon: a query over {chunks:,} chunks costs {full:.1f} ms of CPU; {rest:.2f} ms "
            f"after its answer when {how} in {ended} of {GIVEN_UP}: {max(rest, 0) / full:.2f}x "
            f"(goal <= 0.10); answered {statistics.median(late):.1f} ms late at the median, "
            f"{max(late):.0f} at most; {load_average()}"
        )


def _given_up(
    host: Host, link: Link, words: Words, give_up_ms: float, how: str
) -> tuple[float, float, bool]:
    """Give one query up; return how late it was answered, CPU after that, and whether it ended."""
    timeout_ms = round(give_up_ms) if how == "its deadline passed" else 60_000
    begun = time.perf_counter()
    wanted = link.send(Search(SearchRequest(words.next(), timeout_ms=max(timeout_ms, 1))))
    if timeout_ms == 60_000:
        time.sleep(give_up_ms / 1000)
        link.send(Cancel(wanted))
    early = False
    while True:
        reply = link.receive(Deadline.after(CLOCK, 60_000))
        if reply is not None and reply.request_id == wanted:
            early = isinstance(reply.error, GgrepError)
            break
    late_ms = (time.perf_counter() - begun) * 1000 - give_up_ms
    at_return = host.cpu_ms()
    time.sleep(_QUIET_S)
    return late_ms, host.cpu_ms() - at_return, early


def _run(command: list[str], tree: Path, environ: Mapping[str, str]) -> None:
    subprocess.run(command, cwd=tree, env=environ, check=False, capture_output=True)


def _cpu(command: list[str], tree: Path, environ: Mapping[str, str]) -> float:
    """Return the processor time of a command, in ms."""
    with subprocess.Popen(
        command, cwd=tree, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return (usage.ru_utime + usage.ru_stime) * 1000.0


def _text_bytes(tree: Path) -> int:
    """Return the bytes of the files that no NUL marks as binary near their beginning."""
    total = 0
    for path in tree.rglob("*"):
        if ".git" in path.parts or path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as file:
            total += 0 if b"\0" in file.read(8192) else path.stat().st_size
    return total
