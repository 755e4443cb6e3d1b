"""Which build of torch is installed here and what it takes, told without importing it.

ggrep computes on the CPU alone. What pip brings on Linux is a build for CUDA, with some gigabytes
of libraries in distributions of their own.
"""

import re
import sys
from collections.abc import Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

from msgspec import Struct

_LIBRARIES: Final = {"torch_cuda": "CUDA", "torch_hip": "ROCm", "torch_xpu": "XPU"}
"""What a build's own files are called, and what it is for."""
_LOCAL: Final = {"cu": "CUDA", "rocm": "ROCm", "xpu": "XPU"}
"""How the local part of a version begins: `2.13.0+cu130`."""
_BROUGHT: Final = ("nvidia_*", "cuda_*", "triton", "pytorch_triton*")
"""Names of distributions that only such a build needs."""
CPU: Final = "the CPU"


class TorchBuild(Struct, frozen=True):
    """What is installed.

    Attributes:
        version: as it says itself; empty where there is no torch.
        made_for: `the CPU`, `CUDA`, `ROCm` or `XPU`.
        own_bytes: of its files.
        brought: names of distributions that builds for other processors than the CPU bring.
        brought_bytes: of their files.
        needed: whether something beside them and torch asks for one of those.
    """

    version: str
    made_for: str
    own_bytes: int
    brought: tuple[str, ...] = ()
    brought_bytes: int = 0
    needed: bool = False


def installed_torch(path: Sequence[str] | None = None) -> TorchBuild | None:
    """Return the torch that would be imported, None where there is none.

    Args:
        path: where to look; where modules are looked for unless it is given.
    """
    where = list(sys.path if path is None else path)
    found = next(iter(distributions(name="torch", path=where)), None)
    if found is None:
        return None
    record = found.read_text("RECORD") or ""
    beside = _brought(Path(str(found.locate_file(""))))
    needed = bool(beside) and any(
        _asks_for(each, {*beside})
        for each in distributions(path=where)
        if _name(each) not in beside
    )
    return TorchBuild(
        version=found.version,
        made_for=_made_for(found.version, record),
        own_bytes=_bytes(record),
        brought=tuple(beside),
        brought_bytes=sum(map(_bytes, beside.values())),
        needed=needed,
    )


def _made_for(version: str, record: str) -> str:
    for library, processor in _LIBRARIES.items():
        if re.search(rf"^torch/lib/(?:lib)?{library}\.", record, re.MULTILINE):
            return processor
    local = version.partition("+")[2]
    return next((told for begin, told in _LOCAL.items() if local.startswith(begin)), CPU)


def _brought(site: Path) -> dict[str, str]:
    """Return the records of such distributions there, by name."""
    return {
        _plain(folder.name.split("-")[0]): _read(folder / "RECORD")
        for pattern in _BROUGHT
        for folder in sorted(site.glob(f"{pattern}-*.dist-info"))
    }


def _asks_for(found: Distribution, names: set[str]) -> bool:
    return _name(found) != "torch" and any(
        _plain(asked[0]) in names and "extra ==" not in line
        for line in found.requires or ()
        if (asked := re.match(r"[\w.-]+", line))
    )


def _name(found: Distribution) -> str:
    return _plain(found.name)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError:
        return ""


def _bytes(record: str) -> int:
    """Return what the files of a record take together; lines end with it."""
    sizes = (line.rpartition(",")[2] for line in record.splitlines())
    return sum(int(size) for size in sizes if size.isdecimal())
