"""Rust paths: which selected file `crate::`, `super::` or another crate's name refers to."""

import posixpath

from ggrep.search.slate.selected_paths import Parts, SelectedPaths


def rust_target(source: str, name: str, paths: SelectedPaths) -> str | None:
    """Return the selected file of a path such as `crate::a::B`, seen from `source`.

    The last one or two parts may be members of the module; another crate of the repository is
    found by the directory that it lies in.
    """
    head, *rest = name.split("::")
    root = _crate_root(source)
    module = _rust_module(source, root)
    if head == "crate":
        return _rust_file(root, tuple(rest), paths)
    if head in {"self", "super"}:
        while head == "super" and rest:
            module = module[:-1]
            head, *rest = rest
        parts = rest if head in {"self", "super"} else [head, *rest]
        return _rust_file(root, (*module, *parts), paths)
    crates = (directory for directory in paths.directories() if _is_crate(directory, head))
    found = {_rust_file(_crate_root(f"{crate}/lib.rs"), tuple(rest), paths) for crate in crates}
    return next(iter(found)) if len(found) == 1 else None


def _is_crate(directory: str, name: str) -> bool:
    parts = directory.split("/")
    return len(parts) > 1 and parts[-1] == "src" and parts[-2].replace("-", "_") == name


def _crate_root(path: str) -> str:
    parts = path.split("/")[:-1]
    if "src" not in parts:
        return "/".join(parts)
    return "/".join(parts[: len(parts) - parts[::-1].index("src")])


def _rust_module(path: str, root: str) -> Parts:
    inner = path[len(root) + 1 if root else 0 :].removesuffix(".rs").split("/")
    return tuple(inner[:-1] if inner[-1] in {"mod", "lib", "main"} else inner)


def _rust_file(root: str, parts: Parts, paths: SelectedPaths) -> str | None:
    for count in range(len(parts), max(-1, len(parts) - 3), -1):
        base = posixpath.join(root, *parts[:count])
        tried = ("/lib.rs", "/main.rs") if count == 0 else (".rs", "/mod.rs")
        found = paths.at(base, tried)
        if found is not None and found.endswith(".rs") and (count or not parts):
            return found
    return None
