"""Progress on standard error, only when that is a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ggrep.interfaces.cli.terminal import Terminal
from ggrep.model.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.index.sync.sync_report import Progress, SyncProgress


@contextmanager
def show_progress(terminal: Terminal, label: str) -> Iterator["Progress"]:
    """Yield the callback that draws one sync's progress; silent off a terminal."""
    if not terminal.progress:
        yield lambda _: None
        return
    with show_counts(terminal, label) as draw:

        def update(progress: "SyncProgress") -> None:
            draw(progress.stage, progress.done_files, progress.total_files)

        yield update


@contextmanager
def show_counts(terminal: Terminal, label: str) -> Iterator[Callable[[str, int, int], None]]:
    """Yield a function that draws a stage and its counts of files, done and in total.

    Requires: somebody watches the terminal.
    """
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=30),
        TextColumn("{task.completed:>6.0f}/{task.total:.0f} files  {task.fields[stage]}"),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True, no_color=not terminal.notes_style.colour)
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(sanitise_line(label), total=0, stage="scan")

        def draw(stage: str, done: int, total: int) -> None:
            if stage == "index":
                bar.update(task, completed=done, total=total)
            bar.update(task, stage=stage)

        yield draw
