"""Garbage is looked for again once modules are loaded."""

import gc
from importlib import import_module

import pytest

from ggrep.base.processes import without_collecting


def test_nothing_is_collected_within_and_all_is_as_before_after() -> None:
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        _load_nothing()

    assert gc.isenabled()


def test_who_does_not_collect_goes_on_so() -> None:
    gc.disable()
    try:
        with without_collecting():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def _load_nothing() -> None:
    with without_collecting():
        assert not gc.isenabled()
        import_module("ggrep.nowhere")
