"""Work trees whose git directory was made to run something, or to lead out of the root."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from tests.hostile.trees import CANARY

Git = Callable[..., str]
Plant = Callable[[Path, Path, Git], None]
"""Gets a work tree with one commit, the directory beside it, and git."""


def trap(outside: Path) -> Path:
    """Return a program that leaves a file `sprung` beside itself whoever runs it.

    Copies of it in the root are the root's own text, which must not name what lies outside.
    """
    program = outside / "trap"
    place = str(outside).replace(CANARY, "*")
    lines = f'for place in {place}; do echo "$0 $*" >> "$place/sprung"; done'
    program.write_text(f"#!/bin/sh\n{lines}\ncat\n")
    program.chmod(0o755)
    return program


def configured(root: Path, git: Git, values: dict[str, str]) -> None:
    """Set what the repository's own configuration says."""
    for key, value in values.items():
        git(root.parent, "config", "--file", str(root / ".git/config"), key, value)


def hooks(root: Path, outside: Path, git: Git) -> None:
    """Every hook there is, in the usual place and in one of its own."""
    program = trap(outside).read_text()
    for place in (root / ".git/hooks", root / "hooks"):
        place.mkdir(exist_ok=True)
        for name in ("post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout"):
            (place / name).write_text(program)
            (place / name).chmod(0o755)
    configured(root, git, {"core.hooksPath": "hooks", "core.fsmonitor": "hooks/pre-commit"})


def fsmonitor(root: Path, outside: Path, git: Git) -> None:
    """A program that is asked what has changed."""
    configured(root, git, {"core.fsmonitor": str(trap(outside)), "core.untrackedCache": "true"})


def filters(root: Path, outside: Path, git: Git) -> None:
    """Programs that content is passed through, named by attributes."""
    program = str(trap(outside))
    (root / ".gitattributes").write_text("* filter=evil diff=evil merge=evil text eol=crlf\n")
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/attributes").write_text("* filter=other\n")
    keys = ("filter.evil.clean", "filter.evil.smudge", "filter.other.process", "merge.evil.driver")
    configured(root, git, dict.fromkeys((*keys, "diff.evil.textconv", "diff.external"), program))
    configured(root, git, {"filter.evil.required": "true", "filter.other.required": "true"})
    (root / "tracked.py").write_text("changed = 1\n")


def programs(root: Path, outside: Path, git: Git) -> None:
    """Every other key that names a program."""
    program = str(trap(outside))
    keys = (
        *("core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy"),
        *("core.alternateRefsCommand", "pager.status", "pager.ls-files", "sequence.editor"),
        *("gpg.program", "remote.origin.uploadpack", "remote.origin.receivepack"),
        *("credential.helper", "uploadpack.packObjectsHook", "interactive.diffFilter"),
        *("browser.x.cmd", "difftool.x.cmd", "mergetool.x.cmd", "trailer.x.command"),
    )
    configured(root, git, dict.fromkeys(keys, program))
    aliases = ("ls-files", "status", "config", "rev-parse", "check-ignore")
    configured(root, git, {f"alias.{name}": f"!{program}" for name in aliases})


def promised_objects(root: Path, outside: Path, git: Git) -> None:
    """Objects that are not there and are to be had from a program."""
    configured(
        root,
        git,
        {
            "remote.origin.url": f"ext::{trap(outside)} %S",
            "remote.origin.promisor": "true",
            "extensions.partialClone": "origin",
            "core.repositoryFormatVersion": "1",
            "protocol.allow": "always",
            "protocol.ext.allow": "always",
        },
    )
    for item in (root / ".git/objects").glob("??/*"):
        item.unlink()


def other_work_tree(root: Path, outside: Path, git: Git) -> None:
    """A work tree that is said to be the whole disk."""
    configured(root, git, {"core.worktree": "/", "core.bare": "true"})


def included(root: Path, outside: Path, git: Git) -> None:
    """Configuration from outside, and from a file that includes itself."""
    (outside / "config").write_text(f"[core]\n\tfsmonitor = {trap(outside)}\n[{CANARY}]\n\ta = 1\n")
    configured(root, git, {"include.path": str(outside / "config")})
    configured(root, git, {"includeIf.gitdir:/.path": "config"})


def foreign_repository(root: Path, outside: Path, git: Git) -> None:
    """A `.git` file that names somebody else's repository, whose index names files of its own."""
    foreign = outside / "foreign"
    git(foreign, "init")
    (foreign / f"{CANARY}.py").write_text(f"{CANARY} = 1\n")
    git(foreign, "add", ".")
    git(foreign, "commit", "-m", CANARY)
    configured(foreign, git, {"core.fsmonitor": str(trap(outside))})
    (root / ".git").rename(outside / "own")
    (root / ".git").write_text(f"gitdir: {foreign}/.git\n")


def alternates(root: Path, outside: Path, git: Git) -> None:
    """Objects of another store, in circles."""
    info = root / ".git/objects/info"
    info.mkdir(exist_ok=True)
    (info / "alternates").write_text(f"{outside}\n{root}/.git/objects\n../objects\n/dev\n")


def broken_index(root: Path, outside: Path, git: Git) -> None:
    (root / ".git/index").write_bytes(b"DIRC" + bytes(range(256)) * 50)


def endless_index(root: Path, outside: Path, git: Git) -> None:
    """An index that claims four thousand million entries."""
    body = b"DIRC\0\0\0\2\xff\xff\xff\xff" + b"\0" * 4000
    (root / ".git/index").write_bytes(body + hashlib.sha1(body).digest())  # noqa: S324 - git's


def paths_in_index(root: Path, outside: Path, git: Git) -> None:
    """An index whose paths lead out; git writes no such thing, so its bytes are changed."""
    blob = git(root, "hash-object", "-w", "tracked.py").strip()
    for name in ("xx/beside/secret.py", "Xetc/passwd", "a/xx/xx/b.py"):
        git(root, "update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
    body = (root / ".git/index").read_bytes()[:-20]
    body = body.replace(b"xx/", b"../").replace(b"Xetc", b"/etc")
    (root / ".git/index").write_bytes(body + hashlib.sha1(body).digest())  # noqa: S324 - git's


def linked_index(root: Path, outside: Path, git: Git) -> None:
    """Index, head and references that are links to files outside."""
    for name in ("index", "packed-refs", "config", "refs/heads/main"):
        (root / ".git" / name).unlink(missing_ok=True)
        (root / ".git" / name).symlink_to(outside / "secret.py")


def hostile_head(root: Path, outside: Path, git: Git) -> None:
    """A head that names a file outside as its branch."""
    (root / ".git/HEAD").write_text(f"ref: refs/heads/../../../../{outside.name}/secret.py\n")


def huge_config(root: Path, outside: Path, git: Git) -> None:
    """A configuration of two megabytes, a hundred thousand filters among it."""
    text = "".join(f'[filter "f{number}"]\n\tclean = x\n' for number in range(60_000))
    (root / ".git/config").write_text(f"[core]\n\tbare = false\n{text}")


def gitlinks(root: Path, outside: Path, git: Git) -> None:
    """A submodule in the index whose place is a link out."""
    sha = "1" * 40
    git(root, "update-index", "--add", "--cacheinfo", f"160000,{sha},sub")
    (root / "sub").symlink_to(outside / "pkg")
    (root / ".gitmodules").write_text(f'[submodule "sub"]\n\tpath = sub\n\turl = ../{CANARY[:2]}\n')


def tracked_links(root: Path, outside: Path, git: Git) -> None:
    """Tracked files of which one became a link and one directory too."""
    (root / "place").mkdir()
    (root / "place/a.py").write_text("x = 1\n")
    git(root, "add", ".")
    (root / "place/a.py").unlink()
    (root / "place").rmdir()
    (root / "place").symlink_to(outside / "pkg")
    (root / "tracked.py").unlink()
    (root / "tracked.py").symlink_to(outside / "secret.py")


def waiting_index(root: Path, outside: Path, git: Git) -> None:
    """An index that nobody will ever write to: git waits for it."""
    (root / ".git/index").unlink()
    os.mkfifo(root / ".git/index")


def waiting_ignore(root: Path, outside: Path, git: Git) -> None:
    """A `.gitignore` that git waits for."""
    (root / "waiting").mkdir()
    os.mkfifo(root / "waiting/.gitignore")


def backtracking_gitignore(root: Path, outside: Path, git: Git) -> None:
    """Patterns over which git itself takes for ever."""
    place = root / "/".join(["a" * 20] * 12)
    place.mkdir(parents=True)
    (place / ("a" * 200 + ".py")).write_text("x = 1\n")
    (root / ".gitignore").write_text("**/a" * 12 + "*b\n" + "*a" * 30 + "b\n")


GITS: dict[str, Plant] = {
    plant.__name__: plant
    for plant in (
        *(hooks, fsmonitor, filters, programs, promised_objects, other_work_tree, included),
        *(foreign_repository, alternates, broken_index, endless_index, paths_in_index),
        *(linked_index, hostile_head, huge_config, gitlinks, tracked_links),
    )
}
WAITING: dict[str, Plant] = {
    plant.__name__: plant for plant in (waiting_index, waiting_ignore, backtracking_gitignore)
}
"""Over these git itself would wait until its time is up."""
