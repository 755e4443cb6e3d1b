"""Progress on standard error, and only where a person watches."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ggrep.cli.terminal import Terminal
from ggrep.domain.sanitise import sanitise_line

if TYPE_CHECKING:
    from ggrep.sync.report import Progress, SyncProgress


@contextmanager
def show_progress(terminal: Terminal, label: str) -> Iterator["Progress"]:
    """Yield the callback that draws one sync's progress; silent off a terminal."""
    if not terminal.progress:
        yield lambda _: None
        return
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

        def update(progress: "SyncProgress") -> None:
            if progress.stage == "index":
                bar.update(task, completed=progress.done_files, total=progress.total_files)
            bar.update(task, stage=progress.stage)

        yield update
