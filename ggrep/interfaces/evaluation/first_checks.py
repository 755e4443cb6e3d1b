"""A first file of checks, made of questions and of the files that answer them now."""

import re
from collections.abc import Sequence

from ggrep.base import stable_json
from ggrep.base.errors import UsageError
from ggrep.interfaces.evaluation.check_file import DEFAULT_CHECK_LIMIT
from ggrep.interfaces.evaluation.file_keys import VERSION
from ggrep.interfaces.evaluation.questions import Question
from ggrep.interfaces.evaluation.suite_questions import Asker

_WORD = re.compile(r"\w+")


def first_checks(questions: Sequence[str], asker: Asker) -> str:
    """Return a file with a check of each question, which expects the best file of today.

    Raises:
        UsageError: a question has no answer.
    """
    lines, ids = [f"version = {VERSION}"], set[str]()
    for query in questions:
        name = _free("-".join(_WORD.findall(query.lower())) or "check", ids)
        answer = asker.ask(Question(name, query, limit=DEFAULT_CHECK_LIMIT))
        if not answer.files:
            raise UsageError(f"--init: {query!r}: {answer.error or 'no hit, so nothing to expect'}")
        lines += (
            "",
            "[[checks]]",
            f"id = {_quoted(name)}",
            f"query = {_quoted(query)}",
            f"expect_any = [{_quoted(answer.files[0])}]",
        )
    return "\n".join(lines) + "\n"


def _free(name: str, taken: set[str]) -> str:
    """Return the name, with a number behind it where it is taken; it is taken from then on."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def _quoted(text: str) -> str:
    """Return a text as a TOML string: that of JSON, where only DEL needs an escape more."""
    return stable_json.dumps(text).decode().replace("\x7f", "\\u007f")
