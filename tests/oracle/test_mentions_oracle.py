"""What we call definitions and usages, against readers that know the languages better."""

import importlib
import re
import sysconfig
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ggrep.model.navigation import ReferencesRequest, SymbolRequest
from ggrep.parse.occurrences.words import Occurrence
from ggrep.search.engine import engine as engines
from tests.fakes.mentions import InProcessMentions
from tests.fakes.repos import indexed
from tests.oracle.definitions import Tag, known_to, tags_of
from tests.oracle.mentioned import mentions_of
from tests.oracle.misread import SCRIPTS, rightly_read
from tests.oracle.packages import GRAPHQL, GRAPHQL_PARSER, PACKAGES, Package
from tests.oracle.python_ast import Names, names_of
from tests.oracle.registries import Cache
from tests.oracle.table import CACHE_FOLDER

LIBRARY = Path(sysconfig.get_path("stdlib"))
SAMPLE = (
    *("contextlib", "copy", "csv", "enum", "functools", "netrc", "plistlib", "poplib", "queue"),
    *("selectors", "shlex", "textwrap", "trace", "weakref"),
)
"""Modules that have been part of Python for long and will be."""
MADE = frozenset({"class", "enum", "function", "interface", "method"})
"""What `def` and `class` make."""

UNSAID = frozenset({"anonMember", "implementation", "object", "package"})
"""Kinds of tags that are no definitions to us: a package's name in each of its files, a Rust
`impl`, which goes by its type, an embedded Go type, and names that ctags gives what has none."""
UNSAID_IN = {"haskell": frozenset({"module", "type"}), "sql": frozenset({"field"})}
"""ctags cuts `Data.Map` to `Data`, and takes the words `family` and `instance` for types; a table's
columns are not definitions of their own to us."""
ENOUGH = 0.98
TOLD_ALL = frozenset(
    {
        *("bash", "c", "cpp", "csharp", "elixir", "go", "java", "javascript", "kotlin", "php"),
        *("python", "rust"),
    }
)
"""Where ctags can tell everything that we do under the names that it tells at all, prototypes
among them. Elsewhere what it does not tell proves nothing, and samples of it have to be read: in
TypeScript functions behind their overloads and members of objects, in Haskell signatures (ctags
tells a function's first equation) and methods of instances, in Ruby accessors, in Lua and SQL
locals. Functions that are members of unnamed objects in JavaScript have no counterpart either;
they count here only where ctags tells something else of that name."""
RIGHT_OF = {"csharp": 0.97}
"""ctags loses methods with constraints on their types."""


def read(text: str, names: Names) -> list[Occurrence]:
    words = {name for _, name in names.defined} | {name for _, _, name in names.used}
    return mentions_of("a.py", text.encode(), words)


def sample() -> Iterator[tuple[str, Names]]:
    for name in SAMPLE:
        path = LIBRARY / f"{name}.py"
        if path.exists():
            text = path.read_text(encoding="utf-8")
            yield text, names_of(text)


@pytest.mark.slow
def test_python_s_own_parser_finds_the_same_definitions_and_usages() -> None:
    wanted = result = right = used = seen = 0
    for text, names in sample():
        reported = read(text, names)
        ours = {(m.line, m.text) for m in reported if m.defined and m.defined.kind in MADE}
        code = {(m.line, m.column, m.text) for m in reported if m.kind in {"definition", "usage"}}
        wanted, right = wanted + len(names.defined), right + len(names.defined & ours)
        result, used = result + len(ours), used + len(names.used)
        seen += len(names.used & code)

    assert wanted > 500
    assert right / wanted >= 0.999
    assert right / result >= 0.999
    assert used > 10_000
    assert seen / used >= 0.999


def test_the_reader_of_python_sees_what_there_is_to_see() -> None:
    """The oracle has to be able to say no."""
    names = names_of("import a.b, c as d\ndef f(é, *, k=c): return é.f(k=1)\n")

    assert names.defined == {(2, "f")}
    assert {name for _, _, name in names.used} == {"c", "é", "f", "k"}
    assert (2, 28, "f") in names.used


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_the_index_finds_all_names(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Postings, rebuilt texts and syntax together lose nothing."""
    monkeypatch.setattr(engines, "OccurrencePool", InProcessMentions)
    texts = dict(_library())
    engine = indexed(root, home, texts, encoder="none")
    defined: dict[str, set[tuple[str, int]]] = defaultdict(set)
    used: dict[str, set[tuple[str, int, int]]] = defaultdict(set)
    for path, text in texts.items():
        names = names_of(text)
        for line, name in names.defined:
            defined[name].add((path, line))
        for line, column, name in names.used:
            used[name].add((path, line, column))
    asked = [name for name in sorted(defined) if len(used[name]) < 2000][::23]
    wanted = result = right = 0
    lost: list[tuple[str, object]] = []
    for name in asked:
        answer = engine.ask(SymbolRequest(name, limit=0))
        ours = {(each.path, each.line) for each in answer.definitions if each.kind in MADE}
        wanted, result, right = (
            wanted + len(defined[name]),
            result + len(ours),
            right + len(ours & defined[name]),
        )
        reported = engine.ask(ReferencesRequest(name, limit=0))
        places = {(each.path, each.line, each.column) for each in reported.references}
        # A variable of a module or class that is set is a definition to us, a usage to Python.
        set_here = {(each.path, each.line) for each in answer.definitions if each.kind not in MADE}
        lost += [(name, at) for at in used[name] - places if at[:2] not in set_here]

    assert len(asked) > 200
    assert right / wanted >= 0.99
    assert right / result >= 0.99
    assert len(lost) <= 0.01 * sum(len(used[name]) for name in asked), lost[:10]


def _library() -> Iterator[tuple[str, str]]:
    for path in sorted(LIBRARY.rglob("*.py")):
        key = path.relative_to(LIBRARY).as_posix()
        if {"test", "tests", "site-packages", "dist-packages"} & set(key.split("/")):
            continue
        try:
            text = path.read_bytes().decode()
            names_of(text)
        except (SyntaxError, UnicodeDecodeError, ValueError):
            continue
        yield key, text


@pytest.fixture(scope="module")
def cache() -> Cache:
    return Cache(CACHE_FOLDER)


@pytest.mark.deep
@pytest.mark.timeout(900)
@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.language)
def test_definitions_of_ctags_are_mentions(cache: Cache, package: Package) -> None:
    """The place a name is defined at is what somebody else's reader says it is."""
    folder = cache.files(package)
    unsaid = UNSAID | UNSAID_IN.get(package.language, frozenset())
    tags = [tag for tag in tags_of(package, folder, cache.ctags()) if tag.kind not in unsaid]
    known = {_place(package, tag) for tag in known_to(package, folder, cache.ctags())}
    ours, missing = 0, []
    listed, unknown = 0, []
    for path, read in _by_path(tags).items():
        data = (folder / path).read_bytes()
        local = rightly_read(package.language, read, data.decode("utf-8", "replace").split("\n"))
        reported = mentions_of(path, data, {_bare(package, tag) for tag in local})
        places = {(path, m.line, _close(m.text)) for m in reported if m.kind == "definition"}
        missing += [tag for tag in local if _place(package, tag) not in places]
        ours += len(local)
        kept = {m for m in reported if m.defined and m.defined.kind in MADE}
        listed += len(kept)
        unknown += [m for m in kept if (path, m.line, _close(m.text)) not in known]

    assert ours >= 300
    assert len(missing) <= (1 - ENOUGH) * ours, missing[::20]
    if package.language in TOLD_ALL:
        right = RIGHT_OF.get(package.language, ENOUGH)
        assert len(unknown) <= (1 - right) * listed, unknown[::20]


@pytest.mark.deep
@pytest.mark.timeout(900)
def test_graphql_parsers_agree(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(cache.files(GRAPHQL_PARSER)))
    text = (cache.files(GRAPHQL) / "schema.graphql").read_text()
    names = graphql_names(importlib.import_module("graphql.language").parse(text))
    reported = mentions_of("schema.graphql", text.encode(), {name for _, name in names})
    ours = {(m.line, m.text) for m in reported if m.kind == "definition"}

    assert len(names) > 10_000
    assert ours == names


def graphql_names(document: Any) -> set[tuple[int, str]]:
    """Return types, directives, their fields and values of what `graphql.language` parsed."""
    results: set[tuple[int, str]] = set()
    for definition in document.definitions:
        members = (each for kind in ("fields", "values") for each in getattr(definition, kind, ()))
        for node in (definition, *members):
            name = getattr(node, "name", None)
            if name is not None:
                results.add((name.loc.start_token.line, name.value))
    return results


def _by_path(tags: list[Tag]) -> dict[str, list[Tag]]:
    result: dict[str, list[Tag]] = defaultdict(list)
    for tag in tags:
        result[tag.path].append(tag)
    return result


def _place(package: Package, tag: Tag) -> tuple[str, int, str]:
    return tag.path, tag.line, _bare(package, tag)


def _bare(package: Package, tag: Tag) -> str:
    """Return a tag's name without qualifiers; a script's may have dots as they stand in quotes."""
    if package.language in SCRIPTS:
        return tag.name
    if package.language == "cpp" and tag.name.startswith("operator"):
        return _close(tag.name)
    name = tag.name.replace(" ", "")
    return re.split(r"[.:]+", name)[-1] or name


def _close(name: str) -> str:
    return re.sub(r"\s+(?=\W)", "", name) if name.startswith("operator") else name
