"""Extracts from the text of build files how a repository is built and tested."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from ggrep.base import stable_json
from ggrep.model.outline import TourFact
from ggrep.search.tour.tables import line_with, section_keys, toml_table

_MOST_NAMES: Final = 12
_COMMAND_CHARACTERS: Final = 70
_USUAL: Final = (
    *("all", "build", "install", "test", "tests", "check", "lint", "format", "fmt", "typecheck"),
    *(
        "unit",
        "e2e",
        "coverage",
        "bench",
        "docs",
        "doc",
        "run",
        "start",
        "dev",
        "serve",
        "clean",
        "release",
    ),
)
"""Names of the usual targets, in the order of the answer."""


MANAGER_FILES: Final = {
    "pnpm-workspace.yaml": "pnpm",
    ".pnpmfile.cjs": "pnpm",
    ".yarnrc.yml": "yarn",
    ".yarnrc": "yarn",
    "bunfig.toml": "bun",
}
"""Files in the root folder that show the JavaScript package manager; lock files aren't indexed."""
_MANAGER: Final = re.compile(
    r"\b(npm|pnpm|yarn|bun)(?= (?:install|i|ci|run|test|build|lint|exec|add|publish|-|\w+:))"
    r"|(pnpm)(?=/action-setup)|cache: ['\"]?(npm|pnpm|yarn)\b|oven-sh/setup-(bun)"
)


def commands_of(path: str, text: str, manager: str = "npm") -> list[TourFact]:
    """Return the commands for building and testing that a file in the root folder contains.

    Args:
        path: the file's path below the root.
        text: the file's text.
        manager: the program that runs the scripts of `package.json`, see `package_manager`.
    """
    name = path.rpartition("/")[2].lower()
    if name == "package.json":
        return list(_package_json(path, text, manager))
    reader = _READERS.get(name)
    if reader is not None:
        return list(reader(path, text))
    return [TourFact(f"./{path}", path)] if _SCRIPT.fullmatch(path) else []


def package_manager(texts: Mapping[str, str]) -> str:
    """Return the package manager of a JavaScript repository.

    The first of these sources that names a package manager decides: the key `packageManager`, the
    existence of one of MANAGER_FILES, the key `engines`, commands in scripts and CI.

    Args:
        texts: the texts of `package.json`, of the existing MANAGER_FILES, and of CI files.
    """
    package = json_object(texts.get("package.json", ""))
    named = str(package.get("packageManager", "")).partition("@")[0]
    owned = (manager for name, manager in MANAGER_FILES.items() if name in texts)
    engines = (name for name in ("pnpm", "yarn", "bun") if name in _object(package.get("engines")))
    if known := named or next(owned, "") or next(engines, ""):
        return known
    words = [word for text in texts.values() for group in _MANAGER.findall(text) for word in group]
    counts = Counter(word for word in words if word)
    return max(counts, key=lambda word: (counts[word], word == "npm"), default="npm")


def has_commands(path: str) -> bool:
    """Return whether `commands_of` reads a file."""
    return "/" not in path and (
        path.lower() in {*_READERS, "package.json"} or bool(_SCRIPT.fullmatch(path))
    )


_SCRIPT: Final = re.compile(
    r"(?:run-?_?tests?|tests?|build|configure|autogen|bootstrap|runtest-\w+|check)(?:\.sh|\.bash)?"
)
"""Names of programs in the root folder that build or test."""


_TARGET: Final = re.compile(
    r"^([A-Za-z][\w.-]*)(?:[ \t]+[A-Za-z][\w.-]*)*[ \t]*:(?![=:])", re.MULTILINE
)


def _make(path: str, text: str) -> Iterator[TourFact]:
    names = [target for target in _TARGET.findall(text) if "." not in target]
    if targets := _usual_first(names):
        yield TourFact(f"make {targets}", path)


def _just(path: str, text: str) -> Iterator[TourFact]:
    names = re.findall(r"^@?([a-z][\w-]*)(?:[ \t][^:\n]*)?:(?!=)", text, re.MULTILINE)
    if recipes := _usual_first(names):
        yield TourFact(f"just {recipes}", path)


def _rake(path: str, text: str) -> Iterator[TourFact]:
    names = re.findall(r"^\s*task[ (]+:?[\"']?(\w+)|TestTask\.new\(?\s*:?(\w*)", text, re.MULTILINE)
    tasks = _usual_first([bare or other or "test" for bare, other in names])
    yield TourFact(f"rake {tasks}".rstrip(), path)


def _package_json(path: str, text: str, manager: str) -> Iterator[TourFact]:
    scripts = _object(json_object(text).get("scripts"))
    order = sorted(scripts, key=lambda name: (_place(name), name))
    for name in order[:6]:
        command = " ".join(str(scripts[name]).split())
        if _place(name) < len(_USUAL):
            command_line = f"{manager} run {name}: {_shortened(command)}"
            yield TourFact(command_line, path, line_with(text, f'"{name}"', after='"scripts"'))
    others = [name for name in scripts if _place(name) == len(_USUAL)]
    if others and len(scripts) <= _MOST_NAMES and len(others) == len(scripts):
        yield TourFact(f"{manager} run: {', '.join(others)}", path)


def _pyproject(path: str, text: str) -> Iterator[TourFact]:
    backend = str(toml_table(text, "build-system").get("build-backend", ""))
    if backend:
        yield TourFact(f"pip install . (built by {backend})", path, line_with(text, backend))
    if toml_table(text, "tool", "pytest"):
        yield TourFact("pytest", path, line_with(text, "[tool.pytest"))
    hatch = toml_table(text, "tool", "hatch", "envs")
    for env, table in sorted(hatch.items()):
        scripts = _object(_object(table).get("scripts"))
        if commands := _usual_first(list(scripts)):
            yield TourFact(f"hatch run {env}: {commands}", path)


def _setup_cfg(path: str, text: str) -> Iterator[TourFact]:
    if "[tool:pytest]" in text:
        yield TourFact("pytest", path, line_with(text, "[tool:pytest]"))


def _tox(path: str, text: str) -> Iterator[TourFact]:
    envs = [
        name.removeprefix("testenv:")
        for name in re.findall(r"^\[(testenv:[^\]\n]+)\]", text, re.MULTILINE)
    ]
    listed = " ".join(
        section_keys(text, "tox")
        .get("envlist", section_keys(text, "tox").get("env_list", ""))
        .split()
    )
    environments = _shortened(listed) if listed else ", ".join(envs[:_MOST_NAMES])
    yield TourFact(f"tox: {environments}" if environments else "tox", path)


def _nox(path: str, text: str) -> Iterator[TourFact]:
    names = re.findall(r"@(?:nox\.)?session[^\n]*\n(?:@[^\n]*\n)*def (\w+)", text)
    yield TourFact(f"nox: {', '.join(names[:_MOST_NAMES])}" if names else "nox", path)


def _cargo(path: str, text: str) -> Iterator[TourFact]:
    space = toml_table(text, "workspace")
    all_of = " --workspace" if space else ""
    yield TourFact(f"cargo build{all_of}; cargo test{all_of}", path)


def _says(*lines: str) -> Callable[[str, str], Iterator[TourFact]]:
    """Return a function that yields the commands `lines` for each file."""

    def read(path: str, _: str) -> Iterator[TourFact]:
        yield from (TourFact(line, path) for line in lines)

    return read


def _composer(path: str, text: str) -> Iterator[TourFact]:
    scripts = list(_object(json_object(text).get("scripts")))
    yield TourFact("composer install", path)
    if commands := _usual_first(scripts):
        yield TourFact(f"composer {commands}", path, line_with(text, '"scripts"'))


def _usual_first(names: list[str]) -> str:
    """Return names: the usual names first, and others up to the maximum number."""
    every = list(dict.fromkeys(names))
    known = sorted((name for name in every if _place(name) < len(_USUAL)), key=_place)
    others = [name for name in every if _place(name) == len(_USUAL) and not name.startswith("_")]
    shown = [*known, *others][: max(len(known), _MOST_NAMES)][:_MOST_NAMES]
    return ", ".join([*shown, "…"] if len(shown) < len(every) else shown)


def _place(name: str) -> int:
    return _USUAL.index(name) if name in _USUAL else len(_USUAL)


def _shortened(command: str) -> str:
    if len(command) <= _COMMAND_CHARACTERS:
        return command
    return command[: _COMMAND_CHARACTERS - 1].rstrip() + "…"


def json_object(text: str) -> Mapping[str, Any]:
    """Return the object of a JSON document; empty if the document is not an object."""
    try:
        return _object(stable_json.loads(text.encode()))
    except ValueError:
        return {}


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


_READERS: Final[dict[str, Callable[[str, str], Iterator[TourFact]]]] = {
    "makefile": _make,
    "gnumakefile": _make,
    "justfile": _just,
    "rakefile": _rake,
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _says("pip install ."),
    "tox.ini": _tox,
    "noxfile.py": _nox,
    "cargo.toml": _cargo,
    "go.mod": _says("go build ./...; go test ./..."),
    "pom.xml": _says("mvn package; mvn test"),
    "build.gradle": _says("gradle build"),
    "build.gradle.kts": _says("gradle build"),
    "cmakelists.txt": _says("cmake -B build && cmake --build build"),
    "meson.build": _says("meson setup build && meson compile -C build"),
    "build.sbt": _says("sbt compile; sbt test"),
    "mix.exs": _says("mix compile; mix test"),
    "composer.json": _composer,
    "build.zig": _says("zig build"),
    "package.swift": _says("swift build"),
    "dune-project": _says("dune build; dune test"),
    "stack.yaml": _says("stack build; stack test"),
}
"""The readers by the names of files in the root folder, in lower case."""
