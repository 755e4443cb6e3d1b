"""The trees that ggrep and its peers search, and the questions that they are asked."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

STDLIB: Final = Path(os.__file__).resolve().parent
_C_WORDS: Final = ("allocate memory for a page", "list of open files", "wait for an interrupt")


class Question(Struct, frozen=True):
    """A question of one kind: `text` is words, a name, a text or an expression."""

    kind: str
    text: str


class Tree(Struct, frozen=True):
    """A tree and its questions.

    Attributes:
        megabytes: cut the kernel's files to about so many; 0 for all.
        files: take so many of the kernel's files.
        below: where they lie; anywhere without any.
        endings: that they have one of; any without any.
        git: it is a git repository.
    """

    name: str
    questions: tuple[Question, ...]
    megabytes: int = 0
    files: int = 0
    below: tuple[str, ...] = ("",)
    endings: tuple[str, ...] = ("",)
    git: bool = True


def _questions(kind: str, *texts: str) -> tuple[Question, ...]:
    return tuple(Question(kind, text) for text in texts)


_OF_C: Final = (
    *_questions("words", *_C_WORDS),
    *_questions("definition", "size_t", "list_head", "kmalloc"),
    *_questions("usages", "size_t", "kmalloc", "list_add_tail"),
    *_questions("text", "return -EINVAL;", "static inline void"),
    *_questions("pattern", r"#define [A-Z]+_MAX", "TODO|FIXME", r"u(8|16|32) [a-z]+\["),
)
_OF_HEADERS: Final = (
    *_questions("definition", "size_t", "uint32_t", "pthread_mutex_t"),
    *_questions("usages", "size_t", "uint32_t", "pthread_mutex_t"),
    *(question for question in _OF_C if question.kind in {"text", "pattern"}),
)
_OF_PYTHON: Final = (
    *_questions("words", "parse command line", "open a file", "cancel a running task"),
    *_questions("definition", "HTTPConnection", "namedtuple", "getLogger"),
    *_questions("usages", "HTTPConnection", "namedtuple", "getLogger"),
    *_questions("text", "raise NotImplementedError", "if not isinstance("),
    *_questions("pattern", "def test_[a-z]+_error", "TODO|FIXME|XXX", "except [A-Z][A-Za-z]+ as"),
)
TREES: Final = (
    Tree("stdlib", _OF_PYTHON),
    Tree("headers", _OF_HEADERS, files=4_000, below=("include/", "tools/"), endings=(".h",)),
    Tree("ctree", _OF_C, files=11_000, endings=(".c",)),
    *(
        Tree(f"words-{size}{'' if git else '-plain'}", _OF_C[:3], megabytes=size, git=git)
        for size in (46, 140, 470)
        for git in (True, False)
    ),
    Tree("linux", _OF_C),
)


def lay_out(tree: Tree, root: Path, kernel: Path) -> None:
    """Make a tree of its sources.

    Args:
        tree: which one.
        root: a new folder.
        kernel: the kernel's source.
    """
    if tree.name == "stdlib":
        ignored = shutil.ignore_patterns("site-packages", "__pycache__", "*.so", "*.exe")
        shutil.copytree(STDLIB, root, ignore=ignored, symlinks=True)
        return
    for path in chosen(files_below(kernel), tree):
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(kernel / path, place)


def files_below(source: Path) -> list[tuple[str, int]]:
    """Return the regular files of a tree with their sizes, by path; indexes inside of it aside."""
    found = []
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if name not in {".git", ".codegraph"}]
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                found.append((path.relative_to(source).as_posix(), path.stat().st_size))
    return sorted(found)


def chosen(files: Sequence[tuple[str, int]], tree: Tree) -> list[str]:
    """Return the paths that a tree takes of the kernel's, evenly spread over them."""
    fit = [
        file for file in files if file[0].startswith(tree.below) and file[0].endswith(tree.endings)
    ]
    share = 1.0
    if tree.files:
        share = tree.files / len(fit)
    elif tree.megabytes:
        share = tree.megabytes * 1e6 / sum(size for _, size in fit)
    count = round(len(fit) * min(share, 1.0))
    return [fit[number * len(fit) // count][0] for number in range(count)]
