"""Packages and types of interfaces, which files offer each other across repositories."""

import re
import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

MOST_PACKAGES: Final = 120

_NAME: Final = re.compile(r"@?[A-Za-z][\w.~-]{1,80}(?:/[\w.~-]{1,80}){0,5}")
_JSON_NAME: Final = r"\A\s*\{(?:[^{}]|\{[^{}]{0,2000}\}){0,4000}?\"name\"\s*:\s*\"([^\"\n]{1,120})"
_OWN: Final = {
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
}
_GEMSPEC: Final = re.compile(r"\.name[ \t]*=[ \t]*[\"']([\w.-]{1,80})")
_GEM_ASKED: Final = re.compile(r"add_(?:\w+_)?dependency[ \t(]+[\"']([\w.-]{1,80})")
_ARTIFACT: Final = re.compile(r"<artifactId>[ \t]*([\w.-]{1,80})[ \t]*</artifactId>")
_BLOCKS: Final = re.compile(
    r"<(parent|dependencies|build|plugins|dependencyManagement|profiles)>.*?(?:</\1>|\Z)", re.DOTALL
)
_REQUIREMENT: Final = re.compile(
    r"^([A-Za-z][\w.-]{1,80})(?:\[[\w,-]{0,80}\])?[ \t]*(?:[<>=!~;@]|$)", re.MULTILINE
)
_SCRIPTS: Final = frozenset({"javascript", "typescript", "tsx", "vue", "svelte"})
_OWN_WORDS: Final = frozenset({"crate", "self", "super", "std", "core", "alloc"})


def packages_provided(path: str, text: str) -> list[str]:
    """Return how a manifest names its own package; empty for other files."""
    name = _file_name(path)
    if name == "pom.xml":
        own = _ARTIFACT.findall(_BLOCKS.sub("", text))[:1]
    elif name.endswith(".gemspec"):
        own = _GEMSPEC.findall(text)[:1]
    else:
        own = re.findall(_OWN[name], text, re.MULTILINE)[:1] if name in _OWN else []
    return _tidy(own)


def names_package(path: str) -> bool:
    """Return whether a file is a manifest, which may name its own package."""
    name = _file_name(path)
    return name in _OWN or name == "pom.xml" or name.endswith(".gemspec")


def packages_asked(path: str, text: str) -> list[str]:
    """Return what a manifest names as dependencies; empty for other files."""
    name = _file_name(path)
    if name == "pom.xml":
        asked = [word for block in _dependencies(text) for word in _ARTIFACT.findall(block)]
    elif name.endswith(".gemspec"):
        asked = _GEM_ASKED.findall(text)
    elif name.startswith("requirements") and name.endswith(".txt"):
        asked = _REQUIREMENT.findall(text)
    else:
        asked = re.findall(_ASKED[name], text, re.MULTILINE) if name in _ASKED else []
    return _tidy(asked)


def packages_imported(imports: Iterable[str], language: str) -> list[str]:
    """Return the packages that imports come from, where a language's imports say so."""
    return _tidy(word for name in imports for word in _top(name, language))


def package_key(name: str) -> str:
    """Return a name as it is compared: lower case, one kind of hyphen."""
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


def _dependencies(text: str) -> list[str]:
    return [
        match[0] for match in re.finditer(r"<dependency>.{0,2000}?</dependency>", text, re.DOTALL)
    ]


def _file_name(path: str) -> str:
    name = path.rpartition("/")[2].lower()
    return "build.gradle" if name == "build.gradle.kts" else name


def _tidy(names: Iterable[str]) -> list[str]:
    found = {package_key(name) for name in names if _NAME.fullmatch(name) and len(name) <= 120}
    return sorted(found)[:MOST_PACKAGES]


MOST_NAMES: Final = 120

_MOST_LISTS: Final = 4
_MESSAGE: Final = re.compile(r"^[ \t]*(?:message|enum)[ \t]+(\w{3,80})[ \t]*\{", re.MULTILINE)
_FIELD: Final = re.compile(
    r"^[ \t]*(?:repeated[ \t]+|optional[ \t]+)?(?:[\w.]{1,80}\.)?([A-Z]\w{2,80})"
    r"[ \t]+\w+[ \t]*=[ \t]*\d",
    re.MULTILINE,
)
_GENERATED: Final = re.compile(r"\b(?:\w{1,60}_pb2|pb|\w{1,40}pb)\.([A-Z][a-z]\w{2,80})\b")
_GRAPHQL: Final = re.compile(
    r"^(extend[ \t]+)?(?:type|interface|input|enum|union|scalar)[ \t]+([A-Z]\w{2,80})", re.MULTILINE
)
_ON: Final = re.compile(
    r"\bfragment[ \t]+\w{1,80}[ \t]+on[ \t]+([A-Z]\w{2,80})|\.\.\.[ \t]*on[ \t]+([A-Z]\w{2,80})"
)
_SCHEMAS: Final = re.compile(r"^([ \t]*)[\"']?schemas[\"']?:[ \t]*\{?[ \t]*\n", re.MULTILINE)
_SCHEMA: Final = re.compile(r"[ \t]*[\"']?([A-Z]\w{2,80})[\"']?:[ \t]*\{?[ \t]*$")
_REMOTE: Final = re.compile(
    r"\$ref[\"']?:[ \t]*[\"'][^\"'#\n]{1,160}#/(?:components/schemas|definitions)/([A-Z]\w{2,80})"
)
_ROOTS: Final = frozenset({"Query", "Mutation", "Subscription", "DateTime", "Date", "JSON"})


def types_provided(text: str, language: str) -> list[str]:
    """Return types that an interface file defines."""
    match language:
        case "proto":
            found = set(_MESSAGE.findall(text))
        case "graphql":
            found = {name for extends, name in _GRAPHQL.findall(text) if not extends}
        case "yaml" | "json":
            found = set(_schemas(text))
        case _:
            found = set()
    return sorted(found - _ROOTS)[:MOST_NAMES]


def types_used(text: str, language: str) -> list[str]:
    """Return types of interfaces that a text names without defining them."""
    match language:
        case "proto":
            found = set(_FIELD.findall(text))
        case "graphql":
            found = {name for extends, name in _GRAPHQL.findall(text) if extends}
            found |= set(_groups(_ON, text))
        case "yaml" | "json":
            found = set(_REMOTE.findall(text))
        case _:
            found = {*_GENERATED.findall(text), *_groups(_ON, text)}
    return sorted(found - _ROOTS - set(types_provided(text, language)))[:MOST_NAMES]


def _groups(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    for match in pattern.finditer(text):
        yield from (group for group in match.groups() if group)


def _schemas(text: str) -> Iterator[str]:
    """Yield names one step below `schemas:`."""
    for start in islice(_SCHEMAS.finditer(text), _MOST_LISTS):
        depth = 0
        for line in text[start.end() :].splitlines():
            indent = len(line) - len(line.lstrip())
            depth = depth or indent
            if line.strip() and indent <= len(start[1]):
                break
            found = _SCHEMA.match(line)
            if found is not None and indent == depth:
                yield found[1]
