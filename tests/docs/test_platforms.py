"""What is asked of Linux alone stands in one module, and on the page about platforms."""

import re

import pytest

from ggrep.base import linux
from tests.docs.pages import SOURCES, mentions, page

ONLY_LINUX = re.compile(
    r"/proc/|memfd_create|O_PATH|SO_PEERCRED|\bSCHED_|sched_set|madvise|RLIMIT_AS|\bF_OFD_|O_TMPFILE"
    r"|\bimport ctypes|\bprctl|\.statfs\(|pidfd|CLOCK_BOOTTIME"
)
OWN = [
    name
    for name, each in vars(linux).items()
    if getattr(each, "__module__", "") == linux.__name__ and not name.startswith("_")
]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_no_other_module_asks_linux(path: object) -> None:
    """Who ports it has one place to look at; what all of POSIX has is another matter."""
    text = path.read_text(encoding="utf-8")  # type: ignore[attr-defined] # a path
    code = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)

    if not str(path).endswith("base/linux.py"):
        assert ONLY_LINUX.findall(code) == []


def test_each_question_stands_on_the_page() -> None:
    told = page("docs/platforms.md")

    assert [name for name in OWN if not mentions(told, name)] == []
