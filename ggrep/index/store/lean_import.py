"""Imports lancedb without two packages that take more than half of the import's time.

`lance_namespace_urllib3_client` consists of about a hundred generated pydantic models; for local
directories lancedb uses them only in signatures. `overrides` compares the signatures of methods
with the signatures of overridden methods, which takes a third of the remaining time; on Python 3.12
and newer lancedb does not use it. Processes of ggrep can omit both packages. Programs that use
ggrep as a library cannot, because they may use the packages themselves.
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
    """An empty replacement of a module, in which every public name is an empty class."""

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class _Unchecked(_Mention):
    """An empty replacement of `overrides`, with a decorator `override` that checks nothing."""

    @staticmethod
    def override(method: Method) -> Method:
        """Return the method unchanged."""
        return method


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the omitted packages and their submodules, and loads empty replacements."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Return a spec for the omitted packages; None for other modules."""
        del path, target
        if fullname.partition(".")[0] not in _LEFT_OUT:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return an empty replacement."""
        return (_Unchecked if spec.name == _COMPARED else _Mention)(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing, because names are created on access."""
        del module


def leave_out_remote_client() -> None:
    """Make later imports of lancedb omit its remote client and its checks.

    Call this only in processes of ggrep, because it affects the whole process.
    """
    if _PACKAGE not in sys.modules and not any(_finders()):
        sys.meta_path.insert(0, _Finder())


def import_lancedb() -> types.ModuleType:
    """Return lancedb; import it with all packages if the import fails without the omitted ones."""
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
    """Return whether a module of lancedb can be loaded again; native modules cannot."""
    loader = getattr(sys.modules[name], "__loader__", None)
    native = isinstance(loader, importlib.machinery.ExtensionFileLoader)
    return name.startswith(("lance", _COMPARED)) and not native


def _finders() -> list[_Finder]:
    return [finder for finder in sys.meta_path if isinstance(finder, _Finder)]
