"""A profile's additions to the built-in lists, and the directories that lead to them."""

from collections.abc import Iterable

from msgspec import Struct

from ggrep.parse.source.ignore_rules import RuleChain, parse_rules

_ALL_BELOW = "/**"


class Inclusion(Struct, frozen=True):
    """The patterns of a profile.

    Attributes:
        rules: those patterns; a directory that one of them names is included with all below it.
        heads: literal beginnings, up to the last slash, of the patterns anchored at the root, and
            whether wildcards follow: then any directory further down may match.
    """

    rules: RuleChain
    heads: tuple[tuple[bytes, bool], ...] = ()

    def covers(self, path: bytes, *, included: bool) -> bool:
        """Return whether everything in a directory is included; `included` if its parent is."""
        return included or self.rules.decide(path, is_directory=True) is True

    def leads_into(self, path: bytes, *, included: bool) -> bool:
        """Return whether something below a directory may be included."""
        if self.covers(path, included=included):
            return True
        inside = path + b"/"
        return any(
            head.startswith(inside) or (is_open and inside.startswith(head))
            for head, is_open in self.heads
        )

    def has(self, path: bytes, *, included: bool) -> bool:
        """Return whether a file is included."""
        return included or self.rules.decide(path, is_directory=False) is True


def inclusion_of(patterns: Iterable[str]) -> Inclusion:
    """Return the inclusion that gitignore patterns describe.

    A pattern without a slash is matched against names in directories that are entered anyway. It
    opens no package directory, unless it names that directory.
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
    """Return the directory that `a/**` includes as a whole."""
    if not pattern.endswith(_ALL_BELOW) or pattern.startswith(("#", "!")):
        return pattern
    directory = pattern.removesuffix("**")
    return directory if directory.count("/") > 1 else f"/{directory}"
