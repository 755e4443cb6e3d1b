"""Parses the words of a command line into a command and its parameters."""
