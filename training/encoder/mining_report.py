"""What a run of mining kept and dropped."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct, field

from training.encoder.pairs import Pair


class MiningReport(Struct):
    """What was mined.

    Attributes:
        kinds: pairs kept by kind; `languages` and `packages` count the same pairs.
        dropped: by reason: files `slow`, `crashed`, `kept_clear`; pairs `duplicate`, `over_cap`.
        skipped: packages whose pairs were up to date; they are in the other counts as well.
    """

    kinds: Counter[str] = field(default_factory=Counter)
    languages: Counter[str] = field(default_factory=Counter)
    packages: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    skipped: int = 0

    def note(self, pairs: Iterable[Pair]) -> None:
        """Count pairs that were kept."""
        for pair in pairs:
            self.kinds[pair.kind] += 1
            self.languages[pair.language] += 1
            self.packages[pair.package] += 1

    def __str__(self) -> str:
        lines = [f"{self.kinds.total()} pairs of {len(self.packages)} packages"]
        for title, counts in (
            ("kinds", self.kinds),
            ("languages", self.languages),
            ("dropped", self.dropped),
        ):
            told = ", ".join(f"{name} {count}" for name, count in counts.most_common())
            lines.append(f"{title}: {told or 'none'}")
        return "\n".join(lines)
