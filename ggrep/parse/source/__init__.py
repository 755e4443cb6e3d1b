"""Reads a root and yields the text of its eligible files; writes nothing."""
