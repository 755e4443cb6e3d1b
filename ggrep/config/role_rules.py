"""Assigns roles to a path, by the built-in globs and those of the repository.

Globs come from files that nobody vouches for, so each compiles to a pattern that never tries a
place twice for one wildcard: the longest hostile glob costs its length times the path's.
"""

import itertools
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache, cached_property, lru_cache
from typing import Final

from msgspec import Struct

from ggrep.base.errors import InvalidRequest
from ggrep.config.roles import BUILTIN_ROLES, PROSE
from ggrep.model.slate import ROLES, Role
from ggrep.model.traits import TEST, traits_of

MAX_GLOB_CHARACTERS: Final = 512
"""Longest glob of a rule."""

MAX_ALTERNATIVES: Final = 512
"""Most plain globs that one with braces stands for."""

_BRACES = re.compile(r"\{([^{}]*)\}")
_MEMBERS = re.compile(r"(.)(?:-(.))?", re.DOTALL)
_TOKENS = re.compile(r"\{[^{}]*\}|\[[!^]?[^\[\]/{}]+\]|.", re.DOTALL)
_RUNS = frozenset({Role.ENTRYPOINT, Role.POLICY, Role.CONFIGURATION})
"""Roles that a test or a document does not take by its name alone."""


class _Globs(Struct, frozen=True):
    """The globs of one role, by what they are compared with; None where there are none."""

    names: re.Pattern[str] | None
    directories: re.Pattern[str] | None
    paths: re.Pattern[str] | None

    def match(self, path: str, directories: str, name: str) -> bool:
        """Tell whether a glob speaks of a path; all three are in lower case."""
        return (
            (self.names is not None and self.names.fullmatch(name) is not None)
            or (self.directories is not None and self.directories.search(directories) is not None)
            or (self.paths is not None and self.paths.fullmatch(path) is not None)
        )


class RoleRules(Struct, frozen=True, dict=True):
    """What a repository's paths are taken for.

    Attributes:
        added: globs beside the built-in ones, by role in the order of `ROLES`; what one of them
            names has the role whatever else it is.
    """

    added: tuple[tuple[Role, tuple[str, ...]], ...] = ()

    def roles_of(self, path_key: str) -> frozenset[Role]:
        """Return the roles of a path; empty where no rule speaks of it."""
        path = path_key.lower()
        directories, slash, name = path.rpartition("/")
        above = f"/{directories}{slash}"
        named = {role for role, globs in self._compiled if globs.match(path, above, name)}
        return frozenset(_builtin_roles(path_key, path, above, name) | named)

    @cached_property
    def _compiled(self) -> tuple[tuple[Role, _Globs], ...]:
        return tuple((role, _compile(globs)) for role, globs in self.added)


def rules_of(added: Iterable[tuple[Role, Iterable[str]]]) -> RoleRules:
    """Return the built-in rules and more; what is said of a role in several places adds up.

    Raises:
        InvalidRequest: a glob cannot be compiled.
    """
    found: dict[Role, set[str]] = {role: set() for role in ROLES}
    for role, globs in added:
        found[role].update(globs)
    rules = RoleRules(tuple((role, tuple(sorted(found[role]))) for role in ROLES if found[role]))
    for _, globs in rules.added:
        _compile(globs)
    return rules


def _builtin_roles(path_key: str, path: str, above: str, name: str) -> set[Role]:
    builtin = _builtin()
    found = {role for role, globs in builtin.items() if globs.match(path, above, name)}
    is_prose = Role.DIAGRAM in found or _prose().match(path, "/", name)
    if is_prose:
        found -= {*_RUNS, Role.TEST}
    elif Role.TEST in found or traits_of(path_key) & TEST:
        return {Role.TEST}
    elif Role.DOCUMENT in found:
        found -= _RUNS
    return found


@cache
def _builtin() -> Mapping[Role, _Globs]:
    return {role: _compile(BUILTIN_ROLES[role]) for role in ROLES}


@cache
def _prose() -> _Globs:
    return _compile(PROSE)


@lru_cache(maxsize=64)
def _compile(globs: tuple[str, ...]) -> _Globs:
    names, directories, paths = [], [], []
    for glob in globs:
        for part in _expanded(glob.lower()):
            if "/" not in part:
                names.append(_segment(part))
            elif part.endswith("/") and part.count("/") == 1:
                directories.append(f"/{_segment(part[:-1])}/")
            else:
                paths.append(_path(part))
    return _Globs(_any_of(names), _any_of(directories), _any_of(paths))


def _any_of(patterns: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(dict.fromkeys(patterns)), re.DOTALL) if patterns else None


def _expanded(glob: str) -> list[str]:
    """Return the globs to compile in a glob's stead: itself, unless its braces must go.

    Braces that hold a slash or a star must, and those of a segment with several stars: what stands
    between two stars is taken where it fits first, and has to be one text for that.
    """
    if len(glob) > MAX_GLOB_CHARACTERS:
        raise InvalidRequest(f"roles: {glob[:40]!r}...: longer than {MAX_GLOB_CHARACTERS}")
    bodies = _BRACES.findall(glob)
    if not {"{", "}"}.isdisjoint(_BRACES.sub("", glob)):
        raise InvalidRequest(f"roles: {glob!r}: braces do not close, or nest")
    if math.prod(body.count(",") + 1 for body in bodies) > MAX_ALTERNATIVES:
        raise InvalidRequest(f"roles: {glob!r}: stands for more than {MAX_ALTERNATIVES} globs")
    crowded = any(part.count("*") > 1 for part in glob.split("/") if part != "**")
    if not bodies or not (crowded or any(set(body) & {"/", "*"} for body in bodies)):
        return [glob]
    pieces = _BRACES.split(glob)
    choices = [piece.split(",") if at % 2 else [piece] for at, piece in enumerate(pieces)]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def _path(glob: str) -> str:
    """Return the pattern of a glob that is compared with a whole path."""
    parts = glob.removeprefix("/").split("/")
    if parts[-1] in {"", "**"}:
        parts[-1:] = ["**", ""]
    groups: list[list[str]] = [[]]
    for part in parts[:-1]:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(f"{_segment(part)}/")
    groups[-1].append(_segment(parts[-1]) if parts[-1] else "[^/]+")
    first, *others = ("".join(group) for group in groups)
    pieces = [first]
    for number, group in enumerate(others, start=1):
        below = f"(?:[^/]*+/)*?{group}"
        pieces.append(below if number == len(others) else f"(?>{below})")
    return "".join(pieces)


def _segment(glob: str) -> str:
    """Return the pattern of what stands between two slashes."""
    first, *others = (_run(run) for run in re.split(r"\*+", glob))
    pieces = [first]
    for number, run in enumerate(others, start=1):
        # The last run stands at the segment's end, every other at the first place that fits.
        pieces.append(f"[^/]*{run}" if number == len(others) else f"(?>[^/]*?{run})")
    return "".join(pieces)


def _run(glob: str) -> str:
    """Return the pattern of a text without stars."""
    pieces = []
    for token in _TOKENS.findall(glob):
        match token[0]:
            case "?":
                pieces.append("[^/]")
            case "{":
                words = sorted(set(token[1:-1].split(",")))
                pieces.append(f"(?:{'|'.join(_run(word) for word in words)})")
            case "[" if len(token) > 1:
                pieces.append(_set(token[1:-1]))
            case _:
                pieces.append(re.escape(token))
    return "".join(pieces)


def _set(members: str) -> str:
    """Return the pattern of what stands in brackets."""
    inverse = members[0] in "!^"
    ranges = [
        f"{re.escape(found[1])}-{re.escape(found[2] or found[1])}"
        for found in _MEMBERS.finditer(members[inverse:])
        if found[1] <= (found[2] or found[1])
    ]
    if not ranges:
        return "(?!)"
    return f"[{'^/' if inverse else ''}{''.join(ranges)}]"
