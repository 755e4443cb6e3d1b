"""Finds the selected files to which an import refers, by the rules of its language."""

import posixpath
import re
import sys
from collections.abc import Callable, Iterable
from typing import Final

from ggrep.model.slate import FileFacts
from ggrep.search.slate.selected_files import (
    Parts,
    RootRule,
    SelectedPaths,
    ending_of,
    from_source_root,
)

_FAMILIES: Final = (
    "py pyi pyx pxd",
    "js jsx mjs cjs ts tsx mts cts vue svelte json",
    "c h cc cpp cxx hh hpp hxx m mm cu cuh inl ipp",
    "java kt kts scala groovy",
    "rs",
    "go",
    "rb rake",
    "php",
    "cs",
    "ex exs",
    "hs",
    "lua",
    "pl pm",
    "proto",
    "sh bash zsh",
    "css scss sass less",
    "dart",
    "zig",
    "swift",
)
ENDINGS: Final = {
    f".{word}": frozenset(f".{other}" for other in family.split())
    for family in _FAMILIES
    for word in family.split()
}
"""For each ending of a source file, the endings of files that its imports can name."""

_SCRIPT_ENDINGS: Final = tuple(f".{word}" for word in (*_FAMILIES[1].split(), "d.ts"))
_SCRIPT_TRIED: Final = (*_SCRIPT_ENDINGS, *(f"/index{ending}" for ending in _SCRIPT_ENDINGS))
_DOTTED_WORDS: Final = "java kt kts scala groovy php ex exs hs lua pl pm cs"
_DOTTED: Final = frozenset(f".{word}" for word in _DOTTED_WORDS.split())
_SCRIPTS: Final = ENDINGS[".js"]
_HOSTED: Final = ("github.com/", "gitlab.com/", "bitbucket.org/", "codeberg.org/")
_MAJOR: Final = re.compile(r"v\d+")
"""The suffix of a Go module's path for version 2 and later."""

_HEADERS: Final = (
    "assert ctype errno float limits locale math setjmp signal stdarg stddef stdint stdio stdlib"
    " string time wchar stdbool unistd fcntl poll sched semaphore regex dirent glob syslog"
)
_STANDARD_HEADERS: Final = frozenset(_HEADERS.split())


def import_targets(facts: FileFacts, name: str, paths: SelectedPaths) -> tuple[str, ...]:
    """Return the selected files that an import of `name` refers to; several for a package."""
    ending = ending_of(facts.path)
    if facts.language in {"rst", "markdown"}:
        ending = ".py"
    finder = _FINDERS.get(ending)
    if finder is not None:
        path = finder(facts.path, name, paths)
        return (path,) if path and path != facts.path else ()
    if ending == ".go":
        result: Iterable[str | None] = _go(facts.path, name, paths)
    elif ending in _DOTTED:
        result = [_dotted(facts.path, name, paths)]
    else:
        result = [paths.beside(facts.path, name, (ending,))]
    return tuple(sorted({path for path in result if path and path != facts.path}))


def _python(source: str, name: str, paths: SelectedPaths) -> str | None:
    parts = tuple(filter(None, name.split(".")))
    if name.startswith("."):
        return _python_relative(source, len(name) - len(name.lstrip(".")), parts, paths)
    if not paths.calls_a_module(*parts[-2:]):
        return None
    for count in range(len(parts), max(0, len(parts) - 2), -1):
        result = paths.module(source, parts[:count], ENDINGS[".py"], _python_root)
        if result is not None:
            alone = count == 1 and "/" in result and parts[0] in sys.stdlib_module_names
            return None if alone and not result.endswith("/__init__.py") else result
    return None


def _python_root(source: str, root: Parts) -> bool:
    return from_source_root(source, root) and "site-packages" not in root


def _python_relative(source: str, dots: int, parts: Parts, paths: SelectedPaths) -> str | None:
    directory = posixpath.normpath(posixpath.join(posixpath.dirname(source), "../" * (dots - 1)))
    if directory.startswith(".."):
        return None
    base = "" if directory == "." else f"{directory}/"
    for count in range(len(parts), max(-1, len(parts) - 2), -1):
        module = base + "/".join(parts[:count])
        tried = ("/__init__.py",) if count == 0 else (".py", ".pyi", ".pyx", "/__init__.py")
        result = paths.at(module.rstrip("/"), tried)
        if result is not None and ending_of(result) in ENDINGS[".py"]:
            return result
    return None


def _script(source: str, name: str, paths: SelectedPaths) -> str | None:
    if name.startswith("."):
        names = (name, re.sub(r"\.[cm]?jsx?$", "", name))
        return next(
            filter(None, (paths.beside(source, each, _SCRIPT_TRIED) for each in names)), None
        )
    if name.startswith(("@/", "~/", "src/", "#/")):
        parts = tuple(re.sub(r"\.[cm]?[jt]sx?$", "", name).split("/")[1:])
        return paths.module(source, parts, _SCRIPTS, _below("src", "app", "client", "web"))
    return None


def _below(*directories: str) -> RootRule:
    return lambda _, root: not root or root[-1] in directories


_RUBY_ROOTS: Final = _below("lib", "app", "spec", "test")


def _include(source: str, name: str, paths: SelectedPaths) -> str | None:
    clean = name.strip("<>\" '")
    if clean.removesuffix(".h") in _STANDARD_HEADERS or not paths.calls_a_file(clean):
        return None
    return paths.beside(source, clean, ()) or paths.ending_with(clean, source)


def _ruby(source: str, name: str, paths: SelectedPaths) -> str | None:
    beside = paths.beside(source, name, (".rb",)) if name.startswith(".") else None
    if beside is not None or name.startswith("."):
        return beside
    result = paths.module(
        source, tuple(name.removesuffix(".rb").split("/")), ENDINGS[".rb"], _RUBY_ROOTS
    )
    return result or (paths.beside(source, name, (".rb",)) if "/" in name else None)


def _slashed(source: str, name: str, paths: SelectedPaths) -> str | None:
    """Return the file at `name`, relative to `source`; else the file whose path ends with it."""
    ending = ending_of(source)
    local = re.sub(r"^package:[^/]+/|^\$\{?\w+\}?/", "", name)
    result = paths.beside(source, local, (ending,))
    return result or (paths.ending_with(local, source) if "/" in local.lstrip("./") else None)


def _dotted(source: str, name: str, paths: SelectedPaths) -> str | None:
    """Return the file of a dotted name; if there is none, the file without the name's last part."""
    ending = ending_of(source)
    parts = tuple(part for part in re.split(r"[.\\/]|::", name.strip("*")) if part)
    if ending in {".ex", ".exs"}:
        parts = tuple(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", part).lower() for part in parts)
    for count in range(len(parts), max(1, len(parts) - 2), -1):
        result = paths.module(source, parts[:count], ENDINGS[ending], from_source_root)
        if result is not None:
            return result
    if ending == ".php" and len(parts) > 2:
        return paths.module(source, parts[1:], ENDINGS[ending], from_source_root)
    return None


def _go(source: str, name: str, paths: SelectedPaths) -> list[str]:
    """Return the files of a Go package, whose directory is the end of the import path.

    An import path with a host, such as `github.com/owner/repo/a/b`, contains the whole directory.
    If a file that is not a test imports its own directory, the path means another repository.
    """
    if "." not in name.partition("/")[0]:
        return []
    parts = name.split("/")
    hosted = name.startswith(_HOSTED)
    least = 3 if hosted else 1
    if hosted and len(parts) > least and _MAJOR.fullmatch(parts[least]):
        least += 1
    for start in range(least, least + 1 if hosted else len(parts)):
        directory = "/".join(parts[start:])
        files = paths.inside(directory, frozenset({".go"}))
        if files:
            is_beside = directory == posixpath.dirname(source) and not source.endswith("_test.go")
            return [] if is_beside else [path for path in files if not path.endswith("_test.go")]
    return []


def _rust(source: str, name: str, paths: SelectedPaths) -> str | None:
    """Return the selected file of a path such as `crate::a::B`, seen from `source`.

    The last one or two parts can be members of the module. Another crate is found by the name of
    its directory.
    """
    head, *rest = name.split("::")
    root = _crate_root(source)
    module = source[len(root) + 1 if root else 0 :].removesuffix(".rs").split("/")
    if module[-1] in {"mod", "lib", "main"}:
        module.pop()
    if head == "crate":
        return _rust_file(root, tuple(rest), paths)
    if head in {"self", "super"}:
        while head == "super" and rest:
            module = module[:-1]
            head, *rest = rest
        parts = rest if head in {"self", "super"} else [head, *rest]
        return _rust_file(root, (*module, *parts), paths)
    crates = (
        directory
        for directory in paths.directories()
        if f"/{directory}".replace("-", "_").endswith(f"/{head}/src")
    )
    results = {_rust_file(_crate_root(f"{crate}/lib.rs"), tuple(rest), paths) for crate in crates}
    return next(iter(results)) if len(results) == 1 else None


def _crate_root(path: str) -> str:
    parts = path.split("/")[:-1]
    if "src" not in parts:
        return "/".join(parts)
    return "/".join(parts[: len(parts) - parts[::-1].index("src")])


def _rust_file(root: str, parts: Parts, paths: SelectedPaths) -> str | None:
    for count in range(len(parts), max(-1, len(parts) - 3), -1):
        base = posixpath.join(root, *parts[:count])
        tried = ("/lib.rs", "/main.rs") if count == 0 else (".rs", "/mod.rs")
        result = paths.at(base, tried)
        if result is not None and result.endswith(".rs") and (count or not parts):
            return result
    return None


_FINDERS: Final[dict[str, Callable[[str, str, SelectedPaths], str | None]]] = {
    **dict.fromkeys(ENDINGS[".py"], _python),
    **dict.fromkeys(ENDINGS[".js"], _script),
    **dict.fromkeys(ENDINGS[".c"], _include),
    **dict.fromkeys(ENDINGS[".sh"], _slashed),
    **dict.fromkeys(ENDINGS[".css"], _slashed),
    ".rs": _rust,
    ".rb": _ruby,
    ".rake": _ruby,
    ".proto": _slashed,
    ".dart": _slashed,
    ".zig": _slashed,
}
