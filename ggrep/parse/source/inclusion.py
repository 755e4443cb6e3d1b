"""The files and directories that a profile includes in addition to the built-in lists."""

from collections.abc import Iterable

from msgspec import Struct

from ggrep.parse.source.ignore_rules import RuleChain, parse_rules

_ALL_BELOW = "/**"


class Inclusion(Struct, frozen=True):
    """The patterns of a profile.

    Attributes:
        rules: the patterns as rules; a directory that matches is included with all files below it.
        heads: for each pattern anchored at the root, its literal beginning up to the last slash,
            and whether wildcards follow (then any directory below can match).
    """

    rules: RuleChain
    heads: tuple[tuple[bytes, bool], ...] = ()

    def covers(self, path: bytes, *, included: bool) -> bool:
        """Return whether a directory is included with all files below it.

        `included` is True if its parent directory is included in this way.
        """
        return included or self.rules.decide(path, is_directory=True) is True

    def leads_into(self, path: bytes, *, included: bool) -> bool:
        """Return whether something below a directory can be included."""
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
    """Return the `Inclusion` with these gitignore patterns.

    A pattern without a slash is matched against names in directories that the walk enters anyway.
    The walk does not enter a package directory because of such a pattern, unless the pattern names
    the directory.
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
    """Return the directory that a pattern like `a/**` includes as a whole."""
    if not pattern.endswith(_ALL_BELOW) or pattern.startswith(("#", "!")):
        return pattern
    directory = pattern.removesuffix("**")
    return directory if directory.count("/") > 1 else f"/{directory}"
