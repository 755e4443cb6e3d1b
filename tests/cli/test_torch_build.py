"""Builds of torch are told apart by what lies there, and torch is not imported for it."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ggrep.service.machine import CPU, TorchBuild, installed_torch


def put(
    site: Path, name: str, version: str, files: Sequence[tuple[str, int]], asks: str = ""
) -> None:
    about = site / f"{name}-{version}.dist-info"
    about.mkdir(parents=True)
    told = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (about / "METADATA").write_text(told + (f"Requires-Dist: {asks}\n" if asks else ""))
    lines = [f"{file},sha256=x,{size}" for file, size in files]
    (about / "RECORD").write_text("\n".join([*lines, f"{about.name}/RECORD,,"]) + "\n")


@pytest.mark.parametrize(
    ("version", "library", "made_for"),
    [
        ("2.13.0+cpu", "torch/lib/libtorch_cpu.so", CPU),
        ("2.13.0", "torch/lib/libtorch_cpu.dylib", CPU),
        ("2.15.0", "torch/lib/libtorch_cuda.so", "CUDA"),
        ("2.15.0", "torch/lib/torch_cuda.dll", "CUDA"),
        ("2.13.0+cu130", "torch/elsewhere.so", "CUDA"),
        ("2.13.0+rocm7.1", "torch/lib/libtorch_hip.so", "ROCm"),
        ("2.13.0+xpu", "torch/elsewhere.so", "XPU"),
    ],
)
def test_a_build_is_told_by_its_files_and_else_by_its_version(
    tmp_path: Path, version: str, library: str, made_for: str
) -> None:
    """What the package registry has for Linux names no processor in its version."""
    put(tmp_path, "torch", version, [(library, 5), ("torch/__init__.py", 2)])

    assert installed_torch([str(tmp_path)]) == TorchBuild(version, made_for, 7)


def test_what_came_with_it_is_counted(tmp_path: Path) -> None:
    put(tmp_path, "torch", "2.15.0", [("torch/lib/libtorch_cuda.so", 5)], "nvidia-nccl-cu13")
    put(tmp_path, "nvidia_nccl_cu13", "2.29", [("nvidia/nccl/lib/libnccl.so.2", 30)])
    put(tmp_path, "triton", "3.6.0", [("triton/_C/libtriton.so", 4)])

    found = installed_torch([str(tmp_path)])

    assert found == TorchBuild("2.15.0", "CUDA", 5, ("nvidia-nccl-cu13", "triton"), 34)


def test_what_something_else_asks_for_is_no_leftover(tmp_path: Path) -> None:
    put(tmp_path, "torch", "2.13.0+cpu", [("torch/lib/libtorch_cpu.so", 5)])
    put(tmp_path, "nvidia_nccl_cu13", "2.29", [("nvidia/nccl/lib/libnccl.so.2", 30)])
    alone = installed_torch([str(tmp_path)])
    put(tmp_path, "cupy", "14.0", [("cupy/core.so", 9)], "nvidia_nccl.cu13>=2")
    shared = installed_torch([str(tmp_path)])

    assert alone == TorchBuild("2.13.0+cpu", CPU, 5, ("nvidia-nccl-cu13",), 30)
    assert shared == TorchBuild("2.13.0+cpu", CPU, 5, ("nvidia-nccl-cu13",), 30, needed=True)


def test_where_there_is_none_nothing_is_told(tmp_path: Path) -> None:
    assert installed_torch([str(tmp_path)]) is None


def test_looking_imports_no_torch() -> None:
    """Which takes seconds."""
    code = (
        "import sys; from ggrep.service.machine import installed_torch; installed_torch(); "
        "print('torch' in sys.modules)"
    )
    line = [sys.executable, "-c", code]
    done = subprocess.run(line, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
