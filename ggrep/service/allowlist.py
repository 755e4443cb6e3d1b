"""Which paths a surface may access: the directories it was given and all below them.

Paths are compared with every symbolic link resolved. Where a path does not exist, the longest
part that does is resolved and the rest appended, so that no link above it leads outside.
"""

from collections.abc import Sequence
from pathlib import Path

from ggrep.base.errors import Forbidden, InvalidRequest
from ggrep.federation.containment import canonical_path, is_inside


class Allowlist:
    """The directories that a surface may touch."""

    def __init__(self, roots: Sequence[Path]) -> None:
        """Resolve the directories now; a link that replaces one later is not allowed."""
        self.roots = tuple(sorted({canonical(root) for root in roots}))

    def allows(self, path: Path) -> bool:
        """Tell whether a path lies inside an allowed directory."""
        try:
            self.check(path)
        except (Forbidden, InvalidRequest):
            return False
        return True

    def check(self, path: Path) -> Path:
        """Return the path free of symbolic links.

        Raises:
            Forbidden: it lies outside.
            InvalidRequest: nothing can be so called.
        """
        found = canonical(path)
        if not any(is_inside(found, root) for root in self.roots):
            raise Forbidden(f"{path}: outside the roots that may be searched here")
        return found


def canonical(path: Path) -> Path:
    """Return a path absolute and free of symbolic links, as far as it exists.

    Raises:
        InvalidRequest: nothing can be so called.
    """
    try:
        return canonical_path(path)
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"{str(path)!a} is not the path of anything") from error
