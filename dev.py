#!/usr/bin/env python3
"""What a developer types: set up, try, test, measure. Needs nothing but Python 3.11 and pip.

    python3 dev.py demo              index some installed packages and search them as a workspace
    python3 dev.py test [ARGS]       the tests; --deep adds long proofs (and a transformer to run
                                     them with), --mutants runs sabotages
    python3 dev.py bench [NAMES]     benchmarks, as ratios against something measured alongside
    python3 dev.py quality FOLDER    the tables of docs/quality.md, from a benchmark's folder;
                                     --write puts them there, --federated adds workspaces;
                                     --slates measures slates, of packages fetched there
    python3 dev.py fit FOLDER        fits the ranking's weights on a benchmark's folder and says
                                     how far to trust them; --encoder says with which
    python3 dev.py sizes [COMMIT]    the wheel and what is installed with it, in MB and files;
                                     --beside: what semble and codegraph take beside it
    python3 dev.py house             sizes, floors and names of the package, and the ways through it
    python3 dev.py schemas           writes what is generated: JSON Schemas, pages of help,
                                     completions, files for agents, two pages of docs
    python3 dev.py docs              builds the documentation as a site in .site; checks its links
                                     and the words of pages, help and messages
    python3 dev.py setup [EXTRAS]    only make .venv and install into it; `ranking` adds what fits
                                     the trees of the ranking

The first call makes `.venv` and installs the package with its development tools, with uv where
it is there and pip otherwise. A digest of pyproject.toml is kept, so that later calls start at
once until it changes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "installed-for"
UV_QUIET = ["--quiet", "--compile-bytecode"]
# Compiling all that is installed takes pip a third of its time; an import compiles what is used.
PIP_QUIET = ["--quiet", "--no-compile", "--disable-pip-version-check"]


def main(arguments: list[str]) -> int:
    """Run one of the commands above; return its exit status."""
    commands = {
        "setup": setup,
        "demo": demo,
        "test": test,
        "bench": bench,
        "quality": quality,
        "fit": fit,
        "sizes": sizes,
        "schemas": schemas,
        "docs": docs,
        "house": house,
    }
    if not arguments or arguments[0] not in commands:
        print(__doc__)
        return 0 if arguments[:1] in (["--help"], ["-h"], ["help"]) else 2
    if sys.version_info < (3, 11):  # noqa: UP036 - this file is what an older Python is told by
        print(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    # Hundreds of processes import the same modules: compiled by the first, or by each of them.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    status = setup([])
    return status or commands[arguments[0]](arguments[1:])


def setup(extras: list[str]) -> int:
    """Make `.venv` and install the package, unless that was done for this pyproject.toml."""
    digest = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    wanted = {digest, "dev", *extras}
    if PYTHON.exists() and STAMP.exists() and wanted <= set(STAMP.read_text().split()):
        return 0
    print("setting up .venv (this takes a minute the first time)", file=sys.stderr)
    uv = shutil.which("uv")
    target = f"{ROOT}[{','.join(['dev', *extras])}]"
    if uv:
        steps = [
            [uv, "venv", "--quiet", "--allow-existing", "--python", sys.executable, str(VENV)],
            [uv, "pip", "install", *UV_QUIET, "--python", str(PYTHON), "-e", target],
        ]
    else:
        steps = [
            [sys.executable, "-m", "venv", str(VENV)],
            [str(PYTHON), "-m", "pip", "install", *PIP_QUIET, "-e", target],
        ]
    for step in steps:
        if subprocess.run(step, check=False).returncode:
            print(f"failed: {' '.join(step)}", file=sys.stderr)
            return 1
    STAMP.write_text(" ".join(sorted(wanted)))
    return 0


def demo(arguments: list[str]) -> int:
    """Index installed packages as a workspace and ask it three questions."""
    return _python([str(ROOT / "workspaces" / "demo.py"), *arguments])


def test(arguments: list[str]) -> int:
    """Run the tests, in as many processes as there are cores."""
    if "--mutants" in arguments:
        rest = [argument for argument in arguments if argument != "--mutants"]
        return _python([str(ROOT / "tests" / "mutants" / "run.py"), *rest])
    deep = "--deep" in arguments
    if deep and (status := setup(["deep", "cluster"])):
        return status
    if deep and shutil.which("strace") is None:
        print("strace is missing (apt-get install strace): one proof is left out", file=sys.stderr)
    rest = [argument for argument in arguments if argument != "--deep"]
    places = "testpaths=tests bench training/tests"
    marks = ["--hypothesis-profile=deep", "-o", places] if deep else ["-m", "not deep"]
    # Tests of a file share what it prepares; conftest.py puts the files that take longest first.
    share = ["-n", str(os.cpu_count() or 1), "--dist", "loadfile", "--no-loadscope-reorder"]
    workers = [] if "-n" in rest else share
    return _python(["-m", "pytest", "-q", *workers, *marks, *rest])


def bench(arguments: list[str]) -> int:
    """Run the benchmarks."""
    if arguments[:1] == ["slate"]:
        arguments = ["slate", *(str(Path(each).absolute()) for each in arguments[1:])]
    return _python(["-m", "bench.run", *arguments])


def quality(arguments: list[str]) -> int:
    """Measure the ranking on a benchmark's folder."""
    given = [each if each.startswith("-") else str(Path(each).absolute()) for each in arguments]
    return _python(["-m", "bench.quality", *given])


def fit(arguments: list[str]) -> int:
    """Fit the ranking's weights on a benchmark's folder."""
    if arguments and not arguments[0].startswith("-"):
        arguments = [str(Path(arguments[0]).absolute()), *arguments[1:]]
    return _python(["-m", "training.ranking", *arguments])


def sizes(arguments: list[str]) -> int:
    """Tell what an installation takes on disk."""
    return _python(["-m", "bench.installed", *arguments])


def house(arguments: list[str]) -> int:
    """Tell how large the package is, how it is ordered, and the ways through it."""
    return _python(["-m", "bench.house", *arguments])


def schemas(arguments: list[str]) -> int:
    """Write all that ships and is made of other sources; name the JSON Schemas changed."""
    return (
        _python(["-m", "tests.contract.schema_files", *arguments])
        or _python(["-m", "tests.contract.file_schemas"])
        or _python(["-m", "tests.contract.agent_files"])
        or _python(["-m", "ggrep.interfaces.cli.parsing.option_table"])
        or _python(["-m", "ggrep.interfaces.cli.parsing.help_table"])
        or _python(["-m", "tests.docs.commands_page"])
        or _python(["-m", "tests.docs.requirements_page"])
    )


def docs(arguments: list[str]) -> int:
    """Build the documentation as a site, which fails on a dead link, then check its words."""
    site = ["-m", "mkdocs", "build", "--strict", "--site-dir", ".site", *arguments]
    return _python(site) or _python(["-m", "tests.docs.prose"])


def _python(arguments: list[str]) -> int:
    with subprocess.Popen([str(PYTHON), *arguments], cwd=ROOT) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:  # it was told as well, and has daemons to end
                continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
