"""How much of a workspace is said more than once: forks, vendored code."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Copies:
    """Chunks of a workspace that repeat one of another repository.

    Attributes:
        chunks: that are shown, in all repositories.
        counted: those of them whose texts could be told apart.
        copies: those of the counted that could go and no text would: of each text that lies in
            several repositories all chunks but one.
    """

    chunks: int = 0
    counted: int = 0
    copies: int = 0

    @property
    def share(self) -> float | None:
        """Return the copies' share of what was counted; None where nothing was."""
        return self.copies / self.counted if self.counted else None
