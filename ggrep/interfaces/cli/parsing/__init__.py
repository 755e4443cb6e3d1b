"""Parses the typed words into a command and its parameters."""
