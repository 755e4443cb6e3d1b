"""Writes the plugin folder and `server.json` that ship: `python3 dev.py schemas`."""

from pathlib import Path

import ggrep.interfaces.agents
from ggrep import __version__
from ggrep.interfaces.agents.instructions import market_files, registry_text

FOLDER = Path(ggrep.interfaces.agents.__file__).parent / "shipped"


def wanted() -> dict[str, str]:
    """Return what every file of the folder has to hold, by path."""
    market = {f"marketplace/{path}": text for path, text in market_files(__version__).items()}
    return {"server.json": registry_text(__version__), **market}


def held() -> dict[str, str]:
    files = (path for path in FOLDER.rglob("*") if path.is_file())
    return {str(path.relative_to(FOLDER)): path.read_text(encoding="utf-8") for path in files}


if __name__ == "__main__":
    for path, text in wanted().items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text, encoding="utf-8")
