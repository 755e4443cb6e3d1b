"""A build backend that builds nothing.

pip wants the metadata of a source archive before it lets anybody have it, and gets them from the
archive's own build system: code of strangers, that needs compilers and takes minutes. Standing in
for these build systems, this module answers with what the archive says of itself in PKG-INFO. It
is copied beside them under their names and so needs nothing but the standard library.
"""

import sys
from collections.abc import Mapping
from email.parser import HeaderParser
from pathlib import Path
from typing import Final

STANDS_FOR: Final = (
    "flit_core.buildapi",
    "hatchling.build",
    "maturin",
    "mesonpy",
    "pdm.backend",
    "poetry.core.masonry.api",
    "scikit_build_core.build",
    "scikit_build_core.setuptools.build_meta",
    "setuptools.build_meta",
)
"""Modules in whose place it is put."""

__legacy__ = sys.modules[__name__]
"""What setuptools is called by archives that name no build system."""

_Settings = Mapping[str, object] | None


def get_requires_for_build_wheel(config_settings: _Settings = None) -> list[str]:  # noqa: ARG001
    """Return nothing: there is nothing to install first."""
    return []


def prepare_metadata_for_build_wheel(
    metadata_directory: str,
    config_settings: _Settings = None,  # noqa: ARG001 - whoever calls says it
) -> str:
    """Write name and version of the archive in whose folder this runs; return the folder's name."""
    said = HeaderParser().parsestr(Path("PKG-INFO").read_text("utf-8", "replace"))
    name, version = said["Name"], said["Version"]
    folder = Path(metadata_directory, f"{name.replace('-', '_')}-{version}.dist-info")
    folder.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (folder / "METADATA").write_text(metadata, encoding="utf-8")
    (folder / "WHEEL").write_text("Wheel-Version: 1.0\nTag: py3-none-any\n", encoding="utf-8")
    return folder.name


def build_wheel(
    wheel_directory: str,
    config_settings: _Settings = None,
    metadata_directory: str | None = None,
) -> str:
    """Refuse; an archive is fetched to be read.

    Raises:
        NotImplementedError: always.
    """
    raise NotImplementedError(wheel_directory, config_settings, metadata_directory)


def lay_out(folder: Path) -> None:
    """Write this module into a folder under the names of what it stands for."""
    text = Path(__file__).read_bytes()
    for name in STANDS_FOR:
        path = folder.joinpath(*name.split(".")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        for parent in path.relative_to(folder).parents[:-1]:
            (folder / parent / "__init__.py").touch()
        path.write_bytes(text)
