"""Positions of a name in a file, and its role at each."""
