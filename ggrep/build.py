"""What tells one installed build of ggrep from another."""

import os

import ggrep


def build_id() -> str:
    """Return the version and when it was installed, in nanoseconds.

    A daemon outlives an upgrade. The version alone would not tell it from its successor in a
    checkout, where files change and versions do not.
    """
    return f"{ggrep.__version__}+{os.stat(ggrep.__file__).st_mtime_ns}"  # noqa: PTH116 - lean
