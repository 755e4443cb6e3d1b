"""The identity of one installed build of ggrep."""

import os

import ggrep


def build_id() -> str:
    """Return the version and the time of its installation, in nanoseconds.

    A daemon keeps running during an upgrade, even to another build of the same version. The time is
    the modification time of one file that each installation rewrites. In a checkout, edits of other
    files do not change the time.
    """
    return f"{ggrep.__version__}+{os.stat(ggrep.__file__).st_mtime_ns}"  # noqa: PTH116 - lean
