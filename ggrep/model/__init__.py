"""Immutable values that packages exchange; no code here performs I/O."""
