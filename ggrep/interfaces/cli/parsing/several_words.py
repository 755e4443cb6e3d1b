"""A query whose words were typed without quotes, so that all but the first were taken for paths."""

from collections.abc import Sequence

from ggrep.base.commands import spelled
from ggrep.base.errors import UsageError


class SeveralWords(UsageError):
    """There is nothing at a path; most likely it is a word of the query.

    Attributes:
        words: the query and what may belong to it.
    """

    def __init__(self, said: str, words: Sequence[str]) -> None:
        super().__init__(said)
        self.words = words

    def meant_by(self, arguments: Sequence[str]) -> UsageError:
        """Return the same with the line that was meant, options and all.

        Args:
            arguments: what was typed, the command first.
        """
        command, *left = arguments
        for word in self.words:
            left.remove(word)
        line = spelled(command, " ".join(self.words), *left)
        return UsageError(f"{self}; a query of several words is one argument: {line}")
