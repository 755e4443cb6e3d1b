"""Imports lancedb without two packages that take more than half of the time and have no effect.

`lance_namespace_urllib3_client` is about a hundred generated pydantic models; for local directories
lancedb only mentions them in signatures. `overrides` compares the signatures of methods with those
that they override, a third of the remaining time; on Python 3.12 and newer lancedb does not use it.
A process of ggrep can leave them out. A library must not: its host program may use them.
"""

import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Sequence
from typing import Final, TypeVar

from ggrep.base.processes import without_collecting

_PACKAGE: Final = "lance_namespace_urllib3_client"
_COMPARED: Final = "overrides"
_LEFT_OUT: Final = frozenset({_PACKAGE, _COMPARED})

Method = TypeVar("Method")


class _Mention(types.ModuleType):
    """A module in which every public name is an empty class."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class _Unchecked(_Mention):
    """The same, with a decorator `override` that checks nothing."""

    @staticmethod
    def override(method: Method) -> Method:
        """Return the method unchanged."""
        return method


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the packages and their submodules, and loads mentions for them."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for the packages that are left out; None for other modules."""
        del path, target
        if fullname.partition(".")[0] not in _LEFT_OUT:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return an empty mention."""
        return (_Unchecked if spec.name == _COMPARED else _Mention)(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing: names are created on access."""
        del module


def leave_out_remote_client() -> None:
    """Have lancedb imported without its remote client and its checks from now on.

    Only for processes of ggrep: it affects the whole process.
    """
    if _PACKAGE not in sys.modules and not any(_finders()):
        sys.meta_path.insert(0, _Finder())


def import_lancedb() -> types.ModuleType:
    """Return lancedb; import it with all packages if a release fails without those left out."""
    with without_collecting():
        return _imported()


def _imported() -> types.ModuleType:
    try:
        import lancedb
    except Exception:
        if not any(_finders()):
            raise
        for finder in _finders():
            sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if _is_python_part(name)]:
            del sys.modules[name]
        import lancedb
    return lancedb


def _is_python_part(name: str) -> bool:
    """Return whether a module of lancedb can be loaded again; native ones initialise only once."""
    loader = getattr(sys.modules[name], "__loader__", None)
    native = isinstance(loader, importlib.machinery.ExtensionFileLoader)
    return name.startswith(("lance", _COMPARED)) and not native


def _finders() -> list[_Finder]:
    return [finder for finder in sys.meta_path if isinstance(finder, _Finder)]
