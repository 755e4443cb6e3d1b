"""The identity of one installed build of ggrep."""

import os

import ggrep


def build_id() -> str:
    """Return the version and when it was installed, in nanoseconds.

    A daemon outlives an upgrade, and another build of one version is one too. It goes by a single
    file, which each installation writes anew: in a checkout an edit of any other goes unnoticed.
    """
    return f"{ggrep.__version__}+{os.stat(ggrep.__file__).st_mtime_ns}"  # noqa: PTH116 - lean
