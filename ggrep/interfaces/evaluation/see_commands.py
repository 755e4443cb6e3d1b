"""The command that shows its reader the answer that a check judged."""

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from shlex import quote

from ggrep.interfaces.evaluation.check_file import DEFAULT_CHECK_LIMIT, Check
from ggrep.interfaces.evaluation.check_rules import SLATE_RULES
from ggrep.interfaces.evaluation.questions import DEFAULT_PER_FILE
from ggrep.model.corpus import Mode


def commands(check: Check, rules: Collection[str], base: Path) -> Iterator[str]:
    """Yield what shows the answer that missed these rules, for somebody who stands in `base`.

    No command asks a directory alone that lies inside a repository, so there is none for those.
    """
    if check.target.alone:
        return
    if check.question.searched and not SLATE_RULES.issuperset(rules):
        yield see_search(check, base)
    if check.question.slates and (not check.question.searched or not SLATE_RULES.isdisjoint(rules)):
        yield see_slate(check, base)


def see_search(check: Check, base: Path) -> str:
    """Return the command that shows a check's hits, for somebody who stands in `base`."""
    question = check.question
    own = []
    if question.limit != DEFAULT_CHECK_LIMIT:
        own.append(f"-m {question.limit}")
    if question.per_file != DEFAULT_PER_FILE:
        own.append(f"--per-file {question.per_file}")
    if check.target.is_workspace:
        own.append("--no-fold")
    return f"ggrep search {_asked(check, base, own)}"


def see_slate(check: Check, base: Path) -> str:
    """Return the command that shows a check's slate, for somebody who stands in `base`."""
    own = [f"--max-bytes {size}" for size in check.question.slates if size]
    return f"ggrep slate {_asked(check, base, own)}"


def _asked(check: Check, base: Path, own: list[str]) -> str:
    question, target = check.question, check.target
    path = quote(os.path.relpath(target.path.resolve(), base.resolve()))
    flags = [*own, *_flags(check)]
    if target.is_workspace:
        flags.append(f"--workspace {path}")
    words = [quote(question.query)] + ([] if target.is_workspace else [path])
    # What begins with a dash is taken for a flag unless a bare -- stands before it.
    parts = [*flags, "--", *words] if question.query.startswith("-") else [*words, *flags]
    return " ".join(parts)


def _flags(check: Check) -> Iterator[str]:
    question = check.question
    if question.mode != Mode.BALANCED.value:
        yield f"--mode {question.mode}"
    yield from (f"--corpus {quote(word)}" for word in question.corpora)
    # A filter that takes away begins with a dash.
    yield from (f"--filter={quote(text)}" for text in question.filters)
