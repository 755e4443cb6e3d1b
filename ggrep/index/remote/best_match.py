"""Orders the snapshots on a remote by how well they fit a work tree.

The best snapshot contains exactly the files of the work tree. The next best is a snapshot whose
commit is closest in history to the checked-out commit. Snapshots without a commit in that history
are ordered by time, last push first.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from ggrep.base.errors import NotTrusted
from ggrep.config.git import GitFailed, is_git_marker, run_git
from ggrep.index.remote import layout
from ggrep.index.remote.documents import ref_at, state_at
from ggrep.index.remote.layout import Blob, Entry, States
from ggrep.index.remote.objects import Objects

_MOST_COMMITS: Final = 10_000
"""Maximum number of commits in which a common commit is searched for."""
_FAR: Final = 1 << 30


class Candidate(Struct, frozen=True):
    """A tree (a pushed snapshot) that can be pulled.

    Attributes:
        commit: the commit of the tree; None if it is unknown.
    """

    tree: Blob
    commit: str | None


def git_tree(root: Path, commit: str) -> str | None:
    """Return the id of a commit's tree in git; None if git fails."""
    try:
        _, output = run_git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    except GitFailed:
        return None
    return output.decode("ascii", "replace").strip() or None


def history(root: Path, commit: str, most: int) -> tuple[str, ...]:
    """Return a commit and the commits before it, the latest first; none if git fails."""
    if not is_git_marker(root / ".git"):
        return ()
    try:
        _, output = run_git(root, "rev-list", f"--max-count={most}", commit)
    except GitFailed:
        return ()
    return tuple(output.decode("ascii", "replace").split())


def candidates(
    objects: Objects, root: Path, keys: tuple[str, str], states: States, commit: str | None
) -> Iterator[Candidate]:
    """Yield the trees that can be pulled into a work tree, without duplicates, the best first.

    Args:
        objects: the objects of the remote.
        root: the root of the work tree.
        keys: the repository's key and the configuration's fingerprint.
        states: the names of the work tree's set of files on the remote.
        commit: the checked-out commit; None without git.

    Raises:
        RemoteError: the remote fails.
        NotTrusted: the ref is damaged.
    """
    repo_key, fingerprint = keys
    seen: set[str] = set()
    for key in states.keys(fingerprint):
        tree = _trusted_state(objects, key)
        if tree is not None and tree.sha256 not in seen:
            seen.add(tree.sha256)
            yield Candidate(tree, commit)
    ref = ref_at(objects, layout.ref_key(repo_key, fingerprint))
    entries = ref.value if ref else ()
    for entry in by_nearness(entries, history(root, commit, _MOST_COMMITS) if commit else ()):
        if entry.tree.sha256 not in seen:
            seen.add(entry.tree.sha256)
            yield Candidate(entry.tree, entry.commit)


def by_nearness(entries: Sequence[Entry], commits: Sequence[str]) -> list[Entry]:
    """Return pushes ordered by distance to the checked-out commit, then by time, last push first.

    Args:
        entries: the pushes, the last first.
        commits: the checked-out commit and the commits before it.
    """
    places = {commit: place for place, commit in enumerate(commits)}

    def distance(entry: Entry) -> int:
        if entry.commit is None:
            return _FAR
        theirs = (entry.commit, *entry.history)
        return min(
            (steps + places[commit] for steps, commit in enumerate(theirs) if commit in places),
            default=_FAR,
        )

    return sorted(entries, key=distance)  # the order of equal entries remains


def _trusted_state(objects: Objects, key: str) -> Blob | None:
    """Return the tree to which a state refers; None if it is missing or invalid."""
    try:
        state = state_at(objects, key)
    except NotTrusted:
        return None
    return state.value if state else None
