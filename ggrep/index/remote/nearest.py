"""Which of the snapshots on a remote is nearest to a work tree.

The one of exactly its files, if somebody pushed that; else the one whose commit has the longest
history in common with the commit that is checked out; else the one pushed last.
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
"""Commits before the one that is checked out among which a common one is looked for."""
_FAR: Final = 1 << 30


class Candidate(Struct, frozen=True):
    """A tree that may serve.

    Attributes:
        commit: that it is of, where that is known.
    """

    tree: Blob
    commit: str | None


def git_tree(root: Path, commit: str) -> str | None:
    """Return the tree of a commit; None where git cannot tell."""
    try:
        _, said = run_git(root, "rev-parse", "--verify", "--quiet", f"{commit}^{{tree}}")
    except GitFailed:
        return None
    return said.decode("ascii", "replace").strip() or None


def history(root: Path, commit: str, most: int) -> tuple[str, ...]:
    """Return a commit and those before it, the nearest first; none where git cannot tell."""
    if not is_git_marker(root / ".git"):
        return ()
    try:
        _, said = run_git(root, "rev-list", f"--max-count={most}", commit)
    except GitFailed:
        return ()
    return tuple(said.decode("ascii", "replace").split())


def candidates(
    objects: Objects, root: Path, keys: tuple[str, str], states: States, commit: str | None
) -> Iterator[Candidate]:
    """Yield the trees that may serve a work tree, the nearest first, each once.

    Args:
        objects: the remote's.
        root: of the work tree.
        keys: the repository's key and the configuration's fingerprint.
        states: of the work tree as it is.
        commit: that is checked out; None without git.

    Raises:
        RemoteError: the remote fails.
        NotTrusted: the ref is not as it was written.
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


def by_nearness(entries: Sequence[Entry], own: Sequence[str]) -> list[Entry]:
    """Return pushes by how few commits lie between theirs and ours, then the last first.

    Args:
        entries: the last push first.
        own: the commit that is checked out, and those before it.
    """
    places = {commit: place for place, commit in enumerate(own)}

    def distance(entry: Entry) -> int:
        if entry.commit is None:
            return _FAR
        theirs = (entry.commit, *entry.history)
        return min(
            (steps + places[commit] for steps, commit in enumerate(theirs) if commit in places),
            default=_FAR,
        )

    return sorted(entries, key=distance)  # it keeps the order of equals


def _trusted_state(objects: Objects, key: str) -> Blob | None:
    """Return the tree that a state leads to; None for what is no state: the ref may have better."""
    try:
        found = state_at(objects, key)
    except NotTrusted:
        return None
    return found.value if found else None
