"""Immutable values that packages exchange; this package performs no I/O."""
