"""The identity of one installed build of ggrep."""

import os

import ggrep


def build_id() -> str:
    """Return the version and its time of installation, in nanoseconds.

    A daemon outlives an upgrade, also one to another build of the same version. The time is that
    of one file, which each installation writes anew: in a checkout, edits of other files have no
    effect.
    """
    return f"{ggrep.__version__}+{os.stat(ggrep.__file__).st_mtime_ns}"  # noqa: PTH116 - lean
