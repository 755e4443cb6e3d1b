"""Options that several commands take."""

from typing import Annotated, TypeAlias

import typer

YesOption: TypeAlias = Annotated[
    bool, typer.Option("--yes", "-y", help="Index a directory that is no repository, unasked.")
]
