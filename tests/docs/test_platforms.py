"""What is asked of Linux alone stands in one module, and on the page about platforms."""

import re

from ggrep.base import linux
from tests.docs.pages import ROOT, SOURCES, mentions, page

ONLY_LINUX = re.compile(
    r"/proc/|memfd_create|O_PATH|SO_PEERCRED|\bSCHED_|sched_set|madvise|RLIMIT_AS|\bF_OFD_|O_TMPFILE"
    r"|\bimport ctypes|\bprctl|\.statfs\(|pidfd|CLOCK_BOOTTIME"
)
OWN = [
    name
    for name, each in vars(linux).items()
    if getattr(each, "__module__", "") == linux.__name__ and not name.startswith("_")
]


def test_no_other_module_asks_linux() -> None:
    """Who ports it has one place to look at; what all of POSIX has is another matter."""
    asking = {}
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        code = re.sub(r'""".*?"""|#[^\n]*', "", text, flags=re.DOTALL)
        if words := ONLY_LINUX.findall(code):
            asking[str(path.relative_to(ROOT))] = words

    assert asking.keys() == {"ggrep/base/linux.py"}, asking


def test_each_question_stands_on_the_page() -> None:
    told = page("docs/platforms.md")

    assert [name for name in OWN if not mentions(told, name)] == []
