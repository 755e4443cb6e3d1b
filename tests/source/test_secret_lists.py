"""Names and contents as an outsider might list them: what holds secrets is left out or masked.

The tuned lists were known when rules were made; `held_out` is of an author who knew no rule, was
looked into after the last of them, and no rule was changed for it. A `¦` stands inside of what
scanners of code hosts would know.
"""

from pathlib import Path
from typing import Any

import pytest

from ggrep.base import stable_json
from ggrep.config.settings import Settings
from ggrep.model.files import FileText
from ggrep.parse.source.read import read_file
from ggrep.parse.source.walk import walk
from tests.fakes.repos import write_tree

LISTS = Path(__file__).parent / "secret_lists"
LEAST = {
    "tuned": (99, 100),
    "tuned_later": (99, 98),
    "tuned_third": (100, 98),
    "tuned_fourth": (100, 100),
    "tuned_fifth": (99, 98),
    "held_out": (100, 96),
}
"""Names and contents in 100 that are left out or masked."""


@pytest.mark.parametrize("name", LEAST)
def test_what_holds_secrets_is_left_out_or_masked_and_little_else_is(
    name: str, tmp_path: Path
) -> None:
    """Every file lies in a folder of its own; a name counts without the help of its content."""
    listed: dict[str, Any] = stable_json.loads((LISTS / f"{name}.json").read_bytes())
    whole = {
        **{f"n{number}/{path}": "needle\n" for number, path in enumerate(listed["names"])},
        **{f"c{number}/{each['path']}": _joined(each["text"]) for number, each in _each(listed)},
        **{
            f"h{number}/{each['path']}": _joined(each["text"])
            for number, each in enumerate(listed["harmless"])
        },
    }
    write_tree(tmp_path, whole)
    found = walk(tmp_path, Settings())
    read = {str(file.path_key): read_file(tmp_path, file) for file in found.files}
    shown = {path: text.data for path, text in read.items() if isinstance(text, FileText)}
    secret = {str(skip.path_key) for skip in found.skipped if skip.reason == "secret"}

    names = [path for path in shown if path.startswith("n")]
    contents = [
        each
        for number, each in _each(listed)
        for text in [shown.get(f"c{number}/{each['path']}", b"")]
        if any(_joined(value).encode() in text for value in each["secrets"])
    ]
    touched = [
        path
        for path, text in whole.items()
        if path.startswith("h")
        and (shown.get(path, text.encode()) != text.encode() or path in secret)
    ]

    least_names, least_contents = LEAST[name]
    assert 100 * len(names) <= (100 - least_names) * len(listed["names"]), names
    assert 100 * len(contents) <= (100 - least_contents) * len(listed["contents"]), contents
    assert 100 * len(touched) <= 5 * len(listed["harmless"]), touched


def _each(listed: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    return list(enumerate(listed["contents"]))


def _joined(text: str) -> str:
    return text.replace("¦", "")
