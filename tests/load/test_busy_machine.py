"""Beside forty busy processes an index and its answers are those of an idle machine."""

import subprocess
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Final

import pytest

from ggrep.base import stable_json
from ggrep.config.home import Home
from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.model.request import SearchRequest
from ggrep.search.engine.engine import Engine
from tests.fakes.repos import answer

BUSY: Final = 40
FILES: Final = 2_000
MOST_BYTES: Final = 100_000
QUESTIONS: Final = (
    *("parse a date", "open a socket with a timeout", "retry after failure", "read a zip file"),
    *("where are command line options defined", "compile a regular expression", "thread pool"),
    *("ValueError: invalid literal for int() with base 10", "json.decoder", "HTTPConnection"),
    *("walk a directory tree", "temporary file", "hash of a file", "decode base64", "csv reader"),
    *("send an email", "logging handler that rotates", "event loop", "cancel a task", "semaphore"),
    *("unit test runner", "mock an object", "abstract base class", "weak reference", "deep copy"),
    *("sort with a key", "priority queue", "binary search", "round a decimal", "matrix product"),
)
NAMES: Final = ("HTTPConnection", "walk", "Semaphore", "JSONDecoder")


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Have so many processes take all of the machine that they can get."""
    running = [subprocess.Popen(("/bin/sh", "-c", "while :; do :; done")) for _ in range(processes)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
        for process in running:
            process.wait()


def real_files(number: int) -> Iterator[tuple[str, bytes]]:
    """Yield files of the running Python and of what is installed, of all kinds."""
    paths = sysconfig.get_paths()
    for kind in ("stdlib", "platlib"):
        base = Path(paths[kind])
        every = (path for path in sorted(base.rglob("*")) if "__pycache__" not in path.parts)
        small = (
            path
            for path in every
            if path.suffix not in {".pyc", ".so"}
            and path.is_file()
            and 0 < path.stat().st_size < MOST_BYTES
        )
        apart = (path for path in small if kind == "platlib" or "site-packages" not in path.parts)
        for path in islice(apart, number // 2):
            yield f"{kind}/{path.relative_to(base)}", path.read_bytes()


def answers(engine: Engine) -> list[bytes]:
    """Return the bytes of every deterministic answer."""
    results = []
    for text in QUESTIONS:
        asked = SearchRequest(text, deterministic=True, timeout_ms=3_600_000)
        results.append(stable_json.dumps(answer(engine, asked)))
    for name in NAMES:
        symbol = engine.ask(SymbolRequest(name, deterministic=True, timeout_ms=3_600_000))
        places = ReferencesRequest(name, deterministic=True, timeout_ms=3_600_000)
        results.append(repr((symbol.definitions, engine.ask(places).references)).encode())
    return results


@pytest.mark.deep
@pytest.mark.timeout(7_200)
def test_an_index_made_under_load_answers_the_same_bytes(root: Path, home: Path) -> None:
    """The load of the machine shapes neither what is indexed nor what is answered."""
    for name, data in real_files(FILES):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    idle = Engine(root, Home(home / "idle"))
    calm = idle.sync()
    output = answers(idle)

    crowded = Engine(root, Home(home / "busy"))
    with busy(BUSY):
        pressed = crowded.sync()
        same = answers(crowded)

    assert (pressed.degraded, pressed.chunks) == ((), calm.chunks)
    assert calm.degraded == ()
    assert same == output
