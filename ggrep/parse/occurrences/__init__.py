"""Positions of a name in a file, and the name's role at each position."""
