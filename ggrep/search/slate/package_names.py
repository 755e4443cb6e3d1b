"""Packages: the names in manifests, their dependencies, and which imports need them."""

import re
import sys
from collections.abc import Iterable, Iterator
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
