"""Finds packages and interface types that a file provides to, or needs from, other repositories."""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

_NAME: Final = re.compile(r"@?[A-Za-z][\w.~-]{1,80}(?:/[\w.~-]{1,80}){0,5}")
_MOST_CHARACTERS: Final = 120
_JSON_NAME: Final = r"\A\s*\{(?:[^{}]|\{[^{}]{0,2000}\}){0,4000}?\"name\"\s*:\s*\"([^\"\n]{1,120})"
_ARTIFACT: Final = r"<artifactId>[ \t]*([\w.-]{1,80})[ \t]*</artifactId>"
_PROVIDED: Final = {
    "pyproject.toml": (
        r"^\[(?:project|tool\.poetry)\][^\[]{0,2000}?^name[ \t]*=[ \t]*[\"']([^\"'\n]{1,80})"
    ),
    "cargo.toml": r"^\[package\][^\[]{0,2000}?^name[ \t]*=[ \t]*\"([^\"\n]{1,80})",
    "setup.cfg": r"^\[metadata\][^\[]{0,2000}?^name[ \t]*=[ \t]*([^\s]{1,80})",
    "setup.py": r"\bname[ \t]*=[ \t]*[\"']([^\"'\n]{1,80})",
    "package.json": _JSON_NAME,
    "composer.json": _JSON_NAME,
    "go.mod": r"^module[ \t]+([^\s]{1,120})",
    "mix.exs": r"\bapp:[ \t]*:(\w{1,80})",
    "pubspec.yaml": r"^name:[ \t]*([\w-]{1,80})",
    "pom.xml": _ARTIFACT,
    ".gemspec": r"\.name[ \t]*=[ \t]*[\"']([\w.-]{1,80})",
}
_ASKED: Final = {
    "package.json": (
        r"^[ \t]*\"(@?[\w./-]{1,100})\"\s*:\s*\"(?:[~^<>=*\dv]|workspace:|file:|git|link:|latest)"
    ),
    "composer.json": r"^[ \t]*\"([\w.-]+/[\w.-]{1,100})\"\s*:\s*\"[~^<>=*\dv]",
    "go.mod": r"^(?:require[ \t]+|\t)([\w.-]+\.[\w-]+/[^\s]{1,110})[ \t]+v\d",
    "cargo.toml": (
        r"^([A-Za-z][\w-]{1,80})[ \t]*=[ \t]*"
        r"(?:\"[~^=<>*\d]|\{[^}\n]{0,200}(?:version|path|git)[ \t]*=)"
    ),
    "pyproject.toml": (
        r"^[ \t]*\"([A-Za-z][\w.-]{1,80})(?:\[[\w,. -]{0,80}\])?"
        r"[ \t]*(?:[<>=!~;@][^\"\n]{0,160})?\",?[ \t]*$"
    ),
    "gemfile": r"^[ \t]*gem[ \t]+[\"']([\w.-]{1,80})",
    "pubspec.yaml": r"^  ([a-z][\w]{1,80}):[ \t]*(?:\^|\"|$)",
    "build.gradle": r"[\"'](?:[\w.-]{1,80}):([\w.-]{1,80}):[\w.$-]",
    "pom.xml": rf"<dependency>(?s:.{{0,2000}}?){_ARTIFACT}",
    ".gemspec": r"add_(?:\w+_)?dependency[ \t(]+[\"']([\w.-]{1,80})",
    "requirements.txt": r"^([A-Za-z][\w.-]{1,80})(?:\[[\w,-]{0,80}\])?[ \t]*(?:[<>=!~;@]|$)",
}
_BLOCKS: Final = re.compile(
    r"<(parent|dependencies|build|plugins|dependencyManagement|profiles)>.*?(?:</\1>|\Z)", re.DOTALL
)
"""Parts of a `pom.xml` that name other packages."""

_SCRIPTS: Final = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
_OWN_WORDS: Final = frozenset({"crate", "self", "super", "std", "core", "alloc"})


def names_package(path: str) -> bool:
    """Return whether a file is a manifest that can name a package."""
    return _manifest(path) in _PROVIDED


def packages_provided(path: str, text: str) -> set[str]:
    """Return the package that a manifest defines; empty for other files."""
    name = _manifest(path)
    names = re.findall(
        _PROVIDED.get(name, r"(?!)"),
        _BLOCKS.sub("", text) if name == "pom.xml" else text,
        re.MULTILINE,
    )
    return _tidy(names[:1])


def packages_asked(path: str, text: str) -> set[str]:
    """Return the dependencies of a manifest; empty for other files."""
    return _tidy(re.findall(_ASKED.get(_manifest(path), r"(?!)"), text, re.MULTILINE))


def packages_imported(imports: Iterable[str], language: str) -> set[str]:
    """Return the packages that imports name, in languages with imports of packages."""
    return _tidy(word for name in imports for word in _top(name, language))


def package_key(name: str) -> str:
    """Return a package's name for comparison: in lower case, with `_` replaced by `-`."""
    return name.lower().replace("_", "-")


def _top(name: str, language: str) -> Iterator[str]:
    parts = name.split("/")
    if name.startswith((".", "/", "~")):
        return
    if language == "python" and name.partition(".")[0] not in sys.stdlib_module_names:
        yield name.partition(".")[0]
    elif language in _SCRIPTS and not name.startswith(("@/", "node:")):
        yield "/".join(parts[: 2 if name.startswith("@") else 1])
    elif language == "rust" and name.partition("::")[0] not in _OWN_WORDS:
        yield name.partition("::")[0]
    elif language == "go" and "." in parts[0]:
        yield from ("/".join(parts[:count]) for count in range(2, min(len(parts), 6) + 1))
    elif language in {"ruby", "dart"}:
        yield parts[0].removeprefix("package:")


def _manifest(path: str) -> str:
    """Return the kind of manifest, from the file's name."""
    name = path.rpartition("/")[2].lower()
    if name.startswith("requirements") and name.endswith(".txt"):
        return "requirements.txt"
    return ".gemspec" if name.endswith(".gemspec") else name.removesuffix(".kts")


def _tidy(names: Iterable[str]) -> set[str]:
    return {
        package_key(name)
        for name in names
        if _NAME.fullmatch(name) and len(name) <= _MOST_CHARACTERS
    }


_MOST_LISTS: Final = 4
_ON: Final = r"(?:\bfragment[ \t]+\w{1,80}[ \t]+|\.\.\.[ \t]*)on[ \t]+([A-Z]\w{2,80})"
_GRAPHQL: Final = r"(?:type|interface|input|enum|union|scalar)[ \t]+([A-Z]\w{2,80})"
_REMOTE: Final = (
    r"\$ref[\"']?:[ \t]*[\"'][^\"'#\n]{1,160}#/(?:components/schemas|definitions)/([A-Z]\w{2,80})"
)
_DEFINED: Final = {
    "proto": r"^[ \t]*(?:message|enum)[ \t]+(\w{3,80})[ \t]*\{",
    "graphql": rf"^{_GRAPHQL}",
}
_USED: Final = {
    "proto": (
        r"^[ \t]*(?:repeated[ \t]+|optional[ \t]+)?(?:[\w.]{1,80}\.)?([A-Z]\w{2,80})"
        r"[ \t]+\w+[ \t]*=[ \t]*\d"
    ),
    "graphql": rf"^extend[ \t]+{_GRAPHQL}|{_ON}",
    "yaml": _REMOTE,
    "json": _REMOTE,
}
_GENERATED: Final = rf"\b(?:\w{{1,60}}_pb2|pb|\w{{1,40}}pb)\.([A-Z][a-z]\w{{2,80}})\b|{_ON}"
_SCHEMAS: Final = re.compile(r"^([ \t]*)[\"']?schemas[\"']?:[ \t]*\{?[ \t]*\n", re.MULTILINE)
_SCHEMA: Final = re.compile(r"[ \t]*[\"']?([A-Z]\w{2,80})[\"']?:[ \t]*\{?[ \t]*$")
_ROOTS: Final = frozenset({"Query", "Mutation", "Subscription", "DateTime", "Date", "JSON"})


def types_provided(text: str, language: str) -> set[str]:
    """Return the types that an interface description (Protobuf, GraphQL, OpenAPI) defines."""
    if language in {"yaml", "json"}:
        return set(_schemas(text)) - _ROOTS
    return set(re.findall(_DEFINED.get(language, r"(?!)"), text, re.MULTILINE)) - _ROOTS


def types_used(text: str, language: str) -> set[str]:
    """Return the interface types that a text uses but does not define."""
    matches = re.finditer(_USED.get(language, _GENERATED), text, re.MULTILINE)
    return (
        {match[match.lastindex or 0] for match in matches} - _ROOTS - types_provided(text, language)
    )


def _schemas(text: str) -> Iterator[str]:
    """Yield the keys directly below `schemas:`."""
    for start in islice(_SCHEMAS.finditer(text), _MOST_LISTS):
        depth = 0
        for line in text[start.end() :].splitlines():
            indent = len(line) - len(line.lstrip())
            depth = depth or indent
            if line.strip() and indent <= len(start[1]):
                break
            schema = _SCHEMA.match(line)
            if schema is not None and indent == depth:
                yield schema[1]
