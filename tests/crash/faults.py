"""Every moment at which a publish makes something durable, and death at one of them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


class Death(BaseException):
    """The process ends here: nothing that follows happens, clean-up included."""


@dataclass
class Recorder:
    """The durable steps that were taken.

    Attributes:
        die_at: number of the step before which the process dies; None to live.
        events: `("sync", inode)` and `("replace", target's name)`, in order.
    """

    die_at: int | None = None
    events: list[tuple[str, int | str]] = field(default_factory=list)

    def step(self, kind: str, what: int | str, act: Callable[[], Any]) -> Any:
        """Take a step, or die before it; the dead take no more."""
        if self.die_at is not None and len(self.events) >= self.die_at:
            raise Death(f"before step {self.die_at}: {kind} {what}")
        self.events.append((kind, what))
        return act()


@contextmanager
def recorded(die_at: int | None = None) -> Iterator[Recorder]:
    """Record every fsync and rename of this process while the block runs."""
    recorder = Recorder(die_at)
    sync, replace = os.fsync, Path.replace

    def fsync(descriptor: int) -> None:
        recorder.step("sync", os.fstat(descriptor).st_ino, lambda: sync(descriptor))

    def rename(self: Path, target: Path) -> Path:
        moved: Path = recorder.step("replace", Path(target).name, lambda: replace(self, target))
        return moved

    # Not pytest's: processes that are killed by the dozen would each import it.
    os.fsync, Path.replace = fsync, rename  # type: ignore[assignment, method-assign]
    try:
        yield recorder
    finally:
        os.fsync, Path.replace = sync, replace  # type: ignore[method-assign]
