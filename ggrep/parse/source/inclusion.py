"""What a profile includes beyond the built-in lists, and the directories that lead there."""

from collections.abc import Iterable

from msgspec import Struct

from ggrep.parse.source.ignore_rules import RuleChain, parse_rules

_ALL_BELOW = "/**"


class Inclusion(Struct, frozen=True):
    """The patterns of a profile.

    Attributes:
        rules: those patterns; a directory that one of them names is included with all below it.
        heads: literal beginnings of the patterns that name places from the root, up to the last
            slash, and whether wildcards follow: then any directory further down may matter.
    """

    rules: RuleChain
    heads: tuple[tuple[bytes, bool], ...] = ()

    def covers(self, path: bytes, *, included: bool) -> bool:
        """Tell whether all that lies in a directory is included; `included` if it is above it."""
        return included or self.rules.decide(path, is_directory=True) is True

    def leads_into(self, path: bytes, *, included: bool) -> bool:
        """Tell whether something below a directory may be included."""
        if self.covers(path, included=included):
            return True
        inside = path + b"/"
        return any(
            head.startswith(inside) or (is_open and inside.startswith(head))
            for head, is_open in self.heads
        )

    def has(self, path: bytes, *, included: bool) -> bool:
        """Tell whether a file is included."""
        return included or self.rules.decide(path, is_directory=False) is True


def inclusion_of(patterns: Iterable[str]) -> Inclusion:
    """Return what gitignore patterns include.

    One without a slash is compared with names, in directories that are gone into anyway: it opens
    no directory of packages, unless it names that directory.
    """
    rules = parse_rules("\n".join(_as_directory(pattern) for pattern in patterns).encode())
    heads = {
        (rule.head[: rule.head.rfind(b"/") + 1], not rule.is_plain)
        for rule in rules.lines
        if not rule.by_name
    }
    ways = tuple(sorted(head for head in heads if head[0]))
    return Inclusion(RuleChain().with_file(b"", rules), ways)


def _as_directory(pattern: str) -> str:
    """Return `a/**` as the directory that it means all of."""
    if not pattern.endswith(_ALL_BELOW) or pattern.startswith(("#", "!")):
        return pattern
    directory = pattern.removesuffix("**")
    return directory if directory.count("/") > 1 else f"/{directory}"
