"""Bytes in, bytes out: an installation and its undoing."""
