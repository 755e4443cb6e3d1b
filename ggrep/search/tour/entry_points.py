"""Finds the entry points of a repository: programs in manifests, and `main` functions."""

import posixpath
import re
from collections.abc import Container, Iterator, Mapping
from typing import Any, Final, NamedTuple

from ggrep.base import stable_json
from ggrep.index.lexical.layout import SYMBOL
from ggrep.model.outline import TourFact
from ggrep.search.query.listing import ListedFile
from ggrep.search.query.row_reading import shown_rows
from ggrep.search.query.segments import open_segments
from ggrep.search.tour.repository_files import RepositoryFiles, is_aside
from ggrep.search.tour.tables import line_with, section_keys, toml_table

MANIFESTS: Final = ("pyproject.toml", "setup.cfg", "setup.py", "package.json", "Cargo.toml")
_MAIN_LANGUAGES: Final = frozenset(
    {
        *("c", "cpp", "csharp", "d", "dart", "go", "haskell", "java", "kotlin", "rust", "scala"),
        *("swift", "zig"),
    }
)
"""Languages in which a program begins with its function `main`."""
_MOST_MAINS: Final = 400
"""Maximum number of chunks with a `main` that are examined."""
_PROGRAM_STEMS: Final = frozenset({"app", "application", "cli", "main", "program", "server"})
_BEGINS: Final = re.compile(
    r"^[ \t]*(ENTRYPOINT|CMD)[ \t]+(.+?)[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_DOCKERFILE: Final = re.compile(
    r"(?:[^/]+/)?(?:Dockerfile|Containerfile)(?:\.[\w-]+)?|[^/]+\.dockerfile"
)


def manifests_in(repository: RepositoryFiles) -> list[str]:
    """Return the files that `declared` reads: manifests in the root folder and of subpackages."""
    manifests = repository.there(MANIFESTS)
    manifests += [file.path for file in repository.root.files if file.path.endswith(".gemspec")]
    if not any(path in {"package.json", "Cargo.toml"} for path in manifests):
        below = [file.path for file in repository.files if file.path.count("/") in {1, 2}]
        manifests += [
            path
            for path in below
            if path.rpartition("/")[2] in {"package.json", "Cargo.toml", "pyproject.toml"}
        ][:12]
    elif "Cargo.toml" in manifests:
        manifests += [
            file.path
            for file in repository.files
            if file.path.endswith("/Cargo.toml")
            and file.path.count("/") <= 2
            and not is_aside(file)
        ][:40]
    return [
        *manifests,
        *(file.path for file in repository.files if _DOCKERFILE.fullmatch(file.path)),
    ]


def declared(path: str, text: str, files: Container[str]) -> list[TourFact]:
    """Return the programs that a manifest declares and whose file is among `files`."""
    return [
        TourFact(program.text, path, program.line)
        for program in _declared(path, text)
        if not program.files or any(file in files for file in program.files)
    ]


class Declared(NamedTuple):
    """A program, the line that declares it, and the candidate paths of its entry file."""

    text: str
    line: int
    files: tuple[str, ...] = ()


def _declared(path: str, text: str) -> list[Declared]:
    name = path.rpartition("/")[2]
    if name == "pyproject.toml":
        return list(_python_scripts(text))
    if name in {"setup.cfg", "setup.py"}:
        return list(_console_scripts(text))
    if name == "package.json":
        return list(_package(path, text))
    if name == "Cargo.toml" or name.endswith(".gemspec"):
        return list(_cargo(path, text) if name == "Cargo.toml" else _gem(text))
    return [
        Declared(f"{match[1].upper()} {match[2][:80]}", text.count("\n", 0, match.start()) + 1)
        for match in _BEGINS.finditer(text)
    ][-2:]


def _python_scripts(text: str) -> Iterator[Declared]:
    for keys in (("project", "scripts"), ("project", "gui-scripts"), ("tool", "poetry", "scripts")):
        for name, target in toml_table(text, *keys).items():
            if isinstance(target, str):
                yield Declared(f"{name} = {target}", line_with(text, target), _modules(target))


def _modules(target: str) -> tuple[str, ...]:
    module = target.partition(":")[0].strip().replace(".", "/")
    return tuple(
        f"{root}{module}{ending}"
        for root in ("", "src/", "lib/")
        for ending in (".py", "/__init__.py")
    )


def _console_scripts(text: str) -> Iterator[Declared]:
    listed = section_keys(text, "options.entry_points").get("console_scripts", "")
    pattern = r"([\w.-]+)\s*=\s*([\w.]+:[\w.]+)"
    if not listed and (
        match := re.search(r"console_scripts[\"']?\s*[:=]\s*\[(.*?)\]", text, re.DOTALL)
    ):
        listed = match[1]
    for name, target in re.findall(pattern, listed):
        line = line_with(text, f"{name} = {target}") or line_with(text, f"{name}={target}")
        yield Declared(f"{name} = {target}", line or line_with(text, target), _modules(target))


def _package(path: str, text: str) -> Iterator[Declared]:
    try:
        manifest: Any = stable_json.loads(text.encode())
    except ValueError:
        return
    if not isinstance(manifest, Mapping):
        return
    package = str(manifest.get("name", ""))
    programs = manifest.get("bin")
    if isinstance(programs, str):
        programs = {package.rpartition("/")[2]: programs}
    if isinstance(programs, Mapping):
        for name, target in programs.items():
            files = _scripts(path, str(target))
            yield Declared(f"{name} = {target}", line_with(text, str(target)), files)
    for key in ("main", "module"):
        target = manifest.get(key)
        if isinstance(target, str):
            line = line_with(text, f'"{key}"')
            yield Declared(f"{key}: {target}", line, _scripts(path, target))
            break


def _scripts(path: str, target: str) -> tuple[str, ...]:
    base = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    return tuple(base + ending for ending in ("", ".js", ".cjs", ".mjs", "/index.js"))


def _cargo(path: str, text: str) -> Iterator[Declared]:
    folder = path[: -len("Cargo.toml")]
    programs = toml_table(text).get("bin")
    for program in programs if isinstance(programs, list) else ():
        if isinstance(program, Mapping) and "name" in program:
            named = f"bin {program['name']}"
            line = line_with(text, f'"{program["name"]}"', after="[[bin]]")
            if "path" in program:
                file = posixpath.normpath(f"{folder}{program['path']}")
                yield Declared(f"{named} = {file}", line, (file,))
            else:
                yield Declared(
                    named, line, (f"{folder}src/main.rs", f"{folder}src/bin/{program['name']}.rs")
                )


def _gem(text: str) -> Iterator[Declared]:
    listed = re.search(r"\.executables\s*=\s*(.*)", text)
    for name in re.findall(r"[\w-]+", re.sub(r"%w", "", listed[1])) if listed else ():
        line = text.count("\n", 0, listed.start()) + 1 if listed else 0
        yield from (
            Declared(f"{name} = {file}", line, (file,)) for file in (f"bin/{name}", f"exe/{name}")
        )


def main_functions(repository: RepositoryFiles) -> list[TourFact]:
    """Return the modules `__main__.py`, then the `main` functions in the order of `_standing`.

    Raises:
        SnapshotGone, NoIndex: the snapshot or the whole store was removed meanwhile.
    """
    programs: list[tuple[int, int, int, str, int]] = []
    files = {(listed.segment, listed.file): listed for listed in repository.files}
    for place, segment in enumerate(open_segments(repository.view)):
        defining = segment.row_postings.rows_with("main", range(SYMBOL, SYMBOL + 1)).tolist()
        rows = [
            row
            for row in defining
            if segment.visible_rows[row]
            and not segment.image.row_anchors[row]
            and _is_program(files.get((place, int(segment.image.row_files[row]))))
        ][:_MOST_MAINS]
        shown = shown_rows(repository.view, segment, rows)
        for row, main in zip(rows, shown, strict=True):
            line = _line_of_main(main.text, segment.image.lines(row)[0])
            file = files[place, int(segment.image.row_files[row])]
            path = file.path
            if line and ("Main" if file.language == "csharp" else "main") in main.details.names:
                programs.append((*_standing(path), -line, path, line))
    texts = repository.texts(path for *_, path, _ in programs if path.endswith(".go"))
    lines = [
        TourFact("main()", path, line)
        for *_, path, line in sorted(programs)
        if path not in texts or re.search(r"^package main\b", texts[path], re.MULTILINE)
    ]
    modules = [
        listed.path
        for listed in repository.files
        if listed.path.endswith("__main__.py") and not is_aside(listed)
    ]
    runs = [TourFact(f"python -m {_module(path)}", path) for path in sorted(modules, key=len)]
    return [*runs, *lines]


def _standing(path: str) -> tuple[int, int]:
    """Return a program's sort key: the class of its path, then its depth below the root.

    Programs in a folder `cmd` or `bin` come first, then programs with a usual name. Among programs
    with the same key, the program with the longest text before its `main` comes first.
    """
    folders, _, name = path.rpartition("/")
    stem = name.partition(".")[0].lower()
    if re.search(r"(?:^|/)(?:cmd|bin)(?:/|$)", folders):
        return 0, path.count("/")
    return (1 if stem in _PROGRAM_STEMS else 2), path.count("/")


def _line_of_main(text: str, first: int) -> int:
    """Return the line of the head of the `main` function in a chunk; 0 if there is none."""
    place = re.search(r"\b[Mm]ain\s*[(:<]", text)
    return 0 if place is None else first + text.count("\n", 0, place.start())


def _is_program(file: ListedFile | None) -> bool:
    return file is not None and file.language in _MAIN_LANGUAGES and not is_aside(file)


def _module(path: str) -> str:
    parts = path.split("/")[:-1]
    return ".".join(parts[1:] if parts[:1] in (["src"], ["lib"]) else parts) or path
