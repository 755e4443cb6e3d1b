"""Globs over repository names; globs that could take exponential time are refused.

`*` stays within a path part, `**` crosses, case is ignored, dotfiles are seen, `{a,b}` is either
and a leading `!` all the rest.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Final

from wcmatch import glob

from ggrep.base.errors import Issue, WorkspaceError

MAX_ALTERNATIVES: Final = 64
"""Most plain globs that the braces of one pattern stand for."""

MAX_GLOB_STEPS: Final = 5_000_000
"""Most characters that the `**` of all patterns may walk over in all names: some 250 ms of work."""

_SHOWN = 80
_FLAGS: Final = (
    glob.IGNORECASE
    | glob.DOTGLOB
    | glob.GLOBSTAR
    | glob.BRACE
    | glob.NEGATE
    | glob.NEGATEALL
    | glob.FORCEUNIX
)


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern, ready to match.

    Attributes:
        text: as it was given.
        matcher: of the library.
    """

    text: str
    matcher: glob.WcMatcher[str]

    def matches(self, names: Sequence[str]) -> bool:
        """Tell whether any name matches; an empty one matches nothing, not even `**`."""
        return any(self.matcher.match(name) for name in names if name)


def compile_globs(patterns: Sequence[str], names: Sequence[str]) -> tuple[Glob, ...]:
    """Return the globs that `patterns` spell.

    Args:
        patterns: without blanks around them.
        names: everything they will be matched with.

    Raises:
        WorkspaceError: one cannot be read, or matching them could take too long.
    """
    steps = 0
    compiled = []
    for pattern in patterns:
        steps += MAX_ALTERNATIVES ** ("{" in pattern) * _steps(pattern.count("**"), names)
        if steps > MAX_GLOB_STEPS:
            raise _refused(pattern, "its `**` could match in too many ways")
        compiled.append(_compiled(pattern))
    return tuple(compiled)


def _steps(crossings: int, names: Sequence[str]) -> int:
    """Return the ways in which as many `**` share the parts of a name, times a part's length."""
    total = 0
    for name in names:
        parts = name.count("/") + 1
        total += comb(parts + crossings, crossings) * (1 + len(name) // parts)
    return total


def _compiled(pattern: str) -> Glob:
    try:
        return Glob(pattern, glob.compile(pattern, flags=_FLAGS, limit=MAX_ALTERNATIVES))
    # The library has exceptions of its own for too many alternatives, and recurses into braces.
    except Exception as error:
        raise _refused(pattern, str(error) or "too deep") from error


def _refused(pattern: str, why: str) -> WorkspaceError:
    shown = pattern if len(pattern) <= _SHOWN else pattern[:_SHOWN] + "..."
    message = f"repo filter {shown!r} cannot be used: {why}"
    hint = "name repositories with --only, or use fewer braces and `**`"
    code, field = "ERR_FEDERATED_INVALID_REPO_FILTER", "$.select.repoFilter"
    return WorkspaceError((Issue(code, message, field=field, reason="glob", hint=hint),))
