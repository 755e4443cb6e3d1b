"""ggrep: code search by meaning over one repository or a workspace of them."""

__version__ = "0.1.0"

__all__ = ["__version__"]
